"""A contiguous cache that records; a slot counts as a block of one token."""

from collections.abc import Hashable, Mapping
from itertools import chain

import torch

from paged_attention.contiguous import ContiguousKVCache
from paged_attention.errors import SlotsExhausted
from workbook.trace.recorder import Recorder
from workbook.trace.schema import Trace


class RecordingContiguousKVCache(ContiguousKVCache):
    """The engine's contiguous cache with a ``trace``; a refused ``create`` is a step too."""

    def __init__(
        self,
        layers: int,
        num_slots: int,
        kv_heads: int,
        head_dim: int,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(layers, num_slots, kv_heads, head_dim, device, dtype)
        self.recorder = Recorder("contiguous", num_slots, 1)

    @property
    def trace(self) -> Trace:
        """What has happened since the cache was made. Grows on."""
        return self.recorder.trace

    def create(self, seq: Hashable, max_tokens: int) -> None:
        """As the engine's, recorded; the refusal by a full pool too."""
        number, room = self.recorder.seq(seq), self.slots.longest_run
        with self.recorder.step("create", number):
            try:
                super().create(seq, max_tokens)
            except SlotsExhausted:
                self.recorder.refuse(number, max_tokens, room)
                raise
            self.recorder.add("create", number)
            self.recorder.add("allocate", number, self.starts[seq], n=max_tokens)

    def free(self, seq: Hashable) -> None:
        """As the engine's, recorded."""
        start = self.starts.get(seq)
        with self.recorder.step("free", self.recorder.seq(seq)):
            super().free(seq)
            assert start is not None
            self.recorder.add("release", self.recorder.seq(seq), start)

    def advance(self, lengths: Mapping[Hashable, int]) -> None:
        """As the engine's; tokens count as written when the last layer has them."""
        before = {seq: self.lengths.get(seq, 0) for seq in lengths}
        super().advance(lengths)
        grown = [seq for seq in lengths if self.lengths[seq] > before[seq]]
        if not grown:
            return
        args = ((self.recorder.seq(s), self.lengths[s] - before[s]) for s in grown)
        with self.recorder.step("write", *chain.from_iterable(args)):
            for seq in grown:
                number = self.recorder.seq(seq)
                self.recorder.add("write", number, self.starts[seq], n=self.lengths[seq])
