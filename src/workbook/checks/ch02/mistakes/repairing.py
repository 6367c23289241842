"""Mistakes with the repaired engine, as readers make them."""

from collections.abc import Callable
from typing import Any

from paged_attention.tables import ceil_div
from workbook.checks.ch02.repairing import repaired


class Engine:
    """The chapter's engine, leak and all."""

    def __init__(self, pool: Any) -> None:
        self.pool = pool
        self.tables: dict[Any, list[int]] = {}
        self.prompts: dict[Any, int] = {}
        self.lengths: dict[Any, int] = {}

    def add(self, name: Any, prompt: int) -> None:
        self.tables[name] = self.pool.allocate_many(ceil_div(prompt, 4))
        self.prompts[name] = self.lengths[name] = prompt

    def step(self, name: Any) -> None:
        if self.lengths[name] == 4 * len(self.tables[name]):
            self.tables[name].append(self.pool.allocate())
        self.lengths[name] += 1

    def finish(self, name: Any) -> None:
        for block in self.tables.pop(name):
            self.pool.release(block)

    def abort(self, name: Any) -> None:
        for block in self.tables.pop(name)[: ceil_div(self.prompts[name], 4)]:
            self.pool.release(block)


class Right(Engine):
    def abort(self, name: Any) -> None:
        self.finish(name)


class Backwards(Engine):
    def abort(self, name: Any) -> None:
        table = self.tables.pop(name)
        while table:
            self.pool.release(table.pop())


def first(count: Callable[[Engine, Any], int]) -> type[Engine]:
    """An engine whose abort gives back the first ``count(engine, name)`` blocks of the table."""

    class Repaired(Engine):
        def abort(self, name: Any) -> None:
            blocks = count(self, name)
            for block in self.tables.pop(name)[:blocks]:
                self.pool.release(block)

    return Repaired


repaired.finished = Right
repaired.also_right += [Backwards]

repaired.mistake("`abort` is as it was: only the prompt's blocks come back.")(Engine)
repaired.mistake(
    "One block more than the prompt's comes back, which is right for short answers only."
)(first(lambda engine, name: ceil_div(engine.prompts[name], 4) + 1))
repaired.mistake("The length was rounded down, so the part-filled last block stays behind.")(
    first(lambda engine, name: engine.lengths[name] // 4)
)
repaired.mistake(
    "Blocks were counted from the length. A block taken ahead is in the table and not in the "
    "length, and stays behind."
)(first(lambda engine, name: ceil_div(engine.lengths[name], 4)))
repaired.mistake("The last block of the table stays behind.")(
    first(lambda engine, name: len(engine.tables[name]) - 1)
)
repaired.mistake("Only the first block of the table comes back.")(first(lambda *_: 1))


@repaired.mistake("The first block of the table stays behind.")
class WithoutTheFirst(Engine):
    def abort(self, name: Any) -> None:
        for block in self.tables.pop(name)[1:]:
            self.pool.release(block)


@repaired.mistake("Only the last block of the table comes back.")
class LastOnly(Engine):
    def abort(self, name: Any) -> None:
        self.pool.release(self.tables.pop(name)[-1])


@repaired.mistake("The blocks came back and the table stayed: its blocks will be somebody else's.")
class TableKept(Engine):
    def abort(self, name: Any) -> None:
        for block in self.tables[name]:
            self.pool.release(block)


@repaired.mistake("The table was emptied, but it is still there: the request looks alive.")
class TableEmptied(Engine):
    def abort(self, name: Any) -> None:
        while self.tables[name]:
            self.pool.release(self.tables[name].pop())


@repaired.mistake("The block was taken from every holder, and another request still reads it.")
class FromEverybody(Engine):
    def abort(self, name: Any) -> None:
        for block in self.tables.pop(name):
            while self.pool.refs[block]:
                self.pool.release(block)


@repaired.mistake("All tables were emptied, not only the one that was aborted.")
class AllTables(Engine):
    def abort(self, name: Any) -> None:
        for table in self.tables.values():
            for block in table:
                self.pool.release(block)
        self.tables.clear()


@repaired.mistake("The table is gone, and no block was released.")
class NothingReleased(Engine):
    def abort(self, name: Any) -> None:
        del self.tables[name]


@repaired.mistake("Each block was released twice: the second time it isn't this request's to give.")
class Twice(Engine):
    def abort(self, name: Any) -> None:
        for block in self.tables.pop(name) * 2:
            self.pool.release(block)


@repaired.mistake("A shared block was left alone: this request's share of it never comes back.")
class SharedLeft(Engine):
    def abort(self, name: Any) -> None:
        for block in self.tables.pop(name):
            if self.pool.refs[block] == 1:
                self.pool.release(block)


@repaired.mistake("Ids went onto the stack past `release`, so the counts still name a holder.")
class PastRelease(Engine):
    def abort(self, name: Any) -> None:
        for block in self.tables.pop(name):
            self.pool.refs[block] -= 1


@repaired.mistake("`super().abort` gave back the prompt's blocks already, and took the table away.")
class AfterSuper(Engine):
    def abort(self, name: Any) -> None:
        super().abort(name)
        for block in self.tables.pop(name):
            self.pool.release(block)


@repaired.mistake("Nothing was done: the table is there, and its blocks are held.")
class Nothing(Engine):
    def abort(self, name: Any) -> None:
        pass


@repaired.mistake("`finish` gave everything back and took the table away; nothing is left to do.")
class FinishThenAbort(Engine):
    def abort(self, name: Any) -> None:
        self.finish(name)
        super().abort(name)


@repaired.mistake(
    "The list was changed while the loop went over it, so every other block was skipped."
)
class RemovesInTheLoop(Engine):
    def abort(self, name: Any) -> None:
        table = self.tables.pop(name)
        for block in table:
            self.pool.release(block)
            table.remove(block)


@repaired.mistake(
    "Blocks 0, 1, 2 … were released, as many as the table has. The ids are in the table: the "
    "number of an entry isn't one."
)
class ByNumber(Engine):
    def abort(self, name: Any) -> None:
        for block in range(len(self.tables.pop(name))):
            self.pool.release(block)


@repaired.mistake(
    "The pool's own lists were written to. How a pool keeps them is its own affair; `release` is "
    "what it offers."
)
class IntoThePool(Engine):
    def abort(self, name: Any) -> None:
        for block in self.tables.pop(name):
            self.pool.refs[block] = 0
            self.pool.free.append(block)


@repaired.mistake(
    "b still reads that block. Whoever leaves takes its own name off a block, nobody else's."
)
class OutOfEveryTable(Engine):
    def abort(self, name: Any) -> None:
        left = self.tables.pop(name)
        for block in left:
            self.pool.release(block)
        for table in self.tables.values():
            table[:] = [block for block in table if block not in left]
