"""What do small and large blocks cost? Waste, table entries and tokens run by size."""

from collections.abc import Sequence
from functools import partial
from math import log10
from typing import Any

from workbook.stills.sheet import MARGIN, Sheet
from workbook.widgets.block_size import numbers
from workbook.widgets.common.picture import Picture, Still
from workbook.words.wording import number, say, words_beside
from workbook.workloads import Workload

WORDS = words_beside(__file__)
HEIGHT, SERIES = 110, "blue"


def block_size_picture(
    workloads: Sequence[Workload] = numbers.WORKLOADS,
    *,
    size: int = 16,
    block_sizes: Sequence[int] = numbers.SIZES,
) -> Picture:
    """Waste, table entries and prompt tokens run, for each block size, on real request lengths.

    The reader moves along the sizes, chooses the requests and the longest request allowed.
    """
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
    rows = numbers.rows(workloads[0], block_sizes)
    said = f"{sentence(rows[block_sizes.index(size)])} {_trend(rows)}"
    still = Still(said, partial(_draw, rows=rows, size=size), _beside(workloads[0]))
    return Picture(WORDS["name"], data, _facts(workloads[0], rows), [still])


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


def sentence(row: tuple[int, float, bool, int, int]) -> str:
    """What one block size costs."""
    size, waste, _, entries, run = row
    facts = {"size": size, "waste": f"{waste:g} %", "entries": entries, "run": run}
    return say(WORDS["step"], facts)


def _trend(rows: Sequence[tuple[int, float, bool, int, int]]) -> str:
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


def _facts(workload: Workload, rows: Sequence[tuple[int, float, bool, int, int]]) -> list[str]:
    lines = [
        f"block size on {workload.name}, {number(numbers.mean_length(workload))} tokens on average"
    ]
    lines += [
        f"{size}: waste {waste:g} % {'measured' if measured else 'resampled'}, "
        f"{number(entries)} entries, {run} run"
        for size, waste, measured, entries, run in rows
    ]
    return [*lines, _beside(workload)]


def _draw(sheet: Sheet, *, rows: Sequence[tuple[int, float, bool, int, int]], size: int) -> None:
    """Three charts side by side over one row of numbers."""
    charts = WORDS["charts"]
    tops = (15.0, log10(2200), 900.0)
    values = (
        [row[1] for row in rows],
        [log10(row[3]) for row in rows],
        [float(row[4]) for row in rows],
    )
    wide = (sheet.width - 2 * MARGIN) / 3
    top, base = sheet.y + 20, sheet.y + 24 + HEIGHT
    now = [row[0] for row in rows].index(size)
    for at, (title, points, most) in enumerate(zip(charts.values(), values, tops, strict=True)):
        left = MARGIN + at * wide
        xs = [left + 8 + k * (wide - 36) / max(1, len(rows) - 1) for k in range(len(rows))]
        ys = [base - value / most * HEIGHT for value in points]
        sheet.text(left, sheet.y + 12, title, size=12)
        sheet.line([(left, base), (left + wide - 20, base)], colour="line")
        sheet.line([(xs[now], top), (xs[now], base)], colour="muted", width=1)
        sheet.line(list(zip(xs, ys, strict=True)), colour=SERIES)
        for k, (x, y) in enumerate(zip(xs, ys, strict=True)):
            fill = SERIES if rows[k][2] or at else "page"
            sheet.dot(x, y, 5 if k == now else 3.5, fill, "ink" if k == now else SERIES)
            if k % 3 == 0:
                sheet.text(x, base + 16, str(rows[k][0]), size=12, anchor="middle", colour="muted")
        shown = (f"{rows[now][1]:g} %", number(rows[now][3]), str(rows[now][4]))[at]
        left_of = at != 1 and now > 1  # beside the curve, which rises in the first and third
        x = xs[now] + (-7 if left_of else 7)
        sheet.text(x, ys[now] - 8, shown, bold=True, anchor="end" if left_of else "start")
    sheet.y = base + 22
