"""Mistakes with allocate_release, allocate_many, as readers make them."""

from paged_attention.allocator import BlockAllocator
from paged_attention.errors import BlockNotHeld, BlockPoolExhausted
from workbook.checks.ch02.allocating import allocate_many, allocate_release


class Right:
    """The allocator of chapter 02, to be spoilt in one place by each class below."""

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self.free = list(range(num_blocks - 1, -1, -1))
        self.refs = [0] * num_blocks

    @property
    def num_free(self) -> int:
        return len(self.free)

    def allocate(self) -> int:
        if not self.free:
            raise BlockPoolExhausted
        block = self.free.pop()
        self.refs[block] = 1
        return block

    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(n)]

    def share(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] += 1

    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] -= 1
        if self.refs[block] == 0:
            self.free.append(block)


@allocate_release.mistake(
    "A block is missing from the start: num_free is 3 in a pool of 4, and the ids are 0 to "
    "num_blocks - 1. Does the range end one too early?"
)
class OffByOnePool(Right):
    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self.free = list(range(num_blocks - 1, 0, -1))


@allocate_release.mistake(
    "block 0 is now in the free list twice. Two sequences will be given the same memory, and each"
    " will read the other's history. (This happened: sgl-project/sglang#18694)"
)
class NoGuard(Right):
    def release(self, block: int) -> None:
        self.refs[block] = 0
        self.free.append(block)


@allocate_release.mistake(
    "The second release does nothing and says nothing. Whoever releases twice has lost track of "
    "what it holds, and must hear of it at once: raise."
)
class SilentGuard(Right):
    def release(self, block: int) -> None:
        if self.refs[block]:
            super().release(block)


@allocate_release.mistake(
    "Block 0 went to two owners. Each will overwrite the other's keys and values."
)
class Peek(Right):
    def allocate(self) -> int:
        block = self.free[-1]
        self.refs[block] = 1
        return block


@allocate_release.mistake(
    "Block 1 was given back and never returned to the free list. Each request makes the pool "
    "smaller, and after a while nobody runs."
)
class Counter(Right):
    """Hands out the next id that was never used; a released one never returns."""

    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self.next = 0

    @property
    def num_free(self) -> int:
        return self.refs.count(0)

    def allocate(self) -> int:
        if self.next == self.num_blocks:
            raise BlockPoolExhausted
        self.refs[self.next] = 1
        self.next += 1
        return self.next - 1


@allocate_release.mistake(
    "Nobody holds block 0, and it is not free: it is lost until the process ends."
)
class NeverPushes(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] -= 1


@allocate_release.mistake(
    "An empty list raises an IndexError of its own. Test first, and raise BlockPoolExhausted: a "
    "scheduler catches that and lets a request wait; any other error reads as a bug and stops the"
    " server."
)
class PlainPop(Right):
    def allocate(self) -> int:
        block = self.free.pop()
        self.refs[block] = 1
        return block


@allocate_release.mistake(
    "The call was refused and has still changed something: block 0 now counts -1 holders. Test "
    "first, then write."
)
class DecrementFirst(Right):
    def release(self, block: int) -> None:
        self.refs[block] -= 1
        if self.refs[block] < 0:
            raise BlockNotHeld
        self.free.append(block)


@allocate_many.mistake(
    "The request was refused, yet blocks are gone: the caller has no list of them, so nobody will"
    " ever release them. (This happened: ovg-project/kvcached#364)"
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


@allocate_release.mistake(
    "The oldest free id came out, `pop(0)`: that is a queue. A stack gives out the id that came "
    "back last, so a block that was released by mistake shows at the next call."
)
class Queue(Right):
    def allocate(self) -> int:
        if not self.free:
            raise BlockPoolExhausted
        block = self.free.pop(0)
        self.refs[block] = 1
        return block


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


@allocate_release.mistake(
    "The block left the stack, and its count stayed 0: by the counts nobody holds it."
)
class NotCounted(Right):
    def allocate(self) -> int:
        if not self.free:
            raise BlockPoolExhausted
        return self.free.pop()


@allocate_release.mistake(
    "It is refused with a plain RuntimeError: who catches BlockNotHeld doesn't hear of it."
)
class PlainRuntimeError(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise RuntimeError(f"block {block} is free")
        super().release(block)


@allocate_release.mistake(
    "Every release is refused, the first one too: the test is the wrong way round."
)
class RefusesHeld(Right):
    def release(self, block: int) -> None:
        if self.refs[block] > 0:
            raise BlockNotHeld
        super().release(block)


@allocate_release.mistake(
    "The id came back and its count stayed 1: the next release of it, by nobody, is accepted."
)
class CountStays(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.free.append(block)


@allocate_release.mistake(
    "The id came back at the bottom of the stack, `insert(0, …)`; the one that came back last "
    "goes out first, so it belongs on top."
)
class ToTheBottom(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] = 0
        self.free.insert(0, block)


@allocate_release.mistake(
    "The free list was sorted: the stack's order says who came back last, and is lost."
)
class Sorts(Right):
    def release(self, block: int) -> None:
        super().release(block)
        self.free.sort(reverse=True)


@allocate_release.mistake(
    "One block too few is handed out: the last free one is as good as the others."
)
class KeepsOne(Right):
    def allocate(self) -> int:
        if len(self.free) <= 1:
            raise BlockPoolExhausted
        return super().allocate()


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


allocate_release.finished = BlockAllocator
allocate_many.finished = BlockAllocator
