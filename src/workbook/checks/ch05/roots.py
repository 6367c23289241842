"""Chapter 05, second part: the root that a salt and an adapter make."""

import copy
import inspect
import types
from typing import Any

from workbook.checks.framework import exercise, expect, shown

roots = exercise(
    "roots",
    label="ex-05-4",
    title="Roots",
    stub="root",
    takes="function",
    hints=(
        "Whatever you join to one word can be split in another place. What in Python holds two "
        "things apart?",
        "A tuple with a place for each. A tag beside each word says in a log which is which: "
        '`(("salt", salt), ("adapter", adapter))`.',
    ),
)

# What tenants and adapters may be called, chosen so that each careless root makes two alike.
PAIRS: list[tuple[Any, Any]] = [
    ("x", "y"),
    ("xy", None),
    ("y", "x"),
    ("x", None),
    (None, "x"),
    ("x", "x"),
    (None, None),
    ("", None),
    (None, ""),
    ("ab", "c"),
    ("a", "bc"),
    ("a,b", "c"),
    ("a", "b,c"),
    ("None", None),
    (None, "None"),
    ("abc", None),
    ("X", "y"),
]


class Word(str):
    """A name of which every object is new and has the hash of every other."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 7


def _fresh(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """The same pair in new objects, as it would be read from the next request."""
    salt, adapter = (None if word is None else Word(word) for word in pair)
    return salt, adapter


@roots.case(
    "equal pairs, equal roots",
    tried="root(salt, adapter) twice, for 17 pairs",
    right="equal both times, and a dict can be asked for it",
    why="A root is made of the two words alone, not of a count or of where an object lies: "
    "remember and attach must begin at the same node, today and after a restart.",
)
def _equal(root: Any) -> None:
    for salt, adapter in PAIRS:
        first, second = _fresh((salt, adapter)), _fresh((salt, adapter))
        one, other = root(*first), root(*second)
        call = f"root({shown(salt)}, {shown(adapter)})"
        try:
            same = one == other and hash(one) == hash(other)
        except TypeError:
            expect(
                False,
                tried=f"{{{call}: …}}",
                got=f"{shown(one)} can't be a dict's key",
                why="The index finds a node's children by their parent, in a dict: a root must be "
                "hashable. A tuple is.",
            )
        expect(same, tried=f"{call}, twice", got="two roots that aren't equal")
    pairs = [("p", "q"), ("r", "s")]
    one_run, next_run = _restarted(root), _restarted(root)
    found = [one_run(*pair) for pair in pairs]
    again = [next_run(*pair) for pair in reversed(pairs)][::-1]
    expect(
        found == again,
        tried="root('p', 'q'), root('r', 's'), and in another run in the other order",
        got=f"root('p', 'q') is {shown(found[0])} in one, {shown(again[0])} in the other",
        right="the same roots, whoever comes first",
        why="What was asked before decides, and after a restart others come first. A root is made "
        "of the two words alone.",
    )


def _restarted(root: Any) -> Any:
    """A twin that remembers by itself from here on, in copies of what its code names."""
    function = inspect.unwrap(root)
    if not inspect.isfunction(function):
        return root
    memory = {
        name: copy.deepcopy(value)
        for name, value in function.__globals__.items()
        if name in function.__code__.co_names and isinstance(value, dict | list | set)
    }
    defaults, closure = copy.deepcopy(function.__defaults__), function.__closure__
    names = function.__globals__ | memory
    twin = types.FunctionType(function.__code__, names, function.__name__, defaults, closure)
    twin.__kwdefaults__ = copy.deepcopy(function.__kwdefaults__)
    return twin


@roots.case(
    "no two pairs alike",
    tried="root(salt, adapter) for 17 pairs",
    right="17 different roots",
    why="Two pairs with one root share blocks: a stranger's text, or another model's keys.",
)
def _different(root: Any) -> None:
    seen: dict[Any, tuple[Any, Any]] = {}
    for pair in PAIRS:
        found = root(*pair)
        if found in seen:
            expect(
                False,
                got=f"root{seen[found]} and root{pair} are both {shown(found)}",
                why=_lost(seen[found], pair, found),
            )
        seen[found] = pair


def _lost(one: tuple[Any, Any], other: tuple[Any, Any], found: Any) -> str | None:
    """What two pairs with one root differ in, which the root must hold and doesn't."""
    changes = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    if isinstance(found, str) and "None" in found and None in (*one, *other):
        return "`None` has become the text 'None', which is a word that a tenant may be called."
    if len(changes) == 1 and {"", None} == {*changes[0]}:
        return "An empty word isn't no word, and here they are one."
    if any({"None", None} == {*change} for change in changes):
        return "`None` has become the text 'None', which is a word that a tenant may be called."
    # A set, or sorted words, have one root for ("x", "y") and ("y", "x"), which come first.
    joined = one != other[::-1] or "" in one
    if isinstance(found, str | bytes | int) and len(changes) == 2 and joined:
        return (
            "Two words were joined to one text, which can be split in another place: a separator "
            "may be part of a word, too."
        )
    if one == other[::-1]:
        return "Which of the two words is the salt, and which the adapter, can't be told any more."
    return None


@roots.case(
    "names, not numbers made of them",
    tried="root(salt, adapter) for words that differ and whose hash is the same",
    right="different roots",
    why="A hash says where to look. Two words may share one, and Python's is another in each run.",
)
def _hashes(root: Any) -> None:
    first, second = _fresh(("x", "y")), _fresh(("v", "w"))
    expect(root(*first) != root(*second), got="the same root for both")


@roots.case(
    "no salt and no adapter have a root, too",
    tried="root(None, None)",
    right="a root of its own",
    why="None stands for whichever root an index is seen from; it names none.",
)
def _neither(root: Any) -> None:
    expect(root(None, None) is not None, got="None")
