"""What does a fork cost, and when? Holders of one prompt, and their first writes."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from paged_attention.errors import BlockPoolExhausted
from workbook.stills.sheet import MARGIN, Sheet
from workbook.trace import Event, State
from workbook.widgets.common.cells import CELL, ENTRY, GAP, draw_block, draw_entry
from workbook.widgets.common.grouping import Grouped
from workbook.widgets.common.picture import Picture, Still
from workbook.widgets.common.recording import cache_with
from workbook.words.story import sentence_names
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
MOST_ROWS = 8


class Taken(NamedTuple):
    """New blocks so far: by forks, and by what was written after the first fork."""

    forks: int
    writes: int


def fork_and_copy(
    prompt: int = 40, *, block_size: int = 16, children: int = 4, num_blocks: int = 8
) -> Picture:
    """A parent P with ``prompt`` tokens, its forks c1, c2 …, and the first write of each.

    The children write in turn, then P; the reader may choose another order. With a pool too small
    for a copy the write is refused whole, and that is shown.
    """
    grouped = forked(prompt, block_size=block_size, children=children, num_blocks=num_blocks)
    start = min(children + 2, grouped.last)
    data = {
        "v": 1,
        "picture": "fork",
        "start": start,
        "plan": {"prompt": prompt, "children": children},
        "groups": grouped.text,
        "trace": grouped.trace.to_json(),
    }
    shown = sorted({min(children + 1, grouped.last), start, grouped.last})
    stills = [
        Still(
            sentence(grouped, step),
            partial(_draw, grouped=grouped, step=step),
            say(WORDS["counter"], taken(grouped, step)._asdict()),
        )
        for step in shown
    ]
    return Picture(WORDS["name"], data, _facts(grouped, start), stills)


def forked(
    prompt: int = 40, *, block_size: int = 16, children: int = 4, num_blocks: int = 8
) -> Grouped:
    """Run it on the engine."""
    cache = cache_with(num_blocks, block_size)
    grouped = Grouped(cache.trace)

    def grow(name: str, tokens: int) -> None:
        try:
            cache.reserve(name, tokens)
        except BlockPoolExhausted:
            return
        if tokens:
            cache.write_zeros(name, tokens)

    def begin() -> None:
        cache.create("P")
        grow("P", prompt)

    names = [f"c{k}" for k in range(1, children + 1)]
    calls: list[Callable[[], None]] = [begin]
    calls += [partial(cache.fork, "P", name) for name in names]
    calls += [partial(grow, name, 1) for name in [*names, "P"]]
    for call in calls:
        with grouped.step():
            call()
    return grouped


def taken(grouped: Grouped, step: int) -> Taken:
    """New blocks up to ``step``."""
    forks = writes = 0
    forked = False
    for at in range(1, step + 1):
        blocks = sum(event.op == "allocate" for event in grouped.events(at))
        if grouped.calls(at)[0] == "fork":
            forked, forks = True, forks + blocks
        elif forked:
            writes += blocks
    return Taken(forks, writes)


def sentence(grouped: Grouped, step: int) -> str:
    """What a step of the picture did."""
    trace, events, calls = grouped.trace, grouped.events(step), grouped.calls(step)
    names = sentence_names(trace)
    if calls[0] == "start":
        return say(WORDS["start"], {})
    args = grouped.args(step)
    name, state = names[args[0]], grouped.state(step)
    allocated = sum(event.op == "allocate" for event in events)
    if calls[0] == "fork":
        shared = [event.block for event in events if event.op == "share"]
        return say(WORDS["forked"], {"child": names[args[1]], "name": name, "shared": shared})
    refused = _first(events, "refuse")
    if refused:
        facts = {"name": name, "wanted": refused.n, "room": refused.i}
        return say(WORDS["refused"], facts)
    if step == 1:
        facts = {"name": name, "tokens": state.length(args[0]), "allocated": allocated}
        return say(WORDS["prompt"], facts)
    return _write_sentence(name, events, state, allocated)


def _write_sentence(name: str, events: list[Event], state: State, allocated: int) -> str:
    copy = _first(events, "copy")
    writes = [event for event in events if event.op == "write"]
    if copy is None:
        last = writes[-1].block if writes else -1
        return say(WORDS["inPlace"], {"name": name, "block": last, "fresh": allocated})
    facts = {
        "name": name,
        "source": copy.src,
        "holders": state.refs[copy.src] + 1,
        "copied": copy.n,
        "copy": copy.block,
        "written": len(writes),
    }
    return say(WORDS["copied"], facts)


def _first(events: Sequence[Event], op: str) -> Event | None:
    return next((event for event in events if event.op == op), None)


def _facts(grouped: Grouped, start: int) -> list[str]:
    lines = [
        f"fork {grouped.trace.num_blocks}x{grouped.trace.block_size} step {start}/{grouped.last}"
    ]
    for step in range(1, grouped.last + 1):
        before, after = grouped.state(step - 1).refs, grouped.state(step).refs
        copies = {event.block: event for event in grouped.events(step) if event.op == "copy"}
        changes = [
            f"{block}: {before[block]}->{after[block]}"
            + (f" copied {copies[block].n} from {copies[block].src}" if block in copies else "")
            for block in range(len(after))
            if before[block] != after[block]
        ]
        lines.append(f"{step} {'+'.join(grouped.calls(step))} {', '.join(changes) or 'no change'}")
    new = taken(grouped, grouped.last)
    return [*lines, f"new {new.forks}, then {new.writes}"]


def _draw(sheet: Sheet, *, grouped: Grouped, step: int) -> None:
    """The holders' tables at the left, the blocks in use at the right, an arrow for a copy."""
    trace, state = grouped.trace, grouped.state(step)
    names = sentence_names(trace)
    top = sheet.y + 22
    rows = list(state.tables.items())
    for at, (seq, table) in enumerate(rows[:MOST_ROWS]):
        y = top + at * 32
        sheet.text(MARGIN, y + 19, names[seq], bold=True)
        for i in range(len(table[:8])):
            draw_entry(sheet, MARGIN + 40 + i * (ENTRY + GAP), y, state, seq, i)
    left = MARGIN + 40 + max(3, *(min(8, len(table)) for _, table in rows), 0) * (ENTRY + GAP) + 30
    used = max(6, 1 + max(trace.columns["block"], default=0))
    places = {}
    for block in range(min(used, trace.num_blocks, 18)):
        places[block] = (left + block % 6 * (CELL + 6), top + block // 6 * (CELL + 22))
        draw_block(sheet, *places[block], state, block, names)
    for copy in (event for event in grouped.events(step) if event.op == "copy"):
        if copy.src in places and copy.block in places:
            _arrow(sheet, places[copy.src], places[copy.block], copy.n)
    sheet.y = top + max(min(len(rows), MOST_ROWS) * 32, -(-used // 6) * (CELL + 22))


def _arrow(sheet: Sheet, start: tuple[float, float], end: tuple[float, float], tokens: int) -> None:
    (x, y), (x2, y2) = start, end
    x, x2 = x + CELL / 2, x2 + CELL / 2
    sheet.arrow((x, y), (x2, y2), rise=14)
    label = say(WORDS["label"], {"n": tokens})
    sheet.text((x + x2) / 2, min(y, y2) - 12, label, size=12, anchor="middle", halo="page")
