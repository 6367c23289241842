"""Chapter 08: where a number lies when keys are stored in pieces."""

from typing import Any

from workbook.checks.framework import exercise, expect
from workbook.checks.toolboxes.launching import run_kernel

OUTSIDE = (
    (
        "seen from k_pool",
        "Two slots of a piece are P numbers apart, two pieces BLOCK_SIZE * P; the number within a "
        "piece is d % P. The pool has as many numbers as before.",
    ),
)

pieces = exercise(
    "pieces",
    label="ex-08-5",
    title="Keys in pieces",
    stub="place_in_pieces",
    takes="function",
    hints=(
        "Write the five axes from the outside in: block, KV head, piece, slot, number in the "
        "piece. "
        "How many numbers lie between two neighbours along each of them?",
        "A block's head has HEAD_DIM * BLOCK_SIZE numbers, a piece BLOCK_SIZE * P, a slot of it P. "
        "`d // P` is the piece, `d % P` the number in it. Block, head and slot go down (`[:, "
        "None]`), `d` goes across.",
    ),
)


def _places(title: str, slots: int, head_dim: int, numbers: int, kv_heads: int, why: str) -> None:
    asked = sorted({0, 1, numbers, head_dim - 1})

    @pieces.case(
        title,
        tried=f"pieces of {numbers}, head size {head_dim}, blocks of {slots}, {kv_heads} KV heads; "
        f"numbers {', '.join(map(str, asked))} of every key",
        right="each number from its own place",
        why=why,
    )
    def _case(place: Any) -> None:
        import torch

        from workbook import layouts

        # More blocks than the tables name: a place too far on is told, not only refused.
        shape = (40, kv_heads, slots, head_dim)
        b, h, s, d = torch.meshgrid(*(torch.arange(size) for size in shape), indexing="ij")
        pool = (100_000 * b + 10_000 * h + 100 * s + d).float()
        q = torch.zeros(2, len(asked) * kv_heads, head_dim)
        for head in range(q.shape[1]):  # a query that asks for one number of each key
            q[:, head, asked[head % len(asked)]] = 1.0
        tables = torch.tensor([[3, 1], [4, 2]], dtype=torch.int32)
        lengths = torch.tensor([2 * slots, slots + 1], dtype=torch.int32)
        cut = layouts.in_pieces(pool, numbers)
        given = layouts.arguments(q, cut, tables, lengths, BLOCK_SIZE=slots, HEAD_DIM=head_dim)
        given |= {"TILE": 16, "P": numbers, "PLACE": place}
        run_kernel(layouts.scores, (2, kv_heads), OUTSIDE, **given)
        out = given["out"].view(2, kv_heads, len(asked), -1)
        for row, kv_head in ((r, h) for r in range(2) for h in range(kv_heads)):
            for position in range(int(lengths[row])):
                block, slot = int(tables[row, position // slots]), position % slots
                got = out[row, kv_head, :, position].tolist()
                right = pool[block, kv_head, slot, asked].tolist()
                key = f"of block {block}, KV head {kv_head}, slot {slot}"
                expect(got == right, got=f"{key}: {_read(asked, got)}", right=f"all {key}")


def _read(asked: list[int], got: list[float]) -> str:
    """``number 4 was number 4 of block 3, KV head 0, slot 1``, for each that was asked."""
    told = []
    for number, value in zip(asked, got, strict=True):
        block, rest = divmod(round(value), 100_000)
        head, rest = divmod(rest, 10_000)
        told.append(f"{number} is ({block}, {head}, {rest // 100}, {rest % 100})")
    return "number " + ", ".join(told)


_places(
    "pieces of 4",
    6,
    32,
    4,
    3,
    "[blocks, KV heads, D / P, slots, P]: the numbers of a piece are neighbours, then come the "
    "same "
    "piece of the next slot, and the next piece only when all slots are through.",
)
_places(
    "pieces of 8, three KV heads, blocks of 6",
    6,
    32,
    8,
    3,
    "A block's KV head has HEAD_DIM × BLOCK_SIZE numbers, however they are cut.",
)
_places("pieces of 2", 4, 16, 2, 2, "P may be any divisor of the head size.")
