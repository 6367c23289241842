"""The part of results/decode.md about whole steps by several contestants, and what was aimed at."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.page_parts import table

TWIN = "PyTorch's products"
LLAMA_CPP = """\
llama.cpp, in float32 from the same weights and with 2 threads, took 22, 39, 101, 138 and 535 ms for
these five loads on a machine of this kind on 2026-11-30, through its Python binding, built there.
That was a run of its own and can't be compared as the columns above can. In a run of that day a
first version of this book's product took 29 ms for batch 1 and 52 for batch 8.
"""


class Aim(NamedTuple):
    """What was wanted of a run: a figure of at least ``least``, printed as a share if below 1."""

    wanted: str
    least: float
    found: float

    def row(self) -> list[str]:
        form = (lambda x: f"{x:.0%}") if self.least < 1 else (lambda x: f"{x:.2f} ×")
        reached = "yes" if self.found >= self.least else "no"
        return [self.wanted, f"at least {form(self.least)}", form(self.found), reached]


def aims(result: dict[str, Any]) -> list[Aim]:
    """Every aim beside its figure, from the best of the rounds."""
    steps = {step["name"]: step for step in result["steps"]}
    best = {
        name: {who: spent["best"] for who, spent in step["milliseconds a step"].items()}
        for name, step in steps.items()
    }
    before = "before" if "before" in best["batch 1"] else TWIN
    found = []
    for load in ("batch 1", "batch 8"):
        ours = best[load]["ours"]
        found.append(Aim(f"{load}, against {before}", 1.8, best[load][before] / ours))
        if "transformers" in best[load]:
            found.append(
                Aim(f"{load}, against transformers", 2.0, best[load]["transformers"] / ours)
            )
    pace = result["weight bytes"] / best["batch 1"]["ours"] / 1e6
    found.append(
        Aim(
            "batch 1, weights read, of a copy's bandwidth",
            0.6,
            pace / steps["batch 1"]["copy GB/s"],
        )
    )
    for load, spent in best.items():
        gained = spent[before] / spent["ours, bfloat16"]
        found.append(Aim(f"{load}, in bfloat16, against float32 before", 1.7, gained))
    return found


def steps(result: dict[str, Any]) -> Iterator[str]:
    """The lines of the part."""
    names = list(result["steps"][0]["milliseconds a step"])
    yield (
        f"One step of {result['what'].removeprefix('decode steps of ')} by everybody, in turns: "
        "milliseconds, best (median). *Batch*: one token for each sequence, 64 behind it. *Chunk*: "
        "the first tokens of a prompt. *Before*: the decoder without a product of its own, from an "
        f"older checkout. Ours: {result['product']}; PyTorch's products: the same decoder with "
        "`F.linear`. transformers runs uncompiled, its keys and values in a `DynamicCache`. A "
        "copy's GB a second, read and written, are the median of the same rounds.\n"
    )
    rows = [
        [step["name"], f"{step['copy GB/s']:.0f}"]
        + [
            f"{spent['best']:.1f} ({spent['median']:.1f})"
            for spent in (step["milliseconds a step"][name] for name in names)
        ]
        for step in result["steps"]
    ]
    yield from table(["step", "copy, GB/s", *names], rows)
    yield "What was aimed at, and what this run gave (the best of each):\n"
    yield from table(["", "aim", "found", "reached"], [aim.row() for aim in aims(result)])
    told = result["agreement"]
    apart = [
        [
            name,
            f"{told[name]['largest difference']:.1e}",
            f"{told[name]['mean difference']:.1e}",
            f"{told[name]['same first choice']:.1%}",
            f"{told[name]['KL divergence']:.1e}",
            f"{told['loss'][name]:.4f}",
        ]
        for name in told
        if isinstance(told[name], dict) and name != "loss"
    ]
    yield (
        f"Logits after {told['tokens']} tokens of chapter 1, half of them one a step, beside those "
        f"of PyTorch's products in float32, whose loss is {told['loss'][TWIN]:.4f} and "
        f"whose logits spread by {told['spread of the logits']}:\n"
    )
    head = ["", "largest difference", "mean", "same first choice", "KL divergence", "loss"]
    yield from table(head, apart)
    yield LLAMA_CPP
