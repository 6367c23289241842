"""Mistakes with allocate_release, as readers make them."""

from typing import Any

from paged_attention.allocator import BlockAllocator
from paged_attention.errors import BlockNotHeld, BlockPoolExhausted
from workbook.checks.ch02.allocating import allocate_release


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
    "Nobody held block 0, and it was taken back again, so it is in the free list twice. Two "
    "sequences will be given the same memory, and each will read the other's history. Ask the "
    "count first. (This happened: sgl-project/sglang#18694)"
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


@allocate_release.mistake(
    "They came from the other end, the bottom of the stack. Its top is the end of the list: "
    "`pop()` takes from there, and `append` puts there."
)
class Queue(Right):
    def allocate(self) -> int:
        if not self.free:
            raise BlockPoolExhausted
        block = self.free.pop(0)
        self.refs[block] = 1
        return block


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
    "The first release was refused, and the block has a holder: its count is 1. Is the test the "
    "wrong way round?"
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
    "The lowest free id goes out, found by sorting or by searching. The stack's order says which "
    "came back last, and that one goes first."
)
class Sorts(Right):
    def release(self, block: int) -> None:
        super().release(block)
        self.free.sort(reverse=True)


@allocate_release.mistake(
    "It was refused while a block was free. The last free one is as good as the first: refuse only"
    " when none is left."
)
class KeepsOne(Right):
    def allocate(self) -> int:
        if len(self.free) <= 1:
            raise BlockPoolExhausted
        return super().allocate()


@allocate_release.mistake(
    "None came back when no block was free, and None is no refusal: the caller goes on with it. "
    "Raise BlockPoolExhausted, and a scheduler lets a request wait."
)
class NoneForEmpty(Right):
    def allocate(self) -> Any:
        return super().allocate() if self.free else None


@allocate_release.mistake(
    "The id was written into `refs`, where the number of holders belongs: 1 for each block."
)
class IdInRefs(Right):
    def allocate(self) -> int:
        block = super().allocate()
        self.refs[block] = block
        return block


@allocate_release.mistake(
    "It was refused, and the id had been pushed before: it is on the stack twice. Test first, "
    "then write."
)
class PushesFirst(Right):
    def release(self, block: int) -> None:
        self.free.append(block)
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] = 0


@allocate_release.mistake(
    "The stack was tested after the last block had left it: test before you take."
)
class TestsAfterTaking(Right):
    def allocate(self) -> int:
        block = self.free.pop()
        self.refs[block] = 1
        if not self.free:
            raise BlockPoolExhausted
        return block


@allocate_release.mistake(
    "The block found was never taken off the stack: its id is still there, with a holder."
)
class NeverTakesOff(Right):
    def allocate(self) -> int:
        for block in self.free:
            if self.refs[block] == 0:
                self.refs[block] = 1
                return block
        raise BlockPoolExhausted


@allocate_release.mistake(
    "The id was found by its count, and it is on the stack still: `allocate` takes it off there."
)
class SearchesTheCounts(Right):
    def allocate(self) -> int:
        if not self.free:
            raise BlockPoolExhausted
        block = self.refs.index(0)
        self.refs[block] = 1
        return block


@allocate_release.mistake(
    "The count went onto the stack, not the id: `free` is a list of ids, and the block's is lost."
)
class PushesTheCount(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] = 0
        self.free.append(self.refs[block])


@allocate_release.mistake(
    "`allocate` returned how many are free. The caller wants the id of its block, which was popped."
)
class ReturnsHowMany(Right):
    def allocate(self) -> int:
        super().allocate()
        return self.num_free


allocate_release.finished = BlockAllocator
allocate_release.also_right.append(Right)
