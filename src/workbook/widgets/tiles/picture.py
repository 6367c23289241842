"""What does a prefill program read? A ragged batch, its tiles, and the keys that each one walks."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from paged_attention.tables import blocks_needed
from workbook.stills.sheet import MARGIN, Sheet
from workbook.widgets.common.picture import Picture, Still
from workbook.widgets.tiles.batch import Batch, Row, Tile
from workbook.words.wording import number, say, words_beside

WORDS = words_beside(__file__)
ROWS = ((6, 3), (0, 4), (8, 1), (5, 0))
TABLES = ((5, 1, 7), (3,), (0, 9, 2), (8, 4))
SIZES = (1, 2, 4)  # tokens of a tile that a page can choose
CELL, LABEL, CHIP = 18, 54, 66


def tiles_picture(
    rows: Sequence[tuple[int, int]] = ROWS,
    tables: Sequence[Sequence[int]] = TABLES,
    *,
    block_size: int = 4,
    group: int = 3,
    tokens: int = 2,
    start: int = 3,
) -> Picture:
    """Each step is a program of the tile map, the heaviest first: which new tokens and key blocks
    it reads, and what the mask hides.

    ``rows``: known and new tokens of each sequence, named A, B, …; ``tables``: their blocks, just
    as many as their tokens fill. ``group``: query heads of a KV head. ``tokens``: the most of a
    tile, one of 1, 2 and 4 or whatever is given; the reader can choose another.
    """
    batch = batch_of(rows, tables, block_size=block_size, group=group, tokens=tokens)
    if not 0 <= start <= batch.last:
        raise IndexError(f"this batch has steps 0 to {batch.last}, and start={start} is none")
    data = {
        "v": 1,
        "picture": "tiles",
        "start": start,
        "size": block_size,
        "group": group,
        "tokens": tokens,
        "sizes": " ".join(map(str, sorted({*SIZES, tokens}))),
        "rows": ";".join(f"{row.known} {row.new}" for row in batch.rows),
        "tables": ";".join(" ".join(map(str, row.table)) for row in batch.rows),
    }
    stills = [
        Still(sentence(batch, step), partial(_draw, batch=batch, step=step))
        for step in sorted({start, batch.last})
    ]
    return Picture(WORDS["name"], data, _facts(batch), stills)


def batch_of(
    rows: Sequence[tuple[int, int]] = ROWS,
    tables: Sequence[Sequence[int]] = TABLES,
    *,
    block_size: int = 4,
    group: int = 3,
    tokens: int = 2,
) -> Batch:
    """The batch of ``tiles_picture``, or ``ValueError`` if tables and tokens don't fit."""
    named = [
        Row(chr(ord("A") + at), known, new, tuple(table))
        for at, ((known, new), table) in enumerate(zip(rows, tables, strict=True))
    ]
    for row in named:
        if len(row.table) != blocks_needed(row.known + row.new, block_size):
            raise ValueError(
                f"{row.name} has {row.known + row.new} tokens and {len(row.table)} blocks of "
                f"{block_size}: a table must name just the blocks that its tokens fill"
            )
    return Batch(named, block_size, group, tokens)


def sentence(batch: Batch, step: int) -> str:
    """What program ``step`` (from 1) reads; step 0 is before the first."""
    if not step:
        idle = [row.name for row in batch.rows if not row.new]
        return say(WORDS["start"], {"programs": batch.last, "tokens": batch.tokens, "idle": idle})
    tile = batch.tiles[step - 1]
    row, blocks = batch.rows[tile.row], batch.blocks(tile)
    behind = list(row.table[len(blocks) :])
    said = say(
        WORDS["step"],
        {
            **_named(batch, tile, step),
            "last": batch.last,
            "rows": (tile.end - tile.first) * batch.group,
            "group": batch.group,
            "blocks": len(blocks),
            "hidden": batch.hidden(tile),
            "cells": (tile.end - tile.first) * tile.keys,
            "left": len(behind),
            "behind": behind,
        },
    )
    if step < batch.last:
        return said
    return f"{said} {say(WORDS['end'], {'read': batch.read, 'single': batch.single})}"


def _named(batch: Batch, tile: Tile, step: int) -> dict[str, Any]:
    """What a program is called by."""
    return {
        "step": step,
        "name": batch.rows[tile.row].name,
        "first": tile.first,
        "end": tile.end - 1,
        "many": tile.end - tile.first > 1,
        "keys": tile.keys,
    }


def _sequence(row: Row) -> str:
    facts = {"name": row.name, "known": row.known, "new": row.new, "table": list(row.table)}
    return say(WORDS["sequence"], facts | {"several": len(row.table) > 1})


def _facts(batch: Batch) -> list[str]:
    lines = [f"{batch.tokens} new tokens in tiles of {batch.most}, blocks of {batch.block_size}"]
    for step, tile in enumerate(batch.tiles, 1):
        row, table = batch.rows[tile.row], " ".join(map(str, batch.blocks(tile)))
        lines.append(
            f"program {step}: {row.name} {say(WORDS['span'], _named(batch, tile, step))} at "
            f"{row.known + tile.first}, {tile.keys} keys in blocks {table}, "
            f"{batch.hidden(tile)} hidden"
        )
    return [*lines, f"{batch.read} keys read, {batch.single} token by token"]


def _draw(sheet: Sheet, *, batch: Batch, step: int) -> None:
    """The list of programs, then for each sequence its new tokens by keys."""
    for at, tile in enumerate(batch.tiles, 1):
        x = MARGIN + (at - 1) % 9 * CHIP
        y = sheet.y + 18 + (at - 1) // 9 * 54
        state = "held" if at <= step else "free"
        named = _named(batch, tile, at)
        sheet.cell(
            *(x, y, state),
            width=CHIP - 8,
            name=f"{named['name']} {say(WORDS['span'], named)}",
            mark=number(tile.keys),
            ring=at == step,
        )
    sheet.y += 12 + -(-batch.last // 9) * 54
    for at, row in enumerate(batch.rows):
        sheet.paragraph(_sequence(row), colour="muted")
        for token in range(row.new):
            _draw_token(sheet, batch, at, token, step)
        sheet.space(6)
    sheet.legend(list(WORDS["legend"]), list(WORDS["legend"].values()))


def _draw_token(sheet: Sheet, batch: Batch, at: int, token: int, step: int) -> None:
    row = batch.rows[at]
    now = batch.program(at, token) == step
    read = batch.tiles[step - 1].keys if now else 0
    sheet.text(MARGIN, sheet.y + 13, f"{row.name} {token}", size=12, bold=now)
    for key in range(row.known + row.new):
        x = MARGIN + LABEL + key * CELL + key // batch.block_size * 6
        if key < read:
            sheet.box(x - 1, sheet.y - 1, CELL, CELL, None, "ring")
        look = batch.look(at, token, key, step)
        mark = "·" if look == "other" else ""
        sheet.cell(x, sheet.y, look, width=CELL - 2, height=CELL - 2, mark=mark)
    sheet.y += CELL + 2
