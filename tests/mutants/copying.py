"""Ways to reserve for a sequence that shares its last block, wrong in one place each."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div


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


def old_kept(cache: Any, seq: Any, new_tokens: int) -> None:
    release, cache.allocator.release = cache.allocator.release, lambda _: None
    try:
        Right()(cache, seq, new_tokens)
    finally:
        cache.allocator.release = release


def appended(cache: Any, seq: Any, new_tokens: int) -> None:
    at = Right().tail(cache, seq, new_tokens)
    if at is not None:
        cache.tables[seq].extend(cache.allocator.allocate_many(1))
    grow(cache, seq, new_tokens)


def every_shared_block(cache: Any, seq: Any, new_tokens: int) -> None:
    for at, block in enumerate(cache.tables[seq]):
        if new_tokens and cache.allocator.refs[block] > 1:
            new = cache.allocator.allocate()
            Right().copy(cache, block, new, cache.block_size)
            cache.allocator.release(block)
            cache.tables[seq][at] = new
    grow(cache, seq, new_tokens)


def one_by_one(cache: Any, seq: Any, new_tokens: int) -> None:
    right = Right()
    at = right.tail(cache, seq, new_tokens)
    if at is not None:
        table, new = cache.tables[seq], cache.allocator.allocate()
        right.copy(cache, table[at], new, cache.lengths[seq] % cache.block_size)
        cache.allocator.release(table[at])
        table[at] = new
    grow(cache, seq, new_tokens)


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


MUTANTS = [
    ("copying_reserve", "chapter 3's", grow, "what the last of them put there"),
    (
        "copying_reserve",
        "children don't copy",
        function(OnlyTheParentCopies),
        "no owner and no guest",
    ),
    ("copying_reserve", "K only", function(KeysOnly), "layer 0: V at position 4 is nan"),
    ("copying_reserve", "V only", function(ValuesOnly), "layer 0: K at position 4 is nan"),
    ("copying_reserve", "layer 0 only", function(LayerZeroOnly), "layer 1: K at position 4"),
    ("copying_reserve", "head 0 only", function(HeadZeroOnly), "layer 0, head 1: K"),
    ("copying_reserve", "two layers only", function(TwoLayersOnly), "layer 2: K at position 4"),
    ("copying_reserve", "last slot", function(LastSlotMissing), "layer 0: K at position 5"),
    ("copying_reserve", "copies at refs 1", function(CopiesAtOne), "a fifth block isn't there"),
    ("copying_reserve", "old kept", old_kept, "block 1 counts 3 and is in 2 tables"),
    ("copying_reserve", "no offset", function(NoLookAtTheOffset), "look at the offset first"),
    ("copying_reserve", "(start - 1) // b", function(BlockOfTheLastToken), "A full block was"),
    (
        "copying_reserve",
        "last of table",
        function(LastOfTheTable),
        "may be room for later",
    ),
    ("copying_reserve", "copies for nothing", function(CopiesForNothing), "No token will be"),
    ("copying_reserve", "appended", appended, "found through entry 1"),
    ("copying_reserve", "every shared block", every_shared_block, "Block 0 is full, nobody"),
    ("copying_reserve", "one by one", one_by_one, "Refused, yet something was taken"),
    ("copying_reserve", "gives up quietly", refuses_shared, "no error; tables"),
]
FINISHED = {"copying_reserve": PagedKVCache.reserve}
