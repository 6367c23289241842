"""The open task's own answer, and answers that break its spec."""

from workbook.checks.ch09.open import MOST_TOKENS, Batch, Piece, last_end, together

SPANS = (128, 192, 256, 384, 512, 768, 1_024, 1_536, 3_072, 10_000)


def tiles(batch: Batch) -> list[tuple[int, int, int, int]]:
    """Sequence, first token, tokens, keys of each tile of 21 tokens."""
    return [
        (row, first, min(MOST_TOKENS, new - first), known + min(first + MOST_TOKENS, new))
        for row, (known, new) in enumerate(batch)
        for first in range(0, new, MOST_TOKENS)
    ]


def cut_at(batch: Batch, span: int) -> list[Piece]:
    """Each tile's keys in equal parts of ``span`` at most; the largest piece first."""
    pieces = []
    for row, first, tokens, keys in tiles(batch):
        parts = -(-keys // span)
        edges = [keys * part // parts for part in range(parts + 1)]
        pieces += [(row, first, tokens, edges[i], edges[i + 1]) for i in range(parts)]
    return sorted(pieces, key=lambda piece: piece[3] - piece[4])


def whole_tiles(batch: Batch, processors: int) -> list[Piece]:
    return cut_at(batch, 10**6)


def best_span(batch: Batch, processors: int) -> list[Piece]:
    return min((cut_at(batch, span) for span in SPANS), key=lambda p: last_end(p, processors))


together.solved = best_span


@together.rejects("are in tiles")
def one_sequence_left_out(batch: Batch, processors: int) -> list[Piece]:
    return [piece for piece in best_span(batch, processors) if piece[0]]


@together.rejects("never, or twice")
def history_left_out(batch: Batch, processors: int) -> list[Piece]:
    return [piece for piece in best_span(batch, processors) if piece[3] or piece[4] < 200]


@together.rejects("its last token sees")
def only_the_oldest(batch: Batch, processors: int) -> list[Piece]:
    return [(row, first, n, 0, min(100, keys)) for row, first, n, keys in tiles(batch)]


@together.rejects("1 to 21 tokens")
def one_large_tile(batch: Batch, processors: int) -> list[Piece]:
    return [(row, 0, new, 0, known + new) for row, (known, new) in enumerate(batch)]


@together.rejects("in no tile, or in two")
def tokens_twice(batch: Batch, processors: int) -> list[Piece]:
    row, first, n, begin, end = whole_tiles(batch, processors)[0]
    return [*whole_tiles(batch, processors), (row, first, n - 1, begin, end - 1)] if n > 1 else [
        (row, first, n, begin, end), (row, first + 1, n, begin, end + 1)
    ]  # fmt: skip


@together.rejects("isn't five whole numbers")
def without_keys(batch: Batch, processors: int) -> list[tuple[int, ...]]:
    return [piece[:3] for piece in whole_tiles(batch, processors)]
