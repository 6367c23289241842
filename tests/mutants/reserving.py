"""Wrong reserves and truncates, as readers write them. (exercise, name, object, fragment.)"""

from collections.abc import Callable
from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div


def take(cache: Any, seq: str, blocks: int) -> None:
    if blocks > 0:
        cache.tables[seq] += cache.allocator.allocate_many(blocks)


def missing(cache: Any, seq: str, new_tokens: int) -> int:
    end = cache.lengths[seq] + new_tokens
    return ceil_div(end, cache.block_size) - len(cache.tables[seq])


def one_too_many(cache: Any, seq: str, new_tokens: int) -> None:
    needed = (cache.lengths[seq] + new_tokens) // cache.block_size + 1
    take(cache, seq, needed - len(cache.tables[seq]))


def end_minus_one(cache: Any, seq: str, new_tokens: int) -> None:
    take(cache, seq, missing(cache, seq, new_tokens - 1))


def by_ones(cache: Any, seq: str, new_tokens: int) -> None:
    for _ in range(missing(cache, seq, new_tokens)):
        cache.tables[seq].append(cache.allocator.allocate())


def new_alone(cache: Any, seq: str, new_tokens: int) -> None:
    take(cache, seq, ceil_div(new_tokens, cache.block_size))


def length_grows(cache: Any, seq: str, new_tokens: int) -> None:
    take(cache, seq, missing(cache, seq, new_tokens))
    cache.lengths[seq] += new_tokens


def says_no(cache: Any, seq: str, new_tokens: int) -> bool:
    if missing(cache, seq, new_tokens) > cache.allocator.num_free:
        return False
    take(cache, seq, missing(cache, seq, new_tokens))
    return True


def below_zero(cache: Any, seq: str, new_tokens: int) -> None:
    cache.tables[seq] += cache.allocator.allocate_many(missing(cache, seq, new_tokens))


def from_what_is_reserved(cache: Any, seq: str, new_tokens: int) -> None:
    room = len(cache.tables[seq]) * cache.block_size - cache.lengths[seq]
    if new_tokens > room or (cache.lengths[seq] == 0 and new_tokens):
        take(cache, seq, ceil_div(max(new_tokens - room, 1), cache.block_size))


def in_front(cache: Any, seq: str, new_tokens: int) -> None:
    blocks = max(0, missing(cache, seq, new_tokens))
    cache.tables[seq] = cache.allocator.allocate_many(blocks) + cache.tables[seq]


def after_the_first(cache: Any, seq: str, new_tokens: int) -> None:
    blocks = max(0, missing(cache, seq, new_tokens))
    cache.tables[seq][1:1] = cache.allocator.allocate_many(blocks)


def four_to_a_block(cache: Any, seq: str, new_tokens: int) -> None:
    end = cache.lengths[seq] + new_tokens
    take(cache, seq, ceil_div(end, 4) - len(cache.tables[seq]))


def cut(cache: Any, seq: str, length: int, kept: int) -> None:
    cache.allocator.release_many(cache.tables[seq][kept:])
    del cache.tables[seq][kept:]
    cache.lengths[seq] = length


def refuse(cache: Any, seq: str, length: int) -> None:
    if not 0 <= length <= cache.lengths[seq]:
        raise ValueError(length)


def floored(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cut(cache, seq, length, length // 4)


def table_kept(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cache.allocator.release_many(cache.tables[seq][ceil_div(length, 4) :])
    cache.lengths[seq] = length


def length_only(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cache.lengths[seq] = length


def no_release(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    del cache.tables[seq][ceil_div(length, 4) :]
    cache.lengths[seq] = length


def length_kept(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cut(cache, seq, cache.lengths[seq], ceil_div(length, 4))


def stretches(cache: Any, seq: str, length: int) -> None:
    cut(cache, seq, length, ceil_div(length, 4))


def never_to_nothing(cache: Any, seq: str, length: int) -> None:
    if not 0 < length <= cache.lengths[seq]:
        raise ValueError("nothing left")
    cut(cache, seq, length, ceil_div(length, cache.block_size))


def must_be_shorter(cache: Any, seq: str, length: int) -> None:
    if not 0 <= length < cache.lengths[seq]:
        raise ValueError("not shorter")
    cut(cache, seq, length, ceil_div(length, cache.block_size))


def fours(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cut(cache, seq, length, ceil_div(length, 4))


def written_alone(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    table, size = cache.tables[seq], cache.block_size
    gone = slice(ceil_div(length, size), ceil_div(cache.lengths[seq], size))
    cache.allocator.release_many(table[gone])
    del table[gone]
    cache.lengths[seq] = length


MUTANTS = [
    ("reserve", "// + 1", one_too_many, "2 blocks for 4 tokens"),
    ("reserve", "end - 1", end_minus_one, "1 block for 5 tokens"),
    ("reserve", "one by one", by_ones, "Refused, yet the table grew"),
    ("reserve", "new tokens alone", new_alone, "count the whole sequence"),
    ("reserve", "length grows", length_grows, "Reserved is not written"),
    ("reserve", "says no", says_no, "no error, False returned"),
    ("reserve", "below zero", below_zero, "the number missing is below 0"),
    ("reserve", "takes twice", from_what_is_reserved, "must not take blocks a second time"),
    ("reserve", "in front", in_front, "an old block that moves"),
    ("reserve", "after the first", after_the_first, "The second block has moved"),
    ("reserve", "four to a block", four_to_a_block, "room for 6 tokens"),
    ("truncate", "//", floored, "Position 8 has lost its slot"),
    ("truncate", "table kept", table_kept, "The table still names blocks that are free"),
    ("truncate", "length only", length_only, "A block without a token stays reserved"),
    ("truncate", "no release", no_release, "were not released"),
    ("truncate", "length kept", length_kept, "length 22 in 12 slots"),
    ("truncate", "stretches", stretches, "A length can be cut, not stretched"),
    ("truncate", "never to nothing", never_to_nothing, "ValueError: nothing left"),
    ("truncate", "must be shorter", must_be_shorter, "ValueError: not shorter"),
    ("truncate", "fours", fours, "Token 3 has lost its slot"),
    ("truncate", "written alone", written_alone, "written or only reserved"),
]
FINISHED: dict[str, Callable[..., Any]] = {
    "reserve": PagedKVCache.reserve,
    "truncate": PagedKVCache.truncate,
}
