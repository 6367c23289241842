"""Mistakes with paged_cache, as readers make them."""

from typing import Any

import torch
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.tables import ceil_div
from workbook.checks.ch03.mistakes.built import MyPagedKVCache as Right
from workbook.checks.ch03.paged_cache import paged_cache


@paged_cache.mistake(
    "Layer 1 has no keys yet for tokens that count already; if the step stopped here, the next "
    "one would read what was never written."
)
class CommitsAtOnce(Right):
    def commit(self, layer: int, ends: Tensor) -> None:
        self.lengths.update(zip(self.batch, ends.tolist(), strict=True))


@paged_cache.mistake("The tokens are written and never count, so the next ones overwrite them.")
class NeverCommits(Right):
    def commit(self, layer: int, ends: Tensor) -> None:
        pass


@paged_cache.mistake("After the last layer the length is the number of tokens in the cache.")
class CountsTwice(Right):
    def commit(self, layer: int, ends: Tensor) -> None:
        if layer == len(self.k_pool) - 1:
            for seq, end in zip(self.batch, ends.tolist(), strict=True):
                self.lengths[seq] += end


@paged_cache.mistake(
    "The table wasn't asked: position p was written into block p // 4 of the pool. Whoever reads "
    "this pool later, a kernel too, knows nothing but the table."
)
class IgnoresTheTable(Right):
    def scatter(self, pool: Tensor, positions: Tensor, new: Tensor) -> None:
        blocks, offsets = positions // self.block_size, positions % self.block_size
        pool[blocks, :, offsets] = new.transpose(1, 2)


@paged_cache.mistake(
    "8 belongs to A: where B's row of the table is padded, it names a block that somebody else "
    "holds."
)
class NotZeroed(Right):
    def gather(self, pool: Tensor, ends: Tensor) -> Tensor:
        return pool[self.batch_tables].transpose(1, 2).flatten(2, 3)[:, :, : int(ends.max())]


@paged_cache.mistake(
    "Multiplying by 0 doesn't erase: 0 times NaN is NaN. Put zeros there instead (`masked_fill`)."
    " (This happened: vllm-project/vllm#47305, flashinfer-ai/flashinfer#941)"
)
class ZeroedByProduct(NotZeroed):
    def gather(self, pool: Tensor, ends: Tensor) -> Tensor:
        inside = torch.arange(int(ends.max())) < ends[:, None]
        return super().gather(pool, ends) * inside[:, None, :, None]


@paged_cache.mistake(
    "The old tokens are right and the new one isn't: another row wrote to its slot."
)
class FirstRowForAll(Right):
    def set_batch(self, seqs: list[Any]) -> None:
        super().set_batch(seqs)
        self.batch_tables = self.batch_tables[:1].expand(len(seqs), -1).clone()


@paged_cache.mistake("Row 0 does not read the history of B.")
class SortedBatch(Right):
    def set_batch(self, seqs: list[Any]) -> None:
        super().set_batch(sorted(seqs))


@paged_cache.mistake(
    "`update` returned the new tokens alone. Attention reads the whole history: gather it through"
    " the table."
)
class OnlyTheNew(Right):
    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor) -> tuple[Any, Any, Any]:
        super().update(layer, k, v, positions)
        return k, v, positions


@paged_cache.mistake("The keys were written into both pools; `v_pool` gets the values.")
class ValuesAreKeys(Right):
    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor) -> tuple[Any, Any, Any]:
        return super().update(layer, k, k, positions)


@paged_cache.mistake(
    "Every layer was written to layer 0's pool. Each layer has its own keys and values."
)
class LayerZeroOnly(Right):
    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor) -> tuple[Any, Any, Any]:
        keys, values, where = super().update(0, k, v, positions)
        self.commit(layer, positions.expand(k.shape[0], k.shape[2]).amax(dim=1) + 1)
        return keys, values, where


@paged_cache.mistake(
    "`reserve` takes a block for a token that nobody asked for: 4 tokens fill one block of 4."
)
class OneBlockMore(Right):
    def reserve(self, seq: Any, new_tokens: int) -> None:
        super().reserve(seq, new_tokens + 1)


@paged_cache.mistake(
    "Refused, yet the table grew: the caller gives up, and those blocks stay with a sequence that"
    " can't run. (This happened: ovg-project/kvcached#364)"
)
class OneByOne(Right):
    def reserve(self, seq: Any, new_tokens: int) -> None:
        needed = ceil_div(self.lengths[seq] + new_tokens, self.block_size)
        while len(self.tables[seq]) < needed:
            self.tables[seq].append(self.allocator.allocate())


@paged_cache.mistake(
    "`free` deletes the table and never releases its blocks: nobody names them any more, so "
    "nobody will ever give them back."
)
class NeverReleases(Right):
    def free(self, seq: Any) -> None:
        del self.tables[seq], self.lengths[seq]


paged_cache.finished = PagedKVCache
