"""Chapter 05, second part: the root that a salt and an adapter make."""

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


@roots.case(
    "equal pairs, equal roots",
    tried="root(salt, adapter) twice, for 16 pairs",
    right="equal both times, and a dict can be asked for it",
    why="remember and attach must begin at the same node, today and after a restart.",
)
def _equal(root: Any) -> None:
    for salt, adapter in PAIRS:
        one, other = root(salt, adapter), root(salt, adapter)
        call = f"root({shown(salt)}, {shown(adapter)})"
        try:
            same = one == other and hash(one) == hash(other)
        except TypeError:
            expect(
                False,
                tried=f"{{{call}: …}}",
                got=f"{shown(one)} can't be a dict's key",
                why="The index finds a node's children by their parent: a root must be hashable.",
            )
        expect(same, tried=f"{call}, twice", got=f"{shown(one)} and {shown(other)}")
        expect(
            one is not None,
            tried=call,
            got="None",
            right="a root of its own",
            why="None stands for whichever root an index is seen from; it names none.",
        )


@roots.case(
    "no two pairs alike",
    tried="root(salt, adapter) for 16 pairs",
    right="16 different roots",
    why="Two pairs with one root share blocks: a stranger's text, or another model's keys.",
)
def _different(root: Any) -> None:
    seen: dict[Any, tuple[Any, Any]] = {}
    for pair in PAIRS:
        found = root(*pair)
        expect(
            found not in seen,
            got=f"root{seen.get(found)} and root{pair} are both {shown(found)}",
        )
        seen[found] = pair
