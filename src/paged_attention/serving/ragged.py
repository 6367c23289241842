"""One step of rows of different lengths: their tokens laid end to end, [1, N].

Everything in the model but attention treats tokens one by one, so a row of one token and a chunk of
sixty share each pass over the weights. Only ``attend`` must know where rows begin.
"""

from collections.abc import Hashable, Sequence
from itertools import accumulate

import torch
from torch import Tensor

from paged_attention.attention import attend
from paged_attention.cache import PagedKVCache
from paged_attention.errors import BadBatch, BlockShared
from paged_attention.journal import all_or_nothing
from paged_attention.model.decoder import Decoder


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
        self._blocks = torch.tensor(places, device=device)  # [N]
        self._slots = self.positions % size  # [N]
        self._tables = _padded(tables, device)  # [rows, blocks]
        self._lengths = torch.tensor(list(self.after.values()), device=device)  # [rows]
        self._bounds = [0, *accumulate(counts)]  # [rows + 1], where each row begins, and N
        self._starts = torch.tensor(self._bounds, device=device)
        self.ends = [bound - 1 for bound in self._bounds[1:]]
        self._alone = max(counts) == 1

    @torch.no_grad()
    def attend(self, layer: int, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:  # noqa: ARG002
        """Write ``k``, ``v`` [1, Hkv, N, D]; each row attends to its own history: [1, Hq, N, D]."""
        cache = self.cache
        pools = cache.k_pool[layer], cache.v_pool[layer]
        for pool, new in zip(pools, (k, v), strict=True):
            pool[self._blocks, :, self._slots] = new[0].transpose(0, 1)  # [N, Hkv, D]
        kernel = cache.decode if self._alone else cache.prefill
        if kernel is None:
            out = self._gathered(q, *pools)
        else:
            seen = (self._lengths,) if self._alone else (self._lengths, self._starts)
            rows = q[0].transpose(0, 1)  # [N, Hq, D]
            out = kernel(rows, *pools, self._tables, *seen, cache.block_size).transpose(0, 1)[None]
        if layer == cache.layers - 1:
            cache.advance(self.after)
        return out

    @all_or_nothing
    @torch.no_grad()
    def run(
        self, decoder: Decoder, tokens: Sequence[Sequence[int]], wanted: Sequence[int]
    ) -> Tensor:
        """Run each row's ``tokens``; logits [len(wanted), vocab] after the rows ``wanted``."""
        device = self.cache.device
        ids = torch.tensor([token for row in tokens for token in row], device=device)  # [N]
        hidden = decoder.hidden_states(ids[None], self.positions, self)[0]  # [N, hidden]
        ends = torch.tensor([self.ends[i] for i in wanted], dtype=torch.int64, device=device)
        logits: Tensor = decoder.lm_head(hidden[ends])
        return logits

    def _gathered(self, q: Tensor, k_pool: Tensor, v_pool: Tensor) -> Tensor:
        """Attention row by row over a copy of its history: what the kernels spare."""
        out = torch.empty_like(q)
        for row, end in enumerate(self._lengths.tolist()):
            here = slice(self._bounds[row], self._bounds[row + 1])
            table = self._tables[row, : self.cache.blocks_needed(end)]
            keys, values = (
                pool[table].transpose(0, 1).flatten(1, 2)[None, :, :end]  # [1, Hkv, S, D]
                for pool in (k_pool, v_pool)
            )
            seen = torch.arange(end, device=q.device)
            out[:, :, here] = attend(q[:, :, here], keys, values, self.positions[here], seen)
        return out


def _writable(cache: PagedKVCache, seq: Hashable, end: int) -> list[int]:
    """The blocks of ``seq`` up to position ``end``, once it may write there."""
    start, table = cache.lengths.get(seq, 0), cache.table(seq)
    cache.check_writable(seq, start, end)
    table = table[: cache.blocks_needed(end)]
    for block in table[start // cache.block_size :]:
        if cache.allocator.refs[block] > 1:
            raise BlockShared(
                f"sequence {seq!r} would write into block {block}, which has other holders; "
                "reserve after the last fork, which copies what is shared"
            )
    return table


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
) -> Tensor:
    """Run row ``i``'s ``tokens[i]``, reserved before; logits [len(wanted), vocab] after those rows.

    If it fails or is interrupted, no sequence has grown.
    """
    return RaggedStep(cache, seqs, [len(row) for row in tokens]).run(decoder, tokens, wanted)
