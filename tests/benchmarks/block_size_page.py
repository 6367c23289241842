"""Write results/block_size.md and its picture from the newest result, and ``times.json``, from
which the picture in chapter 10 has the kernels' times: build that chapter anew afterwards.

in tests/:  python -m benchmarks.block_size_page [--results FOLDER]
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
from benchmarks.page_parts import FOLDER, Result, newest, table, where

from workbook.stills import canvas
from workbook.widgets.block_size.times import BASE, MEASURED

SHOWN = {"decode": "decode, 8 × 2,048", "prefill": "prefill, 64 after 1,984"}


def told(result: Result, folder: Path) -> Iterator[str]:
    """Times against those of blocks of 16, then what is counted."""
    yield where(result)
    yield ""
    yield (
        "SmolLM2's shapes in float32, blocks in random order. Times are told against those of "
        "blocks of 16, each the best of its rounds, sizes in turns.\n"
    )
    times = result["milliseconds"]
    sizes = list(next(iter(times.values())))
    rows = [
        [name, f"{mine['16']:.3f}", *(f"{mine[size] / mine['16']:.2f}" for size in sizes)]
        for name, mine in times.items()
    ]
    yield from table(["÷ 16", "at 16, ms", *sizes], rows)
    yield f"![{draw(result, folder)}](block-size.svg)\n"
    yield "## Slots that hold no token\n"
    yield (
        "Lengths drawn from the percentiles of Azure's LLM inference trace 2023 (CC BY 4.0, "
        "Microsoft Azure). By rule: half a block less half a token for each sequence. Drawing from "
        "percentiles overshoots at large sizes: lengths cluster.\n"
    )
    counted = [
        [
            *(one["load"], one["block_size"], f"{one['mean tokens']:,}", f"{one['wasted']:.2%}"),
            *(f"{one['by rule']:.2%}", f"{one['mean entries']:,}"),
        ]
        for one in result["waste"]
    ]
    yield from table(
        ["load", "block size", "mean tokens", "wasted", "by rule", "mean table entries"], counted
    )
    yield "## Prompt tokens that are computed again\n"
    yield (
        "Conversations of 2 to 8 turns behind one of eight system prompts of 1,000 tokens, and a "
        "pool that never runs full.\n"
    )
    first = result["tokens run"][0]["run"]
    yield from table(
        ["block size", "tokens run", "÷ size 1", "hit rate"],
        [
            [
                *(one["block_size"], f"{one['run']:,}"),
                *(f"{one['run'] / first:.2f}", f"{one['hit rate']:.1%}"),
            ]
            for one in result["tokens run"]
        ],
    )


def shown(result: Result) -> dict[str, Any]:
    """What ``times.json`` holds of a result."""
    times = result["milliseconds"]
    ratios = {
        kernel: {
            size: round(spent / times[job][str(BASE)], 2) for size, spent in times[job].items()
        }
        for kernel, job in SHOWN.items()
    }
    return {"date": result["date"], "machine": result["machine"], **ratios}


def draw(result: Result, folder: Path) -> str:
    """Save the picture of the times; returns its alternative text."""
    figure, ax = canvas(7.2, 3.4)
    for name, mine in result["milliseconds"].items():
        ratios = [spent / mine["16"] for spent in mine.values()]
        ax.plot(list(mine), ratios, label=name, markersize=4, linewidth=1.2)
    ax.axhline(1, color="black", linewidth=1)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g} ×")
    ax.set_xlabel("tokens of a block")
    ax.set_ylabel("time ÷ that of 16")
    ax.legend(fontsize=8)
    with mpl.rc_context({"svg.hashsalt": "block size", "svg.fonttype": "none"}):
        figure.savefig(folder / "block-size.svg", metadata={"Date": None})
    return (
        "Chart: time of kernels, bookkeeping and copies by block size, against blocks of 16; the "
        "table above has the numbers."
    )


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=FOLDER)
    folder = parser.parse_args().results
    lines = [
        "# The block size, measured",
        "",
        "Written by `benchmarks.block_size_page` from the JSON file beside it.",
        "",
    ]
    if (result := newest("block-size", folder)) is not None:
        lines += told(result, folder)
        if folder == FOLDER:
            MEASURED.write_text(json.dumps(shown(result), indent=1) + "\n", encoding="utf-8")
    (folder / "block_size.md").write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
