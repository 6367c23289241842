"""The paged cache against a naive twin, a Python list a sequence, under random traffic."""

import pytest
import torch
from helpers.kv import paged, random_kv, scramble, snapshot, write
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from paged_attention.errors import BlockPoolExhausted

NAMES = ("a", "b", "c", "d")


class CacheMachine(RuleBasedStateMachine):
    """``twin[seq][layer]`` is a list of (key, value) pairs, each [Hkv, D]."""

    @initialize(
        num_blocks=st.integers(1, 12), block_size=st.integers(1, 5), seed=st.integers(0, 2**16)
    )
    def begin(self, num_blocks: int, block_size: int, seed: int) -> None:
        torch.manual_seed(seed)
        self.cache = paged(num_blocks=num_blocks, block_size=block_size)
        scramble(self.cache, seed)
        self.twin: dict[str, list[list[tuple[torch.Tensor, torch.Tensor]]]] = {}

    def alive(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.twin)))

    @precondition(lambda self: len(self.twin) < len(NAMES))
    @rule(data=st.data())
    def create(self, data: st.DataObject) -> None:
        seq = data.draw(st.sampled_from([n for n in NAMES if n not in self.twin]))
        self.cache.create(seq)
        self.twin[seq] = [[] for _ in range(self.cache.layers)]

    @precondition(lambda self: self.twin and len(self.twin) < len(NAMES))
    @rule(data=st.data())
    def fork(self, data: st.DataObject) -> None:
        parent = self.alive(data)
        child = data.draw(st.sampled_from([n for n in NAMES if n not in self.twin]))
        free = self.cache.allocator.num_free
        self.cache.fork(parent, child)
        self.twin[child] = [tokens.copy() for tokens in self.twin[parent]]
        assert self.cache.allocator.num_free == free

    @precondition(lambda self: self.twin)
    @rule(data=st.data(), tokens=st.integers(0, 12))
    def reserve(self, data: st.DataObject, tokens: int) -> None:
        seq = self.alive(data)
        before = snapshot(self.cache)
        can = self.cache.can_reserve(seq, tokens)
        try:
            self.cache.reserve(seq, tokens)
        except BlockPoolExhausted:
            assert not can
            assert snapshot(self.cache) == before
        else:
            assert can
            assert self.cache.capacity(seq) >= self.cache.lengths[seq] + tokens

    @precondition(lambda self: self.twin)
    @rule(data=st.data(), tokens=st.integers(1, 6))
    def append(self, data: st.DataObject, tokens: int) -> None:
        chosen = data.draw(st.lists(st.sampled_from(sorted(self.twin)), min_size=1, unique=True))
        batch = []
        for seq in chosen:
            if self.cache.can_reserve(seq, tokens):
                self.cache.reserve(seq, tokens)
                batch.append(seq)
        if not batch:
            return
        # A row may bring fewer tokens; it is padded by repeating its last one.
        real = [data.draw(st.integers(1, tokens)) for _ in batch]
        index = torch.arange(tokens).minimum(torch.tensor(real)[:, None] - 1)  # [B, T]
        starts = torch.tensor([self.cache.lengths[seq] for seq in batch])
        layers = []
        for layer in range(self.cache.layers):
            k, v = random_kv(len(batch), tokens, self.cache)
            pick = index[:, None, :, None].expand_as(k)
            k, v = k.gather(2, pick), v.gather(2, pick)
            layers.append((k, v))
            for row, seq in enumerate(batch):
                self.twin[seq][layer] += [(k[row, :, t], v[row, :, t]) for t in range(real[row])]
        for layer, (keys, values, positions) in enumerate(
            write(self.cache, batch, starts[:, None] + index, layers)
        ):
            histories = [self.twin[seq][layer] for seq in batch]
            longest = max(map(len, histories))
            assert positions.tolist() == list(range(longest))
            for row, history in enumerate(histories):
                for got, which in ((keys, 0), (values, 1)):
                    want = torch.stack([token[which] for token in history], dim=1)
                    assert torch.equal(got[row, :, : len(history)], want)
                    assert not got[row, :, len(history) :].any()

    @precondition(lambda self: self.twin)
    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        length = data.draw(st.integers(0, len(self.twin[seq][0])))
        self.cache.truncate(seq, length)
        self.twin[seq] = [tokens[:length] for tokens in self.twin[seq]]
        assert len(self.cache.tables[seq]) == self.cache.blocks_needed(length)

    @precondition(lambda self: self.twin)
    @rule(data=st.data())
    def free(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        self.cache.free(seq)
        del self.twin[seq]

    @precondition(lambda self: self.twin)
    @rule(data=st.data())
    def truncate_too_far(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        before = snapshot(self.cache)
        with pytest.raises(ValueError, match="can't be cut"):
            self.cache.truncate(seq, self.cache.lengths[seq] + 1)
        assert snapshot(self.cache) == before

    @invariant()
    def law(self) -> None:
        if not hasattr(self, "cache"):
            return
        self.cache.check_invariants()
        assert {seq: len(layers[0]) for seq, layers in self.twin.items()} == self.cache.lengths

    def teardown(self) -> None:
        # vllm-project/vllm#46283, #32255; sgl-project/sglang#11970: blocks leaked after an abort.
        if hasattr(self, "cache"):
            for seq in list(self.twin):
                self.cache.free(seq)
            assert self.cache.allocator.num_free == self.cache.allocator.num_blocks


TestCacheMachine = CacheMachine.TestCase
TestCacheMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
