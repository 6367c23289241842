"""One trace of a whole engine: its queue, its pool and its index, with one step control."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from workbook.stills.sheet import Sheet
from workbook.trace import State, Trace, replay
from workbook.trace.queue import Stand, stands
from workbook.widgets.common.cells import law
from workbook.widgets.common.picture import Picture, Still
from workbook.widgets.line.picture import draw_queue, facts_of
from workbook.widgets.pool.picture import draw_pool
from workbook.widgets.prefix.picture import tree_lines
from workbook.words.names import shown_names
from workbook.words.story import steps
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
MOST_BLOCKS = 60


def engine_picture(source: Any = None, *, start: int | None = None) -> Picture:
    """Every step of a served load, in the queue, in the pool and in the index at once.

    ``source``: a serving loop that records (``workbook.trace.recorded``), or its trace; by default
    the book's, which has a hit, a fork, a chunk, a preemption and a return. ``start``: the step
    shown first, by default the first in which something was found.
    """
    if source is None:
        from workbook.widgets.engine.scene import engine_scene

        source = engine_scene()
    trace: Trace = getattr(source, "trace", source)
    if trace.num_blocks > MOST_BLOCKS:
        most = {"most": MOST_BLOCKS, "blocks": trace.num_blocks}
        raise ValueError(str(WORDS["large"]).format(**most))
    telling = _telling(trace)
    start = telling[0] if start is None else start
    if not 0 <= start <= trace.last:
        raise IndexError(f"there is no step {start}: the trace has steps 0 to {trace.last}")
    told, queue, names = list(steps(trace)), list(stands(trace)), shown_names(trace.seqs)
    stills = []
    for step in sorted({start, *telling})[:4]:
        state = replay(trace, step)
        draw = partial(_draw, state=state, stand=queue[step], names=names)
        stills.append(Still(": ".join(told[step]), draw, _law(state, queue[step])))
    lines = _facts(trace, start, told[start][0], queue[start], names)
    return Picture(WORDS["name"], engine_data(trace, start), lines, stills)


def engine_data(trace: Trace, start: int) -> dict[str, Any]:
    """What the module draws."""
    calls, said = zip(*steps(trace), strict=True)
    told = {"calls": "\n".join(calls), "said": "\n".join(said)}
    return {"v": 1, "picture": "engine", "start": start, **told, "trace": trace.to_json()}


def _telling(trace: Trace) -> list[int]:
    """The first steps with a hit, with a preemption, and with a return; else the last one."""
    gone: set[int] = set()
    found: dict[str, int] = {}
    for event in trace.events():
        if event.op == "preempt":
            gone.add(event.seq)
        back = event.op == "admit" and event.seq in gone
        if event.op in ("hit", "preempt") or back:
            found.setdefault("back" if back else event.op, event.step)
    return sorted(found.values()) or [trace.last]


def _law(state: State, stand: Stand) -> str:
    return say(WORDS["law"], {"law": law(state), "used": stand.used})


def _facts(trace: Trace, step: int, call: str, stand: Stand, names: Sequence[str]) -> list[str]:
    """The text form: the step, a request a line, the tables, the tree, the law."""
    state = replay(trace, step)
    lines = [f"engine {trace.num_blocks}x{trace.block_size} step {step}/{trace.last} {call}"]
    lines += facts_of(stand.places, names)
    for seq, table in state.tables.items():
        lines.append(f"{names[seq]} has {' '.join(map(str, table)) or '-'}")
    return [*lines, *tree_lines(state), _law(state, stand)]


def _draw(sheet: Sheet, *, state: State, stand: Stand, names: Sequence[str]) -> None:
    draw_queue(sheet, places=stand.places, names=names, legend=False)
    draw_pool(sheet, state=state)
