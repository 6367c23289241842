"""Say in a sentence what each step of a trace did."""

from collections.abc import Iterator, Sequence
from typing import Any

from workbook.trace.replay import Replay
from workbook.trace.schema import CALL_ARGS, NONE, Event, Trace
from workbook.trace.state import State
from workbook.words.names import isolated, shown_names
from workbook.words.wording import number, say, words_beside

STEPS: dict[str, list[str]] = words_beside(__file__, "story.json")


def sentence_names(trace: Trace) -> list[str]:
    """The names of the sequences, in their order, as sentences use them."""
    return [isolated(name) for name in shown_names(trace.seqs)]


def call_text(trace: Trace, step: int, names: Sequence[str]) -> str:
    """The call of a step as it was written: ``reserve(A, 22)``."""
    name = trace.call(step)
    if name == "start":
        return name
    kinds = CALL_ARGS[name]
    words = [
        names[arg] if kinds[at % len(kinds)] == "s" else number(arg)
        for at, arg in enumerate(trace.args[step])
    ]
    return f"{name}({', '.join(words)})"


def sentence(trace: Trace, state: State, events: list[Event], names: Sequence[str]) -> str:
    """What the step did that led to ``state`` through ``events``."""
    call = trace.call(state.step)
    free = {"free": state.num_free, "total": trace.num_blocks}
    refused = [event for event in events if event.op == "refuse"]
    if refused:
        return say(STEPS["refused"], {"wanted": refused[0].n, "room": refused[0].i})
    if call == "start":
        return say(STEPS["start"], free)
    if call in ("submit", "abort", "step"):
        return _serving(trace, state, events, names)
    parts = []
    for facts in _facts(trace, state, events, names):
        parts.append(say(STEPS["attach" if call == "adopt" else call], facts | free))
        if call in ("free", "truncate"):
            parts.append(say(STEPS["released"], facts))
    if call in ("reserve", "free", "truncate", "evict"):
        parts.append(say(STEPS["left"], free))
    return " ".join(part for part in parts if part)


def steps(trace: Trace) -> Iterator[tuple[str, str]]:
    """Each step's call and sentence."""
    state, names = Replay(trace), sentence_names(trace)
    for step, events in enumerate(trace.by_step()):
        state.apply(events)
        yield call_text(trace, step, names), sentence(trace, state, events, names)


def story(trace: Trace) -> str:
    """The whole trace, a step a line."""
    wide = len(str(trace.last))
    unit = "slots" if trace.layout == "contiguous" else f"blocks of {trace.block_size}"
    lines = [f"{trace.num_blocks} {unit}, {trace.last} steps"]
    lines += [f"{step:>{wide}} {call}: {said}" for step, (call, said) in enumerate(steps(trace))]
    return "\n".join(lines)


def _serving(trace: Trace, state: State, events: list[Event], names: Sequence[str]) -> str:
    """What a scheduler's call did, and the blocks that are free after it."""
    call, args = trace.call(state.step), trace.args[state.step]
    by_op = {op: [names[e.seq] for e in events if e.op == op] for op in _TOLD}
    said = by_op["say"]
    facts: dict[str, Any] = {
        "out": by_op["preempt"],
        "in": by_op["admit"],
        "reading": [name for name in by_op["row"] if name not in said],
        "speaking": said,
        "ended": by_op["finish"],
        "found": sum(event.op == "hit" for event in events) * trace.block_size,
        "split": [names[e.seq] for e in events if e.op == "create" and e.src != NONE],
    }
    if call != "step":
        facts |= {"seq": names[args[0]], "n": args[-1]}
    left = say(STEPS["left"], {"free": state.num_free})
    return f"{say(STEPS[call], facts)} {left}".strip()


_TOLD = ("preempt", "admit", "row", "say", "finish")


def _facts(
    trace: Trace, state: State, events: list[Event], names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The facts of a step, once for each sequence that its call names in pairs."""
    call, args = trace.call(state.step), trace.args[state.step]
    gone = [event.block for event in events if event.op == "evict"]
    seqs = args[::2] if call in ("reserve", "write") else args[:1]
    for at, seq in enumerate(seqs):
        mine = [event for event in events if event.seq == seq]
        facts: dict[str, Any] = {"seq": "" if call == "evict" else names[seq]}
        facts["gone"] = gone if at == 0 else []
        if call == "fork":
            child = args[1]
            facts |= {"child": names[child], "shared": _blocks(events, "share", child)}
        elif call in ("attach", "adopt"):
            facts |= _attach_facts(trace, state, mine)
        elif call == "remember":
            facts["published"] = _blocks(events, "publish", NONE)
        elif call == "write":
            facts |= _write_facts(trace, args[2 * at + 1], mine)
        elif call == "reserve":
            facts |= _reserve_facts(state, events, mine)
        elif call in ("free", "truncate"):
            facts |= _release_facts(state, mine)
            facts["length"] = args[-1]
        yield facts


def _blocks(events: list[Event], op: str, seq: int) -> list[int]:
    return [event.block for event in events if event.op == op and event.seq == seq]


def _attach_facts(trace: Trace, state: State, mine: list[Event]) -> dict[str, int]:
    hits = sum(event.op == "hit" for event in mine)
    reused = hits * trace.block_size
    asked = state.trace.args[state.step][1]
    return {"hits": hits, "reused": reused, "run": max(0, asked - reused)}


def _write_facts(trace: Trace, written: int, mine: list[Event]) -> dict[str, int]:
    last = mine[-1]
    return {"written": written, "last": last.block, "filled": last.n, "size": trace.block_size}


def _reserve_facts(state: State, events: list[Event], mine: list[Event]) -> dict[str, Any]:
    taken = [event.block for event in mine if event.op == "allocate"]
    facts: dict[str, Any] = {"taken": taken, "nothing": not taken, "copied": 0}
    for event in mine:
        if event.op == "copy":
            later = events[events.index(event) :]
            given_up = sum(e.op == "release" and e.block == event.src for e in later)
            facts |= {
                "source": event.src,
                "holders": state.refs[event.src] + given_up,
                "copied": event.n,
                "copy": event.block,
            }
            facts["taken"] = [block for block in taken if block != event.block]
    return facts


def _release_facts(state: State, mine: list[Event]) -> dict[str, Any]:
    released = [event.block for event in mine if event.op == "release"]
    return {
        "nothing": not released,
        "freed": [b for b in released if not state.refs[b]],
        "cached": [b for b in released if b in state.cached],
        "kept": [b for b in released if state.refs[b] and b not in state.cached],
    }
