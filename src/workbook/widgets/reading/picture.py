"""How do scattered blocks give the same answer? A query walks the block table."""

from collections.abc import Sequence
from functools import partial
from math import exp, inf
from typing import NamedTuple

from workbook.stills.looks import STATES
from workbook.stills.sheet import MARGIN, Sheet
from workbook.trace import Event, Trace
from workbook.widgets.common.picture import Picture, Still
from workbook.widgets.reading.walk import walk
from workbook.words.wording import number, say, words_beside

WORDS = words_beside(__file__)
TABLE = (7, 2, 11, 5, 9, 0)
SCORES = (1, 0, 2, 1, 0, 1, 1, 2, 4, 1, 0, 2, 1, 2, 0, 1, 3, 2, 1, 0, 2, 5)
SHOWN = 12  # look-ups that the still form draws
HEIGHT, BAR = 60, 9


class LookUp(NamedTuple):
    """One read of a table entry, and what the query knows after it."""

    block: int
    i: int
    valid: int
    m: float
    l: float  # noqa: E741  # the name of the running sum everywhere
    alpha: float
    out: list[float]


def reading_through_table(
    table: Sequence[int] = TABLE,
    scores: Sequence[float] = SCORES,
    values: Sequence[Sequence[float]] | None = None,
    *,
    block_size: int = 4,
    num_blocks: int | None = None,
    start: int = 3,
) -> Picture:
    """A query reads block after block and keeps three numbers: maximum, sum and answer.

    ``scores``, ``values``: of the tokens in order; by default the book's 22 tokens over blocks 7 2
    11 5 9 0, with the value (k mod 4, k // 4) for token k.
    """
    if values is None:
        values = [(k % 4, k // 4) for k in range(len(scores))]
    pool = num_blocks or max(12, *(block + 1 for block in table), 1)
    trace = walk(table, scores, values, block_size=block_size, num_blocks=pool)
    reads = look_ups(trace)
    start = min(start, len(reads))
    said = [sentence(reads, step, scores, values, block_size) for step in range(len(reads) + 1)]
    data = {
        "v": 1,
        "picture": "reading",
        "start": start,
        "said": "\n".join(said),
        "scores": " ".join(f"{score:g}" for score in scores),
        "values": ";".join(" ".join(f"{x:g}" for x in value) for value in values),
        "trace": trace.to_json(),
    }
    shown = sorted({min(1, len(reads)), start, len(reads)})
    stills = [
        Still(
            said[step],
            partial(_draw, reads=reads, step=step, scores=scores, block_size=block_size),
        )
        for step in shown
    ]
    return Picture(WORDS["name"], data, _facts(reads, scores, values), stills)


def look_ups(trace: Trace) -> list[LookUp]:
    """The reads of a trace with their floats."""
    reads: list[Event] = [event for event in trace.events() if event.op == "read"]
    return [
        LookUp(event.block, event.i, event.n, row[0], row[1], row[2], row[3:])
        for event, row in zip(reads, trace.floats, strict=True)
    ]


def plain_softmax(scores: Sequence[float], values: Sequence[Sequence[float]]) -> list[float]:
    """Softmax over all scores at once, then the weighted sum; zeros if there are none."""
    size = len(values[0]) if values else 0
    if not scores:
        return [0.0] * size
    weights = [exp(score - max(scores)) for score in scores]
    return [
        sum(w * value[d] for w, value in zip(weights, values, strict=False)) / sum(weights)
        for d in range(size)
    ]


def sentence(
    reads: Sequence[LookUp],
    step: int,
    scores: Sequence[float],
    values: Sequence[Sequence[float]],
    block_size: int,
) -> str:
    """What look-up ``step`` (from 1) did; step 0 is before the first."""
    if not step:
        return say(WORDS["start"], {"blocks": len(reads), "tokens": len(scores)})
    read = reads[step - 1]
    before = reads[step - 2].m if step > 1 else -inf
    facts = {
        "step": step,
        "block": read.block,
        "from": _whole(before),
        "to": _whole(read.m),
        "alpha": read.alpha,
        "masked": block_size - read.valid,
        "size": block_size,
        "first": step == 1,
        "rises": step > 1 and read.m > before,
        "same": step > 1 and read.m == before,
    }
    said = say(WORDS["step"], facts)
    if step < len(reads):
        return said
    plain = plain_softmax(scores, values)
    equal = all(abs(x - y) < 1e-5 for x, y in zip(plain, read.out, strict=True))
    end = say(WORDS["end"], {"equal": equal, "out": [float(x) for x in read.out], "step": step})
    return f"{said} {end}"


def _whole(x: float) -> str:
    return number(int(x)) if abs(x) != inf and x == int(x) else number(float(x))


def _facts(
    reads: Sequence[LookUp], scores: Sequence[float], values: Sequence[Sequence[float]]
) -> list[str]:
    lines = [f"query over {len(scores)} tokens, {len(reads)} look-ups"]
    lines += [
        f"look-up {at} block {read.block}: valid {read.valid} m {_whole(read.m)} "
        f"alpha {read.alpha:.4f} l {read.l:.4f} out {' '.join(f'{x:.4f}' for x in read.out)}"
        for at, read in enumerate(reads, 1)
    ]
    plain = plain_softmax(scores, values)
    out = reads[-1].out if reads else plain
    equal = all(abs(x - y) < 1e-5 for x, y in zip(plain, out, strict=True))
    ends = " ".join(f"{x:.4f}" for x in out)
    return [*lines, f"ends {ends}, {'equal' if equal else 'NOT equal'} to plain softmax"]


def _draw(
    sheet: Sheet, *, reads: Sequence[LookUp], step: int, scores: Sequence[float], block_size: int
) -> None:
    """The table, a ring around the entry that is read, and a bar for each token's weight."""
    first = max(0, min(len(reads) - SHOWN, step - 1 - SHOWN // 2))
    top = reads[step - 1].m if step else 0.0
    wide = block_size * (BAR + 1) + 8
    base = sheet.y + 16 + 34 + HEIGHT + 6
    for at, read in enumerate(reads[first : first + SHOWN]):
        left = MARGIN + 4 + at * wide
        now = read.i == step - 1
        sheet.cell(
            left, sheet.y + 16, "held", width=wide - 10, height=28, mark=str(read.block), ring=now
        )
        for offset in range(block_size):
            k, x = read.i * block_size + offset, left + offset * (BAR + 1)
            if offset >= read.valid:
                sheet.cell(x, base - HEIGHT, "reserved", width=BAR, height=HEIGHT)
                continue
            weight = exp(scores[k] - top) if read.i < step else 0.0
            if weight:
                held, tall = STATES["held"], HEIGHT * weight
                sheet.box(x, base - tall, BAR, tall, held.fill, held.edge)
            sheet.text(x + BAR / 2, base + 14, f"{scores[k]:g}", size=12, anchor="middle")
        sheet.line([(left, base), (left + wide - 10, base)])
    sheet.y = base + 22
    if step:
        read = reads[step - 1]
        out = " ".join(f"{x:.4f}" for x in read.out)
        values = f"m {_whole(read.m)}, α {read.alpha:.4f}, l {read.l:.4f}, out {out}"
        sheet.paragraph(values, colour="muted")
