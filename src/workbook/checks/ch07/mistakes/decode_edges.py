"""The kernel of chapter 07 for any head size, and mistakes with it, made from its source."""
# Triton compiles the kernel itself: its arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"
# ruff: noqa: E741

import workbook.checks.ch07.mistakes.decode_kernel  # noqa: F401, its mistakes are inherited
from workbook.checks.ch07 import decode_edges as exercises
from workbook.checks.ch07.decode_kernel import decode_kernel
from workbook.triton_or_stub import tl, triton


@triton.jit
def decode_edges(
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
    LANES: tl.constexpr,
):
    row, head = tl.program_id(0), tl.program_id(1)
    kv_head = head // (HEADS // KV_HEADS)
    d, slot = tl.arange(0, LANES), tl.arange(0, BLOCK_SIZE)
    real = d < HEAD_DIM
    query = tl.load(q + (row * HEADS + head) * HEAD_DIM + d, mask=real, other=0.0) * scale
    length = tl.load(lengths + row)
    m, l, acc = float("-inf"), 0.0, tl.zeros([LANES], tl.float32)
    for index in range(tl.cdiv(length, BLOCK_SIZE)):
        block = tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)
        token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot
        place = token[:, None] * HEAD_DIM + d[None, :]
        written = index * BLOCK_SIZE + slot < length
        inside = written[:, None] & real[None, :]
        k = tl.load(k_pool + place, mask=inside, other=0.0)
        score = tl.sum(k * query[None, :], 1)
        score = tl.where(written, score, float("-inf"))
        higher = tl.maximum(m, tl.max(score, 0))
        p, shrink = tl.exp2(score - higher), tl.exp2(m - higher)
        v = tl.load(v_pool + place, mask=inside, other=0.0)
        acc = acc * shrink + tl.sum(p[:, None] * v, 0)
        l = l * shrink + tl.sum(p, 0)
        m = higher
    answer = acc / tl.where(l > 0, l, 1.0)
    tl.store(out + (row * HEADS + head) * HEAD_DIM + d, answer, mask=real)


exercises.decode_edges.finished = decode_edges
K_LOAD = "tl.load(k_pool + place, mask=inside, other=0.0)"
V_LOAD = "tl.load(v_pool + place, mask=inside, other=0.0)"
Q_LOAD = "tl.load(q + (row * HEADS + head) * HEAD_DIM + d, mask=real, other=0.0)"
INSIDE, ANSWER = "written[:, None] & real[None, :]", "acc / tl.where(l > 0, l, 1.0)"
STORE = "    tl.store(out + (row * HEADS + head) * HEAD_DIM + d, answer, mask=real)"
TOO_FAR_IN_Q = (
    "The load of the query reads what isn't its head's. In q heads are HEAD_DIM numbers apart, not "
    "LANES, and only lanes below HEAD_DIM are real: `d < HEAD_DIM` is its mask."
)
TOO_FAR_IN_OUT = (
    "The store writes what isn't its head's. In out heads are HEAD_DIM numbers apart, not LANES, "
    "and "
    "lanes from HEAD_DIM on are the beginning of the next head's answer: mask it with `real`."
)
NEXT_SLOT = (
    "Lanes 48 to 63 of a key were read; they are the beginning of the next slot. A query of 0 "
    "there "
    "doesn't help: 0 × NaN is NaN. Slot *and* lane must be right: `written[:, None] & real[None, "
    ":]`."
)
UNWRITTEN = (
    "A load of K or V masks the lanes and not the slots. A weight of 0 doesn't erase the NaN of a "
    "slot that nobody wrote."
)
for says, *changes in (
    (TOO_FAR_IN_Q, (Q_LOAD, Q_LOAD.replace(", mask=real, other=0.0", ""))),
    (TOO_FAR_IN_Q, (Q_LOAD, Q_LOAD.replace("HEAD_DIM", "LANES"))),
    (TOO_FAR_IN_Q, ("d < HEAD_DIM", "d <= HEAD_DIM")),
    (TOO_FAR_IN_Q, ("d < HEAD_DIM", "d < LANES")),
    (
        "The load of the query has a mask and no `other`: its spare lanes hold anything, here NaN.",
        (Q_LOAD, Q_LOAD.replace(", other=0.0", "")),
    ),
    (NEXT_SLOT, (K_LOAD, K_LOAD.replace("inside", "written[:, None]"))),
    (NEXT_SLOT, (INSIDE, INSIDE.replace("&", "|"))),
    (
        "The load of V masks the slots and not the lanes: behind the last slot of the pool comes "
        "memory that isn't the pool's.",
        (V_LOAD, V_LOAD.replace("inside", "written[:, None]")),
    ),
    (
        UNWRITTEN,
        (K_LOAD, K_LOAD.replace("inside", "real[None, :]")),
        (
            'tl.where(written, score, float("-inf"))',
            'score + tl.where(written, 0.0, float("-inf"))',
        ),
    ),
    (UNWRITTEN, (V_LOAD, V_LOAD.replace("inside", "real[None, :]"))),
    (
        "The pools' addresses were counted in LANES. A tile is LANES wide, memory isn't: "
        "neighbours "
        "in the pools are HEAD_DIM numbers apart.",
        ("token[:, None] * HEAD_DIM", "token[:, None] * LANES"),
    ),
    (TOO_FAR_IN_OUT, (STORE, STORE.replace("HEAD_DIM", "LANES"))),
    (TOO_FAR_IN_OUT, (STORE, STORE.replace(", mask=real", ""))),
    (
        "64 was written into the code; the number of lanes is LANES, here 128.",
        ("(0, LANES)", "(0, 64)"),
        ("[LANES]", "[64]"),
    ),
    ("The mask leaves out the last real lane, HEAD_DIM - 1.", ("d < HEAD_DIM", "d < HEAD_DIM - 1")),
    (
        "0 / 0 is NaN. Nothing was read, so l is 0 and so is acc: divide by something else.",
        (ANSWER, "acc / l"),
    ),
    (
        "The sum came back undivided: the division is missing, or its guard is turned around. "
        "Where l is above 0, divide by l.",
        (ANSWER, "acc / tl.where(l > 0, 1.0, l)"),
    ),
    (
        "The loop ran for a row without tokens: all its scores are -inf, and -inf minus -inf is "
        "NaN.",
        ("range(tl.cdiv(length, BLOCK_SIZE))", "range(tl.maximum(tl.cdiv(length, BLOCK_SIZE), 1))"),
    ),
    (
        "Nothing was stored, so the row keeps what the memory held before: here 7.0, in a server "
        "another step's answer. (sgl-project/sglang#1469)",
        (ANSWER, "acc / l"),
        ("    m, l, acc", "    if length == 0:\n        return\n    m, l, acc"),
    ),
    (
        "A small number was added to `l` to save the division, and it is in every other answer, "
        "too.",
        (ANSWER, "acc / (l + 0.01)"),
    ),
    (
        "`scale` was left out. It holds 1 / sqrt(D), and the log2(e) that makes powers of two out "
        "of powers of e.",
        (" * scale", ""),
    ),
):
    exercises.decode_edges.mistake(says, *changes)
exercises.decode_edges.inherit(  # no case here has loud scores or a far block: exercise 5 had
    decode_kernel,
    "`higher` is the maximum of this block",
    "No maximum is subtracted",
    "The first maximum is -inf",
    "The id stayed",
    "The minimum was taken",
)
