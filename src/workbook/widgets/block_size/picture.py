"""What do small and large blocks cost? Waste, table entries and tokens run by size, and times."""

from collections.abc import Sequence
from functools import partial
from math import log10
from typing import Any, NamedTuple

from workbook.stills.sheet import MARGIN, Sheet
from workbook.widgets.block_size import numbers
from workbook.widgets.block_size.times import kernel_times
from workbook.widgets.common.picture import Picture, Still
from workbook.words.wording import number, say, words_beside
from workbook.workloads import Workload

WORDS = words_beside(__file__)
HEIGHT, SERIES, ACROSS = 110, "blue", 3
ENTRY = 4  # bytes of a table entry


Cost = tuple[int, float, bool, int, int]  # size, waste in %, measured or not, entries, tokens run


class Curve(NamedTuple):
    """One chart of the still form: a value for each size, the axis' end, and the value at a size
    as text. ``guessed``: which points are resampled.
    """

    title: str
    values: Sequence[float]
    top: float
    shown: str
    guessed: Sequence[bool] = ()
    falls: bool = False


def block_size_picture(
    workloads: Sequence[Workload] = numbers.WORKLOADS,
    *,
    size: int = 16,
    block_sizes: Sequence[int] | None = None,
    times: bool = False,
) -> Picture:
    """Waste, table entries and prompt tokens run, for each block size, on real request lengths.

    ``times``: also what decode and prefill took at each size in the committed benchmark, and the
    table in bytes. The reader moves along the sizes, chooses the requests and the longest request
    allowed.
    """
    if block_sizes is None:
        block_sizes = tuple(kernel_times().decode) if times else numbers.SIZES
    if not workloads or size not in block_sizes:
        raise ValueError(
            f"there must be requests to count, and size={size} must be one of {list(block_sizes)}"
        )
    data = {
        "v": 1,
        "picture": "block_size",
        "size": size,
        "sizes": _joined(block_sizes),
        "run": _joined(map(numbers.tokens_run, block_sizes)),
        "sets": [_set(workload, block_sizes) for workload in workloads],
    }
    if times:
        taken = kernel_times()
        data |= {
            "decode": " ".join(f"{taken.decode[b]:.2f}" for b in block_sizes),
            "prefill": " ".join(f"{taken.prefill[b]:.2f}" for b in block_sizes),
            "where": taken.where,
        }
    rows = numbers.rows(workloads[0], block_sizes)
    now = block_sizes.index(size)
    said = f"{sentence(rows[now], times=times)} {_trend(rows)}"
    draw = partial(_draw, curves=_curves(rows, now, times), sizes=block_sizes, now=now)
    note = _beside(workloads[0])
    if times:
        note = f"{note} {say(WORDS['where'], {'where': kernel_times().where})}"
    return Picture(
        WORDS["name"], data, _facts(workloads[0], rows, times), [Still(said, draw, note)]
    )


def _joined(numbers: Any) -> str:
    return " ".join(map(str, numbers))


def _set(workload: Workload, block_sizes: Sequence[int]) -> dict[str, Any]:
    rows = numbers.rows(workload, block_sizes)
    limits = [numbers.reserving(workload, most) for most in (None, *numbers.MAXIMA)]
    return {
        "name": workload.name,
        "mean": numbers.mean_length(workload),
        "waste": _joined(row[1] for row in rows),
        "measured": _joined(int(row[2]) for row in rows),
        "entries": _joined(row[3] for row in rows),
        "most": _joined([0, *numbers.MAXIMA]),  # 0: as many as the longest has
        "used": _joined(limit[0] for limit in limits),
        "refused": _joined(limit[1] for limit in limits),
        "counted": _joined(int(limit[2]) for limit in limits),
    }


def sentence(row: Cost, *, times: bool = False) -> str:
    """What one block size costs."""
    size, waste, _, entries, run = row
    facts = {"size": size, "waste": f"{waste:g} %", "entries": entries, "run": run}
    if not times:
        return say(WORDS["step"], facts)
    taken = kernel_times()
    decode, prefill = f"{taken.decode[size]:.2f} ×", f"{taken.prefill[size]:.2f} ×"
    more = {"bytes": ENTRY * entries, "decode": decode, "prefill": prefill}
    return say(WORDS["timed"], facts | more)


def _trend(rows: Sequence[Cost]) -> str:
    """Where the three curves begin and end."""
    (size, waste, _, entries, run), last = rows[0], rows[-1]
    names = ("size", "waste", "entries", "run")
    begin = dict(zip(names, (size, f"{waste:g}", entries, run), strict=True))
    ends = (last[0], f"{last[1]:g} %", last[3], last[4])
    end = dict(zip((f"last_{name}" for name in names), ends, strict=True))
    return say(WORDS["trend"], begin | end)


def _beside(workload: Workload) -> str:
    used, refused, measured = numbers.reserving(workload, None)
    facts = {"used": f"{used:g} %", "most": WORDS["mostLongest"], "refused": refused}
    return say(WORDS["beside"], facts | {"guessed": not measured})


def _facts(workload: Workload, rows: Sequence[Cost], times: bool) -> list[str]:
    lines = [
        f"block size on {workload.name}, {number(numbers.mean_length(workload))} tokens on average"
    ]
    lines += [
        f"{size}: waste {waste:g} % {'measured' if measured else 'resampled'}, "
        f"{number(entries)} entries, {run} run"
        for size, waste, measured, entries, run in rows
    ]
    if times:
        taken = kernel_times()
        for name, ratios in (("decode", taken.decode), ("prefill", taken.prefill)):
            told = ", ".join(f"{size}: {ratios[size]:.2f}" for size, *_ in rows)
            lines.append(f"{name} ÷ that of 16, {taken.where}: {told}")
    return [*lines, _beside(workload)]


def _curves(rows: Sequence[Cost], now: int, times: bool) -> list[Curve]:
    """The charts with their values at the size that is chosen."""
    charts, (size, waste, _, entries, run) = WORDS["charts"], rows[now]
    each = ENTRY if times else 1
    curves = [
        Curve(
            *(charts["waste"], [row[1] for row in rows], 15, f"{waste:g} %"),
            guessed=[not row[2] for row in rows],
        ),
        Curve(
            charts["bytes" if times else "entries"],
            [log10(each * row[3]) for row in rows],
            log10(2200 * each),
            number(each * entries),
            falls=True,
        ),
        Curve(charts["run"], [row[4] for row in rows], 900, str(run)),
    ]
    if times:
        taken = kernel_times()
        curves += [
            Curve(
                charts[name],
                [ratios[row[0]] for row in rows],
                1.5,
                f"{ratios[size]:.2f} ×",
                falls=True,
            )
            for name, ratios in (("decode", taken.decode), ("prefill", taken.prefill))
        ]
    return curves


def _draw(sheet: Sheet, *, curves: Sequence[Curve], sizes: Sequence[int], now: int) -> None:
    """The charts, three side by side."""
    wide = (sheet.width - 2 * MARGIN) / ACROSS
    for first in range(0, len(curves), ACROSS):
        for at, curve in enumerate(curves[first : first + ACROSS]):
            _draw_chart(sheet, MARGIN + at * wide, wide, curve, sizes, now)
        sheet.y += HEIGHT + 46


def _draw_chart(
    sheet: Sheet, left: float, wide: float, curve: Curve, sizes: Sequence[int], now: int
) -> None:
    top, base = sheet.y + 20, sheet.y + 24 + HEIGHT
    xs = [left + 8 + k * (wide - 36) / max(1, len(sizes) - 1) for k in range(len(sizes))]
    ys = [base - value / curve.top * HEIGHT for value in curve.values]
    sheet.text(left, sheet.y + 12, curve.title, size=12)
    sheet.line([(left, base), (left + wide - 20, base)], colour="line")
    sheet.line([(xs[now], top), (xs[now], base)], colour="muted", width=1)
    sheet.line(list(zip(xs, ys, strict=True)), colour=SERIES)
    for k, (x, y) in enumerate(zip(xs, ys, strict=True)):
        fill = "page" if curve.guessed and curve.guessed[k] else SERIES
        sheet.dot(x, y, 5 if k == now else 3.5, fill, "ink" if k == now else SERIES)
        if k % 3 == 0:
            sheet.text(x, base + 16, str(sizes[k]), size=12, anchor="middle", colour="muted")
    left_of = not curve.falls and now > 1  # beside the curve, which rises or falls
    x = xs[now] + (-7 if left_of else 7)
    sheet.text(x, ys[now] - 8, curve.shown, bold=True, anchor="end" if left_of else "start")
