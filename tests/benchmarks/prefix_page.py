"""Write results/prefix_cache.md from the newest result of ``benchmarks.prefix_cache``.

in tests/:  python -m benchmarks.prefix_page
"""

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.page_parts import FOLDER, Result, newest, table, where

OTHERS = {
    "book, arrays": "book, arrays",
    "book, naive index, arrays": "naive index, arrays",
    "vllm": "vLLM 0.33.0",
    "sglang": "SGLang 0.5.23",
    "nano-vllm": "nano-vllm",
}
REMARKS = """\
What stands behind the figures:

- **The book** packs a list of tokens into bytes before it looks anything up. For 50,000 tokens that
  is most of an attach. Whoever keeps prompts as `array("i")`, as SGLang keeps them in arrays, saves
  it: the second column. Then a run of blocks is one comparison, and what is left is a count raised
  on each block. The naive index, the third column, has a dictionary entry for each block instead;
  allocator and queue are the same.
- **vLLM** hashes every block with SHA-256 before it looks it up, which is most of its attach. For
  publishing the hashes are there already.
- **SGLang** compares a whole run of tokens in one call, too, and locks one tree node for it instead
  of counting blocks: the longest hits and the ends of sequences cost it less than the book. What
  the book has instead: each block can be shared, copied, released and evicted alone. SGLang's first
  match after an insert splits a node, and it evicts whole leaves.
- **nano-vllm** searches its free list for every cached block that it takes out of it, so a hit
  costs as much as the pool is large.
- **The trace** is 2,000 conversations, 1,000 of them at a time, more than the pool can hold.
"""


class Aim(NamedTuple):
    """What a figure of ours, divided into each of ``rivals``', should reach."""

    words: str
    figure: str
    ours: str
    rivals: tuple[str, ...]
    least: float


BOTH = ("vllm", "sglang")
AIMS = (
    Aim("a long hit", "attach to 50,000 known tokens", "book, arrays", ("vllm",), 30),
    Aim("publishing a long prompt", "remember 50,000 tokens", "book, arrays", BOTH, 1),
    Aim("eviction", "take 3,000 blocks by eviction", "book, arrays", BOTH, 1),
    Aim("a whole day's work", "multi-turn trace", "book, arrays", BOTH, 1),
    Aim("one block", "take and give back 1 block", "book", ("vllm",), 1),
)


def aims(figures: dict[str, dict[str, float]]) -> Iterator[str]:
    """A table of the aims, each beside what was measured; none that can't be seen in this run."""
    rows = []
    for aim in AIMS:
        mine = figures.get(aim.ours, {}).get(aim.figure)
        for rival in aim.rivals:
            theirs = figures.get(rival, {}).get(aim.figure)
            if mine is None or theirs is None:
                continue
            reached = "yes" if theirs / mine >= aim.least else "**no**"
            wanted = f"at least {short(aim.least)} × as fast as {OTHERS[rival]}"
            measured = f"{short(theirs / mine)} ×"
            rows.append([f"{aim.words}: {aim.figure} ({aim.ours})", wanted, measured, reached])
    if rows:
        yield "## What it should reach\n"
        yield from table(["", "aim", "measured", "reached"], rows)


def short(number: float) -> str:
    """Two digits that count, and all of them before the point."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def page(result: Result) -> Iterator[str]:
    """The lines of the page."""
    figures = result["results"]
    others = [name for name in OTHERS if name in figures]
    yield "# The prefix cache, measured\n"
    yield "Written by `benchmarks.prefix_page` from the JSON file beside it.\n"
    yield where(result)
    yield ""
    yield (
        "A pool of 100,000 blocks of 16 tokens; contestants in turns, the best of "
        f"{result['rounds']} rounds. The others' own unmodified code ran in the same process. The "
        "figures behind the first column say how many times as long the same takes there as in "
        "the book; below 1 it is faster.\n"
    )
    rows = []
    for what, ours in figures["book"].items():
        if what == "tokens found":
            continue
        ratios = [
            f"{short(figures[name][what] / ours)} ×" if what in figures[name] else "–"
            for name in others
        ]
        rows.append([what, f"{short(ours)} ms", *ratios])
    yield from table(["", "book", *(OTHERS[name] for name in others)], rows)
    found = ", ".join(
        f"{name} {int(figures[name]['tokens found']):,}"
        for name in ("book", *others)
        if "tokens found" in figures[name]
    )
    yield f"Tokens found in the trace: {found}.\n"
    yield from aims(figures)
    yield REMARKS


def main() -> None:
    """Write the page."""
    result = newest("prefix-cache")
    assert result is not None, "run benchmarks.prefix_cache first"
    (FOLDER / "prefix_cache.md").write_text("\n".join(page(result)))


if __name__ == "__main__":
    main()
