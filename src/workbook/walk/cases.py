"""The cases by which a walk is judged, and their right answers.

A case is a small decode step: pools full of NaN but for the slots that were written, tables whose
padding names a block that no pool has, lengths at both sides of a block's edge.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paged_attention.exp2 import LOG2_E

HEAD_DIM, GROUP = 8, 3
NO_BLOCK = 2**40  # a table's padding: no process survives an address made from it


@dataclass(frozen=True)
class Case:
    """One decode step. ``q`` [rows, kv_heads * G, D]; pools [blocks, kv_heads, slots, D]."""

    title: str
    q: NDArray[np.float32]
    k_pool: NDArray[np.float32]
    v_pool: NDArray[np.float32]
    tables: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @property
    def block_size(self) -> int:
        """Slots of a block."""
        return int(self.k_pool.shape[2])

    @property
    def scale(self) -> float:
        """What a query is multiplied with, log2(e) included: weights are powers of two."""
        return float(np.float32(self.q.shape[2] ** -0.5 * LOG2_E))

    def right(self) -> NDArray[np.float64]:
        """Attention of every query over its sequence, in float64; zeros for an empty one."""
        out = np.zeros(self.q.shape)
        group = self.q.shape[1] // self.k_pool.shape[1]
        for row, length in enumerate(self.lengths):
            positions = np.arange(length)
            place = self.tables[row, positions // self.block_size], positions % self.block_size
            for head in range(self.q.shape[1] if length else 0):
                keys = self.k_pool[place[0], head // group, place[1]].astype(float)
                values = self.v_pool[place[0], head // group, place[1]].astype(float)
                scores = keys @ self.q[row, head].astype(float) * self.scale
                weights = np.exp2(scores - scores.max())
                out[row, head] = weights @ values / weights.sum()
        return out

    def packed(self) -> bytes:
        """The case as the checked program reads it."""
        rows, kv_heads = len(self.lengths), self.k_pool.shape[1]
        sizes = (rows, kv_heads, self.tables.shape[1], self.block_size, len(self.k_pool))
        arrays = (self.q, self.k_pool, self.v_pool, self.lengths, self.tables)
        head = struct.pack("=5qf", *sizes, self.scale)
        return head + b"".join(array.tobytes() for array in arrays)


def pack(cases: Sequence[Case]) -> bytes:
    """All cases, their number first."""
    return struct.pack("=q", len(cases)) + b"".join(case.packed() for case in cases)


def make(
    title: str,
    lengths: Sequence[int],
    kv_heads: int,
    block_size: int,
    seed: int,
    loud: float = 1.0,
) -> Case:
    """A case with blocks in no order and NaN in every slot that nobody wrote.

    ``loud`` multiplies the queries, and with them the scores.
    """
    rng = np.random.default_rng(seed)
    counts = [-(-length // block_size) for length in lengths]
    shape = (sum(counts) + 2, kv_heads, block_size, HEAD_DIM)
    free = list(rng.permutation(shape[0]))
    pools = [np.full(shape, np.nan, np.float32) for _ in "kv"]
    tables = np.full((len(lengths), max(1, *counts)), NO_BLOCK, np.int64)
    for row, length in enumerate(lengths):
        tables[row, : counts[row]] = [free.pop() for _ in range(counts[row])]
        for position in range(length):
            block, slot = tables[row, position // block_size], position % block_size
            for pool in pools:
                pool[block, :, slot] = rng.standard_normal((kv_heads, HEAD_DIM))
    q = rng.standard_normal((len(lengths), kv_heads * GROUP, HEAD_DIM)) * loud
    return Case(
        title, q.astype(np.float32), pools[0], pools[1], tables, np.array(lengths, np.int64)
    )


def cases() -> tuple[Case, ...]:
    """The seven by which a walk is judged."""
    return (
        make("one block of four tokens", [4], 1, 4, 1),
        make("four blocks, out of order", [16], 1, 4, 2),
        make("two KV heads", [8], 2, 4, 3),
        make("lengths 1, 4, 5 and 17 over NaN", [1, 4, 5, 17], 1, 4, 4),
        make("blocks of 3, and a sequence without tokens", [7, 0], 2, 3, 5),
        make("a block of 100 slots, and half of another", [150], 1, 100, 6),
        make("scores in the thousands", [1, 9], 1, 4, 7, loud=3000.0),
    )
