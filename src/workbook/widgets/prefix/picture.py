"""What can this prompt reuse, and what goes first? The tree of known prefixes."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from workbook.stills.looks import STATES
from workbook.stills.sheet import MARGIN, Sheet
from workbook.trace import Event, State
from workbook.trace.schema import NONE
from workbook.trace.state import Prefix
from workbook.widgets.common.answer import Answer
from workbook.widgets.common.cells import law
from workbook.widgets.common.grouping import Grouped
from workbook.widgets.common.picture import Picture, Still
from workbook.widgets.prefix.desk import PromptDesk
from workbook.words.names import visible
from workbook.words.story import sentence_names
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
START = "you are a careful assistant who answers briefly "
PROMPTS = (
    START + "what is a page",
    START + "name the largest planet",
    START + "how tall is mount everest",
)
ORDER = (4, 7, 2, 9, 11, 15, 0, 1, 3, 5, 6, 8, 10, 12, 13, 14)  # as a pool in use would hand out


def prefix_picture(
    prompts: Sequence[str] | None = None,
    *,
    block_size: int = 4,
    num_blocks: int = 16,
    ended: Sequence[int] = (),
) -> Picture:
    """The prefix index as a tree; the reader types prompts and evicts blocks.

    ``prompts``: served in turn, words as tokens; those in ``ended``, counted from 0, then end. By
    default the book's three, which begin alike, the second one ended before the third is looked
    up. In a notebook the real prefix cache answers, on a page the module's own.
    """
    desk, start = served(prompts, block_size=block_size, num_blocks=num_blocks, ended=ended)
    data = prefix_data(desk, start)

    def act(message: Mapping[str, Any]) -> dict[str, Any]:
        return prefix_data(desk, desk.act(message))

    grouped = desk.grouped
    shown = sorted({min(1, grouped.last), start, grouped.last})
    stills = [
        Still(
            sentence(grouped, step),
            partial(_draw, grouped=grouped, step=step),
            law(grouped.state(step)),
        )
        for step in shown
    ]
    return Picture(
        WORDS["name"], data, _facts(grouped, start), stills, Answer(["run", "evict"], act)
    )


def served(
    prompts: Sequence[str] | None,
    *,
    block_size: int,
    num_blocks: int,
    ended: Sequence[int] = (),
) -> tuple[PromptDesk, int]:
    """Serve them (``None``: the book's three) on the engine; and the step to show first."""
    order = ORDER if num_blocks == len(ORDER) else range(num_blocks)
    desk = PromptDesk(num_blocks, block_size, list(order))
    if prompts is not None:
        names = [desk.serve(prompt) for prompt in prompts]
        for name in (names[at] for at in ended):
            desk.make(("free", name))
        return desk, max(0, desk.grouped.last - (not ended))
    desk.serve(PROMPTS[0])
    second = desk.serve(PROMPTS[1])
    desk.make(("free", second))
    desk.serve(PROMPTS[2])
    desk.make(("evict", 1))
    return desk, 6


def prefix_data(desk: PromptDesk, start: int) -> dict[str, Any]:
    """What the module draws."""
    return {
        "v": 1,
        "picture": "prefix",
        "start": start,
        "calls": [[list(call) for call in group] for group in desk.calls],
        "groups": desk.grouped.text,
        "trace": desk.cache.trace.to_json(),
    }


def sentence(grouped: Grouped, step: int) -> str:
    """What a step of the picture did, and which block would be evicted next."""
    events, calls, state = grouped.events(step), grouped.calls(step), grouped.state(step)
    if calls[0] == "start":
        return say(WORDS["start"], {})
    following = {"next": list(state.cached)[:1]}
    gone = [event.block for event in events if event.op == "evict"]
    if calls[0] == "evict":
        return say(WORDS["evicted"], {"gone": gone} | following)
    name = sentence_names(grouped.trace)[grouped.args(step)[0]]
    said = _outcome(grouped, step, {"name": name, "gone": gone}, events, state)
    return " ".join(filter(None, [said, say(WORDS["next"], following)]))


def _outcome(
    grouped: Grouped, step: int, facts: dict[str, Any], events: list[Event], state: State
) -> str:
    calls = grouped.calls(step)
    refused = next((event for event in events if event.op == "refuse"), None)
    if refused is not None:
        return say(WORDS["refused"], facts | {"wanted": refused.n, "room": refused.i})
    if "attach" in calls:
        asked = grouped.trace.args[grouped.steps(step)[calls.index("attach")]][1]
        hits = sum(event.op == "hit" for event in events)
        reused = hits * grouped.trace.block_size
        return say(
            WORDS["attached"], facts | {"hits": hits, "reused": reused, "run": asked - reused}
        )
    if calls[0] == "free":
        cached = [e.block for e in events if e.op == "release" and e.block in state.cached]
        return say(WORDS["ended"], facts | {"cached": cached})
    published = [event.block for event in events if event.op == "publish"]
    return say(WORDS["ran"], facts | {"ran": grouped.args(step)[1], "published": published})


def _facts(grouped: Grouped, step: int) -> list[str]:
    """The tree, indented, a block a line; what goes first; the law."""
    state, trace = grouped.state(step), grouped.trace
    lines = [f"prefix index {trace.num_blocks}x{trace.block_size} step {step}/{grouped.last}"]
    lines += tree_lines(state)
    lines.append(f"next out {' '.join(map(str, state.cached)) or '-'}")
    return [*lines, law(state)]


def tree_lines(state: State) -> list[str]:
    """The tree, indented, a prefix a line."""
    lines = []
    for root, node in state.roots.items():
        if node.children:
            lines.append(_root_name(root, state.trace.keys))
            lines += _indented(node, state, "  ")
    return lines


def _root_name(root: int, keys: Sequence[str]) -> str:
    return visible(keys[NONE - 1 - root]) if root < NONE else str(WORDS["root"])


def _indented(node: Prefix, state: State, indent: str) -> list[str]:
    lines = []
    for child in node.children.values():
        blocks = "=".join(
            f"{b}x{state.refs[b]}{'c' if b in state.cached else ''}" for b in child.blocks
        )
        lines.append(f"{indent}{blocks} {visible(state.trace.keys[child.key])}")
        lines += _indented(child, state, indent + "  ")
    return lines


def _draw(sheet: Sheet, *, grouped: Grouped, step: int) -> None:
    """The tree from left to right, a ring around what the step's prompt hit."""
    state, events = grouped.state(step), grouped.events(step)
    hits = {event.block for event in events if event.op == "hit"}
    top = sheet.y + 18
    draw = partial(_draw_node, sheet, state=state, hits=hits)
    if not any(node.children for node in state.roots.values()):
        sheet.text(MARGIN, top + 22, WORDS["root"], bold=True)
        sheet.y = top + 40
        return
    for root, node in state.roots.items():
        if node.children:
            sheet.text(MARGIN, top + 22, _root_name(root, state.trace.keys)[:12], bold=True)
            top = draw(node, x=MARGIN + 56, y=top)
    sheet.y = top


def _draw_node(
    sheet: Sheet, node: Prefix, *, state: State, hits: set[int], x: float, y: float
) -> float:
    """The children of ``node`` below one another from (x, y); returns where the next thing goes."""
    if x > sheet.width - 100:
        sheet.text(x, y + 22, "…", colour="muted")
        return y + 58
    first = y
    for child in node.children.values():
        sheet.line([(x - 18, first + 18), (x - 18, y + 18), (x - 2, y + 18)])
        for at, block in enumerate(child.blocks[:2]):
            look = state.look(block)
            mark = STATES[look].mark or f"×{state.refs[block]}"
            tab = "" if look == "cached" else "p"
            sheet.cell(
                x + at * 40, y, look, name=str(block), mark=mark, tab=tab, ring=block in hits
            )
        words = visible(state.trace.keys[child.key]).split(" ")
        for line, text in enumerate(_short_lines(words)):
            sheet.text(x, y + 53 + 14 * line, text, size=12)
        if child.children:
            sheet.line([(x + 38, y + 18), (x + 112, y + 18)])
            y = max(_draw_node(sheet, child, state=state, hits=hits, x=x + 130, y=y), y + 74)
        else:
            y += 74
    return y


def _short_lines(words: Sequence[str], most: int = 18) -> list[str]:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()[:most]
    return lines[:2]
