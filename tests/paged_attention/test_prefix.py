"""The prefix cache: what may be reused, what may be given up, and that neighbours never meet."""

from array import array
from typing import Any

import pytest
import torch
from helpers.kv import append, paged

import paged_attention.prefix
from paged_attention.cache import PagedKVCache
from paged_attention.errors import BlockPoolExhausted, BlockShared, SequenceExists, UnknownSequence
from paged_attention.prefix import PrefixCache

PROMPT = list(range(100, 120))


def fresh(num_blocks: int = 16, block_size: int = 4) -> tuple[PagedKVCache, PrefixCache]:
    cache = paged(num_blocks=num_blocks, block_size=block_size)
    return cache, PrefixCache(cache)


def run(prefix: PrefixCache, seq: str, prompt: list[int], **key: str) -> int:
    """Attach, compute the rest, publish; returns the tokens that had to be computed."""
    cache = prefix.cache
    prefilled = len(prompt) - prefix.attach(seq, prompt, **key)
    append(cache, [seq], prefilled)
    prefix.remember(seq, prompt, **key)
    prefix.check_invariants()
    return prefilled


@pytest.mark.parametrize(
    ("length", "prefilled"), [(1, 1), (3, 3), (4, 4), (7, 3), (8, 4), (9, 1), (12, 4), (13, 1)]
)
def test_at_least_one_token_is_left_to_run(length: int, prefilled: int) -> None:
    # GeeeekExplorer/nano-vllm#144: a full hit left nothing to run, and there were no logits.
    _, prefix = fresh()
    assert run(prefix, "a", PROMPT[:length]) == length
    assert run(prefix, "b", PROMPT[:length]) == prefilled


def test_reused_blocks_hold_what_was_written() -> None:
    cache, prefix = fresh()
    run(prefix, "a", PROMPT[:13])
    prefix.attach("b", PROMPT[:13])
    table = cache.tables["b"]
    assert table == cache.tables["a"][:3]
    assert cache.lengths["b"] == 12
    assert cache.k_pool[:, table].isfinite().all()


def test_the_books_demo() -> None:
    cache, prefix = fresh(num_blocks=64, block_size=16)
    shared = list(range(96))
    prefilled = sum(
        run(prefix, f"r{i}", shared + [1000 + 8 * i + j for j in range(8)]) for i in range(8)
    )
    assert prefilled == 160
    assert cache.allocator.num_held == 14


def test_the_same_tokens_after_another_history_are_another_block() -> None:
    _, prefix = fresh()
    run(prefix, "a", [1, 2, 3, 4, 5, 6, 7, 8, 0])
    assert run(prefix, "b", [9, 9, 9, 9, 5, 6, 7, 8, 0]) == 9


def test_nothing_is_published_before_its_kv_exists() -> None:
    # ROCm/ATOM#902, huggingface/text-generation-inference#2489.
    cache, prefix = fresh()
    for seq in "ab":
        assert prefix.attach(seq, PROMPT) == 0
        cache.reserve(seq, len(PROMPT))
    prefix.remember("a", PROMPT)  # reserved, not computed
    assert len(prefix) == 0
    cache.free("a")  # aborted before its prefill
    append(cache, ["b"], 6)
    prefix.remember("b", PROMPT)  # six of twenty tokens computed
    assert len(prefix) == 1


def test_a_reused_block_loses_its_old_name() -> None:
    # GeeeekExplorer/nano-vllm#163, vllm-project/vllm#4764.
    cache, prefix = fresh(num_blocks=5)
    run(prefix, "a", PROMPT)
    cache.free("a")
    run(prefix, "b", [n + 500 for n in PROMPT])
    assert len(prefix) == 5
    assert prefix.match(PROMPT) == []


def test_what_was_just_found_is_not_taken_for_the_same_request() -> None:
    # vllm-project/vllm#10507, NVIDIA/Megatron-LM#5822: two idle hits, four more blocks wanted.
    cache, prefix = fresh(num_blocks=5)
    run(prefix, "a", PROMPT[:9])
    cache.free("a")
    assert (cache.allocator.num_free, cache.allocator.num_cached) == (3, 2)
    assert prefix.attach("b", PROMPT + PROMPT) == 8
    assert not cache.can_reserve("b", 16)
    with pytest.raises(BlockPoolExhausted, match="3 of 5 are free or cached"):
        cache.reserve("b", 16)
    cache.reserve("b", 12)
    assert len(set(cache.tables["b"])) == 5
    prefix.check_invariants()


def test_cached_blocks_are_room() -> None:
    # sgl-project/sglang#12875; and vllm-project/vllm#12077: they are a state of their own.
    cache, prefix = fresh(num_blocks=5)
    run(prefix, "a", PROMPT)
    cache.free("a")
    allocator = cache.allocator
    assert (allocator.num_free, allocator.num_held, allocator.num_cached) == (0, 0, 5)
    assert run(prefix, "b", [7] * 20) == 20


def test_blocks_without_a_name_are_taken_first() -> None:
    # vllm-project/vllm#42656.
    cache, prefix = fresh(num_blocks=2)
    run(prefix, "named", PROMPT[:4])
    cache.create("nameless")
    append(cache, ["nameless"], 4)
    nameless = cache.tables["nameless"]
    cache.free("nameless")
    cache.free("named")
    cache.create("next")
    cache.reserve("next", 4)
    assert cache.tables["next"] == nameless
    assert len(prefix) == 1


def test_either_of_two_copies_serves() -> None:
    # vllm-project/vllm#55092 and #48933: the key went with the first copy;
    # sgl-project/mini-sglang#142: merging two copies left a table that named freed blocks.
    cache, prefix = fresh()
    for seq in "ab":  # admitted together: neither finds the other
        assert prefix.attach(seq, PROMPT[:9]) == 0
        cache.reserve(seq, 9)
    append(cache, ["a", "b"], 9)
    for seq in "ab":
        prefix.remember(seq, PROMPT[:9])
    prefix.check_invariants()
    assert not set(cache.tables["a"]) & set(cache.tables["b"])
    assert len(prefix) == 4
    cache.free("a")
    assert prefix.evict(2) == 2
    assert len(prefix.match(PROMPT[:9])) == 2
    prefix.check_invariants()


def test_the_tail_goes_first_and_nothing_is_left_unreachable() -> None:
    # llm-d/llm-d-inference-sim#704, LMCache#443.
    cache, prefix = fresh()
    run(prefix, "a", [*PROMPT, 0])
    cache.free("a")
    for left in (4, 3, 2, 1, 0):
        assert prefix.evict(1) == 1
        assert len(prefix.match([*PROMPT, 0])) == left
        prefix.check_invariants()
    assert prefix.evict(1) == 0


def test_least_recently_used_goes_first() -> None:
    cache, prefix = fresh()
    for start in (0, 10, 20):
        run(prefix, f"s{start}", [start, 1, 2, 3])
        cache.free(f"s{start}")
    run(prefix, "again", [0, 1, 2, 3, 4])
    cache.free("again")
    prefix.evict(1)
    assert [len(prefix.match([start, 1, 2, 3, 4])) for start in (0, 10, 20)] == [1, 0, 1]


def test_eviction_spares_what_sequences_hold() -> None:
    cache, prefix = fresh()
    run(prefix, "a", PROMPT[:8])
    run(prefix, "b", [5] * 8)
    cache.free("b")
    assert prefix.evict(10) == 2
    assert len(prefix.match([*PROMPT[:8], 0])) == 2


def test_writing_into_a_published_block_makes_a_copy() -> None:
    cache, prefix = fresh()
    run(prefix, "a", PROMPT[:8])
    before = cache.k_pool[:, 1].clone()
    cache.truncate("a", 6)
    append(cache, ["a"], 2)
    prefix.check_invariants()
    assert torch.equal(cache.k_pool[:, 1], before)
    assert cache.tables["a"] == [0, 2]


def test_a_published_block_is_not_overwritten() -> None:
    cache, prefix = fresh()
    run(prefix, "a", PROMPT[:8])
    kv = torch.zeros(1, 2, 1, 3)
    cache.set_batch(["a"])
    with pytest.raises(BlockShared, match="truncate 'a' to 3"):
        cache.update(0, kv, kv, torch.tensor([3]))
    assert cache.k_pool[:, 0].any()


def test_salts_and_adapters_keep_neighbours_apart() -> None:
    # vllm-project/vllm#17045 (CVE-2025-46570), #44701, sgl-project/sglang#24638.
    _, prefix = fresh(num_blocks=32)
    keys = [{}, {"salt": "x"}, {"adapter": "x"}, {"salt": "x", "adapter": "x"}, {"salt": "y"}]
    for number, key in enumerate(keys):
        assert run(prefix, f"s{number}", PROMPT[:9], **key) == 9
    for number, key in enumerate(keys):
        assert run(prefix, f"t{number}", PROMPT[:9], **key) == 1


def test_equal_hashes_do_not_make_equal_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    # vllm-project/vllm#12621 (CVE-2025-25183).
    class Packed(bytes):
        def __hash__(self) -> int:
            return 7

        def __getitem__(self, part: Any) -> Any:
            return Packed(super().__getitem__(part))

    honest = paged_attention.prefix._packed
    monkeypatch.setattr(paged_attention.prefix, "_packed", lambda *args: Packed(honest(*args)))
    _, prefix = fresh()
    run(prefix, "a", PROMPT[:9])
    assert run(prefix, "b", [n + 1 for n in PROMPT[:9]]) == 9
    assert run(prefix, "c", PROMPT[:9]) == 1


def test_a_retry_is_not_a_hit() -> None:
    # vllm-project/vllm#25780, NVIDIA/Megatron-LM#6416.
    cache, prefix = fresh()
    for _ in range(11):
        run(prefix, "a", PROMPT[:9])
        cache.free("a")
    assert (prefix.stats.queried_tokens, prefix.stats.hit_tokens) == (9, 0)
    run(prefix, "b", PROMPT[:9])
    assert prefix.stats.hit_rate == 8 / 18
    prefix.stats.reset()
    assert prefix.stats.hit_rate == 0


def test_forks_of_a_reused_prefix() -> None:
    cache, prefix = fresh()
    run(prefix, "a", PROMPT[:9])
    run(prefix, "b", PROMPT[:9])
    cache.fork("b", "c")
    append(cache, ["b", "c"], 1)
    prefix.check_invariants()
    for seq in "abc":
        cache.free(seq)
    prefix.check_invariants()
    assert cache.allocator.num_held == 0


def test_a_block_keeps_the_name_it_was_published_under() -> None:
    _, prefix = fresh()
    run(prefix, "a", PROMPT[:8], salt="x")
    for tokens, key in ((PROMPT[:8], {"salt": "y"}), ([0] * 8, {"salt": "x"}), (PROMPT[:8], {})):
        with pytest.raises(ValueError, match="block 0 of sequence 'a' is known under other tokens"):
            prefix.remember("a", tokens, **key)
        prefix.check_invariants()
    assert len(prefix) == 2


def test_bad_input_changes_nothing() -> None:
    cache, prefix = fresh()
    with pytest.raises(UnknownSequence, match="'a'"):
        prefix.remember("a", PROMPT)
    run(prefix, "a", PROMPT[:9])
    cache.create("empty")
    for seq in ("a", "empty"):
        with pytest.raises(SequenceExists, match=f"{seq!r} exists already"):
            prefix.attach(seq, PROMPT)
    cache.free("empty")
    for tokens, error in (
        ("words", TypeError),
        (b"bytes", TypeError),
        ([1.5], TypeError),
        ([None], TypeError),
        ([2**31], OverflowError),
    ):
        with pytest.raises(error, match="tokens must be"):
            prefix.attach("b", tokens)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="salt must be a string or None, got 1"):
        prefix.attach("b", PROMPT, salt=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="adapter must be"):
        prefix.attach("b", PROMPT, adapter=True)  # type: ignore[arg-type]
    assert prefix.attach("b", []) == 0
    assert prefix.match(torch.tensor(PROMPT)) == [0, 1]  # type: ignore[arg-type]
    assert prefix.match(array("i", PROMPT)) == [0, 1]
    assert prefix.match(array("q", PROMPT)) == [0, 1]
    with pytest.raises(ValueError, match="one"):
        PrefixCache(cache)
    prefix.check_invariants()
    assert prefix.stats.queried_tokens == 9


def test_publishing_block_by_block_reads_each_token_a_bounded_number_of_times() -> None:
    cache, prefix = fresh(num_blocks=64)
    packed: list[int] = []
    honest = paged_attention.prefix._packed

    def counted(tokens: list[int], start: int, end: int) -> bytes:
        packed.append(end - start)
        return honest(tokens, start, end)

    tokens = list(range(256))
    cache.create("a")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paged_attention.prefix, "_packed", counted)
        for end in range(1, len(tokens) + 1):
            append(cache, ["a"], 1)
            prefix.remember("a", tokens[:end])
    assert len(prefix) == 64
    assert max(packed) <= 2 * cache.block_size
    prefix.check_invariants()


def test_what_match_found_can_be_handed_on() -> None:
    cache, prefix = fresh()
    run(prefix, "a", PROMPT[:13])
    found = prefix.match(PROMPT[:13])
    assert prefix.attach("b", PROMPT[:13], blocks=found[:2]) == 8
    assert cache.tables["b"] == found[:2]
    assert prefix.stats.hit_tokens == 8
    prefix.check_invariants()
