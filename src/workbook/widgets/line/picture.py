"""Who runs, who waits, who gives back? The queue and its line, budget, pool and host memory."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from workbook.stills.sheet import MARGIN, Sheet
from workbook.trace import State, replay
from workbook.trace.queue import Place, Stand, stands
from workbook.widgets.common.answer import Answer
from workbook.widgets.common.picture import Picture, Still
from workbook.words.names import shown_names
from workbook.words.wording import say, words_beside

if TYPE_CHECKING:
    from workbook.widgets.line.desk import LineDesk

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
    from workbook.widgets.line.desk import LineDesk

    desk = LineDesk(num_blocks, block_size, budget=budget, prefix=prefix, host=host)
    for number, (name, tokens) in enumerate((prompts or THREE).items(), start=1):
        desk.submit(name, [number % 5] * tokens, new_tokens)
    while len(desk.engine):
        desk.step()
    queue = list(stands(desk.trace))
    lost = [at for at, one in enumerate(queue) if any(place.preempted for place in one.places)]
    start = (lost or [desk.trace.last])[0] if start is None else start
    if not 0 <= start <= desk.trace.last:
        raise IndexError(f"there is no step {start}: the picture has steps 0 to {desk.trace.last}")

    def answer(message: Mapping[str, Any]) -> dict[str, Any]:
        desk.act(message)
        return line_data(desk, desk.trace.last)

    names, stills = shown_names(desk.trace.seqs), []
    for step in range(max(0, start - 1), start + 1):
        draw = partial(draw_queue, places=queue[step].places, names=names)
        said = f"{desk.calls[step]}: {desk.said[step]}"
        stills.append(Still(said, draw, _law(desk, replay(desk.trace, step), queue[step])))
    lines = [f"step {start}/{desk.trace.last} {desk.calls[start]}"]
    lines += facts_of(queue[start].places, names)
    lines.append(_law(desk, replay(desk.trace, start), queue[start]))
    buttons = Answer(["submit", "step", "abort"], answer)
    return Picture(WORDS["name"], line_data(desk, start), lines, stills, buttons)


def line_data(desk: "LineDesk", start: int) -> dict[str, Any]:
    """What the module draws: the trace, and a sentence a step."""
    return {
        "v": 1,
        "picture": "line",
        "start": start,
        "budget": desk.engine.scheduler.limits.budget,
        "host": desk.host,
        "calls": "\n".join(desk.calls),
        "said": "\n".join(desk.said),
        "trace": desk.trace.to_json(),
    }


def facts_of(places: Sequence[Place], names: Sequence[str]) -> list[str]:
    """The text form: a request a line."""
    return [
        f"{names[place.seq]} {WORDS['runs' if place.runs else 'waits']}: {place.cached} of "
        f"{place.known} in the cache, {place.ran} run, {place.blocks} blocks"
        for place in places
    ]


def _law(desk: "LineDesk", state: State, stand: Stand) -> str:
    free, cached, total = state.num_free, len(state.cached), desk.trace.num_blocks
    facts = {"free": free, "held": total - free - cached, "cached": cached, "total": total}
    return say(WORDS["law"], facts | {"used": stand.host, "host": desk.host})


def draw_queue(
    sheet: Sheet, *, places: Sequence[Place], names: Sequence[str], legend: bool = True
) -> None:
    """Who runs, the line, who waits; a bar of tokens for each."""
    most = max([place.known for place in places], default=1)
    line_drawn = False
    if not places:
        sheet.paragraph(WORDS["empty"], colour="muted")
    for place in places[:MOST_ROWS]:
        if not place.runs and not line_drawn:
            sheet.line([(MARGIN, sheet.y + 4), (LEFT + BAR, sheet.y + 4)], colour="ink", width=2)
            sheet.text(LEFT, sheet.y + 20, WORDS["line"], size=12, colour="muted")
            sheet.y += 28
            line_drawn = True
        _draw_row(sheet, place, names[place.seq], BAR / most)
    if len(places) > MOST_ROWS:
        sheet.paragraph(f"… {len(places) - MOST_ROWS} more", colour="muted")
    sheet.space(4)
    if legend:
        states = ["held", "copied", "free"]
        sheet.legend(states, [WORDS["legend"][state] for state in states])


def _draw_row(sheet: Sheet, place: Place, name: str, scale: float) -> None:
    sheet.text(MARGIN, sheet.y + 16, name[:6], bold=True)
    x: float = LEFT
    for state, n in parts(place):
        if n:
            sheet.cell(x, sheet.y, state, width=n * scale, height=ROW - 4, mark=str(n))
            x += n * scale
    sheet.text(LEFT + BAR + 8, sheet.y + 16, say(["{n#block}"], {"n": place.blocks}), size=12)
    sheet.y += ROW


def parts(place: Place) -> list[tuple[str, int]]:
    """A bar's three parts: in the cache before this step, run in it, left to run."""
    return [
        ("held", place.cached - place.ran),
        ("copied", place.ran),
        ("free", place.known - place.cached),
    ]
