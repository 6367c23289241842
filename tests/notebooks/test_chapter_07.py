"""The kernels that chapter 7 builds run in an interpreter there; here they are compiled, too."""

import linecache
from pathlib import Path
from typing import Any

import jupytext
import pytest
import torch

triton = pytest.importorskip("triton", reason="no wheels for this system")

from paged_attention.kernels.compiled import compile_launch  # noqa: E402
from paged_attention.kernels.launch import Launch  # noqa: E402

CHAPTER = Path(__file__).parents[2] / "chapters" / "source" / "07_a_triton_decode_kernel.md"
FILE = "<solutions of chapter 7>"


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """The chapter's kernels by name, without their checks."""
    cells = [c.source for c in jupytext.read(CHAPTER).cells if c.source.startswith("@triton.jit")]
    source = "\n\n".join(cell.split("\ncheck.")[0].split("\nsimplified_twin")[0] for cell in cells)
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {"triton": triton, "tl": triton.language}
    exec(compile(source, FILE, "exec"), names)
    return names


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
@pytest.mark.parametrize("name", ["decode_kernel_solution", "decode_edges_solution"])
def test_the_chapters_kernels_compile_for_gpus(
    built: dict[str, Any], name: str, target: str
) -> None:
    q, pool = torch.empty(4, 9, 64), torch.empty(20, 3, 16, 64)
    args = {
        "q": q,
        "k_pool": pool,
        "v_pool": pool,
        "block_tables": torch.empty(4, 5, dtype=torch.int32),
        "lengths": torch.empty(4, dtype=torch.int32),
        "out": torch.empty_like(q),
        "scale": 0.125,
        "HEADS": 9,
        "KV_HEADS": 3,
        "HEAD_DIM": 64,
        "BLOCK_SIZE": 16,
        "MAX_BLOCKS": 5,
    }
    if "edges" in name:
        args["LANES"] = 64
    made = compile_launch(Launch(built[name], (4, 9), args), target)
    assert made.spilled == 0
    assert made.loads[16] >= 2  # of K and of V
