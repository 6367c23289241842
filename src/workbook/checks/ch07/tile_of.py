"""Chapter 07: one block's tile, found through the table."""

import math
from typing import Any

from workbook.checks.framework import exercise, expect
from workbook.checks.toolboxes import far_blocks
from workbook.checks.toolboxes.launching import listed, run_kernel
from workbook.checks.toolboxes.sparse_pool import FAR, sparse_pool

tile_of = exercise(
    "tile_of",
    label="ex-07-3",
    title="A tile through the table",
    stub="tile_of",
    takes="function",
    hints=(
        "Three questions: which block, where does it lie, and which of its slots count?",
        "`token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot`, then "
        "`place = token[:, None] * HEAD_DIM + d[None, :]`. The mask is `written[:, None]`, with "
        "`other=0.0`.",
    ),
)


def _tiles(
    title: str,
    tables: list[list[int]],
    lengths: list[int],
    index: int,
    why: str,
    *,
    kv_heads: int = 2,
    block_size: int = 4,
    head_dim: int = 8,
    unwritten: float = -1.0,
) -> None:
    @tile_of.case(
        title,
        tried=f"index {index}; tables {tables}, lengths {lengths}, blocks of {block_size}, "
        f"{kv_heads} KV heads, head size {head_dim}",
        right="in every slot that was written 1000 × block + 100 × head + 10 × slot + d / 10, "
        "elsewhere 0",
        why=why,
    )
    def _case(kernel: Any) -> None:
        import torch

        shape = (max(map(max, tables)) + 2, kv_heads, block_size, head_dim)
        b, h, s, d = torch.meshgrid(*(torch.arange(size) for size in shape), indexing="ij")
        pool = (1000 * b + 100 * h + 10 * s + d / 10).contiguous()
        right = torch.zeros(len(tables), kv_heads, block_size, head_dim)
        for row, table in enumerate(tables):
            for slot in range(block_size):
                if index * block_size + slot < lengths[row]:
                    right[row, :, slot] = pool[table[index], :, slot]
                else:
                    pool[table[index], :, slot] = unwritten
        out = torch.full_like(right, -7.0)
        sizes: dict[str, Any] = {
            "KV_HEADS": kv_heads,
            "HEAD_DIM": head_dim,
            "BLOCK_SIZE": block_size,
        }
        given: dict[str, Any] = {
            "block_tables": torch.tensor(tables, dtype=torch.int32),
            "lengths": torch.tensor(lengths, dtype=torch.int32),
        }
        grid = (len(tables), kv_heads)
        run_kernel(
            kernel, grid, pool=pool, out=out, index=index, MAX_BLOCKS=len(tables[0]), **given,
            **sizes,
        )  # fmt: skip
        _expect_tiles(out, right)


def _expect_tiles(out: Any, right: Any) -> None:
    """Fail with the first slot that is wrong; its whole tile's first numbers are shown, too."""
    import torch

    rows, heads, slots, _ = right.shape
    places = [(r, h, s) for r in range(rows) for h in range(heads) for s in range(slots)]
    for r, h, s in places:
        if not torch.equal(out[r, h, s], right[r, h, s]):
            first = listed(out[r, h, :, 0].tolist())
            got = f"row {r}, KV head {h}, slot {s}: {listed(out[r, h, s].tolist()[:3])[:-1]} …]; "
            expect(
                False,
                got=f"{got}the first numbers of all its slots are {first}",
                right=f"{listed(right[r, h, s].tolist()[:3])[:-1]} …]",
            )


_tiles(
    "the second entry of a table",
    [[5, 2, 7]],
    [12],
    1,
    "Number d of slot s lies at ((block * KV_HEADS + kv_head) * BLOCK_SIZE + s) * HEAD_DIM + d, "
    "slots down, d across; the table, at row * MAX_BLOCKS + index, says which block.",
)
_tiles(
    "two rows",
    [[5, 2, 7], [3, 6, 0]],
    [12, 12],
    2,
    "Row r of the tables begins r × MAX_BLOCKS entries after their start.",
)
_tiles(
    "blocks that end early",
    [[5, 2], [3, 6], [0, 4], [7, 1]],
    [6, 7, 8, 5],
    1,
    "Positions 0 to length - 1 are written. Slots past them count as 0.",
)
_tiles(
    "the first block, over NaN",
    [[5, 2], [3, 6]],
    [3, 1],
    0,
    "What nobody wrote may be anything, NaN too: it must not be read.",
    kv_heads=3,
    block_size=8,
    unwritten=math.nan,
)


@tile_of.case(
    far_blocks.TITLE,
    tried="index 0; the row's table is [536,870,920], blocks of 4, 1 KV head, head size 8",
    right="the block's numbers, 1 to 32",
    why=far_blocks.WRAPPED,
)
def _far_tile(kernel: Any) -> None:
    import torch

    pool = sparse_pool((max(FAR) + 4, 1, 4, 8))
    pool[FAR[0]] = torch.arange(1.0, 33.0).view(1, 4, 8)
    out = torch.full((1, 1, 4, 8), -7.0)
    far_blocks.steadily(
        run_kernel, kernel, (1, 1), pool=pool, out=out, index=0, MAX_BLOCKS=1, KV_HEADS=1,
        block_tables=torch.tensor([[FAR[0]]], dtype=torch.int32), HEAD_DIM=8, BLOCK_SIZE=4,
        lengths=torch.tensor([4], dtype=torch.int32),
    )  # fmt: skip
    _expect_tiles(out, pool[FAR[0]][None])
