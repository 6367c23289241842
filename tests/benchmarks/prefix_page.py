"""Write results/prefix_cache.md from the newest result of ``benchmarks.prefix_cache``.

in tests/:  python -m benchmarks.prefix_page
"""

from collections.abc import Iterator

from benchmarks.decode_page import FOLDER, Result, newest, table, where

OTHERS = {
    "book, arrays": "book, arrays",
    "vllm": "vLLM 0.33.0",
    "sglang": "SGLang 0.5.23",
    "nano-vllm": "nano-vllm",
}
REMARKS = """\
What stands behind the figures:

- **The book** packs a list of tokens into bytes before it looks anything up. For 50,000 tokens that
  is half of an attach. Whoever keeps prompts as `array("i")`, as SGLang keeps them in arrays, saves
  it: the second column. What is left is a dictionary look-up a block and a count raised on each.
- **vLLM** hashes every block with SHA-256 before it looks it up, which is most of its attach. For
  publishing the hashes are there already, so that costs it less than it costs the book, which keeps
  the tokens themselves.
- **SGLang** compares a whole run of tokens in one call and locks one tree node for it. That is many
  times faster than looking up and counting single blocks, and no index with a count for each block
  comes near it. What the book has instead: each block can be shared, copied, released and evicted
  alone. SGLang's first match after an insert splits a node, and it evicts whole leaves.
- **nano-vllm** searches its free list for every cached block that it takes out of it, so a hit
  costs as much as the pool is large.
- **The trace** is 2,000 conversations, 1,000 of them at a time, more than the pool can hold.
"""


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
    yield REMARKS


def main() -> None:
    """Write the page."""
    result = newest("prefix-cache")
    assert result is not None, "run benchmarks.prefix_cache first"
    (FOLDER / "prefix_cache.md").write_text("\n".join(page(result)))


if __name__ == "__main__":
    main()
