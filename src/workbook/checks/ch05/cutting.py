"""Chapter 05, third part: a run is cut where a prompt leaves it."""

from typing import Any

from workbook.checks.framework import exercise, expect, shown
from workbook.checks.toolboxes.run_world import Run, all_below, below, find

cut = exercise(
    "cut",
    label="ex-05-6",
    title="Cut a run",
    stub="cut",
    takes="function",
    hints=(
        "Four arrows change: from the parent to the new head, from the head to its parent, from "
        "the head to `run`, and from `run` to the head. What hangs below `run` hangs there still.",
        "`index = number - run.first` blocks go to the head, and `index * width` bytes. Make the "
        "head first; then shorten `run`, and file it in the head's children under what it begins "
        "with now.",
    ),
)

WIDTH = 3
# A to I are blocks of three tokens each.
TEXT = {name: name * WIDTH for name in "ABCDEFGHI"}


def _spelt(names: str) -> str:
    return "".join(TEXT[name] for name in names)


def _world() -> tuple[Any, Any]:
    """[A B C D E] under the top, [F G] and [H] below it, and [I] beside it; the long run."""
    top = Run(None, 0)
    run = below(top, _spelt("ABCDE"), [7, 2, 11, 5, 9], WIDTH)
    below(run, _spelt("FG"), [0, 4], WIDTH)
    below(run, _spelt("H"), [3], WIDTH)
    below(top, _spelt("I"), [6], WIDTH)
    return top, run


def _picture(run: Any) -> str:
    return f"first {shown(run.first)}, blocks {shown(run.blocks)}"


@cut.case(
    "both parts have their blocks",
    tried="a run of blocks 7, 2, 11, 5, 9; cut(run, 2, 3)",
    right="a head with blocks [7, 2], and 11, 5, 9 stay in `run`",
    why="`number` is the first block that stays: everything before it goes to the head.",
)
def _parts(function: Any) -> None:
    _, run = _world()
    head = function(run, 2, WIDTH)
    expect(
        hasattr(head, "blocks") and head is not run,
        got="`run` itself came back" if head is run else f"{shown(head)} came back",
        right="the new run, the head",
        why="Who cuts goes on from the head: there the new prompt's own blocks will hang.",
    )
    expect(
        list(head.blocks) == [7, 2] and list(run.blocks) == [11, 5, 9],
        got=f"head {shown(head.blocks)}, run {shown(run.blocks)}",
    )
    tokens = (bytes(head.tokens), bytes(run.tokens))
    expect(
        tokens == (_spelt("AB").encode(), _spelt("CDE").encode()),
        got=f"tokens {tokens[0]!r} and {tokens[1]!r}",
        right="b'AAABBB' and b'CCCDDDEEE'",
        why="Tokens and blocks are cut at one place, the tokens in bytes: `width` a block.",
    )


@cut.case(
    "a block keeps its number",
    tried="the same cut",
    right="the head begins with number 0, `run` with number 2",
    why="How many blocks come before a block in its prefix doesn't change when a run is cut; its "
    "index in the run does.",
)
def _numbers(function: Any) -> None:
    _, run = _world()
    head = function(run, 2, WIDTH)
    expect(
        (head.first, run.first) == (0, 2),
        got=f"the head: {_picture(head)}; run: {_picture(run)}",
    )
    _, run = _world()
    deep = run.children[TEXT["F"].encode()]
    head = function(deep, 6, WIDTH)
    expect(
        (head.first, deep.first, list(head.blocks), list(deep.blocks)) == (5, 6, [0], [4]),
        tried="[F G], whose first block is number 5; cut(run, 6, 3)",
        got=f"the head: {_picture(head)}; run: {_picture(deep)}",
        right="head: first 5, blocks [0]; run: first 6, blocks [4]",
        why="A number counts from the prefix's beginning, an index from the run's.",
    )


@cut.case(
    "every arrow leads on",
    tried="the same cut, and a look at parents and children",
    right="top → head → run → its old children, and back",
    why="A lookup goes down by `children`, an eviction goes up by `parent`.",
)
def _arrows(function: Any) -> None:
    top, run = _world()
    head = function(run, 2, WIDTH)
    keys = {key: shown(child.blocks) for key, child in sorted(top.children.items())}
    expect(
        set(keys) == {b"AAA", b"III"} and top.children[b"AAA"] is head,
        got=f"children of the top: {keys}",
        right="b'AAA': the head, b'III': the other run",
        why="The parent finds the head now, under the tokens of its first block, and its other "
        "children as ever.",
    )
    keys = {key: shown(child.blocks) for key, child in sorted(head.children.items())}
    expect(
        dict(head.children) == {b"CCC": run},
        got=f"children of the head: {keys}",
        right="b'CCC': run, and no other",
        why="One way leads out of the head so far: into what is left of `run`, by the tokens that "
        "this begins with now.",
    )
    expect(
        head.parent is top and run.parent is head,
        got=f"the head's parent is {_who(head.parent, top, head, run)}, run's is "
        f"{_who(run.parent, top, head, run)}",
        right="the top, and the head",
        why="Evicting goes upwards.",
    )
    below_run = {key: child.parent for key, child in run.children.items()}
    expect(
        set(below_run) == {b"FFF", b"HHH"} and all(p is run for p in below_run.values()),
        got=f"below run: {sorted(below_run)}, whose parents are "
        f"{[_who(parent, top, head, run) for parent in below_run.values()]}",
        right="[F G] and [H], whose parent is run",
        why="They come after E, and E is in `run` still.",
    )


def _who(run: Any, top: Any, head: Any, tail: Any) -> str:
    names = {id(top): "the top", id(head): "the head", id(tail): "run"}
    return names.get(id(run), shown(run))


@cut.case(
    "every prompt finds what it found before",
    tried="six prompts through the tree, before a cut at each place and after it",
    right="the same blocks",
    why="A cut changes how the index is kept, not what it knows.",
)
def _same_finds(function: Any) -> None:
    prompts = ["ABCDEFG", "ABCDEH", "ABC", "ABX", "I", "ABCDEF"]
    texts = ["".join(TEXT.get(name, "xyz") for name in names) for names in prompts]
    for number in range(1, 5):
        top, run = _world()
        before = [find(top, text, WIDTH) for text in texts]
        function(run, number, WIDTH)
        after = [find(top, text, WIDTH) for text in texts]
        wrong = next((i for i, pair in enumerate(zip(before, after)) if pair[0] != pair[1]), None)  # noqa: B905
        expect(
            wrong is None,
            tried=f"cut(run, {number}, 3); then {prompts[wrong or 0]}",
            got=shown(after[wrong or 0]),
            right=shown(before[wrong or 0]),
        )
        blocks = sorted(block for one in all_below(top) for block in one.blocks)
        expect(
            blocks == [0, 2, 3, 4, 5, 6, 7, 9, 11],
            tried=f"cut(run, {number}, 3); all blocks in the tree",
            got=shown(blocks),
            right="the nine of before, each once",
        )
