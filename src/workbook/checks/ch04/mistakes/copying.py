"""Mistakes with copying_reserve, as readers make them."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div
from workbook.checks.ch04.copying import copying_reserve


@copying_reserve.mistake(
    "All three will write position 6 into slot 2 of block 1, and read what the last of them put "
    "there. (This happened: Avarok-Cybersecurity/atlas#692)"
)
def grow(cache: Any, seq: Any, new_tokens: int) -> None:
    """The reserve of chapter 03."""
    needed = ceil_div(cache.lengths[seq] + new_tokens, cache.block_size)
    missing = needed - len(cache.tables[seq])
    if missing > 0:
        cache.tables[seq].extend(cache.allocator.allocate_many(missing))


class Right:
    """The reserve of chapter 04 in pieces, to be spoilt by each class below."""

    def __call__(self, cache: Any, seq: Any, new_tokens: int) -> None:
        table = cache.tables[seq]
        end = cache.lengths[seq] + new_tokens
        missing = max(0, ceil_div(end, cache.block_size) - len(table))
        at = self.tail(cache, seq, new_tokens)
        blocks = cache.allocator.allocate_many(missing + (at is not None))
        if at is not None:
            new = blocks.pop(0)
            self.copy(cache, table[at], new, cache.lengths[seq] % cache.block_size)
            cache.allocator.release(table[at])
            table[at] = new
        table.extend(blocks)

    def tail(self, cache: Any, seq: Any, new_tokens: int) -> int | None:
        at, offset = divmod(cache.lengths[seq], cache.block_size)
        if new_tokens and offset and cache.allocator.refs[cache.tables[seq][at]] > 1:
            return int(at)
        return None

    def copy(self, cache: Any, old: int, new: int, used: int) -> None:
        for pool in (cache.k_pool, cache.v_pool):
            pool[:, new, :, :used] = pool[:, old, :, :used]


class KeysOnly(Right):
    def copy(self, cache: Any, old: int, new: int, used: int) -> None:
        cache.k_pool[:, new] = cache.k_pool[:, old]


class ValuesOnly(Right):
    def copy(self, cache: Any, old: int, new: int, used: int) -> None:
        cache.v_pool[:, new] = cache.v_pool[:, old]


class LayerZeroOnly(Right):
    def copy(self, cache: Any, old: int, new: int, used: int) -> None:
        for pool in (cache.k_pool, cache.v_pool):
            pool[0][new] = pool[0][old]


class HeadZeroOnly(Right):
    def copy(self, cache: Any, old: int, new: int, used: int) -> None:
        for pool in (cache.k_pool, cache.v_pool):
            pool[:, new, 0] = pool[:, old, 0]


class TwoLayersOnly(Right):
    def copy(self, cache: Any, old: int, new: int, used: int) -> None:
        for pool in (cache.k_pool, cache.v_pool):
            pool[:2, new] = pool[:2, old]


class LastSlotMissing(Right):
    def copy(self, cache: Any, old: int, new: int, used: int) -> None:
        super().copy(cache, old, new, used - 1)


class CopiesAtOne(Right):
    def tail(self, cache: Any, seq: Any, new_tokens: int) -> int | None:
        at, offset = divmod(cache.lengths[seq], cache.block_size)
        forked = len(cache.tables) > 1
        return int(at) if forked and new_tokens and offset else None


class NoLookAtTheOffset(Right):
    def tail(self, cache: Any, seq: Any, new_tokens: int) -> int | None:
        at = cache.lengths[seq] // cache.block_size
        return at if new_tokens and cache.allocator.refs[cache.tables[seq][at]] > 1 else None


class BlockOfTheLastToken(Right):
    def tail(self, cache: Any, seq: Any, new_tokens: int) -> int | None:
        at = (cache.lengths[seq] - 1) // cache.block_size
        if cache.lengths[seq] and new_tokens and cache.allocator.refs[cache.tables[seq][at]] > 1:
            return int(at)
        return None


class LastOfTheTable(Right):
    def tail(self, cache: Any, seq: Any, new_tokens: int) -> int | None:
        table, offset = cache.tables[seq], cache.lengths[seq] % cache.block_size
        if new_tokens and offset and cache.allocator.refs[table[-1]] > 1:
            return len(table) - 1
        return None


class CopiesForNothing(Right):
    def tail(self, cache: Any, seq: Any, new_tokens: int) -> int | None:
        return super().tail(cache, seq, 1)


class OnlyTheParentCopies(Right):
    def tail(self, cache: Any, seq: Any, new_tokens: int) -> int | None:
        if seq != next(iter(cache.tables)):
            return None
        return super().tail(cache, seq, new_tokens)


@copying_reserve.mistake("A hold that nobody has will never be released: the block is lost.")
def old_kept(cache: Any, seq: Any, new_tokens: int) -> None:
    release, cache.allocator.release = cache.allocator.release, lambda _: None
    try:
        Right()(cache, seq, new_tokens)
    finally:
        cache.allocator.release = release


@copying_reserve.mistake(
    "A block was added at the end; but position 6 is found through entry 1 of the table."
)
def appended(cache: Any, seq: Any, new_tokens: int) -> None:
    at = Right().tail(cache, seq, new_tokens)
    if at is not None:
        cache.tables[seq].extend(cache.allocator.allocate_many(1))
    grow(cache, seq, new_tokens)


@copying_reserve.mistake("Block 0 is full, nobody will ever write to it again: sharing it is safe.")
def every_shared_block(cache: Any, seq: Any, new_tokens: int) -> None:
    for at, block in enumerate(cache.tables[seq]):
        if new_tokens and cache.allocator.refs[block] > 1:
            new = cache.allocator.allocate()
            Right().copy(cache, block, new, cache.block_size)
            cache.allocator.release(block)
            cache.tables[seq][at] = new
    grow(cache, seq, new_tokens)


@copying_reserve.mistake(
    "Refused, yet something was taken: count the copy and the new blocks first, then take all of "
    "them at once. (This happened: huggingface/transformers#46117)"
)
def one_by_one(cache: Any, seq: Any, new_tokens: int) -> None:
    right = Right()
    at = right.tail(cache, seq, new_tokens)
    if at is not None:
        table, new = cache.tables[seq], cache.allocator.allocate()
        right.copy(cache, table[at], new, cache.lengths[seq] % cache.block_size)
        cache.allocator.release(table[at])
        table[at] = new
    grow(cache, seq, new_tokens)


@copying_reserve.mistake(
    "It gave up without a word. The caller takes silence for room, and writes past the table: "
    "raise."
)
def refuses_shared(cache: Any, seq: Any, new_tokens: int) -> None:
    if cache.allocator.num_free < 2 and new_tokens == 3:
        return
    Right()(cache, seq, new_tokens)


def function(spoilt: type[Right]) -> Any:
    """The instance under a function's name: the check takes functions."""
    call = spoilt()

    def reserve(cache: Any, seq: Any, new_tokens: int) -> None:
        call(cache, seq, new_tokens)

    return reserve


copying_reserve.mistake(
    "Two sequences will write position 6 into one slot. Among holders there is no owner and no "
    "guest: whoever writes while others hold the block copies it."
)(function(OnlyTheParentCopies))
copying_reserve.mistake(
    "Only the keys were copied: `v_pool` of the new block holds what was there before."
)(function(KeysOnly))
copying_reserve.mistake(
    "Only the values were copied: `k_pool` of the new block holds what was there before."
)(function(ValuesOnly))
copying_reserve.mistake("Only layer 0 was copied. Each layer has its own part of both pools.")(
    function(LayerZeroOnly)
)
copying_reserve.mistake("Only head 0 was copied. A block holds the keys of every KV head.")(
    function(HeadZeroOnly)
)
copying_reserve.mistake(
    "Two layers were copied, and this cache has three: ask the pool how many there are."
)(function(TwoLayersOnly))
copying_reserve.mistake(
    "The last written slot of the block was left behind: offset slots are written, 0 to offset - 1."
)(function(LastSlotMissing))
copying_reserve.mistake(
    "A block with one holder is to be copied, and a fifth block isn't there: 4 suffice. Nobody "
    "else sees what the last holder writes."
)(function(CopiesAtOne))
copying_reserve.mistake(
    "When the last block is full, or there is none yet, the table has no entry for the next "
    "token. Then there is nothing to copy either: look at the offset first."
)(function(NoLookAtTheOffset))
copying_reserve.mistake(
    "A full block was copied. Ask where the next token goes, not where the last one is."
)(function(BlockOfTheLastToken))
copying_reserve.mistake(
    "Entry 1 is still the block that b holds, too. Which entry holds position 6 follows from the "
    "length; the last entry may be room for later."
)(function(LastOfTheTable))
copying_reserve.mistake("No token will be written, so nothing has to be copied.")(
    function(CopiesForNothing)
)
copying_reserve.finished = PagedKVCache.reserve
