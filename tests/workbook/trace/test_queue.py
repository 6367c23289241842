"""The queue that a trace tells is the engine's own, after every call."""

from typing import Any

from helpers.served import recording_engine, served

from workbook.trace.queue import Stand, stands


def as_engine(engine: Any, stand: Stand) -> None:
    memory, scheduler = engine.memory, engine.scheduler
    running = scheduler.running
    names = list(memory.cache.recorder._seqs)
    told = [(names[p.seq], p.runs, p.known, p.cached, p.blocks, p.promised) for p in stand.places]
    assert told == [
        (
            name,
            name in running,
            len(request.tokens),
            memory.length(name) if name in running else 0,
            len(memory.cache.tables.get(name, [])),
            memory.missing(name, len(request.tokens)) if name in running else 0,
        )
        for name, request in (running | scheduler.waiting).items()
    ]
    assert [p.preempted for p in stand.places] == [
        engine.requests[names[p.seq]].stats.preemptions for p in stand.places
    ]
    assert stand.host == (memory.host.allocator.num_held if memory.host else 0)


def test_it_is_the_engine_s_after_every_call() -> None:
    swapped = split = 0
    for seed in range(40):

        def look(engine: Any) -> None:
            *_, last = stands(engine.trace)
            as_engine(engine, last)

        engine = served(seed, look)
        ops = {event.op for event in engine.trace.events()}
        swapped += "swap" in ops
        split += any(e.op == "create" and e.src >= 0 for e in engine.trace.events())
    assert swapped > 2
    assert split > 2


def test_what_ran_is_told_with_the_step() -> None:
    engine = recording_engine(12, prefix=True, host=0, max_running=3, budget=6)
    engine.ask("A", [1] * 9, 2, samples=2)
    engine.step()
    engine.step()
    first, second = list(stands(engine.trace))[-2:]
    assert [(p.ran, p.cached, p.known) for p in first.places] == [(6, 6, 9)]
    assert [(p.ran, p.cached, p.known) for p in second.places] == [(3, 9, 10), (0, 9, 10)]
    assert (first.used, second.used) == (6, 3)
    assert engine.trace.seqs == ["A", "A.1"]
