"""What a step would take, without running a model: loads on a clock that is exact everywhere.

A step passes once over all weights, whatever it runs; each token adds work, each token of history
is read, each row that speaks pays for a row of logits. Four numbers, fitted to a machine.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from paged_attention.serving.load import Arrival, Clock, Tell, serve
from paged_attention.serving.loop import Pick, ServingLoop
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.scheduler import Scheduler, Scheduling
from paged_attention.serving.step import Step

FITTED = Path(__file__).with_name("cost_smollm2.json")


@dataclass(frozen=True)
class CostModel:
    """Seconds: ``step`` for each, and for each of its tokens, context tokens and rows that speak.

    Context tokens are those that a row's queries read, its own included. Copies to and from host
    memory count nothing.
    """

    step: float
    token: float
    context: float
    says: float

    def seconds(self, step: Step) -> float:
        """What ``step`` takes."""
        return (
            self.step
            + self.token * step.tokens
            + self.context * sum(row.end for row in step.rows)
            + self.says * sum(row.says for row in step.rows)
        )

    @classmethod
    def fitted(cls) -> "CostModel":
        """SmolLM2-135M in float32 on the machine that ``tests/benchmarks/step_cost.py`` ran on."""
        return cls(**json.loads(FITTED.read_text())["seconds"])


class Simulation(ServingLoop):
    """Scheduler, tables and prefix index are the real ones; the model says 0 whenever it speaks.

    Nothing is computed, so the pool's tensors may be tiny: one layer, one head, one number.
    """

    def __init__(
        self,
        memory: PagedMemory,
        cost: CostModel,
        *,
        scheduler: type[Scheduler] = Scheduler,
        **scheduling: Unpack[Scheduling],
    ) -> None:
        self.cost, self.seconds = cost, 0.0
        clock = Clock(lambda: self.seconds)
        super().__init__(memory, clock=clock, scheduler=scheduler, **scheduling)

    def serve(self, load: Sequence[Arrival], tell: Tell | None = None) -> float:
        """Serve the whole ``load``; the second at which its last request ended."""
        assert isinstance(self.clock, Clock)
        serve(self, load, self.clock, tell)
        return self.clock()

    def _run(self, step: Step) -> list[Pick]:
        self.memory.cache.advance({row.request.name: row.end for row in step.rows})
        self.journal.keep_attributes(self, "seconds")
        self.seconds += self.cost.seconds(step)
        rows = [each for row in step.rows for each in self.scheduler.split(row)]
        return [Pick(row, 0 if row.says else None) for row in rows]
