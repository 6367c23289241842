"""What chapter 8 builds, taken out of its cells, agrees with the finished kernels."""

import linecache
import math
import random
from pathlib import Path
from typing import Any

import jupytext
import numpy as np
import pytest
import torch

from paged_attention.kernels import reference, twin
from paged_attention.kernels.cpu import find_compiler
from workbook.checks import check

CHAPTER = Path(__file__).parents[2] / "chapters" / "source" / "08_making_it_fast.md"
FILE = "<solutions of chapter 8>"


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """The chapter's imports, its solutions without their checks, and the cells that build steps."""
    cells = [c for c in jupytext.read(CHAPTER).cells if c.cell_type == "code"]
    wanted = [cells[0].source]
    for cell in cells[1:]:
        if "solution" in cell.metadata.get("tags", []):
            wanted.append(cell.source.split("\ncheck.")[0])
        elif cell.source.startswith(("def make_step", "def arguments")):
            wanted.append(cell.source)
    source = "\n\n".join(wanted)
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, FILE, "exec"), names)
    return names


@pytest.mark.parametrize("seed", range(20))
def test_merging_is_the_engines(built: dict[str, Any], seed: int) -> None:
    draw, parts = random.Random(seed), []
    for _ in range(draw.randint(1, 6)):
        told = draw.random() < 0.6
        m = draw.uniform(-5, 5) if told else -math.inf
        parts.append((m, draw.uniform(1, 9), draw.uniform(-9, 9)) if told else (m, 0.0, 0.0))
    # The engine's weights are powers of e, the chapter's are powers of two.
    theirs = [
        twin.Part(*(np.array([x], np.float32) for x in (m * math.log(2), total, [acc])))
        for m, total, acc in parts
    ]
    assert built["merge_solution"](parts) == pytest.approx(
        float(twin.merge(theirs)[0, 0]), rel=1e-5
    )


@pytest.mark.parametrize("tile", [16, 64])
def test_the_kernel_is_attention(built: dict[str, Any], tile: int) -> None:
    pytest.importorskip("triton", reason="no wheels for this system")
    from paged_attention.kernels.interpreter import interpreted

    step = built["make_step"]([0, 1, 15, 16, 17, 130], heads=8, kv_heads=2, head_dim=32)
    given = built["arguments"](step, tile)
    interpreted(built["grouped_kernel_solution"])[(step.rows, step.kv_heads)](**given)
    torch.testing.assert_close(given["out"].double(), reference.decode(step), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("target", ["sm_80", "sm_100", "gfx942"])
def test_the_kernel_compiles_as_the_chapter_says(built: dict[str, Any], target: str) -> None:
    pytest.importorskip("triton", reason="no wheels for this system")
    from paged_attention.kernels.compiled import compile_launch
    from paged_attention.kernels.launch import Launch

    step = built["make_step"]([64], heads=32, kv_heads=8, head_dim=128, dtype=torch.bfloat16)
    launch = Launch(built["grouped_kernel_solution"], (1, 8), built["arguments"](step, 64), 4, 3)
    made = compile_launch(launch, target)
    assert made.tensor_core_ops > 0, made
    assert made.loads.get(16, 0) > 0, made
    assert made.spilled == 0, made


@pytest.mark.parametrize("splits", [1, 3, 9])
def test_the_split_kernel_s_parts_are_the_engine_s_to_merge(
    built: dict[str, Any], splits: int
) -> None:
    pytest.importorskip("triton", reason="no wheels for this system")
    from paged_attention.kernels import launch
    from paged_attention.kernels.interpreter import interpret, interpreted

    step = built["make_step"]([0, 1, 15, 16, 17, 130], heads=8, kv_heads=2, head_dim=32)
    plan = launch.split(step, splits, tile=16)
    names = ("part_m", "part_l", "part_acc")
    given = built["arguments"](step, 16) | {name: plan.launches[0].args[name] for name in names}
    del given["out"]
    interpreted(built["split_kernel_solution"])[(step.rows, step.kv_heads, splits)](**given)
    interpret(plan.launches[1])
    torch.testing.assert_close(plan.out.double(), reference.decode(step), atol=1e-5, rtol=1e-5)


def test_what_the_chapter_says_of_stages(built: dict[str, Any]) -> None:
    pytest.importorskip("triton", reason="no wheels for this system")
    from paged_attention.kernels.compiled import compile_launch
    from paged_attention.kernels.launch import Launch

    step = built["make_step"]([512] * 2, heads=32, kv_heads=8, head_dim=128, dtype=torch.bfloat16)
    given = built["arguments"](step, 64)
    shared = {
        stages: compile_launch(
            Launch(built["grouped_kernel_solution"], (2, 8), given, 4, stages), "sm_90"
        ).shared
        for stages in (2, 3, 4)
    }
    assert shared[3] - shared[2] == 64 * 4  # a tile's entries
    assert shared[4] == shared[3]


def test_the_walk_of_the_solution_passes_its_check(built: dict[str, Any]) -> None:
    if find_compiler() is None:
        pytest.skip("no C++ compiler here")
    assert check.walk(built["WALK_SOLUTION"]).ok
