"""What a prefill step is given, checked before any kernel runs, and how it is cut into tiles.

A first prompt, a chunk of one, what follows a cached prefix, and a decode step are one thing: each
sequence brings new tokens, which are its last ones, and each of them sees all tokens up to itself.
"""

from typing import NamedTuple

from torch import Tensor

from paged_attention.errors import BadTensor
from paged_attention.kernels.inputs import INDEX_TYPES, Decode, check_tables, checked


class Prefill(NamedTuple):
    """New tokens of several sequences, one sequence after another, and what they may see.

    Their keys and values are in the pools already, and ``lengths`` counts them. The rest is as in
    ``Decode``.
    """

    q: Tensor  # [N, Hq, D]
    k_pool: Tensor  # [num_blocks, Hkv, block_size, D]
    v_pool: Tensor  # the same shape, strides and type
    block_tables: Tensor  # int [B, max_blocks]
    lengths: Tensor  # int [B]
    query_starts: Tensor  # int [B + 1], where each sequence begins in q, and N
    scale: float
    k_scale: float = 1.0
    v_scale: float = 1.0

    @property
    def history(self) -> Decode:
        """What it shares with a decode step; ``q`` has a row for each new token there, not for each
        sequence.
        """
        return Decode(*self[:5], *self[6:])

    @property
    def new_tokens(self) -> int:
        """Of all sequences together, N."""
        return self.q.shape[0]

    @property
    def rows(self) -> int:
        """Sequences in this step, B."""
        return self.lengths.shape[0]


class Tile(NamedTuple):
    """Neighbouring new tokens of one sequence, worked on together."""

    row: int  # the sequence
    first: int  # of its new tokens, counted from 0


def checked_prefill(
    q: Tensor,
    k_pool: Tensor,
    v_pool: Tensor,
    block_tables: Tensor,
    lengths: Tensor,
    query_starts: Tensor,
    block_size: int,
    *,
    scale: float | None = None,
    k_scale: float = 1.0,
    v_scale: float = 1.0,
) -> Prefill:
    """The step, or ``BadTensor``. Looks at shapes and types only: nothing waits for a GPU."""
    if not (q.dim() == 3 and block_tables.dim() == 2 and lengths.dim() == query_starts.dim() == 1):
        raise BadTensor(
            "a prefill step takes q [N, Hq, D], tables [B, max_blocks], lengths [B] and "
            f"query_starts [B + 1]; got {list(q.shape)}, {list(block_tables.shape)}, "
            f"{list(lengths.shape)} and {list(query_starts.shape)}"
        )
    rows = query_starts.shape[0] - 1
    if block_tables.shape[0] != rows or lengths.shape[0] != rows:
        raise BadTensor(
            f"query_starts has {rows + 1} numbers, block_tables {block_tables.shape[0]} rows and "
            f"lengths {lengths.shape[0]}: B sequences need B + 1, B and B"
        )
    if query_starts.dtype not in INDEX_TYPES or query_starts.device != q.device:
        raise BadTensor(
            f"query_starts is {query_starts.dtype} on {query_starts.device}; it must be int32 or "
            f"int64, on {q.device} like q"
        )
    # Everything else is as for decode, where each sequence brings one query.
    one_each = q.new_empty(()).expand(rows, *q.shape[1:])
    like = checked(
        one_each,
        k_pool,
        v_pool,
        block_tables,
        lengths,
        block_size,
        scale=scale,
        k_scale=k_scale,
        v_scale=v_scale,
    )
    return Prefill(q, *like[1:5], query_starts.contiguous(), *like[5:])


def check_prefill(step: Prefill) -> None:
    """Raise naming the first row whose length, table or new tokens can't be right. Reads them, so
    it waits for a GPU.
    """
    check_tables(step.history)
    starts, lengths = step.query_starts.tolist(), step.lengths.tolist()
    if starts[0] != 0 or starts[-1] != step.new_tokens:
        raise BadTensor(
            f"query_starts goes from {starts[0]} to {starts[-1]}; q has {step.new_tokens} new "
            f"tokens, so it must go from 0 to {step.new_tokens}. Nothing was read"
        )
    for row, length in enumerate(lengths):
        count = starts[row + 1] - starts[row]
        if not 0 <= count <= length:
            raise BadTensor(
                f"row {row} has length {length} and {count} new tokens, from {starts[row]} to "
                f"{starts[row + 1]} in q: new tokens are counted in the length, and none can be "
                "fewer than 0. Nothing was read"
            )


def tile_map(query_starts: list[int], lengths: list[int], tokens: int) -> list[Tile]:
    """Every sequence's new tokens in tiles of ``tokens`` at most; a sequence without any has none.

    Those that read most come first: a long one that began last would keep everyone waiting.
    """
    reads: dict[Tile, int] = {}
    for row, length in enumerate(lengths):
        count = query_starts[row + 1] - query_starts[row]
        for first in range(0, count, tokens):
            reads[Tile(row, first)] = length - count + min(first + tokens, count)
    return sorted(reads, key=lambda tile: -reads[tile])
