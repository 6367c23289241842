"""Mistakes with evict, as readers make them."""

from collections import OrderedDict
from typing import Any

from paged_attention.prefix import PrefixCache
from workbook.checks.ch05.evicting import evict
from workbook.checks.ch05.mistakes.attaching import Right


class RightEviction(Right):
    """The evicting cache of chapter 05."""

    def __init__(self, cache: Any, index: Any) -> None:
        super().__init__(cache, index)
        self.recent: OrderedDict[int, None] = OrderedDict()

    def remember(self, seq: Any, tokens: list[int]) -> None:
        super().remember(seq, tokens)
        full = self.cache.lengths[seq] // self.cache.block_size
        self.touch(self.cache.tables[seq][:full])

    def touch(self, blocks: list[int]) -> None:
        for block in reversed(blocks):
            self.recent[block] = None
            self.recent.move_to_end(block)

    def idle(self) -> list[int]:
        return [b for b in self.recent if self.cache.allocator.refs[b] == 1]

    def evict(self, n: int) -> int:
        chosen = self.idle()[:n]
        for block in chosen:
            self.drop(block)
        return len(chosen)

    def drop(self, block: int) -> None:
        self.index.forget(block)
        del self.recent[block]
        self.cache.allocator.release(block)


@evict.mistake(
    "The freed blocks stay in `recent`: each is offered again, when somebody else has it."
)
class StaysInRecent(RightEviction):
    def drop(self, block: int) -> None:
        if block in self.index.nodes:
            self.index.forget(block)
        self.cache.allocator.release(block)


@evict.mistake(
    "A block before the tail went first. The walk ends at the hole, so what lies behind it serves "
    "nobody: touch the last block first. (llm-d/llm-d-inference-sim#704)"
)
class HeadFirst(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        super().touch(blocks[::-1])


@evict.mistake(
    "r still reads these blocks. Out of the index they free no memory, and the next equal prompt "
    "computes them again."
)
class TakesWhatIsHeld(RightEviction):
    def idle(self) -> list[int]:
        return list(self.recent)


@evict.mistake("The block has left the index and is still held: by nobody who knows of it.")
class KeyOnly(RightEviction):
    def drop(self, block: int) -> None:
        self.index.forget(block)
        del self.recent[block]


@evict.mistake("The index still names a block that is free.")
class StillNamed(RightEviction):
    def drop(self, block: int) -> None:
        del self.recent[block]
        self.cache.allocator.release(block)


@evict.mistake(
    "n was read as the number that shall be free afterwards. It counts the blocks to free now, "
    "whatever is free already."
)
class Target(RightEviction):
    """Reads ``n`` as the number that shall be free afterwards."""

    def evict(self, n: int) -> int:
        return super().evict(max(0, n - self.cache.allocator.num_free) if n > 1 else n)


@evict.mistake("A was the first to come and has been used since: using it counts.")
class FirstInFirstOut(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        for block in reversed(blocks):
            self.recent.setdefault(block, None)


@evict.mistake("C was used last of all, and it went first.")
class MostRecentFirst(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        super().touch(blocks[::-1])

    def idle(self) -> list[int]:
        return super().idle()[::-1]


@evict.mistake(
    "A block that was in use at the first call has dropped out of `recent`: it will never be "
    "offered again."
)
class LosesWhatIsBusy(RightEviction):
    def evict(self, n: int) -> int:
        freed = 0
        while self.recent and freed < n:
            block, _ = self.recent.popitem(last=False)
            if self.cache.allocator.refs[block] == 1:
                self.index.forget(block)
                self.cache.allocator.release(block)
                freed += 1
        return freed


@evict.mistake(
    "The second visit turned the order round. Known blocks move to the end tail first, like new "
    "ones."
)
class KnownOnesHeadFirst(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        known = [block for block in blocks if block in self.recent]
        super().touch([block for block in blocks if block not in self.recent])
        super().touch(known[::-1])


@evict.mistake("Half a prompt went that was used after B: touch moves all its blocks, not one.")
class MovesTheHeadOnly(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        for block in reversed(blocks):
            self.recent.setdefault(block, None)
        for block in blocks[:1]:
            self.recent.move_to_end(block)


@evict.mistake(
    "Your `evict` returned nothing (None): is a `return` missing, or inside an `if` that wasn't "
    "taken?"
)
class SaysNothing(RightEviction):
    def evict(self, n: int) -> Any:
        super().evict(n)


@evict.mistake("The list of the freed blocks came back; their number is wanted.")
class AnswersWithBlocks(RightEviction):
    def evict(self, n: int) -> Any:
        chosen = self.idle()[:n]
        super().evict(n)
        return chosen


@evict.mistake(
    "Fewer than n may go, and that is an answer, no error: `evict` frees up to n, and says how "
    "many they were."
)
class AllOrNothing(RightEviction):
    def evict(self, n: int) -> int:
        if len(self.idle()) < n:
            raise MemoryError
        return super().evict(n)


@evict.mistake("One block more than n went: whoever asks for none loses one, too.")
class OneMore(RightEviction):
    def evict(self, n: int) -> int:
        return super().evict(n + 1)


@evict.mistake(
    "No block was found to go. One that the index alone holds has a count of 1, not 0, and may go "
    "whatever else is free."
)
class CountOfZero(RightEviction):
    def idle(self) -> list[int]:
        return [b for b in self.recent if self.cache.allocator.refs[b] == 0]


@evict.mistake(
    "The search ended at the first block in use; those behind it may go: skip it and look on."
)
class StopsAtTheFirstBusy(RightEviction):
    def idle(self) -> list[int]:
        found: list[int] = []
        for block in self.recent:
            if self.cache.allocator.refs[block] != 1:
                break
            found.append(block)
        return found


@evict.mistake("The answer is n, however many blocks were freed.")
class AnswersN(RightEviction):
    def evict(self, n: int) -> int:
        super().evict(n)
        return n


class FinishedPrefixCache(PrefixCache):
    """The engine's, which brings its own index."""

    def __init__(self, cache: Any, index: Any) -> None:
        super().__init__(cache)


evict.finished = FinishedPrefixCache
