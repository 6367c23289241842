"""Where is each sequence's memory? The pool, the block tables, the free queue."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from workbook.stills.sheet import MARGIN, Sheet
from workbook.trace import State, Trace, replay
from workbook.widgets.common.answer import Answer
from workbook.widgets.common.cells import CELL, ENTRY, GAP, draw_block, draw_entry, law
from workbook.widgets.common.picture import Picture, Still
from workbook.widgets.pool.desk import pool_answer
from workbook.widgets.pool.scene import pool_scene
from workbook.words.names import shown_names
from workbook.words.story import call_text, sentence_names, steps
from workbook.words.wording import number, words_beside

WORDS = words_beside(__file__)
MOST_CELLS = 60  # blocks that the still form draws
MOST_TABLES = 12


def pool_picture(source: Any = None, *, start: int | None = None) -> Picture:
    """The pool, block by block, with every sequence's table, step by step.

    ``source``: a trace; or a recording cache or recording prefix cache, whose trace is shown and
    whose engine answers the buttons; by default the book's pool of 12 blocks, live. ``start``: the
    step shown first, by default the last (the book's: the fork).
    """
    if source is None:
        source, start = pool_scene(), 9 if start is None else start
    trace, answer = (source, None) if isinstance(source, Trace) else pool_answer(source, pool_data)
    return _picture(trace, trace.last if start is None else start, answer)


def pool_data(trace: Trace, start: int) -> dict[str, Any]:
    """What the module draws."""
    calls, said = zip(*steps(trace), strict=True)
    told = {"calls": "\n".join(calls), "said": "\n".join(said)}
    return {"v": 1, "picture": "pool", "start": start, **told, "trace": trace.to_json()}


def _picture(trace: Trace, start: int, answer: Answer | None) -> Picture:
    if not 0 <= start <= trace.last:
        raise IndexError(f"there is no step {start}: the trace has steps 0 to {trace.last}")
    told = list(steps(trace))
    stills = []
    for step in range(max(0, start - 1), start + 1):
        state = replay(trace, step)
        draw = partial(draw_pool, state=state)
        stills.append(Still(": ".join(told[step]), draw, law(state)))
    return Picture(WORDS["name"], pool_data(trace, start), facts(trace, state), stills, answer)


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
    return [*lines, law(state)]


def draw_pool(sheet: Sheet, *, state: State) -> None:
    """The pool as a grid, the tables beside or below it."""
    count = min(state.trace.num_blocks, MOST_CELLS)
    columns = 6 if count <= 24 else 15
    names = shown_names(state.trace.seqs)
    top = sheet.y
    for block in range(count):
        x = MARGIN + block % columns * (CELL + GAP)
        draw_block(sheet, x, top + block // columns * (CELL + GAP), state, block, names)
    bottom = top + -(-count // columns) * (CELL + GAP)
    if count < state.trace.num_blocks:
        left = state.trace.num_blocks - count
        sheet.text(MARGIN, bottom + 14, f"… {number(left)} more blocks", colour="muted")
        bottom += 20
    beside = columns == 6
    tables_top = top if beside else bottom + 6
    left = MARGIN + 6 * (CELL + GAP) + 24 if beside else MARGIN
    sheet.y = max(bottom, _tables(sheet, left, tables_top, state, names))


def _tables(sheet: Sheet, x: float, y: float, state: State, names: Sequence[str]) -> float:
    rows = list(state.tables.items())
    for seq, table in rows[:MOST_TABLES]:
        sheet.text(x, y + 19, names[seq], bold=True)
        left = x + 14 + 8 * min(len(names[seq]), 16)
        skipped = max(0, len(table) - int((sheet.width - left - 40) / (ENTRY + GAP)))
        if skipped:
            sheet.text(left, y + 19, f"…{skipped}", colour="muted")
            left += 36
        for i in range(skipped, len(table)):
            draw_entry(sheet, left, y, state, seq, i)
            left += ENTRY + GAP
        last = state.filled[seq][-1:] or [state.trace.block_size]
        if last[0] < state.trace.block_size:
            sheet.text(left + 4, y + 19, f"{last[0]}/{state.trace.block_size}", colour="muted")
        y += 32
    if len(rows) > MOST_TABLES:
        sheet.text(x, y + 14, f"… {len(rows) - MOST_TABLES} more tables")
        y += 20
    return y
