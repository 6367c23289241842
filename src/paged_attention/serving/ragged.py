"""One step of rows of different lengths: their tokens laid end to end, [1, N].

Everything in the model but attention treats tokens one by one, so a row of one token and a chunk of
sixty share each pass over the weights. Only ``attend`` must know where rows begin: rows of one
token go to the decode kernel, rows of several to the prefill kernel, as each would alone.
"""

from collections.abc import Hashable, Sequence
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor

from paged_attention.attention import attend
from paged_attention.cache import Kernel, PagedKVCache
from paged_attention.errors import BadBatch
from paged_attention.fp8 import restored, stored
from paged_attention.journal import all_or_nothing
from paged_attention.kernels.write import write
from paged_attention.model.decoder import Decoder


class Part(NamedTuple):
    """The rows that one kernel takes."""

    kernel: Kernel | None  # None gathers
    tokens: Tensor | slice  # their places among the N
    tables: Tensor  # [rows, blocks]
    seen: tuple[Tensor, ...]  # lengths [rows]; for several tokens also where rows begin, [rows + 1]


class RaggedStep:
    """The cache of one step: row ``i`` runs ``counts[i]`` tokens behind those that ``seqs[i]`` has.

    ``positions`` [N]: where all tokens stand in their sequences; ``ends`` [rows]: the place of each
    row's last token among the N. The kernels of ``cache`` read the pools in place; without one each
    row's history is gathered. The last layer's ``attend`` makes the tokens part of their sequences.
    """

    def __init__(
        self, cache: PagedKVCache, seqs: Sequence[Hashable], counts: Sequence[int]
    ) -> None:
        if not seqs or len(set(seqs)) < len(seqs) or min(counts) < 1:
            raise BadBatch("a step needs rows, each of another sequence and of at least one token")
        self.cache, self.journal = cache, cache.journal
        size, device = cache.block_size, cache.device
        starts = [cache.lengths.get(seq, 0) for seq in seqs]
        self.after = {s: start + n for s, start, n in zip(seqs, starts, counts, strict=True)}
        tables = [_writable(cache, seq, end) for seq, end in self.after.items()]
        rows = [range(start, start + n) for start, n in zip(starts, counts, strict=True)]
        places = [table[p // size] for table, row in zip(tables, rows, strict=True) for p in row]
        self.positions = torch.tensor([p for row in rows for p in row], device=device)  # [N]
        self._blocks = torch.tensor([places], device=device)  # [1, N]
        self._slots = self.positions[None] % size  # [1, N]
        self._tables = tables
        self._bounds = [0, *accumulate(counts)]  # [rows + 1], where each row begins, and N
        self.ends = [bound - 1 for bound in self._bounds[1:]]
        self._parts = self._cut(counts)

    @torch.no_grad()
    def attend(self, layer: int, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:  # noqa: ARG002
        """Write ``k``, ``v`` [1, Hkv, N, D]; each row attends to its own history: [1, Hq, N, D]."""
        cache = self.cache
        pools = cache.k_pool[layer], cache.v_pool[layer]
        for pool, new, scale in zip(pools, (k, v), (cache.k_scale, cache.v_scale), strict=True):
            write(pool, stored(new, scale, pool.dtype), self._blocks, self._slots)
        if any(part.kernel is None for part in self._parts):
            out = self._gathered(q, *pools)
        else:
            out = self._in_place(q[0].transpose(0, 1), *pools).transpose(0, 1)[None]
        if layer == cache.layers - 1:
            cache.advance(self.after)
        return out

    def _cut(self, counts: Sequence[int]) -> list[Part]:
        """The rows of one token, and those of several: a kernel for each."""
        cache, lengths, parts = self.cache, list(self.after.values()), []
        for kernel, alone in ((cache.decode, True), (cache.prefill, False)):
            rows = [row for row, count in enumerate(counts) if (count == 1) is alone]
            if not rows:
                continue
            tokens: Tensor | slice = slice(None)
            if len(rows) < len(counts):
                bounds = [(self._bounds[row], self._bounds[row + 1]) for row in rows]
                tokens = self._tensor([place for bound in bounds for place in range(*bound)])
            seen = [self._tensor([lengths[row] for row in rows])]
            if not alone:
                seen.append(self._tensor([0, *accumulate(counts[row] for row in rows)]))
            tables = _padded([self._tables[row] for row in rows], cache.device)
            parts.append(Part(kernel, tokens, tables, tuple(seen)))
        return parts

    def _tensor(self, numbers: list[int]) -> Tensor:
        return torch.tensor(numbers, device=self.cache.device)

    def _in_place(self, q: Tensor, k_pool: Tensor, v_pool: Tensor) -> Tensor:
        """Attention of ``q`` [N, Hq, D], each part by its kernel."""
        size, scales = self.cache.block_size, self.cache.scales
        outs = [
            part.kernel(q[part.tokens], k_pool, v_pool, part.tables, *part.seen, size, **scales)
            for part in self._parts
            if part.kernel is not None
        ]
        if len(outs) == 1:
            return outs[0]
        whole = torch.empty(q.shape, dtype=q.dtype, device=q.device)
        for part, out in zip(self._parts, outs, strict=True):
            whole[part.tokens] = out
        return whole

    @all_or_nothing
    @torch.no_grad()
    def run(
        self,
        decoder: Decoder,
        tokens: Sequence[Sequence[int]],
        wanted: Sequence[int],
        places: Sequence[int] = (),
    ) -> Tensor:
        """Run each row's ``tokens``; logits [wanted + places, vocab] after the rows ``wanted``, and
        after the tokens that stand at ``places`` among the N.
        """
        device = self.cache.device
        ids = torch.tensor([token for row in tokens for token in row], device=device)  # [N]
        hidden = decoder.hidden_states(ids[None], self.positions, self)[0]  # [N, hidden]
        ends = [*(self.ends[i] for i in wanted), *places]
        logits: Tensor = decoder.lm_head(
            hidden[torch.tensor(ends, dtype=torch.int64, device=device)]
        )
        return logits

    def _gathered(self, q: Tensor, *pools: Tensor) -> Tensor:
        """Attention row by row over a copy of its history: what the kernels spare."""
        out = torch.empty_like(q)
        for row, end in enumerate(self.after.values()):
            here = slice(self._bounds[row], self._bounds[row + 1])
            table = torch.tensor(self._tables[row], device=q.device)
            keys, values = (
                restored(pool[table], scale, q.dtype).transpose(0, 1).flatten(1, 2)[None, :, :end]
                for pool, scale in zip(pools, (self.cache.k_scale, self.cache.v_scale), strict=True)
            )  # [1, Hkv, S, D]
            seen = torch.arange(end, device=q.device)
            out[:, :, here] = attend(q[:, :, here], keys, values, self.positions[here], seen)
        return out


def _writable(cache: PagedKVCache, seq: Hashable, end: int) -> list[int]:
    """The blocks of ``seq`` up to position ``end``, once it may write there."""
    cache.check_writable(seq, cache.lengths.get(seq, 0), end)
    return cache.table(seq)[: cache.blocks_needed(end)]


def _padded(tables: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """Tables of different lengths as one tensor, padded with 0."""
    width = max(map(len, tables), default=0)
    rows = [[*table, *[0] * (width - len(table))] for table in tables]
    return torch.tensor(rows, dtype=torch.int64, device=device).view(len(tables), width)


def run_ragged(
    decoder: Decoder,
    cache: PagedKVCache,
    seqs: Sequence[Hashable],
    tokens: Sequence[Sequence[int]],
    wanted: Sequence[int],
    places: Sequence[int] = (),
) -> Tensor:
    """Run row ``i``'s ``tokens[i]``, reserved before; logits [wanted + places, vocab] after the
    rows ``wanted``, and after the tokens at ``places`` when all rows lie end to end.

    If it fails or is interrupted, no sequence has grown.
    """
    step = RaggedStep(cache, seqs, [len(row) for row in tokens])
    return step.run(decoder, tokens, wanted, places)
