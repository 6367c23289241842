"""The decode steps that the stopwatch times, and the ways that stand beside a reader's walk."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from paged_attention.exp2 import LOG2_E
from paged_attention.kernels import cpu, reference
from paged_attention.kernels.inputs import Decode, checked

HEADS, KV_HEADS, HEAD_DIM, BLOCK_SIZE = 9, 3, 64, 16  # SmolLM2's, in float32
QUERIES = 3  # a step is run with these in turn, so that a kept answer is a wrong one
Way = Callable[[int], Tensor]  # which of the queries -> [rows, HEADS, HEAD_DIM]


@dataclass(frozen=True)
class Load:
    """``rows`` sequences of ``length`` tokens; ``cold``: the caches are swept before each run."""

    rows: int
    length: int
    cold: bool = False

    @property
    def history(self) -> int:
        """Bytes of keys and values that one step reads."""
        return 2 * self.rows * self.length * KV_HEADS * HEAD_DIM * 4

    def steps(self) -> list[Decode]:
        """The step with each of the queries: one pool, blocks in no order."""
        generator = torch.Generator().manual_seed(8)
        width = -(-self.length // BLOCK_SIZE)
        blocks = torch.randperm(self.rows * width, generator=generator)
        shape = len(blocks), KV_HEADS, BLOCK_SIZE, HEAD_DIM
        k_pool, v_pool = (torch.randn(shape, generator=generator) for _ in "kv")
        tables = blocks.view(self.rows, width).contiguous()
        lengths = torch.full((self.rows,), self.length)
        queries = torch.randn(QUERIES, self.rows, HEADS, HEAD_DIM, generator=generator)
        return [checked(q, k_pool, v_pool, tables, lengths, BLOCK_SIZE) for q in queries]


def library_way(path: str, steps: list[Decode], threads: int) -> Way:
    """A reader's fast library, called as the finished kernel is."""
    run = ctypes.CDLL(path).run_walk
    run.argtypes = [ctypes.c_void_p] * 6 + [ctypes.c_int64] * 4 + [ctypes.c_float, ctypes.c_int64]
    run.restype = None
    out = torch.empty_like(steps[0].q)
    first = steps[0]
    sizes = len(first.lengths), KV_HEADS, first.block_tables.shape[1], BLOCK_SIZE
    tables, lengths = first.block_tables.long().contiguous(), first.lengths.long().contiguous()
    scale = HEAD_DIM**-0.5 * LOG2_E

    def way(turn: int) -> Tensor:
        given = (steps[turn].q, first.k_pool, first.v_pool, tables, lengths, out)
        run(*(tensor.data_ptr() for tensor in given), *sizes, scale, threads)
        return out

    return way


def function_way(walk: Callable[..., Any], steps: list[Decode]) -> Way:
    """A reader's Python (or Numba) function, a row and a KV head at a time, as in its check."""
    first = steps[0]
    group, scale = HEADS // KV_HEADS, HEAD_DIM**-0.5 * LOG2_E
    pools = [
        [pool[:, head].numpy() for head in range(KV_HEADS)] for pool in (first.k_pool, first.v_pool)
    ]
    tables = [table.numpy() for table in first.block_tables.long()]
    out = torch.empty_like(first.q)

    def way(turn: int) -> Tensor:
        query = steps[turn].q.view(len(tables), KV_HEADS, group, HEAD_DIM) * scale
        for row, table in enumerate(tables):
            for head in range(KV_HEADS):
                keys, values = pools[0][head], pools[1][head]
                got = walk(
                    query[row, head].numpy(),
                    keys,
                    values,
                    table,
                    int(first.lengths[row]),
                    BLOCK_SIZE,
                )
                out[row, head * group : (head + 1) * group] = torch.as_tensor(got)
        return out

    return way


def other_ways(load: Load, steps: list[Decode]) -> dict[str, Way]:
    """What a walk is held against: the finished kernel, PyTorch over contiguous memory, a copy."""
    first = steps[0]
    keys, values = [
        pool[first.block_tables.long()]
        .transpose(1, 2)
        .flatten(2, 3)[:, :, : load.length]
        .contiguous()
        for pool in (first.k_pool, first.v_pool)
    ]
    source = torch.ones(load.history // 8)  # read once and written once: as many bytes in all
    target = torch.empty_like(source)

    def contiguous(turn: int) -> Tensor:
        query = steps[turn].q[:, :, None]
        return scaled_dot_product_attention(query, keys, values, enable_gqa=True)[:, :, 0]

    return {
        "finished": lambda turn: cpu.decode(steps[turn]),
        "contiguous SDPA": contiguous,
        "a copy of as many bytes": lambda _turn: target.copy_(source),
    }


def right(steps: list[Decode]) -> list[Tensor]:
    """The answers in float64, one for each of the queries."""
    return [reference.decode(step) for step in steps]


def is_right(answer: Tensor, wanted: Tensor) -> bool:
    """Equal to what four decimals can tell."""
    return bool(torch.allclose(answer.double(), wanted, atol=1e-4))
