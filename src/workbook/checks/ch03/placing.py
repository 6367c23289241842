"""Chapter 03: the look-up of every new token of a batch at once."""

from typing import Any

from workbook.checks.framework import exercise, expect, shown

place = exercise(
    "place",
    label="ex-03-2",
    title="Places of a batch",
    stub="place",
    takes="function",
    hints=(
        "`positions // block_size` says which entry of its table each token asks. Row r must ask "
        "table r: an index needs a row number beside it.",
        "`rows = torch.arange(len(tables))[:, None]` is a column, one number a row. In "
        "`tables[rows, …]` it goes with every token of its row.",
    ),
)


def _case(
    title: str,
    tables: list[list[int]],
    positions: list[list[int]],
    block_size: int,
    why: str,
) -> None:
    """A call whose answer is worked out number by number."""
    blocks = [
        [table[position // block_size] for position in row]
        for table, row in zip(tables, positions, strict=True)
    ]
    offsets = [[position % block_size for position in row] for row in positions]

    @place.case(
        title,
        tried=f"place({tables}, {positions}, {block_size})",
        right=f"blocks {blocks}, offsets {offsets}",
        why=why,
    )
    def _body(function: Any) -> None:
        import torch

        asked = torch.tensor(tables), torch.tensor(positions)
        before = [tensor.clone() for tensor in asked]
        got = function(*asked, block_size)
        expect(isinstance(got, tuple) and len(got) == 2, got=shown(got))
        first, second = (_plain(part) for part in got)
        expect(
            (first, second) == (blocks, offsets),
            got=f"blocks {shown(first)}, offsets {shown(second)}",
        )
        for name, tensor, was in zip(("tables", "positions"), asked, before, strict=True):
            expect(
                torch.equal(tensor, was),
                got=f"the right answer, and {name} is now {shown(tensor.tolist())}",
                right=f"{name} unchanged",
                why="A look-up changes nothing: every layer asks the same tables again.",
            )


def _plain(part: Any) -> Any:
    return part.tolist() if hasattr(part, "tolist") else part


TWO = [[7, 2, 11, 5], [3, 9, 0, 0]]
_case(
    "one row of three tokens",
    [[7, 2, 11, 5]],
    [[14, 5, 3]],
    4,
    "Each token divides for itself: 14 // 4 chooses the entry, 14 % 4 the slot.",
)
_case(
    "two rows of one token",
    TWO,
    [[13], [6]],
    4,
    "Row r asks table r.",
)
_case(
    "two rows of three tokens",
    TWO,
    [[3, 4, 5], [0, 1, 7]],
    4,
    "Every token of a row asks the row's own table.",
)
_case(
    "three rows of three tokens",
    [[7, 2, 11], [3, 9, 5], [8, 1, 4]],
    [[8, 1, 5], [4, 10, 2], [0, 7, 11]],
    4,
    "As many rows as tokens, and still every token of a row asks the row's own table.",
)
_case(
    "blocks of 16",
    [[7, 2], [3, 9]],
    [[13, 17, 30], [16, 5, 31]],
    16,
    "The size of a block is the third argument.",
)
