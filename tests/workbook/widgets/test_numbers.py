"""The numbers behind reading and block sizes, against the engine itself."""

from itertools import accumulate

import pytest
import torch
from helpers.kv import append

from paged_attention.attention import attend
from paged_attention.cache import PagedKVCache
from paged_attention.kernels.prefill_inputs import tile_map
from paged_attention.prefix import PrefixCache
from paged_attention.tables import blocks_needed
from workbook.trace import replay
from workbook.widgets.block_size import numbers as sizes
from workbook.widgets.reading import picture as reading
from workbook.widgets.reading.walk import walk
from workbook.widgets.tiles.picture import batch_of
from workbook.workloads import CODE, CONVERSATION


def test_the_walk_is_attention() -> None:
    """Scores are one query times each key; the engine attends over the same keys and values."""
    scores = torch.tensor(reading.SCORES, dtype=torch.float64)
    values = torch.tensor([(k % 4, k // 4) for k in range(len(scores))], dtype=torch.float64)
    keys = torch.zeros(1, 1, len(scores), 2, dtype=torch.float64)
    keys[0, 0, :, 0] = scores * 2**0.5  # attention divides by the root of the head size
    query = torch.tensor([1.0, 0.0], dtype=torch.float64).view(1, 1, 1, 2)
    positions = torch.arange(len(scores))
    want = attend(query, keys, values[None, None], positions[-1:], positions)[0, 0, 0]
    trace = walk(reading.TABLE, reading.SCORES, values.tolist(), block_size=4, num_blocks=12)
    reads = reading.look_ups(trace)
    assert [round(x, 4) for x in reads[-1].out] == [0.8938, 3.7069]
    assert torch.allclose(torch.tensor(reads[-1].out, dtype=torch.float64), want)
    assert replay(trace).tables == {0: list(reading.TABLE)}


@pytest.mark.parametrize("block_size", [1, 2, 3, 4, 22, 30])
def test_any_block_size_comes_to_the_same_answer(block_size: int) -> None:
    values = [(k % 4, k // 4) for k in range(22)]
    table = list(range(-(-22 // block_size)))[::-1]
    trace = walk(table, reading.SCORES, values, block_size=block_size, num_blocks=40)
    out = reading.look_ups(trace)[-1].out
    assert out == pytest.approx(reading.plain_softmax(reading.SCORES, values))


@pytest.mark.parametrize("tokens", [1, 2, 3, 4, 99])
def test_a_batch_is_cut_as_the_kernels_cut_it(tokens: int) -> None:
    rows = ((6, 3), (0, 4), (8, 1), (5, 0), (30, 17), (0, 40))
    tables = [range(blocks_needed(known + new, 4)) for known, new in rows]
    batch = batch_of(rows, tables, tokens=tokens)
    starts = [0, *accumulate(new for _, new in rows)]
    right = tile_map(starts, [known + new for known, new in rows], tokens)
    assert [(tile.row, tile.first) for tile in batch.tiles] == [tuple(tile) for tile in right]
    assert batch.tokens == starts[-1]
    assert batch.single == sum(known + i + 1 for known, new in rows for i in range(new))
    for row, (known, new) in enumerate(rows):
        for token in range(new):
            looks = [batch.look(row, token, key, batch.last) for key in range(known + new)]
            seen = sum(look in ("held", "other") for look in looks)
            tile = batch.tiles[batch.program(row, token) - 1]
            assert seen == known + token + 1
            assert looks.count("reserved") == tile.keys - seen
    hidden = sum(map(batch.hidden, batch.tiles))
    pairs = sum((tile.end - tile.first) * tile.keys for tile in batch.tiles)
    assert pairs - hidden == batch.single


def test_the_books_sizes() -> None:
    row = {size: rest for size, *rest in sizes.rows(CONVERSATION)}
    assert sizes.mean_length(CONVERSATION) == 1366
    assert row[16] == [0.54, True, 86, 160]
    assert row[64] == [2.21, True, 22, 384]
    assert sizes.reserving(CONVERSATION, None) == (9.7, 0.0, True)
    assert sizes.reserving(CODE, None) == (26.5, 0.0, True)
    used, refused, measured = sizes.reserving(CONVERSATION, 8192)
    assert not measured
    assert 15 < used < 18
    assert 0 < refused < 0.2


def test_resampled_waste_is_near_the_measured() -> None:
    """Where both are known, up to blocks of 256; above, the percentiles are too coarse."""
    for workload in (CONVERSATION, CODE):
        totals = sizes.lengths(workload)
        for size, measured in sizes.MEASURED[workload.name].waste.items():
            if size <= 128:
                taken = sum(-(-n // size) * size for n in totals)
                assert 100 * (1 - sum(totals) / taken) == pytest.approx(measured, rel=0.06)


@pytest.mark.parametrize("block_size", [1, 8, 16, 32, 64, 128])
def test_tokens_run_are_those_of_the_real_prefix_cache(block_size: int) -> None:
    cache = PagedKVCache(1, 1000, block_size, 1, 1)
    prefix, run = PrefixCache(cache), 0
    for request in range(sizes.PROMPTS):
        own = [1000 + sizes.OWN * request + k for k in range(sizes.OWN)]
        prompt = [*range(sizes.SHARED), *own]
        left = len(prompt) - prefix.attach(request, prompt)
        append(cache, [request], left)
        prefix.remember(request, prompt)
        run += left
    assert sizes.tokens_run(block_size) == run
