"""A toy engine whose scheduler gets one part from outside: who gives way when blocks run out."""

import random
from collections.abc import Callable
from typing import Any

MOST_STEPS = 200

MakeRoom = Callable[[Any, list[Any], list[int]], None]


def engine_with(make_room: MakeRoom, num_blocks: int, **limits: Any) -> Any:
    """A toy engine in blocks of 4; the part plans for those who run, the engine's own the rest."""
    from paged_attention.serving.budget import shares
    from paged_attention.serving.plan import Plan
    from paged_attention.serving.scheduler import Scheduler
    from paged_attention.serving.step import Step
    from workbook.toy import ToyEngine, toy_memory

    class Watched(Plan):
        """Says at once what is done with a request that has no blocks any more."""

        def fits(self, request: Any, n: int) -> bool:
            self._expect_here("fits", request)
            return super().fits(request, n)

        def add_row(self, request: Any, n: int) -> None:
            self._expect_here("add_row", request)
            super().add_row(request, n)

        def give_back(self, request: Any) -> None:
            self._expect_here("give_back", request)
            super().give_back(request)

        def _expect_here(self, call: str, request: Any) -> None:
            if request.name in self.preempted:
                raise RuntimeError(f"{call}({request.name}), and it has given back already")

    class PartScheduler(Scheduler):
        def schedule(self) -> Step:
            running = list(self.running.values())
            plan = Watched(self.memory, self.limits, running)
            left = [len(r.tokens) - self.memory.length(r.name) for r in running]
            given = shares(left, self.limits.budget, self.limits.chunk)
            make_room(plan, list(running), given)
            if not plan.preempted:
                plan.admit(list(self.waiting.values()))
            return plan.step()

    limits = {"max_running": 4, "budget": 24, "spare": 0} | limits
    return ToyEngine(toy_memory(num_blocks), scheduler=PartScheduler, **limits)


def ask_all(engine: Any, prompts: dict[str, list[int]], new: int) -> None:
    """Submit a request for each prompt; its seed is its letter."""
    for name, prompt in prompts.items():
        engine.ask(name, prompt, new, ord(name[0]))


def told(step: Any) -> str:
    """Rows of a step, and who had to give way."""
    from workbook.toy import in_words

    out = f"; out {', '.join(map(str, step.preempted))}" if step.preempted else ""
    return f"{in_words(step) or 'no row'}{out}"


def drain(engine: Any) -> str:
    """Run to the end and say what came: wrong texts, who gave way when, tokens run."""
    for _ in range(MOST_STEPS):
        if not len(engine):
            break
        engine.step()
        engine.check()
    if len(engine):
        return f"after {MOST_STEPS} steps {', '.join(map(str, engine.scheduler.running))} still run"
    out = [
        f"step {number} {name}"
        for number, step in enumerate(engine.plans, 1)
        for name in step.preempted
    ]
    gone = f"out: {', '.join(out) or 'nobody'}"
    return f"{gone}; {len(engine.plans)} steps, {engine.ran} tokens run"


def wrong_texts(engine: Any, prompts: dict[str, list[int]], new: int) -> list[str]:
    """Who didn't say what it says alone."""
    from workbook.toy import alone

    right = {name: alone(prompt, new, ord(name[0])) for name, prompt in prompts.items()}
    return [name for name, text in right.items() if engine.texts()[name] != text]


def random_run(make_room: MakeRoom, seed: int) -> str | None:
    """One random load in a small pool; what went wrong, or ``None``."""
    draw = random.Random(seed)
    engine = engine_with(
        make_room, draw.randrange(5, 9), budget=draw.randrange(5, 16), chunk=draw.choice([None, 2])
    )
    prompts = {
        letter: [draw.randrange(5) for _ in range(draw.randrange(1, 10))] for letter in "ABCDE"
    }
    new = draw.randrange(3, 9)
    ask_all(engine, prompts, new)
    said = drain(engine)
    if len(engine):
        return said
    wrong = wrong_texts(engine, prompts, new)
    return f"{wrong[0]} says another text than alone" if wrong else None
