"""Other engines' prefill kernels on our steps, from their own unmodified files, as in peer_kernels.

SGLang's extend kernel reads the history through slots and the new tokens from tensors of their own;
vLLM's unified kernel reads both from its pages, as ours does; FlashInfer plans on the host first.
"""

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from benchmarks import peer_kernels
from torch import Tensor

from paged_attention.kernels.prefill_inputs import Prefill

Prepared = Callable[[], Tensor]
Prepare = Callable[[Prefill], Prepared]
SGLANG = "sglang/kernels/ops/attention/extend_attention.py"


def present() -> dict[str, Prepare]:
    """By name, how each engine's kernel is prepared for a step; preparing isn't timed."""
    folder = os.environ.get("PAGED_ATTENTION_PEERS")
    found: dict[str, Prepare] = {}
    if folder and (file := peer_kernels._find(Path(folder), peer_kernels.VLLM)):
        found["vLLM unified_attention"] = _vllm(file)
    if folder and (file := peer_kernels._find(Path(folder), SGLANG)):
        found["SGLang extend_attention"] = _sglang(file)
    if torch.cuda.is_available():
        try:
            import flashinfer
        except ImportError:
            return found
        found["FlashInfer"] = _flashinfer(flashinfer)
    return found


def _vllm(file: Path) -> Prepare:
    module = peer_kernels.vllm_module(file)

    def prepare(step: Prefill) -> Prepared:
        k_cache, v_cache = (peer_kernels.by_token(pool) for pool in (step.k_pool, step.v_pool))
        starts, lengths, tables = (
            x.int() for x in (step.query_starts, step.lengths, step.block_tables)
        )
        most = max(b - a for a, b in pairwise(starts.tolist()))
        longest, out = int(lengths.max()), torch.empty_like(step.q)

        def prefill() -> Tensor:
            module.unified_attention(
                step.q, k_cache, v_cache, out, starts, most, lengths, longest, step.scale, True,
                (-1, -1), tables, 0.0, None, None, None,
            )  # fmt: skip
            return out

        return prefill

    return prepare


def _sglang(file: Path) -> Prepare:
    decode = peer_kernels.sglang_module(file.with_name("decode_attention.py"))
    score_mod = peer_kernels._load(
        "sglang.kernels.ops.attention.score_mod", file.with_name("score_mod.py"), {}
    )
    envs: Any = peer_kernels.Unset()
    module = peer_kernels._load(
        "sglang.kernels.ops.attention.extend_attention",
        file,
        {
            "sglang.kernels.ops.attention.decode_attention": vars(decode),
            "sglang.kernels.ops.attention.score_mod": vars(score_mod),
            "sglang.srt.environ": {"envs": envs},
            "sglang.srt.utils": {
                "is_cuda": torch.cuda.is_available,
                "is_gfx95_supported": peer_kernels._no,
                "is_gfx1250_supported": peer_kernels._no,
                "is_hip": peer_kernels._no,
            },
        },
    )

    def prepare(step: Prefill) -> Prepared:
        size = step.k_pool.shape[2]
        k_buffer, v_buffer = (
            peer_kernels.by_token(pool).flatten(0, 1) for pool in (step.k_pool, step.v_pool)
        )
        starts = step.query_starts.int()
        counts = starts.diff()
        known = (step.lengths - counts).tolist()
        slots = [
            (table[:, None] * size + torch.arange(size, device=table.device)).flatten()
            for table in step.block_tables
        ]
        old = torch.cat([each[:n] for each, n in zip(slots, known, strict=True)])
        new = torch.cat(
            [
                each[n:length]
                for each, n, length in zip(slots, known, step.lengths.tolist(), strict=True)
            ]
        )
        k_new, v_new = k_buffer[new], v_buffer[new]  # [N, Hkv, D]
        old_starts = torch.nn.functional.pad((step.lengths - counts).cumsum(0), (1, 0)).int()
        most, out = int(counts.max()), torch.empty_like(step.q)

        def prefill() -> Tensor:
            module.extend_attention_fwd(
                step.q, k_new, v_new, out, k_buffer, v_buffer, starts, old_starts, old, None, True,
                None, most, 1.0, 1.0, sm_scale=step.scale,
            )  # fmt: skip
            return out

        return prefill

    return prepare


def _flashinfer(flashinfer: Any) -> Prepare:
    def prepare(step: Prefill) -> Prepared:
        _, heads, head_dim = step.q.shape
        _, kv_heads, size, _ = step.k_pool.shape
        counts = [-(-length // size) for length in step.lengths.tolist()]
        pages = torch.cat(
            [table[:n] for table, n in zip(step.block_tables, counts, strict=True)]
        ).int()
        page_starts = torch.tensor([0, *counts]).cumsum(0).int()
        space = torch.empty(256 * 2**20, dtype=torch.uint8, device=step.q.device)
        wrapper = flashinfer.BatchPrefillWithPagedKVCacheWrapper(space, kv_layout="HND")
        wrapper.plan(
            step.query_starts.int(), page_starts.to(step.q.device), pages,
            (step.lengths.int() - 1) % size + 1, heads, kv_heads, head_dim, size,
            causal=True, sm_scale=step.scale, q_data_type=step.q.dtype,
        )  # fmt: skip
        pools = step.k_pool, step.v_pool
        return lambda: wrapper.run(step.q, pools)

    return prepare
