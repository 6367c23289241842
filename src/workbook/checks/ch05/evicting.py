"""Chapter 05: what goes first when blocks run out."""

from typing import Any

from paged_attention.errors import BlockNotHeld
from workbook.checks.framework import attempt, exercise, expect, shown
from workbook.checks.toolboxes.prefix_world import probe, serve, world

evict = exercise(
    "evict",
    label="ex-05-3",
    title="Evict",
    stub="MyEvictingCache",
    takes="class",
    hints=(
        "`refs` says who else holds a block: 1 is the index alone. And of one prompt the last "
        "block must be the first to go, so in which order should `touch` move them to the end?",
        "`touch`: for each block, last one first, `self.recent[block] = None` and "
        "`self.recent.move_to_end(block)`. `evict`: collect up to `n` blocks with `refs` 1 from "
        "the front; then, for each, forget, delete from `recent`, release.",
    ),
)

CHAIN = list(range(100, 120))  # five blocks


def _visit(cache: Any, prefix: Any, seq: str, prompt: list[int]) -> None:
    serve(cache, prefix, seq, prompt)
    cache.free(seq)


@evict.case(
    "an evicted block is free, and no longer known",
    tried="a request of one block and a token leaves; evict(1)",
    right="1 returned, 16 of 16 free, and the prompt is a miss",
    why="Three places know of a block: the pool's count, the index, the order. All three change.",
)
def _one(cls: Any) -> None:
    cache, prefix, _ = world(cls)
    _visit(cache, prefix, "a", [1, 2, 3, 4, 0])
    freed = attempt(prefix.evict, 1)
    expect(freed.error is None, got=str(freed))
    expect(
        cache.allocator.num_free == 16,
        got=f"{freed}; num_free is {shown(cache.allocator.num_free)}",
        why="The block has left the index and is still held: by nobody who knows of it.",
    )
    hit = attempt(probe, cache, prefix, [1, 2, 3, 4, 0])
    expect(
        hit.error is None and hit.value == 0,
        tried="evict(1), and the prompt comes again",
        got=str(hit),
        right="0 tokens reused",
        why="The index still names a block that is free.",
    )
    expect(freed.value == 1, got=str(freed), right="1", why="evict returns how many it freed.")
    cache.create("r")
    cache.reserve("r", 64)
    again = attempt(prefix.evict, 16)
    expect(
        again.error is None or isinstance(again.error, LookupError | BlockNotHeld),
        tried="evict(1); then a request that isn't remembered takes all 16 blocks; evict(16)",
        got=f"{again}; {cache.allocator.num_free} of its blocks are free",
        right="0 returned, and the request keeps its blocks",
        why="Fewer than n may go, and that is an answer, no error: `evict` frees up to n, and says "
        "how many they were.",
    )
    expect(
        again.error is None and again.value == 0 and cache.allocator.num_free == 0,
        tried="evict(1); then a request that isn't remembered takes all 16 blocks; evict(16)",
        got=f"{again}; {cache.allocator.num_free} of its blocks are free",
        right="0 returned, and the request keeps its blocks",
        why="A block that has left the index and still stands in `recent` is freed once more, "
        "under whoever has it by then.",
    )


@evict.case(
    "of one prompt, the tail goes first",
    tried="a prompt of 5 blocks leaves; evict(1); the prompt comes again",
    right="4 blocks are still found",
    why="A beginning is useful without its end, never the other way round.",
)
def _tail(cls: Any) -> None:
    cache, prefix, _ = world(cls)
    for seq in "xy":  # so that ids come out of the pool in no order
        cache.create(seq)
        cache.reserve(seq, 12)
    cache.free("y")
    cache.free("x")
    _visit(cache, prefix, "a", [*CHAIN, 0])
    prefix.evict(1)
    freed = cache.allocator.num_free - 11
    expect(
        freed == 1,
        tried="a prompt of 5 blocks leaves; evict(1)",
        got=f"{freed} were freed",
        right="1 was freed",
        why="n says how many are to go, also when more of them could.",
    )
    found = probe(cache, prefix, [*CHAIN, 0]) // 4
    expect(
        found == 4,
        got=f"{found} found",
        why="A block before the tail went first. The walk ends at the hole, so what lies behind it "
        "serves nobody: touch the last block first. (llm-d/llm-d-inference-sim#704)"
        if found < 4
        else None,
    )
    cache, prefix, _ = world(cls)
    for seq in "ab":
        _visit(cache, prefix, seq, [*CHAIN, 0])
    prefix.evict(1)
    found = probe(cache, prefix, [*CHAIN, 0]) // 4
    expect(
        found == 4,
        tried="a prompt of 5 blocks comes twice and leaves; evict(1); it comes again",
        got=f"{found} blocks found",
        why="The second visit turned the order round. Known blocks move to the end tail first, "
        "like new ones.",
    )


@evict.case(
    "least recently used first",
    tried="prompts A, B, C of two blocks each, then A and C again; evict(1) twice",
    right="B is gone, A and C are known",
    why="Who was asked for lately will be asked for again soon; at least that is the bet.",
)
def _least_recent(cls: Any) -> None:
    cache, prefix, _ = world(cls)
    prompts = {name: [start] * 8 + [0] for name, start in (("A", 10), ("B", 20), ("C", 30))}
    for visit, name in enumerate("ABCAC"):
        _visit(cache, prefix, f"{name}{visit}", prompts[name])
    for _ in range(2):
        prefix.evict(1)
    found = {name: probe(cache, prefix, prompt) for name, prompt in prompts.items()}
    expect(
        found["A"] != 4 and found["C"] != 4,
        got=f"tokens found: {shown(found)}",
        right="8 of A, 0 of B, 8 of C",
        why="Half a prompt went that was used after B: touch moves all its blocks, not one.",
    )
    known = [name for name in prompts if found[name]]
    better = None
    if "A" not in known:
        better = "A was the first to come and has been used since: using it counts."
    elif "C" not in known:
        better = "C was used last of all, and it went first."
    expect(known == ["A", "C"], got=f"known are {', '.join(known) or 'none'}", why=better)


@evict.case(
    "up to n, and exactly n when there are as many",
    tried="a prompt of 5 blocks leaves, 2 of 7 are free; evict(0), evict(4), evict(9), evict(1)",
    right="0, 4, 1 and 0 freed",
    why="n counts the blocks to free now, whatever is free already, and the answer says how many.",
)
def _counts(cls: Any) -> None:
    cache, prefix, _ = world(cls, num_blocks=7)
    _visit(cache, prefix, "a", [*CHAIN, 0])
    free = 2
    for n, right in ((0, 0), (4, 4), (9, 1), (1, 0)):
        freed = attempt(prefix.evict, n)
        grown = cache.allocator.num_free - free
        free = cache.allocator.num_free
        expect(
            freed.error is None and freed.value == right and grown == right,
            tried=f"evict({n}) with {7 - free + grown} blocks cached",
            got=f"{freed}; {grown} more are free",
            right=f"{right} returned, {right} more are free",
        )


@evict.case(
    "blocks in use stay",
    tried="r runs a prompt of 2 blocks and stays, s one of 2 blocks and leaves; evict(3)",
    right="2 freed, and r has its blocks",
    why="The index is one of their holders, and it can give up its own hold only.",
)
def _held(cls: Any) -> None:
    cache, prefix, _ = world(cls)
    serve(cache, prefix, "r", [*CHAIN[:8], 0])
    _visit(cache, prefix, "s", [5] * 9)
    before = list(cache.tables["r"])
    freed = attempt(prefix.evict, 3)
    found = probe(cache, prefix, [*CHAIN[:8], 0])
    counts = [cache.allocator.refs[block] for block in before]
    expect(
        freed.error is None and counts == [2, 2, 1] and found == 8,
        got=f"{freed}; r's blocks have counts {counts}, and its prompt finds {shown(found)} tokens",
        right="2 freed, counts [2, 2, 1], 8 tokens found",
        why="r still reads these blocks. Out of the index they free no memory, and the next equal "
        "prompt computes them again.",
    )
    expect(freed.value == 2, got=f"{freed}", right="2")
    cache.free("r")
    freed = attempt(prefix.evict, 10)
    expect(
        freed.error is None and freed.value == 2 and cache.allocator.num_free == 16,
        tried="then r leaves, too; evict(10)",
        got=f"{freed}; {cache.allocator.num_free} of 16 free",
        right="2 freed, 16 of 16 free",
        why="A block that was in use at the first call has dropped out of `recent`: it will never "
        "be offered again.",
    )
