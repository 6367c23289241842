"""Submit, step and abort on the toy engine, and how everything stood after each call."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from paged_attention.errors import RequestTooLarge
from paged_attention.serving.step import Step
from workbook.toy import ToyEngine, toy_memory
from workbook.widgets.common.recording import next_name
from workbook.words.names import isolated, shown_names
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
MOST = 99  # tokens that a button asks for


class Stand(NamedTuple):
    """A request after a call: ``ran`` tokens were run in it, the last of those in the cache."""

    name: int
    runs: bool
    known: int
    cached: int
    ran: int
    blocks: int
    promised: int
    preempted: int


class Snapshot(NamedTuple):
    """What a call did, in words, and where everybody stands after it; ``used``: of the budget."""

    call: str
    said: str
    stands: list[Stand]
    free: int
    held: int
    cached: int
    host: int
    used: int


class LineDesk:
    """Answers the picture's buttons; ``snapshots[0]`` is the empty engine."""

    def __init__(
        self, num_blocks: int, block_size: int, *, budget: int, prefix: bool, host: int
    ) -> None:
        memory = toy_memory(num_blocks, block_size, prefix=prefix, host=host)
        self.engine = ToyEngine(memory, max_running=min(16, budget), budget=budget, spare=0)
        self.names: list[str] = []
        self.host = host
        self.calls = ["submit", "step", "abort"]
        self.snapshots: list[Snapshot] = []
        self._note("start", say(WORDS["start"], {"blocks": num_blocks}), {})

    def act(self, message: Mapping[str, Any]) -> None:
        """Make the call that the message names; raises what the engine raises."""
        call = message.get("call")
        if call == "step":
            self.step()
        elif call == "submit":
            tokens, most = int(message["tokens"]), int(message["most"])
            if not (1 <= tokens <= MOST and 1 <= most <= MOST):
                raise ValueError(WORDS["actions"]["range"])
            self.submit(next_name(self.names), [len(self.names) % 5] * tokens, most)
        elif call == "abort":
            self.abort(self.names[int(message["seq"])])
        else:
            raise ValueError(f"there is no button {call!r} on this picture")

    def submit(self, name: str, prompt: Sequence[int], most: int) -> None:
        """Queue a request; one that could never be finished is refused, which is a step, too."""
        self.names.append(name)
        facts = {"name": self._said(name), "tokens": len(prompt), "most": most}
        try:
            self.engine.ask(name, prompt, most, len(self.names))
            words = "submitted"
        except RequestTooLarge:
            words, facts["blocks"] = "refused", self.engine.memory.num_blocks
        call = f"submit({shown_names(self.names)[-1]}, {len(prompt)} tokens, {most} new)"
        self._note(call, say(WORDS[words], facts), {})

    def step(self) -> None:
        """One step of the engine."""
        kept = {r.name: len(self.engine.memory.cache.tables[r.name]) for r in self._running()}
        before = len(self.engine.plans)
        news = self.engine.step()
        if len(self.engine.plans) == before:
            self._note("step()", say(WORDS["nothing"], {}), {})
            return
        plan = self.engine.plans[-1]
        ended = [str(new.request) for new in news if new.finish]
        ran = {str(row.request.name): len(row.tokens) for row in plan.rows}
        self._note("step()", self._sentence(plan, kept, ended), ran)

    def abort(self, name: str) -> None:
        """End a request."""
        self.engine.abort(name)
        call = f"abort({shown_names(self.names)[self.names.index(name)]})"
        self._note(call, say(WORDS["aborted"], {"name": self._said(name)}), {})

    def _running(self) -> list[Any]:
        return list(self.engine.scheduler.running.values())

    def _said(self, name: str) -> str:
        return isolated(shown_names(self.names)[self.names.index(name)])

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

    def _note(self, call: str, said: str, ran: Mapping[str, int]) -> None:
        memory, scheduler = self.engine.memory, self.engine.scheduler
        running = scheduler.running
        stands = []
        for name, request in (running | scheduler.waiting).items():
            runs = name in running
            known, cached = len(request.tokens), memory.length(name) if runs else 0
            stands.append(
                Stand(
                    name=self.names.index(str(name)),
                    runs=runs,
                    known=known,
                    cached=cached,
                    ran=min(ran.get(str(name), 0), cached),
                    blocks=len(memory.cache.tables[name]) if runs else 0,
                    promised=memory.missing(name, known) if runs else 0,
                    preempted=request.stats.preemptions,
                )
            )
        pool = memory.cache.allocator
        host = memory.host.allocator.num_held if memory.host else 0
        counts = (pool.num_free, pool.num_held, pool.num_cached, host, sum(ran.values()))
        self.snapshots.append(Snapshot(call, said, stands, *counts))
