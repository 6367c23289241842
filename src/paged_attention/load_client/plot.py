"""A run as a picture: first tokens by arrival, how gaps are spread, how many were under way."""

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from paged_attention.load_client.answer import Outcome
from paged_attention.load_client.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"  # Okabe–Ito


def plot(run: Run, file: Path) -> None:
    """Write three panels into ``file``; matplotlib takes its kind from the name's ending."""
    from matplotlib.figure import Figure

    answered = [one for one in run.outcomes if one.answered]
    figure = Figure(figsize=(7.2, 7.5), layout="constrained")
    first, spread, under_way = figure.subplots(3)
    figure.suptitle(f"{run.target.model} at {run.target.base}", x=0.01, ha="left", fontsize=11)

    known = [(one.due, one.ttft) for one in answered if one.ttft is not None]
    first.plot([due for due, _ in known], [1000 * ttft for _, ttft in known], "o", color=BLUE, ms=4)
    _lost(first, run.outcomes)
    first.set(xlabel="due, s after the start", ylabel="first token, ms", ylim=(0, None))

    gaps = sorted(gap for one in answered for gap in one.gaps)
    shares = [(rank + 1) / len(gaps) for rank in range(len(gaps))]
    spread.step([1000 * gap for gap in gaps], shares, where="post", color=BLUE)
    spread.set(xlabel="gap between tokens, ms", ylabel="share that is no longer", ylim=(0, 1.02))

    moments, counts = busy(answered)
    under_way.step(moments, counts, where="post", color=GREEN)
    under_way.set(xlabel="s after the start", ylabel="requests under way", ylim=(0, None))
    for axes in (first, spread, under_way):
        axes.grid(color="#dddddd")
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=144)


def busy(answered: list[Outcome]) -> tuple[list[float], list[int]]:
    """When the number of requests between due and last token changed, and what it was then."""
    ends = [(one.due, 1) for one in answered if one.texts_at]
    ends += [(one.texts_at[-1], -1) for one in answered if one.texts_at]
    ends.sort()
    return [moment for moment, _ in ends], list(accumulate(change for _, change in ends))


def _lost(axes: "Axes", outcomes: list[Outcome]) -> None:
    """Crosses at the bottom for those that were not answered."""
    lost = [one.due for one in outcomes if not one.answered]
    if lost:
        axes.plot(lost, [0] * len(lost), "x", color=ORANGE, clip_on=False, label="not answered")
        axes.legend(frameon=False)
