"""Mistakes with agrees, as readers make them."""

from bisect import bisect_left
from itertools import takewhile

from workbook.checks.ch05.agreeing import agrees as exercise


def agrees(tokens: bytes, packed: bytes, at: int, width: int) -> int:
    """The chapter's solution."""
    room = min(len(tokens), len(packed) - at) // width

    def same(blocks: int) -> bool:
        return packed.startswith(tokens[: blocks * width], at)

    if same(room):
        return room
    return bisect_left(range(1, room), True, key=lambda blocks: not same(blocks))


def one_by_one(tokens: bytes, packed: bytes, at: int, width: int) -> int:
    """A loop over the blocks: right, and a comparison for each."""
    count = 0
    while (count + 1) * width <= min(len(tokens), len(packed) - at):
        here = count * width
        if tokens[here : here + width] != packed[at + here : at + here + width]:
            break
        count += 1
    return count


def byte_by_byte(tokens: bytes, packed: bytes, at: int, width: int) -> int:
    """The number of equal bytes, rounded down to blocks."""
    pairs = zip(tokens, packed[at:], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) // width


exercise.finished = agrees
exercise.also_right += [one_by_one, byte_by_byte]
exercise.probes += [
    (b"\0" * 640, b"\0" * 639, 0, 64),
    (b"abcdefgh" * 50, b"x" * 16 + b"abcdefgh" * 49 + b"abcdefgX", 16, 8),
    (b"11112222", b"22221111", 0, 4),
    (b"", b"1234", 0, 4),
]

for says, *changes in (
    (
        "Bytes were counted, not blocks: divide by `width`.",
        ("return room\n", "return room * width\n"),
        ("return bisect_left", "return width * bisect_left"),
    ),
    (
        "`at` was left out: the run stands deep in the prompt, not at its beginning.",
        ("* width], at)", "* width])"),
    ),
    (
        "`at` was counted in blocks. It is a place in bytes already.",
        ("* width], at)", "* width], at * width)"),
    ),
    (
        "`at` was taken off the run. It is a place in the prompt; the run begins with its first "
        "token.",
        ("tokens[: blocks * width], at", "tokens[at : at + blocks * width], at"),
    ),
    (
        "All or nothing: a run that agrees half-way is of use up to there.",
        (
            "return bisect_left(range(1, room), True, key=lambda blocks: not same(blocks))",
            "return 0",
        ),
    ),
    (
        "`bisect_right` looks for the last number that doesn't agree; wanted is the first.",
        ("return bisect_left(", "from bisect import bisect_right\n    return bisect_right("),
    ),
    (
        "The block in which they part was counted, too: the numbers to try begin with 1, and a "
        "place in them is one less.",
        ("range(1, room)", "range(room)"),
    ),
    (
        "One block more than agree: the place that `bisect_left` returns is the number already.",
        ("return bisect_left", "return 1 + bisect_left"),
    ),
    (
        "One block less than agree: the place that `bisect_left` returns is the number already.",
        ("return bisect_left", "return -1 + bisect_left"),
    ),
    (
        "The question was the wrong way round: `bisect_left` wants False first and then True, so "
        "ask where they *don't* agree any more.",
        ("not same(blocks)", "same(blocks)"),
    ),
    (
        "Each step looked at one block alone. A later block may be equal again, and then half of "
        "the places are thrown away wrongly: ask for all blocks up to there.",
        (
            "packed.startswith(tokens[: blocks * width], at)",
            "tokens[(blocks - 1) * width : blocks * width]"
            " == packed[at + (blocks - 1) * width : at + blocks * width]",
        ),
    ),
    (
        "Blocks that are equal after the first difference were counted: they have another history.",
        (
            "return bisect_left(range(1, room), True, key=lambda blocks: not same(blocks))",
            "return sum(tokens[n * width : (n + 1) * width] == packed[at + n * width : at + (n + 1)"
            " * width] for n in range(room))",
        ),
    ),
    (
        "The block in which they part was rounded up to a whole one: what is new would be written "
        "into somebody else's block.",
        (
            "    if same(room)",
            "    common = 0\n"
            "    for a, b in zip(tokens, packed[at:]):\n"
            "        if a != b:\n"
            "            break\n"
            "        common += 1\n"
            "    return -(-common // width)\n"
            "    if same(room)",
        ),
    ),
    (
        "A token was kept back. attach does that, before it asks: here each full block counts.",
        ("(tokens), len(packed) - at)", "(tokens), len(packed) - at - 1)"),
    ),
    (
        "The last block of the run was left out.",
        ("min(len(tokens),", "min(len(tokens) - 1,"),
    ),
    (
        "The first block was taken for granted. The caller may know it; this function is asked.",
        ("return bisect_left", "return bisect_left(range(1, room), True, key=lambda blocks: not "
         "same(blocks)) or 1\n    return bisect_left"),
    ),
    (
        "The first block was never compared, and the others decided alone.",
        ("packed.startswith(tokens[: blocks * width], at)",
         "packed.startswith(tokens[width : max(width, blocks * width)], at + width)"),
    ),
    (
        "Only the first of the run's blocks was compared; it stands for all of them nowhere.",
        ("tokens[: blocks * width]", "tokens[:width]"),
    ),
    (
        "A truth value came back: how far they agree is a number.",
        ("return room\n", "return True\n"),
        ("return bisect_left(range(1, room), True, key=lambda blocks: not same(blocks))",
         "return False"),
    ),
    (
        "The run was compared with the prompt's end, where only the last of them may stand.",
        ("packed.startswith(tokens[: blocks * width], at)",
         "packed.endswith(tokens[: blocks * width])"),
    ),
    (
        "Blocks were compared without their order: what is in both stands elsewhere, too.",
        (
            "    if same(room)",
            "    mine = {tokens[n * width : (n + 1) * width] for n in range(room)}\n"
            "    other = {packed[at + n * width : at + (n + 1) * width] for n in range(room)}\n"
            "    return len(mine & other)\n"
            "    if same(room)",
        ),
    ),
    (
        "The width was written into the code; it is the bytes of one block here.",
        ("// width", "// 4"),
        ("blocks * width", "blocks * 4"),
    ),
):  # fmt: skip
    exercise.mistake(says, *changes)


@exercise.mistake(
    "The run was looked for anywhere behind `at`. It agrees only where it stands at `at` itself."
)
def anywhere(tokens: bytes, packed: bytes, at: int, width: int) -> int:
    blocks = len(tokens) // width
    while blocks and packed.find(tokens[: blocks * width], at) < 0:
        blocks -= 1
    return blocks


@exercise.mistake(
    "The place in the prompt was divided, and it has `at` in it: count the run's blocks alone."
)
def from_the_prompts_start(tokens: bytes, packed: bytes, at: int, width: int) -> int:
    return at // width + agrees(tokens, packed, at, width)
