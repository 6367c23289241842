"""Mistakes with allocate_many, as readers make them."""

from paged_attention.allocator import BlockAllocator
from paged_attention.errors import BlockPoolExhausted
from workbook.checks.ch02.all_or_nothing import allocate_many
from workbook.checks.ch02.mistakes.allocating import Right


@allocate_many.mistake(
    "Blocks were taken before it was clear that there are enough. The call was refused, the "
    "caller has no list of them, and nobody will ever release them. (This happened: "
    "ovg-project/kvcached#364)"
)
class Loop(Right):
    def allocate_many(self, n: int) -> list[int]:
        return [self.allocate() for _ in range(n)]


@allocate_many.mistake(
    "The caller wanted 3 blocks and goes on as if it had them. It finds out when it writes the "
    "tokens that have no place."
)
class ShortList(Right):
    def allocate_many(self, n: int) -> list[int]:
        return [self.allocate() for _ in range(min(n, self.num_free))]


@allocate_many.mistake(
    "Four were asked for and four are free: an exact fit was refused, so the last block of the "
    "pool can never be used."
)
class ExactFitRefused(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n and n >= self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(n)]


@allocate_many.mistake(
    "Nothing was asked for and blocks were taken. In Python `free[-0:]` is the whole list."
)
class NegativeSlice(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        taken = self.free[-n:]
        for block in taken:
            self.free.remove(block)
            self.refs[block] = 1
        return taken


@allocate_many.mistake(
    "The ids that are handed out must be the ids that leave the stack: these were read at one end"
    " and cut off at the other."
)
class TakesBelowDropsAbove(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        taken = self.free[:n]
        self.free = self.free[: len(self.free) - n]
        for block in taken:
            self.refs[block] = 1
        return taken


@allocate_many.mistake(
    "The right blocks in another order: the top of the stack comes first, as it would from calls "
    "of `allocate`."
)
class SliceAsItLies(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        at = len(self.free) - n
        self.free, taken = self.free[:at], self.free[at:]
        for block in taken:
            self.refs[block] = 1
        return taken


@allocate_many.mistake(
    "As many ids as were asked for, and no more: the rest is somebody else's to ask for."
)
class EverythingOrNothing(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(self.num_free if n else 0)]


@allocate_many.mistake(
    "What was taken was given back in the order in which it was taken, so the stack is turned "
    "round. Undo backwards, or look before you take."
)
class UndoForwards(Right):
    def allocate_many(self, n: int) -> list[int]:
        taken: list[int] = []
        try:
            for _ in range(n):
                taken.append(self.allocate())  # noqa: PERF401
        except BlockPoolExhausted:
            for block in taken:
                self.release(block)
            raise
        return taken


@allocate_many.mistake(
    "None is a number of blocks, too: a token that fits its last block needs no new one. Such a "
    "call is no mistake of the caller's."
)
class RefusesNone(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n <= 0 or n > self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(n)]


@allocate_many.mistake("The ids left the stack, and their counts stayed 0.")
class ManyNotCounted(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        return [self.free.pop() for _ in range(n)]


@allocate_many.mistake("One id too many: the range starts at 0 and ends with n.")
class OneMore(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(min(n + 1, self.num_free) if n else 0)]


@allocate_many.mistake("The same id n times: one block was taken for n places.")
class OneForAll(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        return [self.allocate()] * n if n else []


@allocate_many.mistake(
    "One more than n is taken, also when n is 0: `range(n)` has n turns, `range(n + 1)` one more."
)
class OneMoreAlways(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(n + 1)]


@allocate_many.mistake("`[allocate()] * n` takes one block and writes its id n times.")
class OneTimesN(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        return [self.allocate()] * n


@allocate_many.mistake(
    "The stack was sorted first: its order says which block came back last, and is lost."
)
class SortsFirst(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        self.free.sort(reverse=True)
        return [self.allocate() for _ in range(n)]


@allocate_many.mistake(
    "The ids were handed out and are still on the stack: the next caller gets them, too."
)
class OnlyReads(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        taken = self.free[::-1][:n]
        for block in taken:
            self.refs[block] = 1
        return taken


@allocate_many.mistake(
    "As many ids as were asked for: each turn of a loop adds one, and no `return` ends it."
)
class ReturnsInTheLoop(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        for _ in range(n):
            return [self.allocate()]
        return []


@allocate_many.mistake(
    "The comparison is the wrong way round: refuse when more are wanted than are free."
)
class ComparesBackwards(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n < self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(n)]


@allocate_many.mistake(
    "`n` was compared with all blocks of the pool. Only what is free can be handed out: `num_free`."
)
class ComparesWithThePool(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_blocks:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(n)]


@allocate_many.mistake(
    "The ids are on the stack again, and still count a holder. Undo both, or look before you take."
)
class UndoesTheStackOnly(Right):
    def allocate_many(self, n: int) -> list[int]:
        saved = list(self.free)
        try:
            return [self.allocate() for _ in range(n)]
        except BlockPoolExhausted:
            self.free = saved
            raise


allocate_many.finished = BlockAllocator
allocate_many.also_right.append(Right)
