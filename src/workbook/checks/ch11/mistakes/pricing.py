"""Mistakes with prices, as readers make them."""

from workbook.checks.ch11.pricing import prices
from workbook.prices import Machine, Shape

Prices = tuple[float, float]


def right(written: int, found: int, size: int, shape: Shape, machine: Machine) -> Prices:
    """The prices of chapter 11."""
    blocks = -(-written // size)
    back = blocks - found // size
    length = size * shape.kv_heads * shape.head_dim * shape.bytes
    one = 2 * shape.layers * (machine.piece + length / machine.bus)
    again = (written - found) * 2 * shape.parameters / machine.flops
    return (blocks + back) * one, again


prices.finished = right


@prices.also_right.append
def piece_by_piece(written: int, found: int, size: int, shape: Shape, machine: Machine) -> Prices:
    out = len(range(0, written, size))
    pieces = (out + len(range(found, written, size))) * shape.layers * 2
    numbers = pieces * size * shape.kv_heads * shape.head_dim
    tokens = written - found
    swap = pieces * machine.piece + numbers * shape.bytes / machine.bus
    return swap, tokens / (machine.flops / (2 * shape.parameters))


prices.mistake(
    "Only the way out was paid. A copy comes back, too.",
    ("(blocks + back) * one", "blocks * one"),
)
prices.mistake(
    "Only the way back was paid. The copy is made when the request gives way.",
    ("(blocks + back) * one", "back * one"),
)
prices.mistake(
    "Found blocks were copied back: they are in the pool already.",
    ("back = blocks - found // size", "back = blocks"),
)
prices.mistake(
    "Found blocks were left out of the way out. When it gives way nobody knows what will be found.",
    ("(blocks + back) * one", "2 * back * one"),
)
prices.mistake(
    "What was found is run again here. It is in the pool; only the rest is to be run.",
    ("(written - found) * 2", "written * 2"),
)
prices.mistake(
    "What the index still has was ignored, on the way back and in the second run.",
    ("back = blocks - found // size", "back = blocks"),
    ("(written - found) * 2", "written * 2"),
)
prices.mistake(
    "Keys or values were forgotten: a block lies in two pools in each layer.",
    ("one = 2 * shape.layers", "one = shape.layers"),
)
prices.mistake(
    "Layers were forgotten: each has pools of its own.",
    ("one = 2 * shape.layers", "one = 2"),
)
prices.mistake(
    "Query heads were counted. The cache keeps keys and values of the KV heads.",
    ("shape.kv_heads", "shape.heads"),
)
prices.mistake(
    "Four bytes a number were written into the code; the shape says how many.",
    ("shape.bytes", "4"),
)
prices.mistake(
    "Two bytes a number were written into the code; the shape says how many.",
    ("shape.bytes", "2"),
)
prices.mistake(
    "Numbers were taken for bytes: `shape.bytes` is missing.",
    (" * shape.bytes", ""),
)
prices.mistake(
    "Bits were counted, and the bus is given in bytes.",
    ("shape.bytes", "shape.bytes * 8"),
)
prices.mistake(
    "The fixed price of a piece is missing. Small pieces never reach the bus's rate.",
    ("machine.piece + ", ""),
)
prices.mistake(
    "The fixed price was paid once a block. Each layer's keys and values are a piece of their own.",
    ("2 * shape.layers * (machine.piece + length / machine.bus)",
     "machine.piece + 2 * shape.layers * length / machine.bus"),
)  # fmt: skip
prices.mistake(
    "The fixed price was paid once for each way, not for each piece.",
    ("2 * shape.layers * (machine.piece + length / machine.bus)",
     "2 * shape.layers * length / machine.bus"),
    ("(blocks + back) * one", "(blocks + back) * one + 2 * machine.piece"),
)  # fmt: skip
prices.mistake(
    "Blocks were rounded down: the last one, which isn't full, must be copied, too.",
    ("-(-written // size)", "written // size"),
)
prices.mistake(
    "Blocks were not rounded up. Whole blocks are copied.",
    ("-(-written // size)", "written / size"),
)
prices.mistake(
    "One operation a parameter: it is two, a product and a sum.",
    ("(written - found) * 2 *", "(written - found) *"),
)
prices.mistake(
    "`found` was taken for a number of blocks. It counts tokens.",
    ("found // size", "found"),
)
prices.mistake(
    "The block's size is missing from the length of a piece: it holds `size` tokens.",
    ("length = size * ", "length = "),
)
prices.mistake(
    "The bus's rate was multiplied with: bytes over bytes a second are seconds.",
    ("length / machine.bus", "length * machine.bus"),
)
prices.mistake(
    "The two prices came in the other order: first the swap, then the second run.",
    ("return (blocks + back) * one, again", "return again, (blocks + back) * one"),
)
prices.mistake(
    "Whether swap pays came back. Both prices are wanted; who compares them knows by how much.",
    ("return (blocks + back) * one, again", "return (blocks + back) * one < again"),
)
prices.mistake(
    "The second run was priced by layer: `parameters` counts those of all layers.",
    ("2 * shape.parameters", "2 * shape.layers * shape.parameters"),
)


@prices.mistake(
    "The bytes of the written tokens were counted. Blocks are copied whole: each piece has the "
    "bytes of `size` tokens."
)
def bytes_of_tokens(written: int, found: int, size: int, shape: Shape, machine: Machine) -> Prices:
    blocks = -(-written // size)
    pieces = (2 * blocks - found // size) * 2 * shape.layers
    token = 2 * shape.layers * shape.kv_heads * shape.head_dim * shape.bytes
    swap = pieces * machine.piece + (2 * written - found) * token / machine.bus
    return swap, right(written, found, size, shape, machine)[1]


@prices.mistake("Those are milliseconds; seconds are wanted.")
def in_milliseconds(written: int, found: int, size: int, shape: Shape, machine: Machine) -> Prices:
    swap, again = right(written, found, size, shape, machine)
    return swap * 1e3, again * 1e3


prices.mistake(
    "Whole blocks were run again: copies are made of blocks, but only tokens that were written are "
    "run.",
    ("(written - found) * 2", "(blocks * size - found) * 2"),
)
