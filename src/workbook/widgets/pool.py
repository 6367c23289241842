"""Picture 1: where is each sequence's memory? The pool, the block tables, the free queue."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from workbook.trace import State, Trace, replay
from workbook.trace.names import shown_names
from workbook.trace.schema import NONE, TEXTS, Event
from workbook.trace.story import call_text, sentence, sentence_names
from workbook.trace.wording import number, say
from workbook.widgets.drawing import INK, MARGIN, MUTED, Sheet
from workbook.widgets.picture import Answer, Picture, Still

WORDS: dict[str, Any] = TEXTS["pool"]
MOST_CELLS = 60  # blocks that the still form draws
MOST_TABLES = 12
MOST_ENTRIES = 13
CELL, ENTRY, GAP = 36, 30, 4


def pool_picture(source: Any = None, *, start: int | None = None) -> Picture:
    """The pool, block by block, with every sequence's table, step by step.

    ``source``: a trace; or a recording cache or recording prefix cache, whose trace is shown and
    whose engine answers the buttons; by default the book's pool of 12 blocks, live. ``start``: the
    step shown first, by default the last (the book's: the fork).
    """
    from workbook.widgets.acting import pool_answer

    if source is None:
        from workbook.widgets.scenes import pool_scene

        source, start = pool_scene(), 9 if start is None else start
    trace, answer = (source, None) if isinstance(source, Trace) else pool_answer(source, pool_data)
    return _picture(trace, trace.last if start is None else start, answer)


def pool_data(trace: Trace, start: int) -> dict[str, Any]:
    """What the module draws."""
    return {"v": 1, "picture": "pool", "start": start, "trace": trace.to_json()}


def _picture(trace: Trace, start: int, answer: Answer | None) -> Picture:
    if not 0 <= start <= trace.last:
        raise IndexError(f"there is no step {start}: the trace has steps 0 to {trace.last}")
    shown = [step for step in (start - 1, start) if step >= 0]
    events = list(trace.by_step())
    names = sentence_names(trace)
    stills = []
    for step in shown:
        state = replay(trace, step)
        said = f"{call_text(trace, step, names)}: {sentence(trace, state, events[step], names)}"
        stills.append(
            Still(said, partial(draw_pool, state=state, events=events[step]), law(trace, state))
        )
    data = pool_data(trace, start)
    return Picture(WORDS["name"], data, facts(trace, replay(trace, start)), stills, answer)


def facts(trace: Trace, state: State) -> list[str]:
    """The text form: the step, a table a line, cached and free blocks, the law."""
    names = shown_names(trace.seqs)
    call = call_text(trace, state.step, sentence_names(trace))
    lines = [f"pool {trace.num_blocks}x{trace.block_size} step {state.step}/{trace.last} {call}"]
    for seq, table in state.tables.items():
        entries = [
            f"{block}{f'x{state.refs[block]}' if state.refs[block] > 1 else ''}"
            f"{f'[{filled}/{trace.block_size}]' if filled < trace.block_size else ''}"
            for block, filled in zip(table, state.filled[seq], strict=True)
        ]
        lines.append(f"{names[seq]} {state.length(seq)}: {' '.join(entries) or '-'}")
    queue = "?" if state.free is None else " ".join(map(str, reversed(state.free))) or "-"
    lines.append(f"cached {' '.join(map(str, state.cached)) or '-'}; free {queue}")
    return [*lines, law(trace, state)]


def law(trace: Trace, state: State) -> str:
    """Free, held and cached blocks, and their sum."""
    free, cached = state.num_free, len(state.cached)
    held = trace.num_blocks - free - cached
    return say(
        WORDS["law"], {"free": free, "held": held, "cached": cached, "total": trace.num_blocks}
    )


def look_of(state: State, block: int, filled: Mapping[int, int], copied: set[int]) -> str:
    """The state of a block, as the pictures name it."""
    if not state.refs[block]:
        return "free"
    if block in copied:
        return "copied"
    if block in state.cached:
        return "cached"
    if state.refs[block] - (block in state.nodes) > 1:
        return "shared"
    return "held" if filled.get(block) else "reserved"


def filled_blocks(state: State) -> dict[int, int]:
    """The tokens written in each block that a table names."""
    found: dict[int, int] = {}
    for seq, table in state.tables.items():
        for block, tokens in zip(table, state.filled[seq], strict=True):
            found[block] = max(tokens, found.get(block, 0))
    return found


def holders(state: State) -> dict[int, int]:
    """One sequence that holds each block that a table names."""
    found: dict[int, int] = {}
    for seq, table in state.tables.items():
        for block in table:
            found.setdefault(block, seq)
    return found


def draw_pool(sheet: Sheet, *, state: State, events: list[Event]) -> None:
    """The pool as a grid, the tables beside or below it."""
    count = min(state.trace.num_blocks, MOST_CELLS)
    columns = 6 if count <= 24 else 15
    top = sheet.y
    for block in range(count):
        x = MARGIN + block % columns * (CELL + GAP)
        _block(sheet, x, top + block // columns * (CELL + GAP), state, block, events)
    bottom = top + -(-count // columns) * (CELL + GAP)
    if count < state.trace.num_blocks:
        left = state.trace.num_blocks - count
        sheet.text(MARGIN, bottom + 14, f"… {number(left)} more blocks", colour=MUTED)
        bottom += 20
    beside = columns == 6
    tables_top = top if beside else bottom + 6
    left = MARGIN + 6 * (CELL + GAP) + 24 if beside else MARGIN
    tables_bottom = _tables(sheet, left, tables_top, state, events)
    sheet.y = max(bottom, tables_bottom)


def _block(sheet: Sheet, x: float, y: float, state: State, block: int, events: list[Event]) -> None:
    copied = {event.block for event in events if event.op == "copy"}
    filled, holder = filled_blocks(state), holders(state).get(block, NONE)
    look, refs = look_of(state, block, filled, copied), state.refs[block]
    name = shown_names(state.trace.seqs)[holder][:5] if holder != NONE else ""
    sheet.cell(
        x,
        y,
        look,
        name=str(block),
        mark="c" if look == "cached" else f"×{refs}" if refs > 1 else name,
        tab="p" if block in state.nodes and look != "cached" else "",
        part=filled[block] / state.trace.block_size if block in filled else 1,
    )


def _tables(sheet: Sheet, x: float, y: float, state: State, events: list[Event]) -> float:
    names = shown_names(state.trace.seqs)
    copied = {event.block for event in events if event.op == "copy"}
    filled = filled_blocks(state)
    rows = list(state.tables.items())
    for seq, table in rows[:MOST_TABLES]:
        sheet.text(x, y + 19, names[seq], bold=True)
        left = x + 14 + 8 * min(len(names[seq]), 16)
        skipped = max(0, len(table) - int((sheet.width - left - 40) / (ENTRY + GAP)))
        if skipped:
            sheet.text(left, y + 19, f"…{skipped}", colour=MUTED)
            left += 36
        for i in range(skipped, len(table)):
            part = state.filled[seq][i] / state.trace.block_size
            look = look_of(state, table[i], filled, copied)
            sheet.cell(left, y, look, width=ENTRY, height=28, mark=str(table[i]), part=part)
            left += ENTRY + GAP
        last = state.filled[seq][-1:] or [state.trace.block_size]
        if last[0] < state.trace.block_size:
            sheet.text(left + 4, y + 19, f"{last[0]}/{state.trace.block_size}", colour=MUTED)
        y += 32
    if len(rows) > MOST_TABLES:
        sheet.text(x, y + 14, f"… {len(rows) - MOST_TABLES} more tables", colour=INK)
        y += 20
    return y
