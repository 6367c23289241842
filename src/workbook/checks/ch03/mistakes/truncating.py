"""Mistakes with truncate, as readers make them."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div
from workbook.checks.ch03.truncating import truncate


def cut(cache: Any, seq: str, length: int, kept: int) -> None:
    cache.allocator.release_many(cache.tables[seq][kept:])
    del cache.tables[seq][kept:]
    cache.lengths[seq] = length


def refuse(cache: Any, seq: str, length: int) -> None:
    if not 0 <= length <= cache.lengths[seq]:
        raise ValueError(length)


@truncate.mistake(
    "Rounded down: `//` leaves out the part-filled last block, and its tokens have no slot any "
    "more."
)
def floored(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cut(cache, seq, length, length // cache.block_size)


@truncate.mistake(
    "The table was never cut: it still names the blocks that were released. Their next owner will "
    "be read here."
)
def table_kept(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cache.allocator.release_many(cache.tables[seq][ceil_div(length, cache.block_size) :])
    cache.lengths[seq] = length


@truncate.mistake("A block without a token stays reserved, and nobody else can have it.")
def length_only(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cache.lengths[seq] = length


@truncate.mistake(
    "Blocks left the table and were not released: nobody names them, so nobody can ever free them."
)
def no_release(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    del cache.tables[seq][ceil_div(length, cache.block_size) :]
    cache.lengths[seq] = length


@truncate.mistake("The length still counts tokens that are gone.")
def length_kept(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cut(cache, seq, cache.lengths[seq], ceil_div(length, cache.block_size))


@truncate.mistake(
    "A length past the end was accepted. Token 22 was never written: a length can be cut, not "
    "stretched."
)
def stretches(cache: Any, seq: str, length: int) -> None:
    if length < 0:
        raise ValueError(length)
    cut(cache, seq, length, ceil_div(length, cache.block_size))


@truncate.mistake("Nothing was refused: a length below 0 or past the end is a ValueError.")
def refuses_nothing(cache: Any, seq: str, length: int) -> None:
    cut(cache, seq, length, ceil_div(length, cache.block_size))


@truncate.mistake(
    "It returned without a word: the caller believes that the tokens are gone. Raise a ValueError."
)
def says_nothing(cache: Any, seq: str, length: int) -> None:
    if 0 <= length <= cache.lengths[seq]:
        cut(cache, seq, length, ceil_div(length, cache.block_size))


@truncate.mistake(
    "The blocks at the front were released and left the table. The front stays: it holds the "
    "tokens that remain."
)
def from_the_front(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    for _ in range(len(cache.tables[seq]) - ceil_div(length, cache.block_size)):
        cache.allocator.release(cache.tables[seq].pop(0))
    cache.lengths[seq] = length


@truncate.mistake("It was refused when the blocks had gone: test first, then release.")
def too_late(cache: Any, seq: str, length: int) -> None:
    kept = max(0, ceil_div(length, cache.block_size))
    while len(cache.tables[seq]) > kept:
        cache.allocator.release(cache.tables[seq].pop())
    refuse(cache, seq, length)
    cache.lengths[seq] = length


@truncate.mistake(
    "A cut to 0 was refused. No token is left, so no block is held; the sequence itself stays."
)
def never_to_nothing(cache: Any, seq: str, length: int) -> None:
    if not 0 < length <= cache.lengths[seq]:
        raise ValueError("nothing left")
    cut(cache, seq, length, ceil_div(length, cache.block_size))


@truncate.mistake(
    "A cut to the same length was refused. 22 is a length that is there: all 6 blocks stay."
)
def must_be_shorter(cache: Any, seq: str, length: int) -> None:
    if not 0 <= length < cache.lengths[seq]:
        raise ValueError("not shorter")
    cut(cache, seq, length, ceil_div(length, cache.block_size))


@truncate.mistake("Token 3 has lost its slot: this cache's blocks hold 3.")
def fours(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cut(cache, seq, length, ceil_div(length, 4))


@truncate.mistake(
    "Only blocks with written tokens were released: every block past the last remaining token "
    "goes, the reserved ones too."
)
def written_alone(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    table, size = cache.tables[seq], cache.block_size
    gone = slice(ceil_div(length, size), ceil_div(cache.lengths[seq], size))
    cache.allocator.release_many(table[gone])
    del table[gone]
    cache.lengths[seq] = length


@truncate.mistake(
    "With no token to forget it returned at once, and what was reserved behind them stayed."
)
def nothing_to_forget(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    if length < cache.lengths[seq]:
        cut(cache, seq, length, ceil_div(length, cache.block_size))


@truncate.mistake(
    "A length below 0 was counted from the end, as Python's slices do. Here it is refused."
)
def from_the_end(cache: Any, seq: str, length: int) -> None:
    if length > cache.lengths[seq]:
        raise ValueError(length)
    length += cache.lengths[seq] * (length < 0)
    cut(cache, seq, length, ceil_div(length, cache.block_size))


@truncate.mistake("A length below 0 was accepted: there is no such length. Refuse both ends.")
def accepts_negative(cache: Any, seq: str, length: int) -> None:
    if length > cache.lengths[seq]:
        raise ValueError(length)
    cut(cache, seq, length, max(0, ceil_div(length, cache.block_size)))


def right(cache: Any, seq: str, length: int) -> None:
    """As chapter 03 has it."""
    if not 0 <= length <= cache.lengths[seq]:
        raise ValueError(length)
    kept = ceil_div(length, cache.block_size)
    for block in cache.tables[seq][kept:]:
        cache.allocator.release(block)
    del cache.tables[seq][kept:]
    cache.lengths[seq] = length


truncate.finished = right
truncate.also_right.append(PagedKVCache.truncate)
mistake = truncate.mistake
mistake(
    "The right blocks were released, and the table was cut at the other end. The front stays.",
    ("del cache.tables[seq][kept:]", "del cache.tables[seq][: len(cache.tables[seq]) - kept]"),
)
mistake(
    "`// block_size + 1` keeps one block too many where the length ends at a block's edge.",
    ("ceil_div(length, cache.block_size)", "length // cache.block_size + 1"),
)
mistake(
    "The blocks that stay were released, and those that leave were not.",
    ("[seq][kept:]:", "[seq][:kept]:"),
)
mistake(
    "Only one block was released; everything behind the kept ones goes.",
    ("[seq][kept:]:", "[seq][kept : kept + 1]:"),
)
mistake(
    "The length was cut before it was refused: test first, then write.",
    ("    if not 0", "    old, cache.lengths[seq] = cache.lengths[seq], length\n    if not 0"),
    ("<= cache.lengths[seq]:", "<= old:"),
)
mistake(
    "The whole table was released, whatever stays.",
    ("[seq][kept:]:", "[seq]:"),
    ("del cache.tables[seq][kept:]", "cache.tables[seq] = cache.tables[seq][:kept]"),
)
mistake(
    "`length` was taken for what goes. It is what stays.",
    ("    kept =", "    length = cache.lengths[seq] - length\n    kept ="),
)
mistake(
    "The length was rounded to whole blocks. It counts tokens: the last block may be part-filled.",
    ("cache.lengths[seq] = length", "cache.lengths[seq] = kept * cache.block_size"),
)
mistake(
    "With nothing to cut, `[-0:]` is the whole list: slice from the front, `[kept:]`.",
    ("[seq][kept:]", "[seq][-(len(cache.tables[seq]) - kept) :]"),
)
mistake(
    "Blocks were counted from the tokens that go. Count those that stay: whether a block goes "
    "depends on where the cut falls.",
    (
        "ceil_div(length, cache.block_size)",
        "len(cache.tables[seq]) - (cache.lengths[seq] - length) // cache.block_size",
    ),
)
mistake(
    "Blocks were counted from the tokens that go, rounded up: the block of the last remaining "
    "token may be among them.",
    (
        "ceil_div(length, cache.block_size)",
        "len(cache.tables[seq]) - ceil_div(cache.lengths[seq] - length, cache.block_size)",
    ),
)
mistake(
    "The table was cut at `length` entries: it has one for each block, not for each token.",
    ("ceil_div(length, cache.block_size)", "length"),
)
mistake(
    "A local name was given a shorter list (`table = table[:kept]`); the cache's own table is as "
    "long as before. Change that one, `del cache.tables[seq][kept:]`.",
    ("del cache.tables[seq][kept:]", "table = cache.tables[seq][:kept]"),
    ("cache.lengths[seq] = length\n", "cache.lengths[seq] = length\n    del table\n"),
)
mistake(
    "A cut to 0 forgot the sequence. It stays, empty: `free` is what ends one.",
    (
        "    cache.lengths[seq] = length",
        "    cache.lengths[seq] = length\n"
        "    if not length:\n"
        "        del cache.tables[seq], cache.lengths[seq]",
    ),
)
mistake(
    "The length was reduced by `length`; it becomes `length`.",
    ("cache.lengths[seq] = length", "cache.lengths[seq] -= length"),
)
mistake(
    "Only one block left the table: everything behind the kept ones goes.",
    ("[seq][kept:]:", "[seq][kept : kept + 1]:"),
    ("del cache.tables[seq][kept:]", "del cache.tables[seq][kept : kept + 1]"),
)
mistake(
    "Only the last block left the table: everything behind the kept ones goes.",
    ("[seq][kept:]:", "[seq][kept:][-1:]:"),
    ("del cache.tables[seq][kept:]", "del cache.tables[seq][kept:][-1:]"),
    ("    cache.lengths", "    cache.tables[seq] = cache.tables[seq][:-1]\n    cache.lengths"),
)
mistake(
    "One block too few stays: position `length - 1` is in the last that is kept.",
    ("ceil_div(length, cache.block_size)", "max(ceil_div(length, cache.block_size) - 1, 0)"),
)


@truncate.mistake(
    "Entries were removed while a loop ran over the same list, which skips every other one. Loop "
    "over a slice, then delete it."
)
def while_looping(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    kept = ceil_div(length, cache.block_size)
    for number, block in enumerate(cache.tables[seq]):
        if number >= kept:
            cache.allocator.release(block)
            cache.tables[seq].remove(block)
    cache.lengths[seq] = length


mistake(
    "One block too many stays: the first that goes is entry `kept`, not the one behind it.",
    ("[kept:]", "[kept + 1 :]"),
)
mistake(
    "Each block was released twice; this sequence holds it once.",
    (
        "        cache.allocator.release(block)",
        "        cache.allocator.release(block)\n        cache.allocator.release(block)",
    ),
)
mistake(
    "Entries' numbers were released, not the block ids that stand in them.",
    ("in cache.tables[seq][kept:]", "in range(kept, len(cache.tables[seq]))"),
)
mistake(
    "A cut to 0 keeps a block. No token needs it.",
    ("ceil_div(length, cache.block_size)", "max(1, ceil_div(length, cache.block_size))"),
)


@truncate.mistake(
    "Everything was released and blocks were taken anew. The remaining tokens lie in the old ones."
)
def taken_anew(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    cache.allocator.release_many(cache.tables[seq])
    cache.tables[seq] = cache.allocator.allocate_many(ceil_div(length, cache.block_size))
    cache.lengths[seq] = length


mistake(
    "The length became the number of blocks. It counts tokens.",
    ("cache.lengths[seq] = length", "cache.lengths[seq] = kept"),
)
mistake(
    "The arguments of `ceil_div` are swapped: tokens first, then the size of a block.",
    ("ceil_div(length, cache.block_size)", "ceil_div(cache.block_size, length) if length else 0"),
)


@truncate.mistake(
    "The table was cut before its blocks were released: nothing is behind the kept ones then."
)
def cut_first(cache: Any, seq: str, length: int) -> None:
    refuse(cache, seq, length)
    kept = ceil_div(length, cache.block_size)
    del cache.tables[seq][kept:]
    for block in cache.tables[seq][kept:]:
        cache.allocator.release(block)
    cache.lengths[seq] = length
