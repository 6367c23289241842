"""Attention of one query through a block table, a block at a time: the online softmax, recorded.

Plain Python floats: what is shown is small, and no tensor library is needed to check it.
"""

from collections.abc import Sequence
from math import exp, inf

from paged_attention.tables import blocks_needed
from workbook.trace import Recorder, Trace


def walk(
    table: Sequence[int],
    scores: Sequence[float],
    values: Sequence[Sequence[float]],
    *,
    block_size: int,
    num_blocks: int,
    name: str = "A",
) -> Trace:
    """A trace with one look-up a block; each read's floats are m, l, α and the answer so far.

    ``scores[k]``, ``values[k]``: of the token at position k, in the block ``table[k //
    block_size]``. The answer after the last look-up is softmax(scores) times values.
    """
    if len(values) != len(scores) or blocks_needed(len(scores), block_size) != len(table):
        raise ValueError(
            f"{len(scores)} scores, {len(values)} values and {len(table)} blocks of {block_size} "
            "don't fit: a value a score, and just the blocks that the scores fill"
        )
    recorder = Recorder("paged", num_blocks, block_size)
    seq = recorder.seq(name)
    recorder.add("create", seq)
    for i, block in enumerate(table):
        recorder.add("allocate", seq, block, i)
        filled = min(block_size, len(scores) - i * block_size)
        recorder.add("write", seq, block, n=filled)
    top, total, out = -inf, 0.0, [0.0] * (len(values[0]) if values else 0)
    for i, block in enumerate(table):
        tokens = range(i * block_size, min(len(scores), (i + 1) * block_size))
        higher = max(top, *(scores[k] for k in tokens))
        shrink = exp(top - higher)
        weights = [exp(scores[k] - higher) for k in tokens]
        before, total = total * shrink, total * shrink + sum(weights)
        out = [
            (x * before + sum(w * values[k][d] for w, k in zip(weights, tokens, strict=True)))
            / total
            for d, x in enumerate(out)
        ]
        top = higher
        with recorder.step("read", seq, i):
            recorder.add("read", seq, block, i, len(tokens))
            recorder.trace.floats.append([top, total, shrink, *out])
    return recorder.trace
