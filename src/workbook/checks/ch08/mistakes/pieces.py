"""Places of keys in pieces, and mistakes with them, made from their source."""
# Triton compiles the function itself: its arguments are tiles, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from workbook.checks.ch08.pieces import pieces as exercise
from workbook.triton_or_stub import tl, triton


@triton.jit
def place_in_pieces(
    block,
    kv_head,
    slot,
    d,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    P: tl.constexpr,
):
    start = (block * KV_HEADS + kv_head) * (HEAD_DIM * BLOCK_SIZE)
    across = d // P * (BLOCK_SIZE * P) + d % P
    return (start + slot * P)[:, None] + across[None, :]


@triton.jit
def by_pieces(
    block,
    kv_head,
    slot,
    d,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    P: tl.constexpr,
):
    piece = (block * KV_HEADS + kv_head)[:, None] * (HEAD_DIM // P) + (d // P)[None, :]
    return (piece * BLOCK_SIZE + slot[:, None]) * P + (d % P)[None, :]


exercise.finished = place_in_pieces
exercise.also_right += [by_pieces]
BEHIND = (
    "Places lie behind the pool. Two slots of a piece are P numbers apart, two pieces BLOCK_SIZE × "
    "P, "
    "and nothing is counted in bytes: the pointer knows how wide its numbers are."
)
SIDE_BY_SIDE = (
    "The pieces of a key lie side by side there, as in the layout of before. Between two of them "
    "lie "
    "BLOCK_SIZE × P numbers, the same piece of all slots."
)
START, ACROSS = (
    "(block * KV_HEADS + kv_head) * (HEAD_DIM * BLOCK_SIZE)",
    "d // P * (BLOCK_SIZE * P)",
)
for says, *changes in (
    (
        SIDE_BY_SIDE,
        ("slot * P", "slot * HEAD_DIM"),
        (f"{ACROSS} + d % P", "d"),
    ),
    (SIDE_BY_SIDE, (ACROSS, "d // P * P")),
    (
        "Two pieces were taken to be BLOCK_SIZE numbers apart; each slot has P of them.",
        (ACROSS, "d // P * BLOCK_SIZE"),
    ),
    (
        BEHIND,
        (ACROSS, "d * BLOCK_SIZE"),
    ),
    ("Two slots were taken to be one number apart; they are P apart.", ("slot * P", "slot")),
    (
        BEHIND,
        ("slot * P", "slot * HEAD_DIM"),
    ),
    ("The slot is missing: every slot got the first one's numbers.", (" + slot * P", "")),
    ("The number within the piece, `d % P`, is missing.", (" + d % P", "")),
    (
        "Quotient and remainder are swapped: `d // P` is the piece, `d % P` the number in it.",
        (f"{ACROSS} + d % P", "d % P * (BLOCK_SIZE * P) + d // P"),
    ),
    (
        "In each piece the slots run fastest there: that is [D / P, P, slots]. The P numbers of "
        "one "
        "slot are neighbours.",
        ("slot * P", "slot"),
        ("+ d % P", "+ d % P * BLOCK_SIZE"),
    ),
    (
        "The KV head is missing: every head read head 0.",
        (START, "block * KV_HEADS * (HEAD_DIM * BLOCK_SIZE)"),
    ),
    (
        "The block's number was not multiplied by KV_HEADS.",
        (START, "(block + kv_head) * (HEAD_DIM * BLOCK_SIZE)"),
    ),
    (
        "A block's head was taken to have BLOCK_SIZE numbers; it has HEAD_DIM for each slot.",
        (START, "(block * KV_HEADS + kv_head) * BLOCK_SIZE"),
    ),
    (
        "A block's head was taken to have HEAD_DIM numbers; it has as many for each slot.",
        (START, "(block * KV_HEADS + kv_head) * HEAD_DIM"),
    ),
    (
        "The heads lie within the pieces there, [blocks, D / P, KV heads, slots, P]; the head "
        "comes "
        "before the piece.",
        (START, "block * KV_HEADS * (HEAD_DIM * BLOCK_SIZE) + kv_head * (BLOCK_SIZE * P)"),
        (ACROSS, "d // P * (KV_HEADS * BLOCK_SIZE * P)"),
    ),
    (
        "Pieces of 4 were written into the code; their size is P.",
        ("P", "4"),
        ("4: tl.constexpr", "P: tl.constexpr"),
    ),
    (
        BEHIND,
        ("BLOCK_SIZE", "8"),
        ("8: tl.constexpr", "BLOCK_SIZE: tl.constexpr"),
    ),
    (
        BEHIND,
        ("return (start", "return 2 * (start"),
        (" + across[None, :]", " + 2 * across[None, :]"),
    ),
    ("The last number of a piece was left out: `d % P` goes to P - 1.", ("d % P", "d % (P - 1)")),
    (
        "Two pieces were taken to be KV_HEADS × P apart; BLOCK_SIZE slots of P numbers lie "
        "between.",
        (ACROSS, "d // P * (KV_HEADS * P)"),
    ),
    (
        "Two pieces were taken to be HEAD_DIM / P apart; BLOCK_SIZE slots of P numbers lie "
        "between.",
        (ACROSS, "d // P * (HEAD_DIM // P)"),
    ),
    (
        "Two slots were taken to be HEAD_DIM / P apart, the number of pieces; they are P apart.",
        ("slot * P", "slot * (HEAD_DIM // P)"),
    ),
):
    exercise.mistake(says, *changes)
