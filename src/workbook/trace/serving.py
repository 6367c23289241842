"""Record what a serving loop does: one step of the trace for each submit, abort and engine step.

The memory's cache is a recording one, and so is its prefix cache, if it has one; the events of
their calls belong to the step that made them.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

from paged_attention.journal import all_or_nothing
from paged_attention.serving.loop import ServingLoop
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.request import NewToken, Request
from paged_attention.serving.scheduler import Scheduler
from paged_attention.serving.step import Step
from workbook.trace.paged import RecordingPagedKVCache
from workbook.trace.recorder import Recorder
from workbook.trace.schema import Trace

Loop = TypeVar("Loop", bound=ServingLoop)


def recorder_of(memory: Any) -> Recorder:
    """The recorder behind ``memory``; raises ``TypeError`` for a cache that doesn't record."""
    cache = memory.cache
    if not isinstance(cache, RecordingPagedKVCache):
        raise TypeError(
            f"a {type(cache).__name__} doesn't record; make the memory of a RecordingPagedKVCache"
        )
    return cache.recorder


class RecordingMemory(PagedMemory):
    """The engine's, which tells who begins, who is preempted and who ends."""

    @all_or_nothing
    def begin(self, request: Request) -> int:
        """As the engine's, recorded."""
        recorder, seq = recorder_of(self), recorder_of(self).seq(request.name)
        host, back = self.host, 0
        if host is not None and request.name in host:
            back = len(host.kept[request.name][0])
        with recorder.step("step"):
            found = super().begin(request)
            recorder.add("admit", seq, n=self.blocks(len(request.tokens)), i=self.room())
            if back:
                recorder.add("swap", seq, n=back, i=1)
        return found

    @all_or_nothing
    def preempt(self, request: Request) -> bool:
        """As the engine's, recorded."""
        recorder, seq = recorder_of(self), recorder_of(self).seq(request.name)
        with recorder.step("step"):
            kept = super().preempt(request)
            recorder.add("preempt", seq, n=int(kept))
            if kept and self.host is not None:
                recorder.add("swap", seq, n=len(self.host.kept[request.name][0]), i=0)
        return kept

    @all_or_nothing
    def free(self, request: Request) -> None:
        """As the engine's, recorded."""
        recorder, seq = recorder_of(self), recorder_of(self).seq(request.name)
        with recorder.step("abort", seq):
            super().free(request)
            recorder.add("finish", seq)


class RecordingScheduler(Scheduler):
    """The engine's, whose calls are steps of the trace."""

    @all_or_nothing
    def submit(
        self, name: Hashable, prompt: Sequence[int], max_new_tokens: int, **asked: Any
    ) -> Request:
        """As the engine's, recorded; a refusal leaves no step."""
        recorder = recorder_of(self.memory)
        with recorder.step("submit", recorder.seq(name), len(prompt)):
            request = super().submit(name, prompt, max_new_tokens, **asked)
            recorder.add("submit", recorder.seq(name), n=len(request.prompt))
        return request

    @all_or_nothing
    def abort(self, name: Hashable) -> bool:
        """As the engine's, recorded; one that finds nobody leaves no step."""
        recorder = recorder_of(self.memory)
        if self.get(name) is None:
            return super().abort(name)
        with recorder.step("abort", recorder.seq(name)):
            return super().abort(name)

    @all_or_nothing
    def schedule(self) -> Step:
        """As the engine's; the plan begins a step of the trace, and running goes on with it."""
        with recorder_of(self.memory).step("step"):
            return super().schedule()


def recorded(loop: type[Loop]) -> type[Loop]:
    """``loop``, whose every engine step is one step of the trace ``loop.trace``."""

    class RecordingLoop(loop):  # type: ignore[valid-type, misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, scheduler=RecordingScheduler, **kwargs)
            recorder_of(self.memory)

        @property
        def trace(self) -> Trace:
            return recorder_of(self.memory).trace

        @all_or_nothing
        def _run_and_enter(self, step: Step) -> None:
            recorder = recorder_of(self.memory)
            before = len(recorder.trace.calls), len(recorder.trace), False
            self.journal.note(recorder.cut, *before)
            recorder.recording = True  # what follows belongs to the step that was planned
            for row in step.rows:
                seq, known = recorder.seq(row.request.name), len(row.request.tokens)
                recorder.add("row", seq, i=row.start, n=len(row.tokens))
                promised = self.memory.missing(row.request.name, known)
                if promised:
                    recorder.add("promise", seq, n=promised)
            super()._run_and_enter(step)
            recorder.recording = False

        def _enter(self, news: Sequence[NewToken], requests: Mapping[Hashable, Request]) -> None:
            recorder = recorder_of(self.memory)
            for new in news:
                if new.token is not None:
                    recorder.add("say", recorder.seq(new.request), i=new.nth)
            super()._enter(news, requests)

    return RecordingLoop
