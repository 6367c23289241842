"""Other engines' Triton decode kernels, from their own unmodified files, on our steps.

Nothing of theirs is in this repository. Point ``PAGED_ATTENTION_PEERS`` at a folder that holds the
unpacked packages (``vllm/``, ``sglang/``, as in ``peers``); what is absent is left out. Each file
is run by itself; what it imports of its own package is answered by the few names below.
"""

import enum
import importlib.util
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from paged_attention.kernels.inputs import Decode

Prepared = Callable[[], Tensor]
Prepare = Callable[[Decode], Prepared]
SGLANG = "sglang/kernels/ops/attention/decode_attention.py"
VLLM = "vllm/v1/attention/ops/triton_unified_attention.py"
# vLLM's triton backend: below so many programs it reads a sequence in 16 segments.
VLLM_SEGMENTS, VLLM_PROGRAMS = 16, 128
# SGLang reads a sequence in 8 splits unless told otherwise; all are tried, the best counts.
SGLANG_SPLITS = (8, 16, 32, 64)


def present() -> dict[str, Prepare]:
    """By name, how each engine's kernel is prepared for a step; preparing isn't timed."""
    folder = os.environ.get("PAGED_ATTENTION_PEERS")
    found: dict[str, Prepare] = {}
    if folder and (file := _find(Path(folder), VLLM)):
        found["vLLM unified_attention"] = _vllm(file)
    if folder and (file := _find(Path(folder), SGLANG)):
        for splits in SGLANG_SPLITS:
            found[f"SGLang decode_attention, {splits} splits"] = _sglang(file, splits)
    return found


def _find(folder: Path, file: str) -> Path | None:
    """In an unpacked wheel, or in a folder of them."""
    package = file.split("/")[0]
    return next((p for p in (folder / file, folder / package / file) if p.is_file()), None)


def _load(name: str, file: Path, stand_ins: dict[str, dict[str, Any]]) -> ModuleType:
    """Run one file as module ``name``, the modules it imports being ``stand_ins`` for now."""
    before = dict(sys.modules)
    for module_name, names in stand_ins.items():
        for parent in _parents(module_name):
            sys.modules.setdefault(parent, ModuleType(parent))
        stand_in = ModuleType(module_name)
        vars(stand_in).update(names)
        sys.modules[module_name] = stand_in
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        for added in set(sys.modules) - set(before):
            if added.split(".")[0] in ("vllm", "sglang") and added != name:
                del sys.modules[added]
    return module


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


def _no(*_: object) -> bool:
    return False


class Unset:
    """Settings of another engine, none of which is set."""

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(get=lambda: None)


def sglang_module(file: Path) -> ModuleType:
    """SGLang's decode kernels, which its prefill kernels import from."""
    score_mod = _load("sglang.kernels.ops.attention.score_mod", file.with_name("score_mod.py"), {})
    return _load(
        "sglang.kernels.ops.attention.decode_attention",
        file,
        {
            "sglang.kernels.ops.attention.score_mod": vars(score_mod),
            "sglang.srt.environ": {"envs": SimpleNamespace()},
            "sglang.srt.utils": {
                "get_device_core_count": lambda *_: 1,
                "is_gfx95_supported": _no,
                "is_gfx1250_supported": _no,
                "is_hip": _no,
            },
        },
    )


def _sglang(file: Path, splits: int) -> Prepare:
    module = sglang_module(file)

    def prepare(step: Decode) -> Prepared:
        k_buffer, v_buffer = (by_token(pool).flatten(0, 1) for pool in (step.k_pool, step.v_pool))
        slots = torch.cat([
            (table[:, None] * step.block_size + torch.arange(step.block_size, device=table.device))
            .flatten()[:length]
            for table, length in zip(step.block_tables, step.lengths.tolist(), strict=True)
        ])  # fmt: skip
        starts = torch.nn.functional.pad(step.lengths.cumsum(0), (1, 0)).int()
        counts = torch.full_like(step.lengths, splits).int()
        shape = (step.rows, step.heads, splits)
        logits = torch.empty((*shape, step.head_dim), dtype=torch.float32, device=step.q.device)
        lse = torch.empty(shape, dtype=torch.float32, device=step.q.device)
        out = torch.empty_like(step.q)

        def decode() -> Tensor:
            module.decode_attention_fwd(
                step.q, k_buffer, v_buffer, out, starts, slots, logits, lse, counts, splits,
                step.scale, 1.0, 1.0,
            )  # fmt: skip
            return out

        return decode

    return prepare


def vllm_module(file: Path) -> ModuleType:
    """vLLM's unified kernel, which serves decode and prefill."""
    import triton
    import triton.language as tl

    class KVQuantMode(enum.IntEnum):
        NONE = 0
        INT8_PER_TOKEN_HEAD = 2
        FP8_PER_TOKEN_HEAD = 3
        INT4_PER_TOKEN_HEAD = 4

    platform = SimpleNamespace(
        fp8_dtype=lambda: torch.float8_e4m3fn, is_device_capability_family=_no
    )
    triton_utils = {"tl": tl, "triton": triton}
    helpers = _load(
        "vllm.v1.attention.ops.triton_attention_helpers",
        file.with_name("triton_attention_helpers.py"),
        {"vllm.triton_utils": triton_utils},
    )
    return _load(
        "vllm.v1.attention.ops.triton_unified_attention",
        file,
        {
            "vllm": {"envs": SimpleNamespace(VLLM_BATCH_INVARIANT=False)},
            "vllm.envs": {"VLLM_BATCH_INVARIANT": False},
            "vllm.logger": {"init_logger": logging.getLogger},
            "vllm.platforms": {"current_platform": platform},
            "vllm.triton_utils": triton_utils,
            "vllm.v1.attention.ops.triton_attention_helpers": vars(helpers),
            "vllm.v1.kv_cache_interface": {"KVQuantMode": KVQuantMode},
        },
    )


def _vllm(file: Path) -> Prepare:
    import triton

    module = vllm_module(file)

    def prepare(step: Decode) -> Prepared:
        k_cache, v_cache = by_token(step.k_pool), by_token(step.v_pool)
        device, lanes = step.q.device, triton.next_power_of_2(step.head_dim)
        shape = (step.rows, step.heads, VLLM_SEGMENTS)
        part_acc = torch.empty((*shape, lanes), dtype=torch.float32, device=device)
        part_m, part_l = (torch.empty(shape, dtype=torch.float32, device=device) for _ in "ml")
        starts = torch.arange(step.rows + 1, dtype=torch.int32, device=device)
        lengths, tables = step.lengths.int(), step.block_tables.int()
        longest, out = int(step.lengths.max()), torch.empty_like(step.q)

        def decode() -> Tensor:
            module.unified_attention(
                step.q, k_cache, v_cache, out, starts, 1, lengths, longest, step.scale, True,
                (-1, -1), tables, 0.0, None, None, None,
                seq_threshold_3D=VLLM_PROGRAMS // step.kv_heads,
                num_par_softmax_segments=VLLM_SEGMENTS,
                softmax_segm_output=part_acc, softmax_segm_max=part_m, softmax_segm_expsum=part_l,
            )  # fmt: skip
            return out

        return decode

    return prepare


def by_token(pool: Tensor) -> Tensor:
    """A copy in the order that the other engines keep: [num_blocks, block_size, Hkv, D]."""
    return pool.transpose(1, 2).contiguous()
