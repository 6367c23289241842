"""Answers to chapter 07's open task: the one behind the book's result, and some to be rejected."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

from workbook.checks.ch07.open import window
from workbook.checks.framework.mistake import Mistake, changed
from workbook.triton_or_stub import tl, triton


@triton.jit
def windowed(
    q,
    k_pool,
    v_pool,
    block_tables,
    lengths,
    out,
    scale,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    MAX_BLOCKS: tl.constexpr,
    WINDOW: tl.constexpr,
    SINKS: tl.constexpr,
):
    row, head = tl.program_id(0), tl.program_id(1)
    d, slot = tl.arange(0, HEAD_DIM), tl.arange(0, BLOCK_SIZE)
    mine = (row * HEADS + head) * HEAD_DIM + d
    query, length = tl.load(q + mine) * scale, tl.load(lengths + row)
    m, l, acc = float("-inf"), 0.0, tl.zeros([HEAD_DIM], tl.float32)
    blocks = tl.cdiv(length, BLOCK_SIZE)
    sunk = tl.minimum(tl.cdiv(SINKS, BLOCK_SIZE), blocks)
    start = tl.maximum(tl.maximum(length - WINDOW, 0) // BLOCK_SIZE, sunk)
    for step in range(sunk + blocks - start):
        index = tl.where(step < sunk, step, start + step - sunk)
        position = index * BLOCK_SIZE + slot
        counts = (position < length) & ((position >= length - WINDOW) | (position < SINKS))
        block = tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)
        token = (block * KV_HEADS + head // (HEADS // KV_HEADS)) * BLOCK_SIZE + slot
        place = token[:, None] * HEAD_DIM + d[None, :]
        k = tl.load(k_pool + place, mask=counts[:, None], other=0.0)
        score = tl.where(counts, tl.sum(k * query[None, :], 1), float("-inf"))
        higher = tl.maximum(m, tl.max(score, 0))
        p, shrink = tl.exp2(score - higher), tl.exp2(m - higher)
        v = tl.load(v_pool + place, mask=counts[:, None], other=0.0)
        acc, l = acc * shrink + tl.sum(p[:, None] * v, 0), l * shrink + tl.sum(p, 0)
        m = higher
    tl.store(out + mine, acc / l)


window.solved = windowed
WHOLE = (
    ("sunk + blocks - start", "blocks"),
    ("index = tl.where(step < sunk, step, start + step - sunk)", "index = step"),
)
INSIDE = "((position >= length - WINDOW) | (position < SINKS))"
for says, *changes in (
    # A block wholly outside the window has no score: -inf - -inf.
    ("Length 17, window 8", *WHOLE),
    (
        "nan",
        *WHOLE,
        (
            "k_pool + place, mask=counts[:, None]",
            "k_pool + place, mask=(position < length)[:, None]",
        ),
        (
            "v_pool + place, mask=counts[:, None]",
            "v_pool + place, mask=(position < length)[:, None]",
        ),
    ),
    ("nan", (INSIDE, "(position < length)")),
    ("4 sinks", (" | (position < SINKS)", "")),
    (
        "Length 5",
        (
            "tl.maximum(length - WINDOW, 0) // BLOCK_SIZE",
            "tl.cdiv(tl.maximum(length - WINDOW, 0), BLOCK_SIZE)",
        ),
        (
            "blocks = tl.cdiv(length, BLOCK_SIZE)",
            "blocks = tl.maximum(tl.cdiv(length, BLOCK_SIZE) - 1, 1)",
        ),
    ),
    ("window 6", ("length - WINDOW", "length - 8")),
    ("nan", ("range(sunk + blocks - start)", "range(0)")),
):
    window.degenerate.append(Mistake(says, lambda changes=changes: changed(windowed, changes)))  # type: ignore[misc]
