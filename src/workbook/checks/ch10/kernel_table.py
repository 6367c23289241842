"""Chapter 10: large blocks to manage, small pages to read."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown

kernel_table = exercise(
    "kernel_table",
    label="ex-10-3",
    title="Pages of a block",
    stub="kernel_table",
    takes="function",
    hints=(
        "A pool of blocks of 16, seen as a pool of pages of 4: which pages lie inside block 5?",
        "With `r = block // page` pages to a block, block `b` is pages `b * r` to `b * r + r - 1`, "
        "in this order. When `page` doesn't divide `block`, raise `ValueError`.",
    ),
)
kernel_table.example(
    "two blocks of 16, pages of 4",
    [5, 2],
    16,
    4,
    right=[20, 21, 22, 23, 8, 9, 10, 11],
    why="A block of 16 is four pages; block 5 begins after five blocks, 20 pages.",
)
kernel_table.example(
    "pages as large as blocks", [5, 2, 9], 32, 32, right=[5, 2, 9], why="One page to a block."
)
kernel_table.example(
    "blocks of 24, pages of 8",
    [3],
    24,
    8,
    right=[9, 10, 11],
    why="Three pages to a block: it need not be a power of two.",
)
kernel_table.example("no blocks", [], 16, 4, right=[], why="An empty table stays empty.")


@kernel_table.case(
    "a page that doesn't divide the block",
    tried="kernel_table([1, 2], 24, 16), and ([1], 16, 32)",
    right="ValueError for both",
    why="A page would reach into the next block, which is another sequence's.",
)
def _refused(function: Any) -> None:
    for table, block, page in (([1, 2], 24, 16), ([1], 16, 32)):
        outcome = attempt(function, table, block, page)
        expect(
            outcome.raised(ValueError),
            tried=f"kernel_table({table}, {block}, {page})",
            got=str(outcome),
            right="ValueError",
        )


@kernel_table.case(
    "decode through both tables",
    tried="37 tokens in blocks of 16 over NaN, read as pages of 4, 8 and 16",
    right="the same answer, from a view of the pool",
    why="Only the table changes: the pages are the blocks' own memory, and the length stays.",
)
def _decode(function: Any) -> None:
    import torch

    from paged_attention.kernels import paged_decode_attention

    draw = torch.Generator().manual_seed(10)
    table, length = [4, 1, 3], 37
    pools = [torch.full((6, 1, 16, 8), torch.nan) for _ in "kv"]
    for position in range(length):
        for pool in pools:
            pool[table[position // 16], :, position % 16] = torch.randn(1, 8, generator=draw)
    q, lengths = torch.randn(1, 2, 8, generator=draw), torch.tensor([length])
    k_pool, v_pool = pools
    right = paged_decode_attention(q, k_pool, v_pool, torch.tensor([table]), lengths, 16)
    for page in (16, 8, 4):
        found = function(list(table), 16, page)
        # One KV head: a block's slots lie end to end, so pages are a view of the pool.
        keys, values = (pool.view(-1, 1, page, 8) for pool in pools)
        pages = torch.tensor([[*found, *[0] * (48 // page)]])
        seen = paged_decode_attention(q, keys, values, pages, lengths, page)
        expect(
            torch.allclose(seen, right, atol=1e-5),
            tried=f"kernel_table({table}, 16, {page})",
            got=f"{shown(found)}, and another answer",
            right="the answer through the blocks",
        )
