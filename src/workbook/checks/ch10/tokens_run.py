"""Chapter 10: prompt tokens that an endless prefix cache leaves to be computed."""

from workbook.checks.framework import exercise

tokens_run = exercise(
    "tokens_run",
    label="ex-10-2",
    title="Tokens run",
    stub="tokens_run",
    takes="function",
    hints=(
        "What is the name of a block: its own tokens, or all tokens up to its end? And what must "
        "run even when every block is known?",
        "Keep a set of `tuple(prompt[:end])` for each full block's end. Count known blocks from "
        "the front until one is missing; at most `len(prompt) - 1` tokens are reused, in whole "
        "blocks. Names go into the set after the prompt has run.",
    ),
)
SYSTEM = list(range(100, 196))  # 96 tokens that all share


def demo() -> list[list[int]]:
    """Eight prompts of 96 shared tokens and 8 of their own."""
    return [[*SYSTEM, *range(1_000 + 8 * i, 1_008 + 8 * i)] for i in range(8)]


tokens_run.example(
    "a system prompt, blocks of 16",
    demo(),
    16,
    right=160,
    why="96 tokens are six blocks: the first prompt runs 104, each of the others 8.",
)
tokens_run.example(
    "the same, blocks of 64",
    demo(),
    64,
    right=384,
    why="Only one block of 64 is full of shared tokens; 32 shared ones run again each time.",
)
tokens_run.example(
    "the same, blocks of 128",
    demo(),
    128,
    right=832,
    why="No block is ever full: nothing is reused.",
)
tokens_run.example(
    "the same prompt twice",
    [list(range(32))] * 2,
    16,
    right=48,
    why="The last token must run for its logits, and reuse is in whole blocks: 16 of 32 again.",
)
tokens_run.example(
    "equal tokens behind another history",
    [[1, 2, 3, 4, 9], [3, 4, 1, 2, 9]],
    2,
    right=10,
    why="Keys and values of a block depend on all tokens before it. [3, 4] at the beginning isn't "
    "[3, 4] behind [1, 2].",
)
tokens_run.example(
    "a conversation that grows",
    [list(range(n)) for n in (7, 12, 21)],
    4,
    right=24,
    why="7, then 12 - 4, then 21 - 12: each turn finds the full blocks of the one before.",
)
