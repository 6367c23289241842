"""One tile through the table, and mistakes with it, made from its source."""
# Triton compiles the kernels itself: their arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from workbook.checks.ch07.tile_of import tile_of as exercise
from workbook.checks.toolboxes.far_blocks import WRAPPED
from workbook.triton_or_stub import tl, triton


@triton.jit
def tile_of(
    pool,
    block_tables,
    lengths,
    out,
    index,
    KV_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
    MAX_BLOCKS: tl.constexpr,
):
    row, kv_head = tl.program_id(0), tl.program_id(1)
    d, slot = tl.arange(0, HEAD_DIM), tl.arange(0, BLOCK_SIZE)
    mine = (row * KV_HEADS + kv_head) * BLOCK_SIZE + slot
    block = tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)
    token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot
    place = token[:, None] * HEAD_DIM + d[None, :]
    written = index * BLOCK_SIZE + slot < tl.load(lengths + row)
    tile = tl.load(pool + place, mask=written[:, None], other=0.0)
    tl.store(out + mine[:, None] * HEAD_DIM + d[None, :], tile)


exercise.finished = tile_of
ENTRY = "block_tables + row * MAX_BLOCKS + index"
TOKEN = "(block * KV_HEADS + kv_head) * BLOCK_SIZE + slot"
PLACE = "token[:, None] * HEAD_DIM + d[None, :]"
WRITTEN = "index * BLOCK_SIZE + slot < tl.load(lengths + row)"
for says, *changes in (
    (
        "`index` was taken for the block. It counts entries; the table says which block that is.",
        (f"tl.load({ENTRY}).to(tl.int64)", "index + tl.load(lengths) * 0"),
    ),
    (
        "The table's first entry was read, whatever `index` is.",
        (ENTRY, "block_tables + row * MAX_BLOCKS"),
    ),
    ("Every row read row 0's table.", (ENTRY, "block_tables + index")),
    (
        "The rows of the tables were taken to be one entry apart; they are MAX_BLOCKS apart.",
        (ENTRY, "block_tables + row + index"),
    ),
    (
        "The entry of row r lies at r × MAX_BLOCKS + index; with another product the load leaves "
        "the tables or reads somebody else's entry.",
        (ENTRY, "block_tables + index * MAX_BLOCKS + row"),
    ),
    (
        "The pool was indexed [block, slot, head]. It is [block, head, slot, D]: all slots of one "
        "head lie together.",
        (TOKEN, "(block * BLOCK_SIZE + slot) * KV_HEADS + kv_head"),
    ),
    (
        "Every KV head read head 0, or one that isn't this program's: the address needs `kv_head`.",
        (
            "KV_HEADS + kv_head) * BLOCK_SIZE + slot\n    place",
            "KV_HEADS) * BLOCK_SIZE + slot\n    place",
        ),
    ),
    (
        "A block holds BLOCK_SIZE slots for each KV head: its number is multiplied with both.",
        (TOKEN, "(block + kv_head) * BLOCK_SIZE + slot"),
    ),
    (
        "The block's number was multiplied with HEAD_DIM only: before it lie block × KV_HEADS × "
        "BLOCK_SIZE keys.",
        (TOKEN, "block + kv_head * BLOCK_SIZE + slot"),
    ),
    (
        "The tile lies on its side: slots go down (`[:, None]`), numbers of a key go across "
        "(`[None, :]`).",
        (
            PLACE,
            "(token[:, None] - slot[:, None]) * HEAD_DIM + slot[:, None] + d[None, :] * BLOCK_SIZE",
        ),
    ),
    (
        "Keys were taken to be one number apart; they are HEAD_DIM numbers apart.",
        (PLACE, "token[:, None] + d[None, :]"),
    ),
    (
        "Keys were taken to be BLOCK_SIZE numbers apart; they are HEAD_DIM numbers apart.",
        (PLACE, "token[:, None] * BLOCK_SIZE + d[None, :]"),
    ),
    (
        "The address counts bytes. Offsets count numbers: the pointer knows how wide they are.",
        ("tl.load(pool + place", "tl.load(pool + place * 4"),
    ),
    (
        "Slots past the length came along: the load needs the mask `written[:, None]`.",
        (", mask=written[:, None], other=0.0", ""),
    ),
    (
        "`slot` counts within its block. The position is index × BLOCK_SIZE + slot.",
        (WRITTEN, "slot < tl.load(lengths + row)"),
    ),
    (
        "One slot too many: positions 0 to length - 1 are written, so `<`.",
        (WRITTEN, WRITTEN.replace("slot <", "slot <=")),
    ),
    (
        "One slot too few: position length - 1 is written, too.",
        (WRITTEN, WRITTEN.replace("slot <", "slot + 1 <")),
    ),
    ("The length of row 0 was used for every row.", ("tl.load(lengths + row)", "tl.load(lengths)")),
    (WRAPPED, (".to(tl.int64)", "")),
    (WRAPPED, (".to(tl.int64)", ""), ("token[:, None] *", "token.to(tl.int64)[:, None] *")),
    (
        "A load with a mask and without `other` leaves anything in the masked lanes: say "
        "`other=0.0`.",
        ("mask=written[:, None], other=0.0", "mask=written[:, None]"),
    ),
    (
        "The mask is the wrong way round: it lets through what nobody wrote.",
        ("mask=written[:, None]", "mask=(written == 0)[:, None]"),
    ),
    (
        "Nothing was stored in `out`: a kernel returns nothing, it writes.",
        ("    tl.store(out + mine[:, None] * HEAD_DIM + d[None, :], tile)", "    return tile"),
    ),
    (
        "The entry behind `index` was read: entries are counted from 0.",
        ("MAX_BLOCKS + index", "MAX_BLOCKS + index + 1"),
    ),
    (
        "The entry of row r lies at r × MAX_BLOCKS + index; with another product the load leaves "
        "the tables or reads somebody else's entry.",
        ("row * MAX_BLOCKS", "kv_head * MAX_BLOCKS"),
    ),
    (
        "The length was read at another place than `lengths + row`.",
        ("lengths + row", "lengths + index"),
    ),
    (
        "Keys were taken to be KV_HEADS numbers apart; they are HEAD_DIM numbers apart.",
        ("token[:, None] * HEAD_DIM", "token[:, None] * KV_HEADS"),
    ),
    (
        "Every slot got slot 0's numbers: `slot` is missing in the address.",
        ("BLOCK_SIZE + slot\n    place", "BLOCK_SIZE + 0 * slot\n    place"),
    ),
    ("Slots past the length are to be 0: `other=0.0`.", ("other=0.0", "other=1.0")),
    (
        "The numbers of a key are missing in the address: `d[None, :]` goes across.",
        ("+ d[None, :]\n    written", "+ 0 * d[None, :]\n    written"),
    ),
):
    exercise.mistake(says, *changes)
