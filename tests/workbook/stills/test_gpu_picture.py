"""The picture from grid to lane shows what the compiler does, and stays on its sheet."""

import re

import pytest
import torch

from workbook.stills.gpu import KEYS, TileLayout, draw_grid_to_lane


def test_the_lanes_cover_the_tile_once() -> None:
    held = []
    for warp in range(4):
        for lane in range(32):
            row, column = KEYS.lane(warp, lane)
            held += [(row, column + number) for number in range(8)]
    assert KEYS.covers == (16, 64)
    assert sorted(held) == [(row, column) for row in range(16) for column in range(64)]


def test_the_layout_is_the_compilers() -> None:
    pytest.importorskip("triton", reason="no wheels for this system")
    from paged_attention.kernels import launch
    from paged_attention.kernels.compiled import compile_plan
    from paged_attention.kernels.inputs import checked

    pools = (torch.zeros(64, 3, 16, 64, dtype=torch.bfloat16) for _ in "kv")
    tables = torch.arange(64, dtype=torch.int32).view(2, 32)
    q = torch.zeros(2, 9, 64, dtype=torch.bfloat16)
    step = checked(q, *pools, tables, torch.tensor([512, 512], dtype=torch.int32), 16)
    (made,) = compile_plan(launch.naive(step), "sm_90")
    (name,) = set(re.findall(r"tensor<16x64x!tt\.ptr<bf16>, #(blocked\d*)>", made.layouts))
    found = re.search(rf"#{name} = #ttg\.blocked<\{{(.*?)\}}>", made.layouts)
    assert found is not None
    numbers = re.findall(
        r"(?:sizePerThread|threadsPerWarp|warpsPerCTA) = \[(\d+), (\d+)\]", found[1]
    )
    assert TileLayout(*((int(a), int(b)) for a, b in numbers)) == KEYS
    assert made.loads[16] == 3  # the query; a block of keys is one load, its values another


def test_nothing_lies_outside_the_sheet() -> None:
    sheet = draw_grid_to_lane(4, 9, (2, 7), KEYS, (1, 3))
    for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', sheet.svg()):
        assert float(x) + float(width) <= sheet.width
    assert "program (2, 7)" in sheet.svg()
    assert "slot 4, numbers 24 to 31" in sheet.svg()
