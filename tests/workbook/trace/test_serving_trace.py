"""The trace of a serving loop: a step each for submit, abort and engine step, and its replay."""

from typing import Any

import pytest
from helpers.served import recording_engine, served

from paged_attention.errors import RequestTooLarge
from workbook.toy import ToyEngine, toy_memory
from workbook.trace import Trace, recorded, replay
from workbook.words.story import steps


def agrees(engine: Any) -> None:
    """A replay arrives at the engine's own tables, counts and queue."""
    state, cache = replay(engine.trace), engine.memory.cache
    named = list(engine.memory.cache.recorder._seqs)
    assert state.refs == cache.allocator.refs
    assert {named[seq]: table for seq, table in state.tables.items()} == cache.tables
    assert {named[seq]: state.length(seq) for seq in state.tables} == cache.lengths
    assert [named[seq] for seq in state.waiting] == list(engine.scheduler.waiting)


@pytest.mark.parametrize("first", [0, 25, 50])
def test_random_runs_are_replayed(first: int) -> None:
    seen: set[str] = set()
    for seed in range(first, first + 25):
        trace = served(seed, agrees).trace
        seen |= {event.op for event in trace.events()}
        assert Trace.from_json(trace.to_json()).to_json() == trace.to_json()
        assert all(said for _, said in steps(trace))
    assert {"submit", "admit", "row", "say", "promise", "preempt", "finish", "swap"} <= seen


def test_the_three_of_chapter_6() -> None:
    engine = recording_engine(6, prefix=False, host=6, max_running=3, budget=24, spare=0)
    for number, name in enumerate("ABC", start=1):
        engine.ask(name, [number] * 8, 6)
    list(engine.drain())
    told = list(steps(engine.trace))
    assert len(told) == 1 + 3 + 12
    assert told[3] == ("submit(C, 8)", "C joins the queue with 8 tokens. 6 free.")
    assert told[5] == ("step()", "Preempted: C. Speaking: A and B. 0 free.")
    events = [(e.op, e.seq, e.i, e.n) for e in engine.trace.events(range(5, 6))]
    assert ("preempt", 2, -1, 1) in events
    assert ("swap", 2, 0, 2) in events
    assert [e for e in events if e[0] == "row"] == [("row", 0, 8, 1), ("row", 1, 8, 1)]
    assert [e for e in events if e[0] == "say"] == [("say", 0, 1, -1), ("say", 1, 1, -1)]


def test_calls_that_change_nothing_leave_no_step() -> None:
    engine = recording_engine(4, prefix=False, host=0, max_running=3, budget=24)
    engine.ask("A", [1] * 5, 3)
    before = engine.trace.to_json()
    with pytest.raises(RequestTooLarge):
        engine.ask("X", [1] * 50, 3)
    assert not engine.abort("nobody")
    engine.failing = "before"
    with pytest.raises(RuntimeError):
        engine.step()
    assert engine.trace.last == 2  # the plan stays: A has begun
    assert engine.trace.to_json() != before
    engine.failing = None
    list(engine.drain())
    agrees(engine)


def test_a_cache_that_does_not_record_is_refused() -> None:
    with pytest.raises(TypeError, match="doesn't record"):
        recorded(ToyEngine)(toy_memory(4))
