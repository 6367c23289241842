"""The quiz on *For instructors*: each answer is what the engine answers. So are the votes that are
new there, of chapters 0 and 1.
"""

import re
from collections.abc import Callable

import pytest
import torch
from helpers.kv import append, paged

from bookbuild.book import ROOT
from paged_attention import BlockAllocator, BlockPoolExhausted, PagedKVCache, PrefixCache
from paged_attention.errors import InvariantBroken
from paged_attention.generate import run, stream
from paged_attention.model import tiny_model
from paged_attention.tables import physical_slot
from workbook.trace import RecordingPagedKVCache
from workbook.widgets import line_picture

PAGE = (ROOT / "chapters/pages/instructors.md").read_text(encoding="utf-8")
QUIZ = PAGE.split("\n## Quiz\n")[1].split("\n## ")[0]
ASKED = re.findall(r"^(\d+)\. \[\d+\] (.+)$", QUIZ, re.MULTILINE)
ANSWERS = dict(re.findall(r"^(\d+)\. \*\*(.+?)\*\*", QUIZ, re.MULTILINE))


def model_cache() -> PagedKVCache:
    sizes = tiny_model().config
    return PagedKVCache(sizes.layers, 16, 4, sizes.kv_heads, sizes.head_dim)


def cached_tokens() -> str:
    cache = model_cache()
    for new in stream(tiny_model().decoder, cache, [[5] * 7], max_new_tokens=4):
        held = cache.lengths[new.request]
    return str(held)


def bytes_of_a_token() -> str:
    cache = PagedKVCache(32, 1, 1, 8, 128, dtype=torch.bfloat16)
    return f"{cache.k_pool.nbytes + cache.v_pool.nbytes:,}"


def blocks_and_empty_slots() -> str:
    cache = paged(layers=1, block_size=16)
    cache.create("a")
    append(cache, ["a"], 33)
    blocks = len(cache.tables["a"])
    return f"{blocks}, {blocks * 16 - cache.lengths['a']}"


def free_after_sharing() -> str:
    pool = BlockAllocator(6)
    first, second, _ = (pool.allocate() for _ in range(3))
    pool.share(second)
    pool.release(first)
    pool.release(second)
    return str(pool.num_free)


def last_id() -> str:
    pool = BlockAllocator(4)
    ids = {"a": pool.allocate(), "b": pool.allocate()}
    pool.release(ids["a"])
    last = pool.allocate()
    return next(name for name, block in ids.items() if block == last)


def free_after_a_refusal() -> str:
    pool = BlockAllocator(3)
    with pytest.raises(BlockPoolExhausted):
        pool.allocate_many(5)
    return str(pool.num_free)


def three_places() -> str:
    return ", ".join(str(physical_slot([4, 9, 2], position, 8)) for position in (0, 8, 17))


def healthy_by_its_total() -> str:
    """A pool may have these totals and be well, and have them and be broken."""
    pool = BlockAllocator(8)
    pool.allocate_many(4)
    pool.check_invariants()
    pool._free[0] = pool._free[1]
    assert (pool.num_free, pool.num_held) == (4, 4)
    with pytest.raises(InvariantBroken):
        pool.check_invariants()
    return "can't be said"


def forked() -> str:
    cache = RecordingPagedKVCache(1, 16, 8, 1, 1)
    cache.create("parent")
    append(cache, ["parent"], 20)
    for child in "abc":
        cache.fork("parent", child)
    for child in "abc":
        append(cache, [child], 1)
    copied = sum(event.n for event in cache.trace.events() if event.op == "copy")
    return f"{cache.allocator.num_held}, {copied}"


def run_the_second_time() -> str:
    cache = paged(layers=1, block_size=8)
    prefixes, prompt = PrefixCache(cache), list(range(24))
    prefixes.attach("first", prompt)
    append(cache, ["first"], 24)
    prefixes.remember("first", prompt)
    return str(24 - prefixes.attach("second", prompt))


def may_it_start() -> str:
    cache = paged(layers=1, num_blocks=8, block_size=4)
    prefixes, prompt = PrefixCache(cache), list(range(24))
    prefixes.attach("earlier", prompt[:8])
    append(cache, ["earlier"], 8)
    prefixes.remember("earlier", prompt[:8])
    cache.free("earlier")
    cache.create("runs")
    append(cache, ["runs"], 12)
    pool = cache.allocator
    assert (pool.num_held, pool.num_cached, pool.num_free) == (3, 2, 3)
    assert prefixes.attach("new", prompt) == 8
    try:
        cache.reserve("new", 16)
    except BlockPoolExhausted:
        return "no"
    return "yes"


def who_gives_way() -> str:
    said = line_picture().data["said"].split("\n")
    way = re.compile(r"A block is missing: (\w), the newest that runs, gives back (\d) blocks")
    first = next(filter(None, map(way.search, said)))
    return f"{first[1]}, {first[2]}"


ENGINE: list[Callable[[], str]] = [
    cached_tokens,
    bytes_of_a_token,
    blocks_and_empty_slots,
    free_after_sharing,
    last_id,
    free_after_a_refusal,
    three_places,
    healthy_by_its_total,
    forked,
    run_the_second_time,
    may_it_start,
    who_gives_way,
]


def test_each_question_has_an_answer() -> None:
    numbers = [str(number) for number in range(1, len(ENGINE) + 1)]
    assert [number for number, _ in ASKED] == numbers
    assert list(ANSWERS) == numbers


@pytest.mark.parametrize("number", range(1, len(ENGINE) + 1))
def test_the_engine_answers_as_the_page_does(number: int) -> None:
    assert ENGINE[number - 1]() == ANSWERS[str(number)], ASKED[number - 1]


def test_vote_0_what_a_replaced_token_leaves_in_the_cache() -> None:
    """Nine tokens are cached; the second is another one in the second sequence."""
    cache, tokens = model_cache(), [3, 1, 4, 1, 5, 9, 2, 6, 5]
    for seq, text in enumerate([tokens, [3, 7, *tokens[2:]]]):
        cache.create(seq)
        run(tiny_model().decoder, cache, [seq], [text], [0])
    last = cache.k_pool[-1].transpose(1, 2)  # [blocks, slots, heads, D]
    one, other = (last[cache.tables[seq]].flatten(0, 1)[:9] for seq in (0, 1))
    assert [bool(torch.equal(a, b)) for a, b in zip(one, other, strict=True)] == [True] + [
        False
    ] * 8


@pytest.mark.parametrize(("requests", "holds"), [(3, True), (4, False)])
def test_vote_1_how_many_never_run_dry(requests: int, holds: bool) -> None:
    cache = paged(layers=1, num_blocks=16, block_size=4)
    for seq in range(requests):
        cache.create(seq)
    try:
        for _ in range(20):
            append(cache, range(requests), 1)
    except BlockPoolExhausted:
        assert not holds
    else:
        assert holds
