"""Draw where a kernel runs: from the grid to a program, its processor, its warps, and one lane."""

from typing import NamedTuple

from workbook.stills.sheet import MARGIN, Sheet

GRID, PIECE, TALL = 13, 22, 13  # pixels: a program, a lane's piece of a tile, its height


class TileLayout(NamedTuple):
    """Who holds which numbers of a tile: Triton's own words, each as (down, across)."""

    size_per_thread: tuple[int, int]
    threads_per_warp: tuple[int, int]
    warps: tuple[int, int]

    @property
    def covers(self) -> tuple[int, int]:
        """Rows and columns that all lanes hold together."""
        down, across = zip(self.size_per_thread, self.threads_per_warp, self.warps, strict=True)
        return down[0] * down[1] * down[2], across[0] * across[1] * across[2]

    def lane(self, warp: int, lane: int) -> tuple[int, int]:
        """Row and first column of the numbers that this lane of this warp holds."""
        rows, columns = self.threads_per_warp
        row = (warp * rows + lane // columns) * self.size_per_thread[0]
        return row, lane % columns * self.size_per_thread[1]


# What Triton 3.7.1 makes for sm_90 of one block of SmolLM2's keys, 16 x 64 numbers in bfloat16,
# with four warps. A test compiles the kernel and compares.
KEYS = TileLayout((1, 8), (4, 8), (4, 1))


def draw_grid_to_lane(
    rows: int, heads: int, program: tuple[int, int], layout: TileLayout, lane: tuple[int, int]
) -> Sheet:
    """A grid with one program ringed, the processor it runs on, and its tile with one lane ringed.

    ``lane`` is (warp, lane). Down the tile go slots, across it a key's numbers.
    """
    sheet = Sheet(640)
    top = sheet.y + 20
    _grid(sheet, top, rows, heads, program)
    _processor(sheet, MARGIN + heads * GRID + 58, top, layout)
    _tile(sheet, 372, top, layout, *lane)
    sheet.y = top + layout.covers[0] * TALL + 34
    return sheet


def _grid(sheet: Sheet, top: float, rows: int, heads: int, program: tuple[int, int]) -> None:
    sheet.text(MARGIN, top - 8, f"grid ({rows}, {heads})", size=12, bold=True)
    for row in range(rows):
        for head in range(heads):
            sheet.box(MARGIN + head * GRID, top + row * GRID, GRID - 2, GRID - 2, "soft", "line")
    x, y = MARGIN + program[1] * GRID, top + program[0] * GRID
    for by in (1, 2, 3):
        sheet.box(x - by, y - by, GRID - 2 + 2 * by, GRID - 2 + 2 * by, None, "ring")
    under = top + rows * GRID + 18
    sheet.text(MARGIN, under, f"program {program}:", size=12)
    sheet.text(MARGIN, under + 16, f"row {program[0]}, query head {program[1]}", size=12)
    sheet.arrow((x + GRID + 4, y + 5), (MARGIN + heads * GRID + 52, top + 30))


def _processor(sheet: Sheet, x: float, top: float, layout: TileLayout) -> None:
    warps = layout.warps[0] * layout.warps[1]
    sheet.text(x, top - 8, "on one of 132 SMs", size=12, bold=True)
    sheet.box(x, top, 158, warps * 40 + 8, None, "line")
    for warp in range(warps):
        y = top + 8 + warp * 40
        sheet.text(x + 8, y + 12, f"warp {warp}: 32 lanes", size=12)
        for at in range(32):
            sheet.box(x + 8 + at % 16 * 9, y + 17 + at // 16 * 8, 7, 6, "soft", "line")
    sheet.arrow((x + 160, top + 24), (366, top + 24))


def _tile(sheet: Sheet, x: float, top: float, layout: TileLayout, warp: int, lane: int) -> None:
    down, across = layout.covers
    step = layout.size_per_thread[1]
    of_warp = layout.size_per_thread[0] * layout.threads_per_warp[0]
    sheet.text(x, top - 8, f"a tile: {down} slots × {across} numbers", size=12, bold=True)
    for row in range(down):
        dark = row // of_warp % 2 == 0
        for column in range(across // step):
            place = (x + column * PIECE, top + row * TALL)
            sheet.box(*place, PIECE, TALL, "soft" if dark else "raised", "line")
    for number in range(layout.warps[0]):
        y = top + (number + 0.5) * of_warp * TALL + 4
        sheet.text(x + across // step * PIECE + 6, y, f"warp {number}", size=12)
    row, column = layout.lane(warp, lane)
    left, high = x + column / step * PIECE, top + row * TALL
    for by in (1, 2, 3):
        sheet.box(left - by, high - by, PIECE + 2 * by, TALL + 2 * by, None, "ring")
    words = f"lane {lane} of warp {warp}: slot {row}, numbers {column} to {column + step - 1}"
    sheet.text(x, top + down * TALL + 18, words, size=12)
