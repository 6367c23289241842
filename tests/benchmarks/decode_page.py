"""Write results/decode.md and its pictures from the newest result of each kind.

in tests/:  python -m benchmarks.decode_page [--results FOLDER]
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib as mpl
from benchmarks.page_parts import FOLDER, OURS, Result, newest, table, times, where
from benchmarks.steps_page import steps

from workbook.stills import canvas


def cpu(result: Result, folder: Path) -> Iterator[str]:
    """One layer on a CPU: our milliseconds, and how many times longer the others take."""
    yield "## One layer's decode on a CPU\n"
    yield where(result)
    yield ""
    yield (
        "SmolLM2's shapes (9 query heads, 3 KV heads of 64, float32), blocks of 16 in random "
        f"order. Ours: {result['kernel']}. The others' figures say how many times as long they "
        "take; below 1 they are faster. Each is the best of its rounds, taken in turns, for the "
        f"machine was shared. A large copy moves {result['copy GB/s']} GB a second there. A gather "
        "into fresh memory pays for every new page, and on this virtual machine dearly; the one "
        "into kept memory doesn't.\n"
    )
    others = [name for name in result["results"][0]["milliseconds"] if name != OURS]
    for kind in ("uniform", "ragged"):
        equal = kind == "uniform"
        yield f"### {'Equal lengths' if equal else 'Lengths from 1 to the number given'}\n"
        rows = []
        for one in result["results"]:
            if one["kind"] == kind:
                spent = one["milliseconds"]
                ours = spent[OURS]
                speed = one["KV bytes"] / ours / 1e6
                rows.append(
                    [f"{one['rows']} × {one['tokens']:,}", f"{ours:.3f}", f"{speed:.0f}"]
                    + [times(spent[name] / ours) for name in others]
                )
        yield from table(["sequences × tokens", "ours, ms", "GB/s", *others], rows)
    yield f"![{draw_cpu(result, folder)}](decode-cpu.svg)\n"


def draw_cpu(result: Result, folder: Path) -> str:
    """Save the picture of equal lengths; returns its alternative text."""
    rows = [one for one in result["results"] if one["kind"] == "uniform"]
    labels = [f"{one['rows']} × {one['tokens']:,}" for one in rows]
    batches = [one["rows"] for one in rows]
    figure, ax = canvas(7.2, 3.6)
    for name in ("contiguous SDPA", "gather into kept memory + SDPA", "Numba through the table"):
        if name in rows[0]["milliseconds"]:
            ratios = [one["milliseconds"][name] / one["milliseconds"][OURS] for one in rows]
            (line,) = ax.plot(labels, ratios, label=name, markersize=5, linestyle="")
            for batch in dict.fromkeys(batches):  # a line joins the lengths of one batch
                mine = [i for i, other in enumerate(batches) if other == batch]
                joined = [ratios[i] for i in mine]
                ax.plot(mine, joined, color=line.get_color(), linewidth=1.2, marker="")
    ax.axhline(1, color="black", linewidth=1.5)
    ax.text(len(rows) - 0.6, 0.93, "ours: paged, in place", va="top", ha="right", fontsize=9)
    ax.set_yscale("log", base=2)
    ax.set_ylim(0.5, 8)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g} ×")
    ax.tick_params(axis="x", rotation=60)
    ax.set_xlabel("sequences × tokens")
    ax.set_ylabel("times as long as ours")
    ax.legend(fontsize=8.5, ncols=3, loc="upper left", columnspacing=1.2, handletextpad=0.2)
    with mpl.rc_context({"svg.hashsalt": "decode", "svg.fonttype": "none"}):
        figure.savefig(folder / "decode-cpu.svg", metadata={"Date": None})
    return (
        "Chart: how many times as long as the paged kernel the others take, for 16 loads from 1 × "
        "64 to 64 × 4,096 tokens; the table above has the numbers."
    )


def model(result: Result) -> Iterator[str]:
    """Whole decode steps."""
    yield "## Whole decode steps\n"
    yield where(result)
    yield ""
    yield (
        f"{result['what'][0].upper()}{result['what'][1:]}: one token for every "
        f"sequence, milliseconds a step, best (median) of {result['rounds']} rounds taken in "
        "turns.\n"
    )
    names = list(result["results"][0]["milliseconds a step"])
    rows = []
    for one in result["results"]:
        spent = one["milliseconds a step"]
        ratio = spent["contiguous"]["best"] / spent[OURS]["best"]
        rows.append(
            [f"{one['rows']} × {one['tokens']:,}"]
            + [f"{spent[name]['best']:.1f} ({spent[name]['median']:.1f})" for name in names]
            + [f"{ratio:.2f} ×"]
        )
    yield from table(["sequences × tokens", *names, "contiguous ÷ in place"], rows)
    if "steps" in result:
        yield "### By others, and in bfloat16\n"
        yield from steps(result)


def gpu(result: Result | None) -> Iterator[str]:
    """One layer on a GPU, or that nobody has measured it."""
    yield "## One layer's decode on a GPU\n"
    if result is None:
        yield (
            "**Not run**: no GPU has been at hand. `make gpu` measures it: the share of a copy's "
            "bandwidth, beside PyTorch's attention, its flex attention over pages, and vLLM's and "
            "SGLang's Triton kernels.\n"
        )
        return
    yield f"*{result['date']}; {result['GPU']}; a copy moves {result['copy GB/s']} GB a second.*\n"
    if left := result.get("shapes left out"):
        yield f"There was no time for {left} more shapes.\n"
    names = list(result["results"][0]["results"])
    rows = []
    for one in result["results"]:
        shape = [one[name] for name in ("batch", "context", "group", "head_dim", "block_size")]
        shares = [one["results"].get(name, "") for name in names]
        rows.append(shape + [f"{s['of copy']:.0%}" if isinstance(s, dict) else "–" for s in shares])
    yield from table(["batch", "context", "group", "D", "block", *names], rows)


def compiled(results: Sequence[Result]) -> Iterator[str]:
    """What the compilers made of the kernels."""
    yield "## Compiled for GPUs that weren't there\n"
    yield (
        "bfloat16, 32 query heads on 8 KV heads of 128, blocks of 16; nothing was launched. Loads "
        "of 16 bytes are the widest. The JSON files have all types and sizes.\n"
    )
    rows = [
        [
            *(result["versions"]["triton"], one["target"], f"`{one['kernel']}`"),
            *(one["registers"], one["spilled"], one["shared"], one["tensor_core_ops"]),
            one["loads"].get("16", 0),
        ]
        for result in results
        for one in result["results"]
        if (one["type"], one["head_dim"], one["block_size"]) == ("bfloat16", 128, 16)
    ]
    head = ["triton", "GPU", "kernel", "registers", "bytes spilled", "bytes shared"]
    yield from table([*head, "tensor-core instructions", "16-byte loads"], rows)
    for result in results:
        version, faults = result["versions"]["triton"], result["faults"]
        yield f"- triton {version}: {len(result['results'])} kernels, {len(faults)} with spills"
        yield from (f"  - {fault}" for fault in faults)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=FOLDER)
    folder = parser.parse_args().results
    lines = [
        "# Decode, measured",
        "",
        "Written by `benchmarks.decode_page` from the JSON files beside it.",
        "",
    ]
    if (result := newest("decode-cpu", folder)) is not None:
        lines += cpu(result, folder)
    if (result := newest("decode-model", folder)) is not None:
        lines += model(result)
    lines += gpu(newest("decode-gpu", folder))
    made = [newest(f"compiled-triton-{version}", folder) for version in ("3.7.1", "3.6.0")]
    lines += compiled([result for result in made if result is not None])
    (folder / "decode.md").write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
