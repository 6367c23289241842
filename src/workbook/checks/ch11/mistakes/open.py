"""The open task's own answer, and answers that are none."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from paged_attention.serving.request import Request
from paged_attention.serving.step import Step
from workbook.checks.ch11.open import sooner
from workbook.policies import Choices


class BirdsOfAFeather(Choices):
    """Those with one beginning share its blocks only while they run together."""

    def next_of(self, waiting: Sequence[Request], running: Sequence[Request]) -> Request:
        alike = Counter(request.prompt[:16] for request in running)
        return max(waiting[:30], key=lambda request: alike[request.prompt[:16]])


sooner.solved = BirdsOfAFeather


@sooner.rejects("ended with 'abort'")
class DropsTheSlow(Choices):
    def schedule(self) -> Step:
        for request in list(self.waiting.values()):
            if len(request.prompt) > 300:
                self.abort(request.name)
        return super().schedule()


@sooner.rejects("to say")
class CutsAnswers(Choices):
    def next_of(self, waiting: Sequence[Request], running: Sequence[Request]) -> Request:
        waiting[0].max_new_tokens = 10
        return waiting[0]


@sooner.rejects("nobody knows before it ends")
class ReadsSays(Choices):
    def next_of(self, waiting: Sequence[Request], running: Sequence[Request]) -> Request:
        rules: Any = {request: request.stop for request in waiting[:5]}
        return min(rules, key=lambda request: int(rules[request].args[0]))


@sooner.rejects("64 are allowed")
class BreaksTheBudget(Choices):
    def schedule(self) -> Step:
        self.budget = self.chunk = 256
        return super().schedule()


@sooner.rejects("115 are allowed")
class YoungestFirst(Choices):
    def next_of(self, waiting: Sequence[Request], running: Sequence[Request]) -> Request:
        return waiting[-1]


@sooner.rejects("still held when all have left")
class KeepsWhatIsShared(Choices):
    """A table of nobody holds the first blocks of each beginning, so that they stay for ever."""

    def schedule(self) -> Step:
        memory: Any = self.memory
        for request in self.running.values():
            name = "keep", request.prompt[:96]
            hits = memory.prefix.match(request.prompt[:97])
            if len(hits) == 6 and name not in memory.cache.tables:
                memory.cache.create(name)
                memory.cache.adopt(name, hits)
        return super().schedule()


@sooner.rejects("that no step has run")
class RunsUncounted(Choices):
    def schedule(self) -> Step:
        step, memory = super().schedule(), self.memory
        cache: Any = memory.cache  # type: ignore[attr-defined]
        for row in step.rows:
            cache.advance({row.request.name: row.end - 1})
        return step


@sooner.rejects("is not what is left of it")
class SpeaksTooSoon(Choices):
    def schedule(self) -> Step:
        step = super().schedule()
        return step._replace(rows=[row._replace(says=True) for row in step.rows])


@sooner.rejects("which holds other tokens")
class FindsTooMuch(Choices):
    """Full blocks are published as the beginning of whoever waits first."""

    def __init__(self, memory: Any, **told: object) -> None:
        super().__init__(memory, **told)
        memory.publish = self.publish_for_another

    def publish_for_another(self, request: Request) -> None:
        memory: Any = self.memory
        for other in list(self.waiting.values())[:1]:
            with suppress(ValueError):
                memory.prefix.remember(request.name, other.prompt)


@sooner.rejects("somebody waits for ever")
class DoesNothing(Choices):
    def schedule(self) -> Step:
        return Step([], [], [])


@sooner.rejects("A class is wanted")
def a_function(memory: Any) -> object:
    return Choices(memory)


@sooner.rejects("It ends in")
class Crashes(Choices):
    def next_of(self, waiting: Sequence[Request], running: Sequence[Request]) -> Request:
        return waiting[len(waiting)]
