"""A chat with a running server: streamed answers, a stop button, and a notebook that keeps it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from workbook.live.line import Line
from workbook.live.panel import Panel
from workbook.live.talk import Talk
from workbook.stills.sheet import Sheet
from workbook.words.wording import words_beside

WORDS = words_beside(__file__)["chat"]


def chat(
    url: str,
    *,
    model: str | None = None,
    system: str | None = None,
    first: str | None = None,
    max_tokens: int = 256,
    temperature: float = 0.0,
    key: str | None = None,
) -> Panel:
    """Talk to the server at ``url``, by default with the only model that it serves.

    ``first`` is said at once, and answered before the cell ends: it is what the notebook keeps. Any
    server of the OpenAI protocol will do; one that isn't there is told, and may come later.
    """
    options: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature}
    options |= {"system": system} | ({"model": model} if model else {})
    talk = Talk(Line(url, key, **options))
    if first is not None:
        thread = talk.send(first)
        if thread is None:
            raise ValueError("there is nothing to say in an empty first message")
        thread.join()
    said = talk.messages
    return Panel(
        WORDS["name"],
        {"v": 1, "panel": "chat", "messages": [list(message) for message in said]},
        _facts(said),
        f"{WORDS['name']}. {' '.join(_facts(said))}",
        partial(_draw, said=said),
        partial(_widget, talk),
    )


def _widget(talk: Talk) -> Any:
    from workbook.live.widgets import LiveChat

    return LiveChat(talk)


def _facts(said: Sequence[tuple[str, str]]) -> list[str]:
    if not said:
        return [WORDS["unsaid"]]
    return [f"{_who(role)}: {' '.join(text.split())}" for role, text in said]


def _who(role: str) -> str:
    return str(WORDS["you" if role == "user" else "model"])


def _draw(sheet: Sheet, *, said: Sequence[tuple[str, str]]) -> None:
    if not said:
        sheet.paragraph(f"{WORDS['unsaid']}.", colour="muted")
    for role, text in said:
        sheet.paragraph(_who(role), bold=True)
        for line in text.splitlines() or [""]:
            sheet.paragraph(line)
        sheet.space(6)
