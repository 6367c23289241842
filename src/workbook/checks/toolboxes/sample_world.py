"""What chapter 11's check of samples plays on: one row at a time, or a whole toy engine."""

from collections.abc import Callable
from typing import Any

from workbook.checks.framework import attempt, shown

MOST_STEPS = 120
A, B = [3, 1, 4, 2, 2, 0, 1, 4, 3], [2, 4, 1]
B_NEW, SEED = 3, 11

Split = Callable[[Any, list[Any], Any], Any]


def name_of(request: Any) -> str:
    """``A.2`` for the second other sample of A; of what is no request, what it is."""
    name = getattr(request, "name", None)
    if name is None:
        return shown(request)
    return f"{name[0]}.{name[1]}" if isinstance(name, tuple) else str(name)


class World:
    """A queue with A, whose rows are run by ``run``, and B; with ``older``, Z before them."""

    def __init__(self, split: Split, samples: int, *, older: bool = False) -> None:
        from paged_attention.serving.request import Request
        from workbook.toy import toy_memory

        self.split, self.memory = split, toy_memory(31)
        self.a = Request("A", tuple(A[:6]), 8, (1, 0), samples=samples)
        self.a.others = [self.a.sample(nth) for nth in range(1, samples)]
        others = [Request("B", tuple(B), B_NEW, (2, 0))]
        self.queue = [self.a, *others]
        self.memory.begin(self.a)
        if older:
            z = Request("Z", tuple(B), B_NEW, (0, 0))
            self.queue.insert(0, z)
            self.memory.begin(z)

    def run(self, tokens: int) -> str:
        """Run the next ``tokens`` of A, call the function, and say who speaks and who stands."""
        from paged_attention.serving.step import Row

        request, memory = self.a, self.memory
        start = memory.length("A")
        memory.reserve("A", tokens)
        memory.cache.advance({"A": start + tokens})
        end = start + tokens
        row = Row(request, start, request.tokens[start:end], end == len(request.tokens))
        came = attempt(self.split, memory, self.queue, row)
        if came.error is not None:
            return str(came)
        if row.says:
            request.add(0)
        return f"{_speakers(came.value)}; queue {', '.join(map(name_of, self.queue))}"

    def tables(self) -> str:
        """A's table and those of its samples, in words."""
        refs = self.memory.cache.allocator.refs
        tables = {n: t for n, t in self.memory.cache.tables.items() if n != "Z"}
        sizes = {len(table) for table in tables.values()}
        holders = {refs[block] for table in tables.values() for block in table}
        lengths = {self.memory.cache.lengths[name] for name in tables}
        return (
            f"tables of {_numbers(sizes)} blocks, {_numbers(holders)} holders each; "
            f"{_numbers(lengths)} tokens"
        )


def _numbers(found: set[int]) -> str:
    return " and ".join(map(str, sorted(found)))


def _speakers(answer: Any) -> str:
    if not isinstance(answer, list):
        return f"{shown(answer)} was answered"
    names = ", ".join(map(name_of, answer))
    return f"{names} {'speaks' if len(answer) == 1 else 'speak'}" if answer else "nobody speaks"


def engine_with(split: Split, num_blocks: int, *, new: int = 5, chunk: int | None = None) -> Any:
    """A toy engine that asks ``split`` after each row; A with three samples is in its queue."""
    from paged_attention.serving.scheduler import Scheduler
    from workbook.toy import ToyEngine, toy_memory

    class PartScheduler(Scheduler):
        def split(self, row: Any) -> list[Any]:
            queue = [*self.running.values(), *self.waiting.values()]
            speakers = split(self.memory, queue, row)
            self.journal.keep_attributes(self.line, "_queue")
            self.line._queue = {request.name: request for request in queue}
            rows = [row._replace(request=request) for request in speakers]
            return rows if row.says or rows else [row]

    engine = ToyEngine(
        toy_memory(num_blocks), scheduler=PartScheduler, max_running=4, budget=12, spare=0,
        chunk=chunk,
    )  # fmt: skip
    engine.ask("A", A, new, SEED, samples=3)
    return engine


def give_way(engine: Any) -> None:
    """All who run lose their blocks, the newest first, as if somebody older needed them."""
    for request in reversed(list(engine.scheduler.running.values())):
        engine.memory.preempt(request)


def played(engine: Any) -> str:
    """Let B come, run to the end, and say how many tokens were run."""
    engine.ask("B", B, B_NEW, SEED)
    for _ in range(MOST_STEPS):
        if not len(engine):
            return f"{engine.ran} tokens run"
        engine.step()
        engine.check()
    return f"after {MOST_STEPS} steps not all have ended"


def wrong_texts(engine: Any) -> str:
    """Whether each has said what it says alone."""
    from workbook.toy import alone

    new = engine.requests["A"].max_new_tokens
    right = {("A", nth) if nth else "A": alone(A, new, SEED + nth) for nth in range(3)}
    right["B"] = alone(B, B_NEW, SEED)
    texts = engine.texts()
    wrong = [name for name, text in right.items() if texts.get(name) != text]
    said = ", ".join(f"{n[0]}.{n[1]}" if isinstance(n, tuple) else n for n in wrong)
    return f"{said}: not as alone" if wrong else "each as alone"
