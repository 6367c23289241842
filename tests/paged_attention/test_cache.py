"""The paged cache: what is written comes back, and a refused call changes nothing."""

import subprocess
import sys

import pytest
import torch
from helpers.kv import append, paged, random_kv, scramble, snapshot, write

from paged_attention.allocator import BlockAllocator
from paged_attention.batch_tables import BatchTables
from paged_attention.cache import PagedKVCache
from paged_attention.errors import (
    BadBatch,
    BadTensor,
    BlockPoolExhausted,
    InvariantBroken,
    PositionNotReserved,
    SequenceExists,
    UnknownSequence,
)


def test_scatter_follows_the_table() -> None:
    cache = paged(layers=1, num_blocks=12, kv_heads=1, head_dim=1)
    cache.allocator.allocate_many(12)
    cache.allocator.release_many([0, 9, 5, 11, 2, 7])
    cache.create("a")
    cache.reserve("a", 22)
    assert cache.tables["a"] == [7, 2, 11, 5, 9, 0]
    k = torch.arange(22.0).reshape(1, 1, 22, 1)
    [(keys, values, positions)] = write(cache, ["a"], torch.arange(22), [(k, -k)])
    assert cache.k_pool[0, 7, 0, :, 0].tolist() == [0, 1, 2, 3]
    assert cache.k_pool[0, 0, 0, :2, 0].tolist() == [20, 21]
    assert cache.k_pool[0, 0, 0, 2:].isnan().all()
    assert torch.equal(keys, k)
    assert torch.equal(values, -k)
    assert positions.tolist() == list(range(22))


@pytest.mark.parametrize("prompt", [3, 4, 5])
def test_blocks_equal_the_rounded_up_length_at_every_step(prompt: int) -> None:
    # GeeeekExplorer/nano-vllm PR#65 and #66: off by one at a block's edge.
    cache = paged()
    cache.create("a")
    append(cache, ["a"], prompt)
    for new in range(1, 9):
        append(cache, ["a"], 1)
        assert cache.lengths["a"] == prompt + new
        assert len(cache.tables["a"]) == -(-(prompt + new) // 4)


def test_reserve_takes_all_or_nothing() -> None:
    # Like ovg-project/kvcached#364: three blocks wanted, two free; the two were taken.
    cache = paged(num_blocks=3)
    for seq in "ab":
        cache.create(seq)
    append(cache, ["a"], 4)
    before = snapshot(cache)
    assert not cache.can_reserve("b", 9)
    with pytest.raises(BlockPoolExhausted, match=r"3 blocks wanted .*9 of 'b'.* 2 of 3 are free"):
        cache.reserve("b", 9)
    assert snapshot(cache) == before
    assert cache.can_reserve("b", 8)
    cache.reserve("b", 8)


def test_reserve_counts_from_the_length_and_not_from_what_is_reserved() -> None:
    cache = paged()
    cache.create("a")
    for _ in range(3):
        cache.reserve("a", 5)
    assert (cache.lengths["a"], len(cache.tables["a"])) == (0, 2)
    cache.reserve("a", 0)
    assert len(cache.tables["a"]) == 2


def test_length_grows_with_the_last_layer_only() -> None:
    cache = paged()
    cache.create("a")
    cache.reserve("a", 3)
    cache.set_batch(["a"])
    k, v = random_kv(1, 3, cache)
    cache.update(0, k, v, torch.arange(3))
    assert cache.lengths["a"] == 0
    cache.update(1, k, v, torch.arange(3))
    assert cache.lengths["a"] == 3


def test_unequal_rows_are_zero_past_their_end_whatever_lies_there() -> None:
    # 0 x NaN: vllm-project/vllm PR#47305, flashinfer-ai/flashinfer#941.
    cache = paged(num_blocks=12)
    scramble(cache)
    for seq, tokens in (("a", 9), ("b", 2)):
        cache.create(seq)
        append(cache, [seq], tokens)
    for keys, values, positions in append(cache, ["a", "b"], 1):
        assert positions.tolist() == list(range(10))
        assert keys.isfinite().all()
        assert not keys[1, :, 3:].any()
        assert not values[1, :, 3:].any()


def test_a_ragged_prefill_repeats_a_row_s_last_position() -> None:
    cache, alone = paged(), paged()
    for seq in "ab":
        cache.create(seq)
        alone.create(seq)
    k, v = random_kv(2, 5, cache)
    k[1, :, 2:], v[1, :, 2:] = k[1, :, 1:2], v[1, :, 1:2]
    cache.reserve("a", 5)
    cache.reserve("b", 2)
    positions = torch.tensor([[0, 1, 2, 3, 4], [0, 1, 1, 1, 1]])
    keys, _, _ = write(cache, ["a", "b"], positions, [(k, v)] * 2)[0]
    assert cache.lengths == {"a": 5, "b": 2}
    alone.reserve("b", 2)
    keys_alone, _, _ = write(alone, ["b"], torch.arange(2), [(k[1:, :, :2], v[1:, :, :2])] * 2)[0]
    assert torch.equal(keys[1:, :, :2], keys_alone)


def test_free_gives_back_everything_and_once() -> None:
    cache = paged()
    cache.create("a")
    append(cache, ["a"], 9)
    cache.free("a")
    assert cache.allocator.num_free == 8
    with pytest.raises(UnknownSequence, match="no sequence 'a'"):
        cache.free("a")
    assert cache.allocator.num_free == 8
    cache.check_invariants()


def test_truncate_keeps_what_is_left() -> None:
    cache = paged(num_blocks=12)
    cache.create("a")
    before, _, _ = append(cache, ["a"], 22)[0]
    cache.truncate("a", 9)
    assert len(cache.tables["a"]) == 3
    after, _, _ = append(cache, ["a"], 1)[0]
    assert torch.equal(after[:, :, :9], before[:, :, :9])
    with pytest.raises(ValueError, match="'a' holds 10 tokens and can't be cut to 11"):
        cache.truncate("a", 11)
    with pytest.raises(ValueError, match="cut to -1"):
        cache.truncate("a", -1)
    cache.truncate("a", 0)
    assert cache.allocator.num_free == 12


BAD_UPDATES = {
    "too many heads": (BadTensor, {"k": (1, 3, 1, 3)}, "k is .* 2 KV heads"),
    "wrong head size": (BadTensor, {"v": (1, 2, 1, 4)}, "v is .* head size 3"),
    "two rows": (BadTensor, {"k": (2, 2, 1, 3), "v": (2, 2, 1, 3)}, "1 sequences"),
    "no token": (BadTensor, {"k": (1, 2, 0, 3), "v": (1, 2, 0, 3)}, "at least 1 token"),
    "three axes": (BadTensor, {"k": (2, 1, 3)}, "k is"),
    "k longer than v": (BadTensor, {"k": (1, 2, 2, 3)}, "must be alike"),
    "half precision": (BadTensor, {"dtype": torch.float16}, "float16"),
    "other device": (BadTensor, {"device": "meta"}, "on meta, the cache on cpu"),
    "float positions": (BadTensor, {"positions": torch.tensor([5.0])}, "integers"),
    "two positions": (BadTensor, {"positions": torch.tensor([5, 6])}, "positions are"),
    "past the blocks": (PositionNotReserved, {"positions": torch.tensor([8])}, "position 8"),
    "negative": (PositionNotReserved, {"positions": torch.tensor([-1])}, "position -1"),
    "hole": (PositionNotReserved, {"positions": torch.tensor([6])}, "unwritten slot"),
    "layer": (IndexError, {"layer": 2}, "no layer 2"),
    "negative layer": (IndexError, {"layer": -1}, "no layer -1"),
}


@pytest.mark.parametrize("case", BAD_UPDATES)
def test_a_bad_update_writes_nothing(case: str) -> None:
    error, changes, message = BAD_UPDATES[case]
    cache = paged()
    cache.create("a")
    append(cache, ["a"], 5)
    cache.set_batch(["a"])
    before = snapshot(cache)
    options = {"dtype": changes.get("dtype"), "device": changes.get("device")}
    k, v = (torch.zeros(changes.get(name, (1, 2, 1, 3)), **options) for name in "kv")
    with pytest.raises(error, match=message):
        cache.update(changes.get("layer", 0), k, v, changes.get("positions", torch.tensor([5])))
    assert snapshot(cache) == before


def test_bad_batches() -> None:
    cache = paged()
    cache.create("a")
    with pytest.raises(BadBatch, match="no batch is set"):
        cache.update(0, *random_kv(1, 1, cache), torch.tensor([0]))
    with pytest.raises(BadBatch, match="empty batch"):
        cache.set_batch([])
    with pytest.raises(BadBatch, match="'a' is in the batch twice"):
        cache.set_batch(["a", "a"])
    with pytest.raises(UnknownSequence, match="'b'"):
        cache.set_batch(["a", "b"])


def test_a_batch_whose_memory_changed_must_be_set_anew() -> None:
    cache = paged()
    for seq in "ab":
        cache.create(seq)
    append(cache, ["a", "b"], 4)
    cache.set_batch(["a", "b"])
    cache.reserve("a", 1)
    with pytest.raises(BadBatch, match="call set_batch"):
        cache.update(0, *random_kv(2, 1, cache), torch.tensor([4]))
    cache.reserve("b", 1)
    cache.set_batch(["a", "b"])
    cache.free("b")
    with pytest.raises(BadBatch, match="call set_batch"):
        cache.update(0, *random_kv(2, 1, cache), torch.tensor([4]))


@pytest.mark.parametrize("verb", ["reserve", "can_reserve", "truncate"])
def test_unknown_sequences_and_negative_counts(verb: str) -> None:
    cache = paged()
    with pytest.raises(UnknownSequence, match="no sequence 'a'"):
        getattr(cache, verb)("a", 1)
    cache.create("a")
    with pytest.raises(ValueError, match="-1"):
        getattr(cache, verb)("a", -1)
    with pytest.raises(SequenceExists, match="'a' exists already"):
        cache.create("a")


@pytest.mark.parametrize(
    ("name", "value"),
    [("layers", 0), ("num_blocks", 0), ("block_size", 0), ("kv_heads", 0), ("head_dim", -1)],
)
def test_impossible_sizes_are_refused(name: str, value: int) -> None:
    sizes = {"layers": 1, "num_blocks": 1, "block_size": 1, "kv_heads": 1, "head_dim": 1}
    with pytest.raises(ValueError, match=str(value)):
        PagedKVCache(**(sizes | {name: value}))


def test_broken_tables_are_named() -> None:
    cache = paged()
    for seq in "ab":
        cache.create(seq)
        append(cache, [seq], 4)
    cache.tables["a"] = [1]
    with pytest.raises(InvariantBroken, match="block 0 counts 1 holders and has 0"):
        cache.check_invariants()
    cache.tables["a"] = []
    with pytest.raises(InvariantBroken, match="'a' has 4 tokens in 0 blocks"):
        cache.check_invariants()
    cache.tables["a"] = [0, 0]
    with pytest.raises(InvariantBroken, match="'a' names a block twice"):
        cache.check_invariants()


def test_the_batch_s_tables_are_kept_and_only_changes_are_written() -> None:
    batch_tables = BatchTables(torch.device("cpu"))
    tables: dict[object, list[int]] = {"a": [3, 1], "b": [2]}
    batch_tables.set(["a", "b"], tables)
    first = batch_tables.tensor
    assert first[:, :2].tolist() == [[3, 1], [2, 0]]
    tables["b"].append(7)
    batch_tables.set(["a", "b"], tables)
    assert batch_tables.tensor is first
    assert first[:, :2].tolist() == [[3, 1], [2, 7]]
    tables["a"] = [3]  # cut
    tables["b"] = [5, 7]  # one block replaced by a copy
    batch_tables.set(["a", "b"], tables)
    assert first[:, :2].tolist() == [[3, 0], [5, 7]]
    batch_tables.set(["b", "a"], tables)
    assert first[:, :2].tolist() == [[5, 7], [3, 0]]
    tables["a"] = list(range(9))
    batch_tables.set(["a"], tables)
    assert batch_tables.tensor[0, :9].tolist() == list(range(9))


def test_bookkeeping_imports_neither_torch_nor_jupyter() -> None:
    modules = ["errors", "journal", "allocator", "tables", "slots", "prefix", "own_sequences"]
    code = (
        "import sys\n"
        + "".join(f"import paged_attention.{name}\n" for name in modules)
        + "found = {'torch', 'numpy', 'IPython', 'ipywidgets', 'jupyter_core'} & set(sys.modules)\n"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_allocator_is_the_books_own() -> None:
    assert type(paged().allocator) is BlockAllocator


def test_any_step_may_tell_how_far_it_wrote() -> None:
    cache = paged()
    cache.create("a")
    cache.create("b")
    cache.reserve_many({"a": 5, "b": 2})
    cache.advance({"a": 5, "b": 1})
    assert cache.lengths == {"a": 5, "b": 1}
    for wrong in ({"a": 6, "b": 99}, {"b": 2, "a": 4}):
        with pytest.raises(PositionNotReserved, match="can't advance to"):
            cache.advance(wrong)
    with pytest.raises(UnknownSequence, match="'z'"):
        cache.advance({"b": 2, "z": 1})
    assert cache.lengths == {"a": 5, "b": 1}


def test_a_row_may_be_asked_for_before_it_is_written() -> None:
    cache = paged()
    cache.create("a")
    cache.reserve("a", 5)
    room = cache.capacity("a")
    cache.check_writable("a", 0, room)
    with pytest.raises(PositionNotReserved, match=f"no slot for position {room}"):
        cache.check_writable("a", 0, room + 1)
    with pytest.raises(PositionNotReserved, match="unwritten slot"):
        cache.check_writable("a", 1, 2)
    with pytest.raises(UnknownSequence, match="'z'"):
        cache.check_writable("z", 0, 1)


def test_a_position_stands_once_in_a_step() -> None:
    # ggml-org/llama.cpp#19901, #17316.
    cache = paged()
    cache.create("a")
    cache.reserve("a", 6)
    cache.set_batch(["a"])
    kv = random_kv(1, 4, cache)
    for positions in ([0, 0, 1, 2], [0, 1, 1, 2], [1, 0, 2, 1]):
        with pytest.raises(BadTensor, match="one position twice"):
            cache.update(0, *kv, torch.tensor(positions))
    cache.update(0, *kv, torch.tensor([2, 0, 1, 3]))
