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
    (SIDE_BY_SIDE, (ACROSS, "d // P * P")),
    (
        "Two pieces were taken to be BLOCK_SIZE numbers apart; each slot has P of them.",
        (ACROSS, "d // P * BLOCK_SIZE"),
    ),
    (
        "`d` was multiplied by BLOCK_SIZE, not `d // P` by BLOCK_SIZE × P: the P numbers of a "
        "piece are neighbours.",
        (f"{ACROSS} + d % P", "d * BLOCK_SIZE"),
    ),
    (
        "`d % P` was added to a whole `d` times BLOCK_SIZE: the piece is `d // P`.",
        (ACROSS, "d * BLOCK_SIZE"),
    ),
    (
        "The numbers were dealt out to the pieces in turn. A piece is P neighbours: number d is in "
        "piece `d // P`, as its number `d % P`.",
        (f"{ACROSS} + d % P", "d % (HEAD_DIM // P) * (BLOCK_SIZE * P) + d // (HEAD_DIM // P)"),
    ),
    (
        "`d` was added whole, beside its piece: within the piece it is number `d % P`.",
        ("+ d % P", "+ d"),
    ),
    (
        "The piece, `d // P`, is missing: every piece came from the first one.",
        (f"{ACROSS} + d % P", "d % P"),
    ),
    (
        "A block's head was taken to have HEAD_DIM / P × BLOCK_SIZE numbers; each of those pieces "
        "of a slot has P numbers.",
        (START, "(block * KV_HEADS + kv_head) * (HEAD_DIM // P * BLOCK_SIZE)"),
    ),
    (
        "A block's head was taken to have BLOCK_SIZE × P numbers: that is one piece of all slots, "
        "and there are HEAD_DIM / P of them.",
        (START, "(block * KV_HEADS + kv_head) * (BLOCK_SIZE * P)"),
    ),
    (
        "Block and head are the wrong way round: a block has KV_HEADS heads, so it is block * "
        "KV_HEADS + kv_head.",
        (START, "(kv_head * KV_HEADS + block) * (HEAD_DIM * BLOCK_SIZE)"),
    ),
    (
        "The layout of before, unchanged: there the whole key of a slot lies together.",
        ("slot * P", "slot * HEAD_DIM"),
        (f"{ACROSS} + d % P", "d "),
    ),
    (
        "The result is turned: `[tokens, HEAD_DIM]` is wanted, so block, head and slot go down, "
        "`[:, None]`, and `d` across, `[None, :]`.",
        (
            "(start + slot * P)[:, None] + across[None, :]",
            "(start + slot * P)[None, :] + across[:, None]",
        ),
    ),
    (
        "One place a token came back: `d` goes across, so the result is [tokens, HEAD_DIM].",
        ("(start + slot * P)[:, None] + across[None, :]", "start + slot * P"),
    ),
    ("Two slots were taken to be one number apart; they are P apart.", ("slot * P", "slot")),
    (
        "Two slots were taken to be HEAD_DIM apart, as in the layout of before; of one piece they "
        "are P apart.",
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
        "Blocks of 8 were written into the code; a block has BLOCK_SIZE slots.",
        ("BLOCK_SIZE", "8"),
        ("8: tl.constexpr", "BLOCK_SIZE: tl.constexpr"),
    ),
    (
        "Places were counted in bytes: the pointer knows how wide its numbers are.",
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
exercise.mistake(
    "`d` was cut by HEAD_DIM / P, the number of pieces. A piece has P numbers: `d // P` and "
    "`d % P`.",
    (f"{ACROSS} + d % P", "d // (HEAD_DIM // P) * (BLOCK_SIZE * P) + d % (HEAD_DIM // P)"),
)
exercise.mistake(
    "Two slots were taken to be BLOCK_SIZE apart; of one piece they are P apart.",
    ("slot * P", "slot * BLOCK_SIZE"),
)
