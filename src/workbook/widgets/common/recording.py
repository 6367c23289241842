"""Short ways to record something: sequences, tokens in them, a name for the next sequence."""

from collections.abc import Collection, Iterable
from itertools import chain, count

from workbook.trace import RecordingSequences

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def grow(cache: RecordingSequences, seq: str, tokens: int) -> None:
    """Reserve and write."""
    cache.reserve(seq, tokens)
    cache.write_zeros(seq, tokens)


def cache_with(num_blocks: int, block_size: int, order: Iterable[int] = ()) -> RecordingSequences:
    """Sequences in a pool that hands out the blocks of ``order`` first, as a pool in use would."""
    cache = RecordingSequences(num_blocks, block_size)
    cache.allocator.allocate_many(num_blocks)
    first = list(order)
    rest = [block for block in range(num_blocks) if block not in first]
    cache.allocator.release_many([*reversed(rest), *reversed(first)])
    cache.start_trace()
    return cache


def next_name(taken: Collection[str]) -> str:
    """The first letter that no sequence has had yet, then S26, S27 and so on."""
    numbers = (f"S{number}" for number in count(len(LETTERS)))
    return next(name for name in chain(LETTERS, numbers) if name not in taken)
