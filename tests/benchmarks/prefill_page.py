"""Write results/prefill.md and its picture from the newest result of each kind.

in tests/:  python -m benchmarks.prefill_page [--results FOLDER]
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
from benchmarks.page_parts import FOLDER, OURS, Result, newest, table, times, where

from workbook.stills import canvas

OLDER = "paged, in place, without AVX-512"


def cpu(result: Result, folder: Path) -> Iterator[str]:
    """One layer on a CPU: our milliseconds, and how many times longer the others take."""
    yield "## One layer's prefill on a CPU\n"
    yield where(result)
    yield ""
    yield (
        "SmolLM2's shapes (9 query heads, 3 KV heads of 64, float32), blocks of 16 in random "
        f"order; known tokens + new ones. Ours: {result['kernel']}. The others' figures say how "
        "many times as long they take; below 1 they are faster. Each is the best of its rounds, "
        "taken in turns.\n"
    )
    names = list(dict.fromkeys(name for one in result["results"] for name in one["milliseconds"]))
    others = [name for name in names if name != OURS]
    rows = []
    for one in result["results"]:
        spent = one["milliseconds"]
        shares = [times(spent[name] / spent[OURS]) if name in spent else "–" for name in others]
        rows.append([one["load"], f"{spent[OURS]:.3f}", one["GFLOP/s"], *shares])
    yield from table(["known + new", "ours, ms", "GFLOP/s", *others], rows)
    yield f"![{draw(result, folder)}](prefill-cpu.svg)\n"


def draw(result: Result, folder: Path) -> str:
    """Save the picture of all loads; returns its alternative text."""
    figure, ax = canvas(7.2, 3.6)
    loads = [one["load"] for one in result["results"]]
    for name in ("contiguous SDPA, mask", "gather + SDPA", OLDER):
        spent = [one["milliseconds"] for one in result["results"]]
        if all(name in one for one in spent):
            ratios = [one[name] / one[OURS] for one in spent]
            ax.plot(loads, ratios, label=name, markersize=5, linewidth=1.2)
    ax.axhline(1, color="black", linewidth=1.5)
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g} ×")
    ax.tick_params(axis="x", rotation=60)
    ax.set_xlabel("known + new tokens")
    ax.set_ylabel("times as long as ours")
    ax.legend(fontsize=8.5, loc="upper left")
    with mpl.rc_context({"svg.hashsalt": "prefill", "svg.fonttype": "none"}):
        figure.savefig(folder / "prefill-cpu.svg", metadata={"Date": None})
    return (
        "Chart: how many times as long as the paged kernel contiguous attention, gathering and the "
        f"kernel without AVX-512 take, for {len(loads)} loads; the table above has the numbers."
    )


def model(result: Result) -> Iterator[str]:
    """Whole steps."""
    yield "## Whole prompts\n"
    yield where(result)
    yield ""
    yield (
        f"{result['what'][0].upper()}{result['what'][1:]}, milliseconds, best (median) of rounds "
        "taken in turns. Attention is the smaller part of a step.\n"
    )
    for kind, rows in result["results"].items():
        names = list(rows[0]["milliseconds"])
        lines = []
        for one in rows:
            spent = one["milliseconds"]
            load = list(one.values())[:2]
            shown = [f"{spent[name]['best']:.1f} ({spent[name]['median']:.1f})" for name in names]
            ratio = spent["paged, gather"]["best"] / spent[OURS]["best"]
            lines.append([*(f"{n:,}" for n in load), *shown, times(ratio)])
        yield f"### {kind[0].upper()}{kind[1:]}\n"
        yield from table([*list(rows[0])[:2], *names, "gather ÷ in place"], lines)


def gpu(result: Result | None) -> Iterator[str]:
    """One layer on a GPU, or that nobody has measured it."""
    yield "## One layer's prefill on a GPU\n"
    if result is None:
        yield (
            "**Not run**: no GPU has been at hand. `python -m benchmarks.prefill_gpu --out FILE` "
            "in `tests/` measures it, beside PyTorch's attention over contiguous memory, SGLang's "
            "extend kernel, vLLM's unified kernel, and FlashInfer.\n"
        )
        return
    yield f"*{result['date']}; {result['GPU']}.*\n"
    names = list(dict.fromkeys(name for one in result["results"] for name in one["results"]))
    rows = []
    for one in result["results"]:
        shape = [one[key] for key in ("sequences", "known", "new", "group", "head_dim")]
        found = [one["results"].get(name) for name in names]
        shares = [f"{f['TFLOP/s']:.0f}" if isinstance(f, dict) else "–" for f in found]
        rows.append(shape + shares)
    yield "Tera floating-point operations a second.\n"
    yield from table(["sequences", "known", "new", "group", "D", *names], rows)


def compiled(result: Result) -> Iterator[str]:
    """What the compilers made of the kernel, and what spills."""
    yield "## Compiled for GPUs that weren't there\n"
    yield (
        f"Triton {result['versions']['triton']}; 8 KV heads, blocks of 16; nothing was launched. "
        "A program multiplies so many queries with so many keys at a time. First the sizes that "
        "are launched, then larger ones: they say why those aren't.\n"
    )
    head = ["GPU", "type", "D", "queries × keys", "warps", "registers", "bytes spilled"]
    for launched in (True, False):
        rows = [
            [
                *(one["target"], one["type"], one["head_dim"]),
                *(f"{one['queries']} × {one['keys']}", one["warps"]),
                *(one["registers"], one["spilled"], one["shared"], one["tensor_core_ops"]),
                one["loads"].get("16", 0),
            ]
            for one in result["results"]
            if one["launched"] == launched and (one["group"], one["block_size"]) == (4, 16)
        ]
        yield f"### {'Launched' if launched else 'Larger'}\n"
        more = ["bytes shared", "tensor-core instructions", "16-byte loads"]
        yield from table([*head, *more], rows)
    spills = sum(one["launched"] and one["spilled"] > 0 for one in result["results"])
    launched_ones = sum(one["launched"] for one in result["results"])
    yield f"{launched_ones} kernels in the sizes that are launched, {spills} with spills."


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=FOLDER)
    folder = parser.parse_args().results
    lines = [
        "# Prefill, measured",
        "",
        "Written by `benchmarks.prefill_page` from the JSON files beside it.",
        "",
    ]
    if (result := newest("prefill-cpu", folder)) is not None:
        lines += cpu(result, folder)
    if (result := newest("prefill-model", folder)) is not None:
        lines += model(result)
    lines += gpu(newest("prefill-gpu", folder))
    if (result := newest("compiled-prefill-triton-3.7.1", folder)) is not None:
        lines += compiled(result)
    (folder / "prefill.md").write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
