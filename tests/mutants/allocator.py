"""Wrong allocators, as readers write them. (exercise, name, object, fragment of the message.)"""

from collections.abc import Callable
from typing import Any

from paged_attention.allocator import BlockAllocator
from paged_attention.errors import BlockNotHeld, BlockPoolExhausted


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


class OffByOnePool(Right):
    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self.free = list(range(num_blocks - 1, 0, -1))


class NoGuard(Right):
    def release(self, block: int) -> None:
        self.refs[block] = 0
        self.free.append(block)


class SilentGuard(Right):
    def release(self, block: int) -> None:
        if self.refs[block]:
            super().release(block)


class Peek(Right):
    def allocate(self) -> int:
        block = self.free[-1]
        self.refs[block] = 1
        return block


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


class NeverPushes(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] -= 1


class PlainPop(Right):
    def allocate(self) -> int:
        block = self.free.pop()
        self.refs[block] = 1
        return block


class DecrementFirst(Right):
    def release(self, block: int) -> None:
        self.refs[block] -= 1
        if self.refs[block] < 0:
            raise BlockNotHeld
        self.free.append(block)


class Loop(Right):
    def allocate_many(self, n: int) -> list[int]:
        return [self.allocate() for _ in range(n)]


class ShortList(Right):
    def allocate_many(self, n: int) -> list[int]:
        return [self.allocate() for _ in range(min(n, self.num_free))]


class ExactFitRefused(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n and n >= self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(n)]


class NegativeSlice(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        taken = self.free[-n:]
        for block in taken:
            self.free.remove(block)
            self.refs[block] = 1
        return taken


class FreesAtAnyCount(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] -= 1
        self.free.append(block)


class SharesFree(Right):
    def share(self, block: int) -> None:
        self.refs[block] += 1


class NeverFreesShared(Right):
    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self.was_shared: set[int] = set()

    def share(self, block: int) -> None:
        super().share(block)
        self.was_shared.add(block)

    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] -= 1
        if self.refs[block] == 0 and block not in self.was_shared:
            self.free.append(block)


class ShareTakesANewBlock(Right):
    def share(self, block: int) -> None:
        self.allocate()


class TwoIsTheMost(Right):
    def share(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] = 2


class Queue(Right):
    def allocate(self) -> int:
        if not self.free:
            raise BlockPoolExhausted
        block = self.free.pop(0)
        self.refs[block] = 1
        return block


class TakesBelowDropsAbove(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        taken = self.free[:n]
        self.free = self.free[: len(self.free) - n]
        for block in taken:
            self.refs[block] = 1
        return taken


class SliceAsItLies(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        at = len(self.free) - n
        self.free, taken = self.free[:at], self.free[at:]
        for block in taken:
            self.refs[block] = 1
        return taken


class EverythingOrNothing(Right):
    def allocate_many(self, n: int) -> list[int]:
        if n > self.num_free:
            raise BlockPoolExhausted
        return [self.allocate() for _ in range(self.num_free if n else 0)]


class CountsBelowZero(Right):
    def release(self, block: int) -> None:
        self.refs[block] -= 1
        if self.refs[block] == 0:
            self.free.append(block)


class StopsAtZero(Right):
    def release(self, block: int) -> None:
        self.refs[block] = max(0, self.refs[block] - 1)
        if self.refs[block] == 0:
            self.free.append(block)


MUTANTS = [
    ("allocate_release", "one block missing", OffByOnePool, "num_free is 3, refs is"),
    ("allocate_release", "no guard", NoGuard, "num_free is 5 in a pool of 4"),
    ("allocate_release", "silent guard", SilentGuard, "no error; num_free is 4"),
    ("allocate_release", "peek", Peek, "Block 0 went to two owners"),
    ("allocate_release", "counter", Counter, "never returned to the free list"),
    ("allocate_release", "never pushes", NeverPushes, "it is lost until the process ends"),
    ("allocate_release", "plain pop", PlainPop, "IndexError: pop from empty list"),
    ("allocate_release", "decrement, then raise", DecrementFirst, "now counts -1 holders"),
    ("allocate_release", "queue", Queue, "a stack, at the next call"),
    ("allocate_many", "loop", Loop, "and now num_free is 0"),
    ("allocate_many", "short list", ShortList, "no error, [2, 3] returned"),
    ("allocate_many", "exact fit refused", ExactFitRefused, "an exact fit was refused"),
    ("allocate_many", "free[-n:]", NegativeSlice, "`free[-0:]` is the whole list"),
    ("allocate_many", "below and above", TakesBelowDropsAbove, "must be the ids that leave"),
    ("allocate_many", "slice as it lies", SliceAsItLies, "The right blocks in another order"),
    ("allocate_many", "everything", EverythingOrNothing, "the rest is somebody else's"),
    (
        "share_release",
        "frees at any count",
        FreesAtAnyCount,
        "The other holder still reads block b",
    ),
    ("share_release", "free block shared", SharesFree, "Its next owner overwrites"),
    ("share_release", "never frees a shared one", NeverFreesShared, "num_free is 3 at the end"),
    (
        "share_release",
        "share takes a new block",
        ShareTakesANewBlock,
        "To share is to use the same",
    ),
    ("share_release", "two is the most", TwoIsTheMost, "3 holders and refs"),
    ("share_release", "counts below 0", CountsBelowZero, "refs is [-1, 0, 0, 0]"),
    ("share_release", "stops at 0", StopsAtZero, "no error; num_free is 5"),
]
FINISHED: dict[str, Callable[..., Any]] = {
    "allocate_release": BlockAllocator,
    "allocate_many": BlockAllocator,
    "share_release": BlockAllocator,
    "allocator": BlockAllocator,
}
