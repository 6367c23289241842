"""Wrong prices of a step, wrong steps of a beam search, and caches whose forks go wrong."""

from collections import Counter
from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div


def new_blocks(cache: Any, step: dict[Any, int]) -> int:
    ends = {seq: cache.lengths[seq] + new for seq, new in step.items()}
    return sum(
        max(0, ceil_div(end, cache.block_size) - len(cache.tables[seq]))
        for seq, end in ends.items()
    )


def writers(cache: Any, step: dict[Any, int]) -> Counter[int]:
    """How many of ``step`` write into each part-filled block that has other holders."""
    found: Counter[int] = Counter()
    for seq, new in step.items():
        at, offset = divmod(cache.lengths[seq], cache.block_size)
        if new and offset and cache.allocator.refs[cache.tables[seq][at]] > 1:
            found[cache.tables[seq][at]] += 1
    return found


def sum_of_needs(cache: Any, step: dict[Any, int]) -> int:
    return new_blocks(cache, step) + sum(writers(cache, step).values())


def holders_less_one(cache: Any, step: dict[Any, int]) -> int:
    copies = sum(cache.allocator.refs[block] - 1 for block in writers(cache, step))
    return new_blocks(cache, step) + copies


def once_a_block(cache: Any, step: dict[Any, int]) -> int:
    return new_blocks(cache, step) + len(writers(cache, step))


def copies_only(cache: Any, step: dict[Any, int]) -> int:
    refs = cache.allocator.refs
    return sum(min(n, refs[block] - 1) for block, n in writers(cache, step).items())


def plays_it(cache: Any, step: dict[Any, int]) -> int:
    before = cache.allocator.num_free
    cache.reserve_many(step)
    return int(before - cache.allocator.num_free)


def idle_ones_write(cache: Any, step: dict[Any, int]) -> int:
    everyone = writers(cache, dict.fromkeys(step, 1))
    refs = cache.allocator.refs
    return new_blocks(cache, step) + sum(min(n, refs[b] - 1) for b, n in everyone.items())


def write_before_free(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})
    for beam in beams:
        cache.free(beam)


def free_first(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    heirs = Counter(parent for parent, _ in survivors.values())
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
        if heirs[parent] == 2 or child == list(survivors)[-1]:
            cache.free(parent)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


def parent_written_first(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    for child, (parent, token) in survivors.items():
        append(cache, {parent: [token]})
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)


def loser_kept(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    parents = {parent for parent, _ in survivors.values()}
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for beam in beams:
        if beam in parents:
            cache.free(beam)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


def frees_everyone(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    others = list(cache.tables)
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for seq in others:
        cache.free(seq)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


def one_heir_each(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    heirs = {parent: child for child, (parent, _) in survivors.items()}
    for parent, child in heirs.items():
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)
    append(cache, {child: [survivors[child][1]] for child in heirs.values()})


def one_call_each(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)
    for child, (_, token) in survivors.items():
        append(cache, {child: [token]})


class NoShare(PagedKVCache):
    def fork(self, parent: Any, child: Any) -> None:
        self.tables[child] = list(self.tables[parent])
        self.lengths[child] = self.lengths[parent]


class NoCopy(PagedKVCache):
    def _shared_tail(self, seq: Any, new_tokens: int) -> list[int]:
        return []


class CopiesAlways(PagedKVCache):
    def fork(self, parent: Any, child: Any) -> None:
        blocks = self.allocator.allocate_many(len(self.tables[parent]))
        for pool in (self.k_pool, self.v_pool):
            pool[:, blocks] = pool[:, self.tables[parent]]
        self.tables[child], self.lengths[child] = blocks, self.lengths[parent]


class CutForgets(PagedKVCache):
    def truncate(self, seq: Any, length: int) -> None:
        del self.tables[seq][self.blocks_needed(length) :]
        self.lengths[seq] = length


class CopiesOneHead(PagedKVCache):
    """Its copy takes head 0 alone; the other heads go on in a block that holds anything."""

    def reserve(self, seq: Any, new_tokens: int) -> None:
        before = list(self.tables[seq])
        super().reserve(seq, new_tokens)
        for old, new in zip(before, self.tables[seq], strict=False):
            if old != new:
                self.k_pool[:, new, 1:] = self.v_pool[:, new, 1:] = 0


MUTANTS = [
    ("step_cost", "sum", sum_of_needs, "A sum refuses steps that fit"),
    ("step_cost", "refs - 1", holders_less_one, "and the others stay"),
    ("step_cost", "once a block", once_a_block, "needs a copy of its own"),
    ("step_cost", "no new blocks", copies_only, "Copies aren't all"),
    ("step_cost", "plays it", plays_it, "has not bought yet"),
    ("step_cost", "idle ones write", idle_ones_write, "exact in 300 random states tried"),
    ("beam_step", "write before free", write_before_free, "copied for nothing"),
    ("beam_step", "free first", free_first, "A parent was freed before"),
    ("beam_step", "parent written first", parent_written_first, "a token of another beam"),
    ("beam_step", "loser kept", loser_kept, "b had no more to do"),
    ("beam_step", "frees everyone", frees_everyone, "no beam of this search"),
    ("beam_step", "one call each", one_call_each, "append was called 3 times"),
    ("beam_step", "one heir each", one_heir_each, "no sequence d"),
    ("forking_cache", "no share", NoShare, "block 0 counts 1 and is in 3"),
    ("forking_cache", "no copy", NoCopy, "2, 2, 2, 2 blocks used"),
    ("forking_cache", "copies always", CopiesAlways, "6, 6, 6, 6 blocks used"),
    ("forking_cache", "copies one head", CopiesOneHead, "layers or heads of a sequence differ"),
    ("forking_cache", "cut forgets", CutForgets, "will never be released"),
]
FINISHED = {
    "step_cost": PagedKVCache.blocks_to_reserve,
    "forking_cache": PagedKVCache,
}


def finished_beam_step(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    """The order of ``paged_attention.beam.beam_search``."""
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


FINISHED["beam_step"] = finished_beam_step
