"""Write results/serving.md from the newest result of ``benchmarks.serving_load``.

in tests/:  python -m benchmarks.serving_page
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.page_parts import FOLDER, Result, newest, table, where

HEAD = [
    *("", "tokens/s", "ratio", "batch, peak", "queue p50 s", "TTFT p50, p99 s"),
    *("gap p50, p99, longest ms", "preempted", "tokens run"),
]
REMARKS = """\
What to keep in mind:

- One run a row: differences below a tenth are not resolved.
- Paging helps where memory is short. Where nobody waits for memory, reserving what was asked for is
  as fast, and never preempts.
- A larger batch makes every gap longer, and whoever is preempted waits once for seconds: the
  longest gap shows it, the 99th percentile doesn't.
- transformers' continuous batching runs its loop in a thread of its own and is built for GPUs.
- Host memory and pool are the same memory here; beside a GPU a copy crosses a bus.
"""


def page(result: Result) -> Iterator[str]:
    """The lines of the page."""
    setting = result["setting"]
    yield "# Serving under load, measured\n"
    yield "Written by `benchmarks.serving_page` from the JSON file beside it.\n"
    yield where(result)
    yield ""
    yield (
        f"SmolLM2-135M in float32, {setting['requests']} requests, {setting['num_blocks']} blocks "
        f"of 16 tokens ({result['KV bytes for each'] / 1e6:.1f} MB of keys and values) for each, "
        f"{setting['budget']} tokens a step; prompts begin with {setting['shared']} tokens in "
        f"common, everybody asks for {setting['cap']} tokens, the longest request has "
        f"{setting['longest']}. Time: {result['clock']}.\n"
    )
    yield f"## Arriving by chance, {setting['rate']} a second\n"
    yield from rows(result["results"].get("poisson", {}), "reserve the longest")
    yield "## All at once\n"
    yield from rows(result["results"].get("at once", {}), "paged")
    yield from aims(result["results"].get("at once", {}))
    differing = sum(
        row["texts that differ"] for part in result["results"].values() for row in part.values()
    )
    yield f"Texts that differ from the first contestant's, over all rows: {differing}.\n"
    yield REMARKS


def aims(part: dict[str, Any]) -> Iterator[str]:
    """What was aimed at beside what was found, like against like."""
    theirs = "transformers continuous batching"
    pairs = [("paged", theirs), ("paged + prefix cache", f"{theirs}, sharing")]
    found = [
        [ours, other, f"{ratio:.2f} ×", "yes" if ratio >= 2 else "no"]
        for ours, other in pairs
        if ours in part and other in part
        for ratio in [part[ours]["tokens_per_second"] / part[other]["tokens_per_second"]]
    ]
    if found:
        yield "The aim: at least 2 × the tokens a second of transformers' continuous batching.\n"
        yield from table(["ours", "theirs", "found", "reached"], found)


def rows(part: dict[str, Any], one: str) -> Iterator[str]:
    """A table of one part; speeds as multiples of contestant ``one``."""
    if one not in part:
        return
    unit = part[one]["tokens_per_second"]
    yield from table(HEAD, [line(name, row, unit) for name, row in part.items()])


def line(name: str, row: dict[str, Any], unit: float) -> list[str]:
    """One contestant; what it can't tell is a dash."""
    ratio = row["tokens_per_second"] / unit
    cells = [name, f"{row['tokens_per_second']:.1f}", f"{ratio:.2f} ×"]
    if "batch" not in row:
        return [*cells, *["–"] * (len(HEAD) - len(cells))]
    gaps = [row[key] * 1e3 for key in ("gap_p50", "gap_p99", "longest_gap")]
    return [
        *cells,
        f"{row['batch']:.1f}, {row['peak']}",
        f"{row['queue_p50']:.2f}",
        f"{row['ttft_p50']:.2f}, {row['ttft_p99']:.2f}",
        ", ".join(f"{gap:,.0f}" for gap in gaps),
        str(row["preemptions"]),
        f"{row['run_tokens']:,}",
    ]


def main() -> None:
    """Write the page."""
    result = newest("serving-load")
    assert result is not None, "run benchmarks.serving_load first"
    (FOLDER / "serving.md").write_text("\n".join(page(result)))


if __name__ == "__main__":
    main()
