"""The pictures' module under Node, against the Python package: replay, looks, sentences, engine."""

import json
import random
from pathlib import Path
from typing import Any

from helpers.node import run_node_tests
from helpers.served import served
from helpers.traffic import random_trace, write

from paged_attention.errors import BlockPoolExhausted
from paged_attention.tables import blocks_needed
from workbook.trace import RecordingPagedKVCache, RecordingPrefixCache, Trace, states
from workbook.trace.queue import stands
from workbook.widgets.block_size import numbers as sizes
from workbook.widgets.block_size import picture as block_size
from workbook.widgets.contiguous import picture as contiguous
from workbook.widgets.contiguous.arrivals import ContiguousSide, PagedSide, serve
from workbook.widgets.fork import picture as fork
from workbook.widgets.pages import picture as pages
from workbook.widgets.prefix import picture as prefix
from workbook.widgets.reading import picture as reading
from workbook.widgets.reading.walk import walk
from workbook.widgets.tiles import picture as tiles
from workbook.words.names import isolated, shown_names
from workbook.words.wording import counted, listed, number
from workbook.workloads import CONVERSATION

NAMES: list[list[str]] = [
    ["A", "B", "A", "", " "],
    ["<b>bold</b>", "<img src=x onerror=alert(1)>", "</script>", "{seq}", "&amp;"],
    ["א1", "مرحبا", "a\u202eb", "a\nb\x00\x7f\x85", "\ufeff", "x\u200dy"],
    ["👩\u200d👩\u200d👧" * 16, "👍🏽" * 17, "e\u0301" * 17, "🇩🇪🇫🇷🇯🇵" * 6, "\u200d\u200d"],
    ["0123456789abcdef", "0123456789abcdefg", "0123456789abcdefgh", "\ud7ff" * 17],
]


def told(trace: Trace, *, every: int) -> dict[str, Any]:
    """A trace with the look of every block after each step, and the state after every so many."""
    spoken = []
    for state in states(trace):
        looks = " ".join(state.look(block) for block in range(trace.num_blocks))
        kept = state.snapshot() if state.step % every == 0 else None
        spoken.append({"looks": looks, "state": kept})
    return {"trace": trace.to_json(), "steps": spoken}


def engine_run(seed: int) -> dict[str, Any]:
    """Random calls of the real engine, and the trace that they left."""
    draw = random.Random(seed)
    order = draw.sample(range(12), 12)
    size = draw.randrange(1, 5)
    cache = RecordingPagedKVCache(1, 12, size, 1, 1)
    prefix = RecordingPrefixCache(cache)
    cache.allocator.allocate_many(12)
    cache.allocator.release_many(order[::-1])
    prefix.start_trace()
    calls: list[list[Any]] = []
    tokens: dict[str, list[int]] = {}
    for born in range(60):
        verb = draw.choice(["new", "grow", "grow", "grow", "fork", "free", "remember", "evict"])
        seq = draw.choice(sorted(tokens)) if tokens else ""
        if verb == "new" or not seq:
            seq, prompt = f"s{born}", [draw.randrange(2) for _ in range(draw.randrange(12))]
            calls.append(["attach", seq, prompt])
            tokens[seq] = prompt[: prefix.attach(seq, prompt)]
        elif verb == "grow":
            new = draw.randrange(1, 6)
            calls.append(["reserve", seq, new])
            try:
                cache.reserve(seq, new)
            except BlockPoolExhausted:
                continue
            calls.append(["write", seq, new])
            write(cache, seq, new)
            tokens[seq] = tokens[seq] + [draw.randrange(2) for _ in range(new)]
        elif verb == "fork":
            calls.append(["fork", seq, f"s{born}"])
            cache.fork(seq, f"s{born}")
            tokens[f"s{born}"] = tokens[seq]
        elif verb == "free":
            calls.append(["free", seq])
            cache.free(seq)
            del tokens[seq]
        elif verb == "remember":
            calls.append(["remember", seq, tokens[seq]])
            prefix.remember(seq, tokens[seq])
        else:
            calls.append(["evict", 2])
            prefix.evict(2)
    return {"order": order, "block_size": size, "calls": calls, "trace": cache.trace.to_json()}


def vectors() -> dict[str, Any]:
    floats = [0.0, 1.0, -2.5, 0.13534, 12345.67891, float("-inf")]
    integers = [0, 1, -3, 22844, 1000000]
    return {
        "traces": [told(random_trace(400, num_blocks=9, seed=seed), every=1) for seed in range(6)]
        + [told(served(seed).trace, every=1) for seed in range(8)]
        + [told(random_trace(3000, num_blocks=200, block_size=16), every=50)],
        "engines": [engine_run(seed) for seed in range(60)],
        "queues": [queue(served(seed).trace) for seed in range(12)],
        "names": [[names, [isolated(name) for name in shown_names(names)]] for names in NAMES],
        "numbers": [[str(x) if x == float("-inf") else x, "float", number(x)] for x in floats]
        + [[x, "int", number(x)] for x in integers],
        "lists": [[list(range(n)), listed(list(range(n)))] for n in (0, 1, 2, 3, 8, 9, 3000)],
        "counts": [[n, counted(n, "block")] for n in (0, 1, 2, 4000)],
        "pictures": pictures(),
        "requests": [changed_lengths(seed) for seed in range(40)],
    }


def queue(trace: Trace) -> dict[str, Any]:
    """A serving trace, and who stands where after each step."""
    told = [[[*map(int, place)] for place in stand.places] for stand in stands(trace)]
    sums = [[stand.used, stand.host] for stand in stands(trace)]
    return {"trace": trace.to_json(), "places": told, "sums": sums}


def pictures() -> list[dict[str, Any]]:
    """Data of the pictures and of their edges, with the sentence of every step."""
    found: list[tuple[dict[str, Any], list[str]]] = []
    for lengths in ((7, 12, 5, 9, 14), (20,) * 5, (1,), (3, 20, 20, 20, 8)):
        scene = contiguous.scene_of(lengths)
        data = contiguous.contiguous_vs_paged(lengths).data
        found.append((data, [contiguous.sentence(scene, k) for k in range(2 * len(lengths) + 1)]))
    for scores in (reading.SCORES, (), (0.5, 0.25, -1.5, 0.5, 3)):
        values = [(k % 4, k // 4) for k in range(len(scores))]
        table = reading.TABLE[: blocks_needed(len(scores), 4)]
        reads = reading.look_ups(walk(table, scores, values, block_size=4, num_blocks=12))
        data = reading.reading_through_table(table, scores).data
        said = [reading.sentence(reads, k, scores, values, 4) for k in range(len(reads) + 1)]
        found.append((data, said))
    for plan in ({}, {"prompt": 32}, {"prompt": 0}, {"num_blocks": 5}, {"children": 20}):
        data = fork.fork_and_copy(**plan).data
        grouped = fork.forked(**plan)
        found.append((data, [fork.sentence(grouped, k) for k in range(grouped.last + 1)]))
    for prompts in (
        None,
        ["a b c d", "a b c d", "a b c d e", "x"],
        ["w " * 40] * 3,
        ["<b> \u202e א"],
    ):
        desk, _ = prefix.served(prompts, block_size=4, num_blocks=16)
        if prompts and len(prompts) == 4:
            desk.serve("a b c d e", "s")
        said = [prefix.sentence(desk.grouped, k) for k in range(desk.grouped.last + 1)]
        found.append((prefix.prefix_data(desk, 0), said))
    data = block_size.block_size_picture().data
    found.append((data, [block_size.sentence(row) for row in sizes.rows(CONVERSATION)]))
    data = block_size.block_size_picture(times=True).data
    timed = [block_size.sentence(row, times=True) for row in sizes.rows(CONVERSATION)[:-1]]
    found += [(data, timed), *tiles_and_pages()]
    return [{"data": data, "sentences": said} for data, said in found]


def tiles_and_pages() -> list[tuple[dict[str, Any], list[str]]]:
    """Batches cut in tiles of any size, and blocks in pages of any."""
    found = []
    for tokens in (1, 2, 3, 4, 9):
        batch = tiles.batch_of(tokens=tokens)
        data = tiles.tiles_picture(tokens=tokens, start=0).data
        found.append((data, [tiles.sentence(batch, k) for k in range(batch.last + 1)]))
    alone = tiles.tiles_picture([(0, 1)], [(3,)], group=1, tokens=1, start=1)
    found.append((alone.data, [tiles.sentence(tiles.batch_of([(0, 1)], [(3,)], group=1), k)
                               for k in (0, 1)]))  # fmt: skip
    for page in (1, 3, 12):
        split = pages.Split((7, 0, 2), 12, page)
        data = pages.pages_picture(split.table, block=12, page=page, start=0).data
        found.append((data, [pages.sentence(split, k) for k in range(36)]))
    return found


def changed_lengths(seed: int) -> dict[str, Any]:
    """Random lengths, and what the engine's pools do with them."""
    draw = random.Random(seed)
    lengths = [draw.randrange(1, 21) for _ in range(5)]
    names = list("ABCDE")
    options = {"lengths": lengths, "names": names, "slots": 64, "most": 20, "blockSize": 4}
    return {
        "options": options,
        "contiguous": serve(ContiguousSide(64, 20), lengths, names).to_json(),
        "paged": serve(PagedSide(64, 4), lengths, names).to_json(),
    }


def test_parts_of_the_module() -> None:
    run_node_tests("units.test.mjs")


def test_python_and_the_module_agree(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps(vectors()), encoding="utf-8")
    run_node_tests("same.test.mjs", {"PICTURE_VECTORS": str(path)})
