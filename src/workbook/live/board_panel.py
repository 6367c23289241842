"""A board of a running server: blocks, batch, queue, what the prefix cache finds, tokens/s."""

from collections.abc import Callable
from functools import partial
from typing import Any

from workbook.live.panel import Panel
from workbook.live.reading import NoReading, Reading, fetch, root_of
from workbook.live.watch import Watch, shown_reading
from workbook.stills.sheet import MARGIN, Sheet
from workbook.words.wording import number, words_beside

WORDS = words_beside(__file__)["board"]
LEFT, BAR, ROW = 70, 400, 30  # px: where bars begin, how long they are, from one to the next
MOST = 16  # requests that a bar shows one by one


def board(url: str, *, every: float = 1.0) -> Panel:
    """What the server at ``url`` does, looked at every ``every`` seconds while the board is shown.

    Reads ``/metrics`` of our server, vLLM or SGLang. A server that goes away is told and looked for
    again. The notebook keeps how the server stood when the cell ran, rates left out.
    """
    root = root_of(url)
    if not every > 0:
        raise ValueError(f"a board looks every so many seconds, got {every}")
    look = partial(fetch, root)
    try:
        reading: Reading | None = look()
    except NoReading:
        reading = None
    data = {"v": 1, "panel": "board", **(shown_reading(reading) if reading else {})}
    return Panel(
        WORDS["name"],
        data,
        _facts(reading),
        _alt(reading),
        partial(_draw, reading=reading),
        partial(_widget, root, look, every, data),
    )


def _widget(root: str, look: Callable[[], Reading], every: float, data: dict[str, Any]) -> Any:
    from workbook.live.widgets import LiveBoard

    return LiveBoard(root, data, lambda told: Watch(look, told, every))


def _facts(reading: Reading | None) -> list[str]:
    if reading is None:
        return [WORDS["unread"]]
    return [line for line in (_requests(reading), _pool(reading), _tokens(reading)) if line]


def _requests(reading: Reading) -> str:
    facts = {"running": reading.running, "waiting": reading.waiting, "preempted": reading.preempted}
    return ", ".join(f"{number(n)} {what}" for what, n in facts.items() if n is not None)


def _pool(reading: Reading) -> str:
    if reading.usage is None:
        return ""
    if reading.held is None or reading.blocks is None:
        return str(WORDS["percent"]).format(percent=round(100 * reading.usage))
    said: str = WORDS["of"].format(held=number(reading.held), blocks=number(reading.blocks))
    return f"{WORDS['blocks']}: {said}"


def _tokens(reading: Reading) -> str:
    facts = {"of prompts": reading.prompt, "found": reading.cached, "said": reading.said}
    known = ", ".join(f"{number(n)} {what}" for what, n in facts.items() if n is not None)
    return f"tokens: {known}" if known else ""


def _alt(reading: Reading | None) -> str:
    return f"{WORDS['name']}. {WORDS['still']} {'; '.join(_facts(reading))}."


def _draw(sheet: Sheet, *, reading: Reading | None) -> None:
    """Bars and figures; nothing that a clock had a hand in."""
    if reading is None:
        sheet.paragraph(f"{WORDS['unread']}.", colour="muted")
        return
    sheet.paragraph(WORDS["still"], colour="muted")
    sheet.space(4)
    if reading.usage is not None:
        held, whole = reading.usage, 1.0
        _bar(sheet, WORDS["blocks"], [("held", held), ("free", whole - held)], BAR / whole)
        sheet.text(LEFT + BAR + 8, sheet.y - 14, _pool(reading).rpartition(": ")[2], size=12)
    for name, n in ((WORDS["batch"], reading.running), (WORDS["queue"], reading.waiting)):
        if n is not None:
            parts = [("copied" if name == WORDS["batch"] else "other", 1.0)] * min(n, MOST)
            _bar(sheet, name, parts, BAR / MOST)
            sheet.text(LEFT + BAR + 8, sheet.y - 14, number(n), size=12)
    sheet.space(4)
    if line := _tokens(reading):
        sheet.paragraph(line[0].upper() + line[1:])
    sheet.space(2)
    sheet.legend(["held", "free"], [WORDS["held"], WORDS["free"]])


def _bar(sheet: Sheet, name: str, parts: list[tuple[str, float]], scale: float) -> None:
    sheet.text(MARGIN, sheet.y + 16, name, bold=True)
    x: float = LEFT
    for state, n in parts:
        if n > 0:
            sheet.cell(x, sheet.y, state, width=n * scale - 1, height=ROW - 8)
            x += n * scale
    sheet.y += ROW
