"""Mistakes with cut, as readers make them."""

from typing import Any

from workbook.checks.ch05.cutting import cut as exercise
from workbook.checks.toolboxes.run_world import Run


def cut(run: Any, number: int, width: int) -> Any:
    """The chapter's solution."""
    index = number - run.first
    at = index * width
    head = Run(run.parent, run.first, run.tokens[:at], run.blocks[:index])
    run.parent.children[head.tokens[:width]] = head
    run.parent, run.first = head, number
    run.tokens, run.blocks = run.tokens[at:], run.blocks[index:]
    head.children[run.tokens[:width]] = run
    return head


exercise.finished = cut

for says, *changes in (
    (
        "`number` was taken for an index. A run that begins with number 5 has number 6 at index 1.",
        ("index = number - run.first", "index = number"),
    ),
    (
        "The parent still leads to `run`, so whoever looks the prefix up misses the head.",
        ("    run.parent.children[head.tokens[:width]] = head\n", ""),
    ),
    (
        "The head has no way out: what is left of `run` must hang below it.",
        ("    head.children[run.tokens[:width]] = run\n", ""),
    ),
    (
        "`run` was filed under what it began with before. It begins with another block now.",
        ("head.children[run.tokens[:width]]", "head.children[head.tokens[:width]]"),
    ),
    (
        "`run` keeps its old parent, and the way up passes the head by.",
        ("run.parent, run.first = head, number", "run.first = number"),
    ),
    (
        "The head is its own parent: it was given after `run` had been hung below it.",
        ("    head.children[run", "    head.parent = run.parent\n    head.children[run"),
    ),
    (
        "The head has no parent. It stands where `run` stood.",
        ("head = Run(run.parent,", "head = Run(None,"),
        ("    run.parent, run.first", "    head.parent = None\n    run.parent, run.first"),
    ),
    (
        "`run` still begins with its old number. Its first block is `number` now.",
        ("run.parent, run.first = head, number", "run.parent = head"),
    ),
    (
        "`run` was numbered anew from 0. A number counts from the prefix's beginning.",
        ("= head, number", "= head, 0"),
    ),
    (
        "`run` was given an index for a number: what comes before the head was left out.",
        ("= head, number", "= head, index"),
    ),
    (
        "The head was given the number of `run`. It begins where the whole run began.",
        ("Run(run.parent, run.first,", "Run(run.parent, number,"),
    ),
    (
        "Tokens were cut by the number of blocks: there are `width` bytes of them a block.",
        ("at = index * width", "at = index"),
    ),
    (
        "Blocks were cut at a place in bytes.",
        ("run.blocks[:index]", "run.blocks[:at]"),
        ("run.blocks[index:]", "run.blocks[at:]"),
    ),
    (
        "Block `number` went to the head, and it is the first that stays.",
        ("index = number - run.first", "index = number - run.first + 1"),
    ),
    (
        "Block `number` is in both parts.",
        ("run.blocks[:index])", "run.blocks[: index + 1])"),
    ),
    (
        "Block `number` is in neither part.",
        ("run.blocks[index:]", "run.blocks[index + 1 :]"),
    ),
    (
        "The parts changed places: what comes first is the head.",
        ("run.tokens[:at], run.blocks[:index])", "run.tokens[at:], run.blocks[index:])"),
        ("= run.tokens[at:], run.blocks[index:]", "= run.tokens[:at], run.blocks[:index]"),
    ),
    (
        "`run` kept all of its blocks.",
        ("run.tokens, run.blocks = run.tokens[at:], run.blocks[index:]",
         "run.tokens = run.tokens[at:]"),
    ),
    (
        "`run` kept all of its tokens.",
        ("run.tokens, run.blocks = run.tokens[at:], run.blocks[index:]",
         "run.blocks = run.blocks[index:]"),
    ),
    (
        "The children went to the head. They come after the last block of `run`.",
        ("    return head", "    head.children.update(run.children)\n    run.children = {}\n"
         "    return head"),
    ),
    (
        "The children were lost.",
        ("    return head", "    run.children = {}\n    return head"),
    ),
    (
        "The children were given the head for a parent, and they hang below `run`.",
        ("    return head", "    for child in run.children.values():\n"
         "        child.parent = head\n    return head"),
    ),
    (
        "The parent lost its other children.",
        ("run.parent.children[head.tokens[:width]] = head",
         "run.parent.children = {head.tokens[:width]: head}"),
    ),
    (
        "The parent files the head under all of its tokens. A lookup asks for those of one block.",
        ("children[head.tokens[:width]] = head", "children[head.tokens] = head"),
    ),
    (
        "What is left of `run` came back. Who cuts goes on from the head.",
        ("return head", "return run"),
    ),
    (
        "`run` was filed under all of its tokens. A lookup asks for those of one block.",
        ("head.children[run.tokens[:width]]", "head.children[run.tokens]"),
    ),
    (
        "Your function returned nothing (None): is a `return` missing, or inside an `if` that "
        "wasn't taken?",
        ("    return head", "    return None"),
    ),
):  # fmt: skip
    exercise.mistake(says, *changes)


@exercise.mistake(
    "`run` became the head, and a new run has the rest: the other way round. Only what goes to the "
    "new object changes its run, and that is what comes first."
)
def run_as_head(run: Any, number: int, width: int) -> Any:
    index = number - run.first
    at = index * width
    tail = Run(run, number, run.tokens[at:], run.blocks[index:])
    tail.children = run.children
    for child in tail.children.values():
        child.parent = tail
    run.tokens, run.blocks = run.tokens[:at], run.blocks[:index]
    run.children = {tail.tokens[:width]: tail}
    return run
