"""The kernels' walk in NumPy, to read beside them and to run where Triton can't be installed.

``part`` is what one program of ``decode_split`` does, ``merge`` is ``merge_splits``, and with one
part for each sequence both are ``decode_grouped``. Slow: it is here to be understood.
"""
# ruff: noqa: E741

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from paged_attention.kernels.inputs import Decode, check_tables
from paged_attention.tables import ceil_div

Floats = NDArray[np.float32]


class Part(NamedTuple):
    """What is known of some positions of one sequence, for each query of a group."""

    m: Floats  # [group], the highest score; -inf when there was no position
    l: Floats  # [group], the sum of all weights, each e ** (score - m)
    acc: Floats  # [group, D], the sum of all weighted values


def part(
    query: Floats,
    k_pool: Floats,
    v_pool: Floats,
    table: Sequence[int],
    first: int,
    last: int,
) -> Part:
    """Positions ``first`` to ``last - 1``, block by block through the table.

    ``query`` [group, D], scaled; ``k_pool``, ``v_pool`` [num_blocks, block_size, D] of one KV head.
    """
    group, head_dim = query.shape
    block_size = k_pool.shape[1]
    m = np.full(group, -np.inf, np.float32)
    l = np.zeros(group, np.float32)
    acc = np.zeros((group, head_dim), np.float32)
    while first < last:
        index, slot = divmod(first, block_size)
        n = min(block_size - slot, last - first)  # this block's tokens
        keys = k_pool[table[index], slot : slot + n]  # [n, D]
        values = v_pool[table[index], slot : slot + n]  # [n, D]
        score = query @ keys.T  # [group, n]
        higher = np.maximum(m, score.max(axis=1))  # [group]
        # A key may hold -inf, and all scores so far with it: -inf - -inf would be NaN.
        top = np.where(higher == -np.inf, np.float32(0), higher)  # [group]
        p = np.exp(score - top[:, None])  # [group, n], this block's weights
        shrink = np.exp(m - top)  # [group], what all earlier weights are worth now
        acc = acc * shrink[:, None] + p @ values  # [group, D]
        l = l * shrink + p.sum(axis=1)  # [group]
        m = higher
        first += n
    return Part(m, l, acc)


def merge(parts: Sequence[Part]) -> Floats:
    """The answer [group, D] of all parts together: to one scale, add, divide last."""
    m = np.max([one.m for one in parts], axis=0)  # [group]
    top = np.where(m == -np.inf, np.float32(0), m)  # [group]; -inf - -inf would be NaN
    l = np.zeros_like(m)
    acc = np.zeros_like(parts[0].acc)
    for one in parts:
        weight: Floats = np.exp(one.m - top)  # [group], 0 for a part without positions
        l = l + weight * one.l
        acc = acc + weight[:, None] * one.acc
    answer: Floats = acc / np.where(l == 0, np.ones_like(l), l)[:, None]
    return answer


def decode(step: Decode, splits: int = 1) -> Tensor:
    """Attention of each row over its history, ``splits`` parts each: [B, Hq, D]."""
    check_tables(step)
    with np.errstate(all="ignore"):  # a kernel says nothing when a number overflows
        return _decode(step, splits)


def _decode(step: Decode, splits: int) -> Tensor:
    out = torch.empty_like(step.q)
    queries = as_array(step.q) * np.float32(step.scale * step.k_scale)
    k_pool, v_pool = as_array(step.k_pool), as_array(step.v_pool)
    for row, (table, length) in enumerate(
        zip(step.block_tables.tolist(), step.lengths.tolist(), strict=True)
    ):
        span = ceil_div(length, splits)
        for kv_head in range(step.kv_heads):
            heads = slice(kv_head * step.group, (kv_head + 1) * step.group)
            parts = [
                part(
                    queries[row, heads],
                    k_pool[:, kv_head],
                    v_pool[:, kv_head],
                    table,
                    min(i * span, length),
                    min((i + 1) * span, length),
                )
                for i in range(splits)
            ]
            out[row, heads] = torch.from_numpy(merge(parts) * np.float32(step.v_scale)).to(out)
    return out


def as_array(x: Tensor) -> Floats:
    """NumPy has no bfloat16 and no fp8, so everything becomes float32."""
    array: Floats = x.detach().to("cpu", torch.float32).numpy()
    return array
