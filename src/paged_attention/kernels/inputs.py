"""What a decode step is given, checked before any kernel runs: a kernel can't say what is wrong.

A kernel follows whatever address it computes, so a wrong shape is no error there but a wrong
answer.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from paged_attention.errors import BadTensor, PositionNotReserved, UnknownBlock
from paged_attention.tables import blocks_needed

QUERY_TYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
FP8_TYPES = (torch.float8_e4m3fn, torch.float8_e5m2)
POOL_TYPES = (*QUERY_TYPES, *FP8_TYPES)
INDEX_TYPES = (torch.int32, torch.int64)


class Decode(NamedTuple):
    """One query for each sequence, and the pools and tables that hold what it may see.

    A stored key is worth ``k_scale`` times its number, a stored value ``v_scale`` times: 1 unless
    the pools hold fp8. ``scale`` multiplies every score.
    """

    q: Tensor  # [B, Hq, D]
    k_pool: Tensor  # [num_blocks, Hkv, block_size, D]
    v_pool: Tensor  # the same shape, strides and type
    block_tables: Tensor  # int [B, max_blocks]
    lengths: Tensor  # int [B]
    scale: float
    k_scale: float = 1.0
    v_scale: float = 1.0

    @property
    def rows(self) -> int:
        """Sequences in this step, B."""
        return self.q.shape[0]

    @property
    def heads(self) -> int:
        """Query heads, Hq."""
        return self.q.shape[1]

    @property
    def head_dim(self) -> int:
        """D."""
        return self.q.shape[2]

    @property
    def kv_heads(self) -> int:
        """Hkv."""
        return self.k_pool.shape[1]

    @property
    def group(self) -> int:
        """Query heads that read one KV head."""
        return self.q.shape[1] // self.k_pool.shape[1]

    @property
    def block_size(self) -> int:
        """Tokens of a block."""
        return self.k_pool.shape[2]

    @property
    def room(self) -> int:
        """Tokens that a row of the tables has entries for."""
        return self.block_tables.shape[1] * self.block_size


def checked(
    q: Tensor,
    k_pool: Tensor,
    v_pool: Tensor,
    block_tables: Tensor,
    lengths: Tensor,
    block_size: int,
    *,
    scale: float | None = None,
    k_scale: float = 1.0,
    v_scale: float = 1.0,
) -> Decode:
    """The step, or ``BadTensor``. Looks at shapes and types only: nothing waits for a GPU."""
    if not (q.dim() == 3 and k_pool.dim() == 4 and block_tables.dim() == 2 and lengths.dim() == 1):
        raise BadTensor(
            "a decode step takes q [B, Hq, D], pools [num_blocks, Hkv, block_size, D], tables [B, "
            f"max_blocks] and lengths [B]; got {list(q.shape)}, {list(k_pool.shape)}, "
            f"{list(block_tables.shape)} and {list(lengths.shape)}"
        )
    _check_pools(k_pool, v_pool)
    _check_fit(q, k_pool, block_tables, lengths, block_size)
    _check_types(q, k_pool, block_tables, lengths)
    if block_tables.stride(1) != 1:  # a transposed table, or one entry repeated
        block_tables = block_tables.contiguous()
    scale = 1 / math.sqrt(q.shape[2]) if scale is None else scale
    return Decode(q, k_pool, v_pool, block_tables, lengths.contiguous(), scale, k_scale, v_scale)


def check_tables(step: Decode) -> None:
    """Raise naming the first row whose length or table can't be right. Reads them, so it waits for
    a GPU.
    """
    num_blocks, size = step.k_pool.shape[0], step.block_size
    for row, (table, length) in enumerate(
        zip(step.block_tables.tolist(), step.lengths.tolist(), strict=True)
    ):
        if not 0 <= length <= step.room:
            raise PositionNotReserved(
                f"row {row} has length {length}; its table has room for {len(table)} blocks of "
                f"{size}, {step.room} tokens. Nothing was read"
            )
        for entry, block in enumerate(table[: blocks_needed(length, size)]):
            if not 0 <= block < num_blocks:
                raise UnknownBlock(
                    f"row {row} keeps tokens {entry * size} to {entry * size + size - 1} in block "
                    f"{block}, says its table; the pool has blocks 0 to {num_blocks - 1}. "
                    "Nothing was read"
                )


def _check_pools(k_pool: Tensor, v_pool: Tensor) -> None:
    strides = k_pool.stride()
    if (
        k_pool.shape != v_pool.shape
        or strides != v_pool.stride()
        or k_pool.dtype != v_pool.dtype
        or k_pool.device != v_pool.device
    ):
        raise BadTensor(
            f"k_pool is {list(k_pool.shape)}, {k_pool.dtype}, strides {list(strides)}, on "
            f"{k_pool.device}; v_pool is {list(v_pool.shape)}, {v_pool.dtype}, strides "
            f"{list(v_pool.stride())}, on {v_pool.device}: one address serves both, so they must "
            "be alike"
        )
    if strides[3] != 1 and k_pool.shape[3] > 1:
        raise BadTensor(
            f"the pools have strides {list(strides)}: the numbers of one key must lie side by side "
            "(last stride 1)"
        )


def _check_fit(
    q: Tensor, k_pool: Tensor, block_tables: Tensor, lengths: Tensor, block_size: int
) -> None:
    rows, heads, head_dim = q.shape
    _, kv_heads, slots, pool_dim = k_pool.shape
    if slots != block_size:
        raise BadTensor(
            f"block_size is {block_size}, the pools are {list(k_pool.shape)}, blocks of {slots}"
        )
    if head_dim != pool_dim or head_dim < 1:
        raise BadTensor(f"the queries have head size {head_dim}, the pools {pool_dim}")
    if kv_heads < 1 or heads < 1 or heads % kv_heads:
        raise BadTensor(
            f"{heads} query heads can't share {kv_heads} KV heads evenly: the first must be a "
            "multiple of the second"
        )
    if block_tables.shape[0] != rows or lengths.shape[0] != rows:
        raise BadTensor(
            f"q has {rows} rows, block_tables {block_tables.shape[0]} and lengths "
            f"{lengths.shape[0]}: each needs one for each sequence"
        )


def _check_types(q: Tensor, k_pool: Tensor, block_tables: Tensor, lengths: Tensor) -> None:
    for name, tensor, allowed in (
        ("q", q, QUERY_TYPES),
        ("k_pool", k_pool, POOL_TYPES),
        ("block_tables", block_tables, INDEX_TYPES),
        ("lengths", lengths, INDEX_TYPES),
    ):
        if tensor.dtype not in allowed:
            names = ", ".join(str(dtype).removeprefix("torch.") for dtype in allowed)
            raise BadTensor(f"{name} is {tensor.dtype}; it must be one of {names}")
        if tensor.device != q.device:
            raise BadTensor(f"q is on {q.device}, {name} on {tensor.device}; move one of them")
