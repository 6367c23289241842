"""Who runs, who waits, who gives back? The queue and its line, budget, pool and host memory."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from workbook.stills.sheet import MARGIN, Sheet
from workbook.widgets.common.answer import Answer
from workbook.widgets.common.picture import Picture, Still
from workbook.widgets.line.desk import LineDesk, Snapshot, Stand
from workbook.words.names import shown_names
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
THREE = {"A": 8, "B": 8, "C": 8}
MOST_ROWS = 8  # that the still form draws
LEFT, BAR, ROW = 60, 420, 26  # px: where bars begin, how long they are, the height of a row


def line_picture(
    prompts: Mapping[str, int] | None = None,
    *,
    new_tokens: int = 6,
    num_blocks: int = 6,
    block_size: int = 4,
    budget: int = 24,
    prefix: bool = False,
    host: int = 0,
    start: int | None = None,
) -> Picture:
    """A queue served from the first request to the last, call by call.

    ``prompts``: tokens of each request's prompt, by its name, in the order of submission; the
    book's three by default. In a notebook the buttons go on from the end. ``start``: the step shown
    first, by default the first in which somebody gives way.
    """
    desk = LineDesk(num_blocks, block_size, budget=budget, prefix=prefix, host=host)
    for number, (name, tokens) in enumerate((prompts or THREE).items(), start=1):
        desk.submit(name, [number % 5] * tokens, new_tokens)
    while len(desk.engine):
        desk.step()
    lost = [at for at, one in enumerate(desk.snapshots) if any(s.preempted for s in one.stands)]
    start = (lost or [len(desk.snapshots) - 1])[0] if start is None else start
    last = len(desk.snapshots) - 1
    if not 0 <= start <= last:
        raise IndexError(f"there is no step {start}: the picture has steps 0 to {last}")

    def answer(message: Mapping[str, Any]) -> dict[str, Any]:
        desk.act(message)
        return line_data(desk, len(desk.snapshots) - 1)

    stills = []
    for step in range(max(0, start - 1), start + 1):
        one = desk.snapshots[step]
        draw = partial(_draw, desk=desk, one=one)
        stills.append(Still(f"{one.call}: {one.said}", draw, _law(desk, one)))
    lines = _facts(desk, start)
    return Picture(WORDS["name"], line_data(desk, start), lines, stills, Answer(desk.calls, answer))


def line_data(desk: LineDesk, start: int) -> dict[str, Any]:
    """What the module draws: a line of numbers a step, a group of them a request."""
    memory, scheduler = desk.engine.memory, desk.engine.scheduler
    return {
        "v": 1,
        "picture": "line",
        "start": start,
        "blocks": memory.num_blocks,
        "size": memory.cache.block_size,
        "budget": scheduler.limits.budget,
        "host": desk.host,
        "names": list(desk.names),
        "calls": "\n".join(one.call for one in desk.snapshots),
        "said": "\n".join(one.said for one in desk.snapshots),
        "steps": "\n".join(_packed(one) for one in desk.snapshots),
    }


def _packed(one: Snapshot) -> str:
    counts = " ".join(map(str, (one.free, one.held, one.cached, one.host, one.used)))
    stands = (" ".join(str(int(number)) for number in stand) for stand in one.stands)
    return ";".join([counts, *stands])


def _facts(desk: LineDesk, step: int) -> list[str]:
    """The text form: the call, a request a line, the law."""
    one, names = desk.snapshots[step], shown_names(desk.names)
    lines = [f"step {step}/{len(desk.snapshots) - 1} {one.call}"]
    for stand in one.stands:
        place = WORDS["runs" if stand.runs else "waits"]
        lines.append(
            f"{names[stand.name]} {place}: {stand.cached} of {stand.known} in the cache, "
            f"{stand.ran} run, {stand.blocks} blocks"
        )
    return [*lines, _law(desk, one)]


def _law(desk: LineDesk, one: Snapshot) -> str:
    facts = {"free": one.free, "held": one.held, "cached": one.cached, "used": one.host}
    return say(WORDS["law"], facts | {"total": desk.engine.memory.num_blocks, "host": desk.host})


def _draw(sheet: Sheet, *, desk: LineDesk, one: Snapshot) -> None:
    names = shown_names(desk.names)
    most = max([stand.known for stand in one.stands], default=1)
    line_drawn = False
    if not one.stands:
        sheet.paragraph(WORDS["empty"], colour="muted")
    for stand in one.stands[:MOST_ROWS]:
        if not stand.runs and not line_drawn:
            sheet.line([(MARGIN, sheet.y + 4), (LEFT + BAR, sheet.y + 4)], colour="ink", width=2)
            sheet.text(LEFT, sheet.y + 20, WORDS["line"], size=12, colour="muted")
            sheet.y += 28
            line_drawn = True
        _draw_row(sheet, stand, names[stand.name], BAR / most)
    if len(one.stands) > MOST_ROWS:
        sheet.paragraph(f"… {len(one.stands) - MOST_ROWS} more", colour="muted")
    sheet.space(4)
    states = ["held", "copied", "free"]
    sheet.legend(states, [WORDS["legend"][state] for state in states])


def _draw_row(sheet: Sheet, stand: Stand, name: str, scale: float) -> None:
    sheet.text(MARGIN, sheet.y + 16, name[:6], bold=True)
    x: float = LEFT
    for state, n in parts(stand):
        if n:
            sheet.cell(x, sheet.y, state, width=n * scale, height=ROW - 4, mark=str(n))
            x += n * scale
    sheet.text(LEFT + BAR + 8, sheet.y + 16, say(["{n#block}"], {"n": stand.blocks}), size=12)
    sheet.y += ROW


def parts(stand: Stand) -> list[tuple[str, int]]:
    """A bar's three parts: in the cache before this step, run in it, left to run."""
    return [
        ("held", stand.cached - stand.ran),
        ("copied", stand.ran),
        ("free", stand.known - stand.cached),
    ]
