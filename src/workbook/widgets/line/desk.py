"""Submit, step and abort on the toy engine, each a step of its trace, and what is said of it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from paged_attention.errors import RequestTooLarge
from paged_attention.serving.step import Step
from paged_attention.serving.swap import HostStore
from workbook.toy import ToyEngine
from workbook.trace import (
    RecordingMemory,
    RecordingPagedKVCache,
    RecordingPrefixCache,
    Trace,
    recorded,
)
from workbook.widgets.common.recording import next_name
from workbook.words.names import isolated, shown_names
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
MOST = 99  # tokens that a button asks for


def recording_engine(
    num_blocks: int, block_size: int, *, prefix: bool, host: int, **scheduling: Any
) -> Any:
    """A toy engine with a ``trace``; every slot is NaN until somebody writes it."""
    cache = RecordingPagedKVCache(1, num_blocks, block_size, 1, 1)
    cache.k_pool.fill_(math.nan)
    cache.v_pool.fill_(math.nan)
    index = RecordingPrefixCache(cache) if prefix else None
    memory = RecordingMemory(cache, index, HostStore(cache, host) if host else None)
    return recorded(ToyEngine)(memory, **scheduling)


class LineDesk:
    """Answers the picture's buttons; ``calls`` and ``said`` have a line for each step of the trace.

    Step 0 is the empty engine.
    """

    def __init__(
        self, num_blocks: int, block_size: int, *, budget: int, prefix: bool, host: int
    ) -> None:
        limits = {"max_running": min(16, budget), "budget": budget, "spare": 0}
        self.engine = recording_engine(num_blocks, block_size, prefix=prefix, host=host, **limits)
        self.host = host
        self.calls = ["start"]
        self.said = [say(WORDS["start"], {"blocks": num_blocks})]

    @property
    def trace(self) -> Trace:
        """What has happened so far."""
        trace: Trace = self.engine.trace
        return trace

    def act(self, message: Mapping[str, Any]) -> None:
        """Make the call that the message names; raises what the engine raises."""
        call = message.get("call")
        if call == "step":
            self.step()
        elif call == "submit":
            tokens, most = int(message["tokens"]), int(message["most"])
            if not (1 <= tokens <= MOST and 1 <= most <= MOST):
                raise ValueError(WORDS["actions"]["range"])
            names = self.trace.seqs
            self.submit(next_name(names), [len(names) % 5] * tokens, most)
        elif call == "abort":
            self.abort(self.trace.seqs[int(message["seq"])])
        else:
            raise ValueError(f"there is no button {call!r} on this picture")

    def submit(self, name: str, prompt: Sequence[int], most: int) -> None:
        """Queue a request; one that could never be finished is refused, which is a step, too."""
        recorder = self.engine.memory.cache.recorder
        seq = recorder.seq(name)
        facts = {"name": self._said(name), "tokens": len(prompt), "most": most}
        try:
            self.engine.ask(name, prompt, most, seq + 1)
            words = "submitted"
        except RequestTooLarge:
            words, facts["blocks"] = "refused", self.engine.memory.num_blocks
            needed = self.engine.memory.blocks(len(prompt) + most - 1)
            with recorder.step("submit", seq, len(prompt)):
                recorder.add("refuse", seq, n=needed, i=self.engine.memory.num_blocks)
        call = f"submit({self._shown(name)}, {len(prompt)} tokens, {most} new)"
        self._note(call, say(WORDS[words], facts))

    def step(self) -> None:
        """One step of the engine."""
        kept = {r.name: len(self.engine.memory.cache.tables[r.name]) for r in self._running()}
        before = len(self.engine.plans)
        news = self.engine.step()
        if len(self.engine.plans) == before:
            self._note("step()", say(WORDS["nothing"], {}))
            return
        ended = [str(new.request) for new in news if new.finish]
        self._note("step()", self._sentence(self.engine.plans[-1], kept, ended))

    def abort(self, name: str) -> None:
        """End a request that is alive."""
        if not self.engine.abort(name):
            raise ValueError(WORDS["actions"]["none"])
        self._note(f"abort({self._shown(name)})", say(WORDS["aborted"], {"name": self._said(name)}))

    def _running(self) -> list[Any]:
        return list(self.engine.scheduler.running.values())

    def _shown(self, name: str) -> str:
        return shown_names(self.trace.seqs)[self.trace.seqs.index(name)]

    def _said(self, name: str) -> str:
        return isolated(self._shown(name))

    def _sentence(self, plan: Step, kept: Mapping[Any, int], ended: Sequence[str]) -> str:
        """Who gave way, who began, who read, spoke and left."""
        parts = []
        if len(plan.preempted) == 1:
            name = plan.preempted[0]
            request = self.engine.requests[name]
            host = self.engine.memory.host
            facts = {
                "name": self._said(str(name)),
                "blocks": kept[name],
                "tokens": len(request.tokens),
                "kept": host is not None and name in host,
            }
            parts.append(say(WORDS["gives one"], facts))
        elif plan.preempted:
            parts.append(self._of("gives", [str(name) for name in plan.preempted]))
        parts.append(self._of("begins", [str(name) for name in plan.admitted]))
        for row in plan.rows:
            if not row.says:
                facts = {"name": self._said(str(row.request.name)), "n": len(row.tokens)}
                parts.append(say(WORDS["reads"], facts))
        parts.append(self._of("says", [str(row.request.name) for row in plan.rows if row.says]))
        parts.append(self._of("ends", ended))
        return " ".join(filter(None, parts))

    def _of(self, words: str, names: Sequence[str]) -> str:
        """A sentence about one or several."""
        said = [self._said(name) for name in names]
        if not said:
            return ""
        if len(said) == 1 and f"{words} one" in WORDS:
            return say(WORDS[f"{words} one"], {"name": said[0]})
        return say(WORDS[words], {"names": said})

    def _note(self, call: str, said: str) -> None:
        self.calls.append(call)
        self.said.append(said)
