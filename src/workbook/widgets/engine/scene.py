"""One load with everything in it: a hit, a fork, a chunk beside decode, a preemption, a return."""

from typing import Any

from workbook.widgets.line.desk import recording_engine

QUESTION = (3, 1, 4, 1, 0, 2, 2, 0, 4, 3, 1, 2, 4)


def engine_scene() -> Any:
    """Ten blocks of 4: A asks, B asks the same and wants two answers, L brings a long prompt.

    L gives way in step 8 and is back in step 12.
    """
    engine = recording_engine(10, 4, prefix=True, host=0, max_running=5, budget=14, spare=0)
    engine.ask("A", QUESTION, 7, 1)
    engine.step()
    engine.ask("B", QUESTION, 7, 2, samples=2)
    engine.ask("L", ([4, 2, 0, 1, 3] * 3), 3, 3)
    while len(engine):
        engine.step()
    return engine
