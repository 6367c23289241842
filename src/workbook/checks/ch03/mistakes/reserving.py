"""Mistakes with reserve, as readers make them."""

from typing import Any

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div
from workbook.checks.ch03.reserving import reserve


def take(cache: Any, seq: str, blocks: int) -> None:
    if blocks > 0:
        cache.tables[seq] += cache.allocator.allocate_many(blocks)


def missing(cache: Any, seq: str, new_tokens: int) -> int:
    end = cache.lengths[seq] + new_tokens
    return ceil_div(end, cache.block_size) - len(cache.tables[seq])


@reserve.mistake(
    "`end // block_size + 1`, or room for a token more, is one block too many when the end is a "
    "multiple of block_size: round up the length and the new tokens, no more."
)
def one_too_many(cache: Any, seq: str, new_tokens: int) -> None:
    needed = (cache.lengths[seq] + new_tokens) // cache.block_size + 1
    take(cache, seq, needed - len(cache.tables[seq]))


@reserve.mistake("One token too few was counted: 5 tokens in blocks of 4 need 2 blocks.")
def end_minus_one(cache: Any, seq: str, new_tokens: int) -> None:
    take(cache, seq, missing(cache, seq, new_tokens - 1))


@reserve.mistake(
    "The table grew before it was sure that all blocks are there, one by one for example: the "
    "caller gives up, and they stay with a sequence that can't run. One `allocate_many` takes all "
    "or none. (This happened: ovg-project/kvcached#364)"
)
def by_ones(cache: Any, seq: str, new_tokens: int) -> None:
    for _ in range(missing(cache, seq, new_tokens)):
        cache.tables[seq].append(cache.allocator.allocate())


@reserve.mistake(
    "The last block still had room for position 5. The new tokens were counted alone, or from the "
    "table's room on: count the whole sequence, its length and them."
)
def new_alone(cache: Any, seq: str, new_tokens: int) -> None:
    take(cache, seq, ceil_div(new_tokens, cache.block_size))


@reserve.mistake(
    "Reserved is not written: the length counts tokens whose keys and values are there."
)
def length_grows(cache: Any, seq: str, new_tokens: int) -> None:
    take(cache, seq, missing(cache, seq, new_tokens))
    cache.lengths[seq] += new_tokens


@reserve.mistake(
    "It answered False, and who reads that? A call that can't give all it was asked for raises, "
    "so that the step never starts."
)
def says_no(cache: Any, seq: str, new_tokens: int) -> bool:
    if missing(cache, seq, new_tokens) > cache.allocator.num_free:
        return False
    take(cache, seq, missing(cache, seq, new_tokens))
    return True


@reserve.mistake(
    "Fewer than are there already: the number missing is below 0, and then there is nothing to do."
)
def below_zero(cache: Any, seq: str, new_tokens: int) -> None:
    cache.tables[seq] += cache.allocator.allocate_many(missing(cache, seq, new_tokens))


@reserve.mistake(
    "What is reserved already wasn't counted: a retry of the same step takes blocks a second time."
)
def from_what_is_reserved(cache: Any, seq: str, new_tokens: int) -> None:
    room = len(cache.tables[seq]) * cache.block_size - cache.lengths[seq]
    if new_tokens > room or (cache.lengths[seq] == 0 and new_tokens):
        take(cache, seq, ceil_div(max(new_tokens - room, 1), cache.block_size))


@reserve.mistake(
    "The loop asks how many slots the table has, and nothing in it makes the table longer."
)
def goes_round(cache: Any, seq: str, new_tokens: int) -> None:
    while len(cache.tables[seq]) * cache.block_size < cache.lengths[seq] + new_tokens:
        missing(cache, seq, new_tokens)


@reserve.mistake(
    "The new blocks were put in front. Position p is found through entry p // 4: an old block "
    "that moves takes 4 tokens to other positions."
)
def in_front(cache: Any, seq: str, new_tokens: int) -> None:
    blocks = max(0, missing(cache, seq, new_tokens))
    cache.tables[seq] = cache.allocator.allocate_many(blocks) + cache.tables[seq]


@reserve.mistake(
    "The second block has moved, and positions 4 to 7 with it: new blocks go to the end."
)
def after_the_first(cache: Any, seq: str, new_tokens: int) -> None:
    blocks = max(0, missing(cache, seq, new_tokens))
    cache.tables[seq][1:1] = cache.allocator.allocate_many(blocks)


@reserve.mistake("4 was written into the code; `cache.block_size` is 3 here.")
def four_to_a_block(cache: Any, seq: str, new_tokens: int) -> None:
    end = cache.lengths[seq] + new_tokens
    take(cache, seq, ceil_div(end, 4) - len(cache.tables[seq]))


@reserve.mistake(
    "The blocks were taken and are in no table, so nobody can ever free them. `table = table + …` "
    "gives the name another list; change the one that is there, with `extend` or `+=` on "
    "`cache.tables[seq]`."
)
def rebound(cache: Any, seq: str, new_tokens: int) -> None:
    table = cache.tables[seq]
    table = table + cache.allocator.allocate_many(max(0, missing(cache, seq, new_tokens)))


def right(cache: Any, seq: str, new_tokens: int) -> None:
    """As chapter 03 has it."""
    table, length = cache.tables[seq], cache.lengths[seq]
    missing = ceil_div(length + new_tokens, cache.block_size) - len(table)
    if missing > 0:
        table.extend(cache.allocator.allocate_many(missing))


reserve.finished = right
reserve.also_right.append(PagedKVCache.reserve)
mistake = reserve.mistake
mistake(
    "The list of new blocks was appended as one entry: `append` takes one item, `extend` all.",
    ("table.extend", "table.append"),
)
mistake(
    "The table was counted in slots and the need in blocks: multiply or divide both.",
    ("- len(table)", "- len(table) * cache.block_size"),
)
mistake(
    "What was there already was taken off in tokens: blocks are missing, not tokens.",
    (
        "ceil_div(length + new_tokens, cache.block_size) - len(table)",
        "length + new_tokens - len(table) * cache.block_size",
    ),
)
mistake(
    "The quotient was rounded down: the tokens of the last, part-filled block have no slot.",
    (
        "ceil_div(length + new_tokens, cache.block_size)",
        "(length + new_tokens) // cache.block_size",
    ),
)
mistake(
    "The old blocks are gone from the table: the list of new ones replaced it. `extend` it.",
    ("table.extend(", "cache.tables[seq] = ("),
)
mistake(
    "One block was taken, whatever was missing: a prompt may need several.",
    ("allocate_many(missing)", "allocate_many(1)"),
)
mistake(
    "A block was taken for every new token; a block holds `block_size` of them.",
    ("ceil_div(length + new_tokens, cache.block_size) - len(table)", "new_tokens"),
)
mistake(
    "A block was taken for every token, old and new; a block holds `block_size` of them.",
    ("ceil_div(length + new_tokens, cache.block_size)", "(length + new_tokens)"),
)
mistake(
    "Only a length at a block's edge took a block, and one alone: a prompt may need several, and "
    "new tokens may cross an edge.",
    ("missing > 0", "length % cache.block_size == 0"),
    ("allocate_many(missing)", "allocate_many(1)"),
)
mistake(
    "The arguments of `ceil_div` are swapped: the tokens first, then the size of a block.",
    ("length + new_tokens, cache.block_size", "cache.block_size, length + new_tokens"),
)
mistake(
    "What was already in the table wasn't taken off: it was reserved a second time.",
    (" - len(table)", ""),
)
mistake(
    "Only the length was counted: the new tokens have no slot yet.",
    ("length + new_tokens", "length"),
)
mistake(
    "The new tokens alone were counted, and the table's blocks taken off: the old tokens' room "
    "isn't the new ones'.",
    ("length + new_tokens", "new_tokens"),
)
mistake(
    "Taking began one token too early: with a length at a block's edge, `>=` asks for a block that "
    "isn't missing.",
    ("missing > 0", "missing >= 0"),
    ("allocate_many(missing)", "allocate_many(max(missing, 1))"),
)
mistake(
    "The last missing block wasn't taken: `missing` is how many are needed, all of them.",
    ("allocate_many(missing)", "allocate_many(missing - 1)"),
)
mistake(
    "A single missing block wasn't taken: that is more than none.",
    ("missing > 0", "missing > 1"),
)


@reserve.mistake("A longer table was cut back: what was reserved before stays.")
def shrinks(cache: Any, seq: str, new_tokens: int) -> None:
    needed = len(cache.tables[seq]) + missing(cache, seq, new_tokens)
    while len(cache.tables[seq]) > needed:
        cache.allocator.release(cache.tables[seq].pop())
    take(cache, seq, missing(cache, seq, new_tokens))


@reserve.mistake(
    "The refusal was caught and swallowed: the caller hears nothing, and writes tokens that have "
    "no slot. Let it pass."
)
def swallows(cache: Any, seq: str, new_tokens: int) -> None:
    if missing(cache, seq, new_tokens) <= cache.allocator.num_free:
        take(cache, seq, missing(cache, seq, new_tokens))


@reserve.mistake("It gave what there was. A step with half its room can't run: all, or nothing.")
def what_there_is(cache: Any, seq: str, new_tokens: int) -> None:
    take(cache, seq, min(missing(cache, seq, new_tokens), cache.allocator.num_free))


@reserve.also_right.append
def reversed_blocks(cache: Any, seq: str, new_tokens: int) -> None:
    """Any free block will do, in any order behind the old ones."""
    blocks = max(0, missing(cache, seq, new_tokens))
    cache.tables[seq] += cache.allocator.allocate_many(blocks)[::-1]


@reserve.mistake("An exact fit was refused: with `>=` the last free blocks can never be taken.")
def refuses_an_exact_fit(cache: Any, seq: str, new_tokens: int) -> None:
    blocks, free = missing(cache, seq, new_tokens), cache.allocator.num_free
    take(cache, seq, blocks + (blocks == free))


@reserve.mistake("The ids were made up. Blocks are taken from the allocator, which says which.")
def made_up(cache: Any, seq: str, new_tokens: int) -> None:
    table = cache.tables[seq]
    table.extend(range(len(table), len(table) + missing(cache, seq, new_tokens)))


@reserve.mistake("The table's entries were compared with tokens: an entry is a whole block.")
def a_block_a_token(cache: Any, seq: str, new_tokens: int) -> None:
    while len(cache.tables[seq]) < cache.lengths[seq] + new_tokens:
        cache.tables[seq].append(cache.allocator.allocate())


@reserve.mistake("Refused, the sequence lost the blocks that it had. Nothing may change.")
def loses_all(cache: Any, seq: str, new_tokens: int) -> None:
    if missing(cache, seq, new_tokens) > cache.allocator.num_free:
        cache.allocator.release_many(cache.tables[seq])
        cache.tables[seq].clear()
        cache.allocator.allocate_many(cache.allocator.num_blocks)
    take(cache, seq, missing(cache, seq, new_tokens))


mistake(
    "One block more than is missing was taken.",
    ("missing > 0", "True"),
    ("allocate_many(missing)", "allocate_many(max(0, missing + 1))"),
)
mistake(
    "At least one block was taken, also when none was missing.",
    ("missing > 0", "True"),
    ("allocate_many(missing)", "allocate_many(max(1, missing))"),
)
mistake(
    "The table was sorted. Entry i says where tokens i * block_size and up lie; ids have no order.",
    ("    if missing > 0:", "    if missing <= 0:\n        table.sort()\n    if missing > 0:"),
    ("allocate_many(missing))", "allocate_many(missing))\n        table.sort()"),
)
mistake(
    "The difference was taken without its sign: more than enough isn't missing.",
    ("missing > 0", "missing"),
    ("allocate_many(missing)", "allocate_many(abs(missing))"),
)
mistake(
    "An empty sequence was taken to have a block with room; it has none.",
    (
        "ceil_div(length + new_tokens, cache.block_size) - len(table)",
        "ceil_div(new_tokens - (cache.block_size - length % cache.block_size), cache.block_size)",
    ),
)
mistake(
    "The table became a tuple. It must grow and shrink in place.",
    ("table.extend(", "cache.tables[seq] = (*table, *"),
)


@reserve.mistake(
    "New blocks were taken only when the last one is full. A prompt may need more than the last "
    "one still holds, and an empty sequence may have room from before: count what is missing."
)
def only_at_an_edge(cache: Any, seq: str, new_tokens: int) -> None:
    if cache.lengths[seq] % cache.block_size == 0:
        take(cache, seq, ceil_div(new_tokens, cache.block_size))


@reserve.mistake(
    "A whole new table took the old one's place: the old blocks, with their tokens, are in no "
    "table any more. Take only what is missing, and add it."
)
def all_anew(cache: Any, seq: str, new_tokens: int) -> None:
    needed = ceil_div(cache.lengths[seq] + new_tokens, cache.block_size)
    cache.tables[seq] = cache.allocator.allocate_many(needed)


@reserve.mistake(
    "A block was taken for each new token that opens one, whatever the table has: room from an "
    "earlier call counts, too. Take off `len(table)`."
)
def each_that_opens(cache: Any, seq: str, new_tokens: int) -> None:
    length = cache.lengths[seq]
    opens = sum((length + i) % cache.block_size == 0 for i in range(new_tokens))
    take(cache, seq, opens)
