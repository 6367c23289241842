"""Chapter 03: the cache that the chapter builds, method by method, and the finished one."""

import random
from typing import Any

from workbook.checks.framework import exercise, expect, shown
from workbook.checks.toolboxes.growth import grows_by_edges, refuses_whole
from workbook.checks.toolboxes.known_tokens import keys_of, write

# Not an exercise: the chapter builds this class in small cells and checks it when it is whole.
paged_cache = exercise(
    "paged_cache",
    label="ex-built-03",
    title="The paged cache",
    stub="MyPagedKVCache",
    takes="class",
    hints=(
        "Run the cells that build the class once more, from the one that begins with "
        "`class MyPagedKVCache` on: methods are hung on it one by one.",
        "Compare your class with `paged_attention/cache.py`, whose methods have the same names.",
    ),
)


def _filled(cls: Any, layers: int, num_blocks: int, heads: int) -> Any:
    """A cache of blocks of 4, head size 2, NaN in every slot, whose free blocks are shuffled."""
    cache = cls(layers, num_blocks, 4, heads, 2)
    for layer in range(layers):
        cache.k_pool[layer].fill_(float("nan"))
        cache.v_pool[layer].fill_(float("nan"))
    blocks = [cache.allocator.allocate() for _ in range(num_blocks)]
    random.Random(1).shuffle(blocks)
    for block in blocks:
        cache.allocator.release(block)
    return cache


@paged_cache.case(
    "update writes through the table",
    tried="22 tokens, position p holds p; then look into k_pool[0] and v_pool[0]",
    right="position p lies in block table[p // 4] at offset p % 4",
    why="Whoever reads this pool later, a kernel too, knows nothing but the table.",
)
def _scatter(cls: Any) -> None:
    cache = _filled(cls, 1, 8, 1)
    cache.create("A")
    write(cache, {"A": range(22)})
    for name, pool, sign in (("k_pool", cache.k_pool[0], 1), ("v_pool", cache.v_pool[0], -1)):
        for position in range(22):
            block, offset = cache.tables["A"][position // 4], position % 4
            got = pool[block, 0, offset, 0].item()
            expect(
                got == sign * position,
                got=f"{name}[0] holds {shown(got)} at block {block}, offset {offset}",
                right=f"{sign * position}, the number of position {position}",
            )
        unwritten = 8 * 4 - int(pool[:, 0, :, 0].isfinite().sum())
        expect(unwritten == 10, got=f"{name}[0]: {32 - unwritten} slots written for 22 tokens")


@paged_cache.case(
    "the last layer makes the tokens count",
    tried="2 layers, 5 tokens, then 1 more",
    right="length 0 after layer 0, 5 after layer 1; 5 and 6 in the second step",
    why="Every layer of a step starts from the same length.",
)
def _commit(cls: Any) -> None:
    import torch

    cache = _filled(cls, 2, 8, 1)
    cache.create("A")
    seen = []
    for start, tokens in ((0, 5), (5, 1)):
        cache.reserve("A", tokens)
        cache.set_batch(["A"])
        k = keys_of([range(start, start + tokens)], 0, 1, 2)
        for layer in range(2):
            cache.update(layer, k, -k, torch.arange(start, start + tokens))
            seen.append(cache.lengths["A"])
    early = "Layer 1 has no keys yet for tokens that count already; if the step stopped here, the "
    early += "next one would read what was never written."
    got = f"lengths {shown(seen)} after the four updates"
    expect(seen[0] == 0, got=got, why=early)
    expect(
        seen == [0, 5, 5, 6],
        got=got,
        right="lengths [0, 5, 5, 6]",
        why="After the last layer the length is the number of tokens in the cache."
        if seen[1]
        else "The tokens are written and never count, so the next ones overwrite them.",
    )


@paged_cache.case(
    "update returns the whole history",
    tried="5 tokens, then 1 more; 2 heads",
    right="keys and values of 6 tokens, and their positions 0 to 5",
    why="Gather undoes scatter, whatever lies between.",
)
def _history(cls: Any) -> None:
    import torch

    cache = _filled(cls, 1, 8, 2)
    cache.create("A")
    write(cache, {"A": range(5)})
    keys, values, positions = write(cache, {"A": [5]})[0]
    right = keys_of([range(6)], 0, 2, 2)
    expect(torch.equal(keys, right), got=f"keys {shown(keys[..., 0].tolist())}")
    expect(torch.equal(values, -right), got=f"values {shown(values[..., 0].tolist())}")
    expect(positions.tolist() == list(range(6)), got=f"positions {shown(positions.tolist())}")


@paged_cache.case(
    "a short row is zero past its end",
    tried="A has 9 tokens, B has 2, each gets one more in one batch; unwritten slots hold NaN",
    right="B's row is finite, and zero from position 3 on",
    why="A weight of 0 times NaN is NaN. (This happened: vllm-project/vllm#47305, "
    "flashinfer-ai/flashinfer#941)",
)
def _short_row(cls: Any) -> None:
    cache = _filled(cls, 1, 8, 1)
    for seq, tokens in (("A", 9), ("B", 2)):
        cache.create(seq)
        write(cache, {seq: range(tokens)})
    keys, values, _ = write(cache, {"A": [9], "B": [2]})[0]
    for name, rows in (("keys", keys), ("values", values)):
        past = rows[1, 0, 3:, 0]
        strangers = past[past.isfinite() & (past != 0)]
        expect(
            past.isfinite().all().item() and not past.any().item(),
            got=f"{name} of B past its end: {', '.join(f'{value:g}' for value in past.tolist())}",
            why=f"{strangers[0]:g} belongs to A: where B's row of the table is padded, it names a "
            "block that somebody else holds."
            if len(strangers)
            else None,
        )


@paged_cache.case(
    "rows keep the order of the batch",
    tried="A holds 0, 1, 2 and B 100, 101, 102; set_batch(['B', 'A']), then 103 and 3",
    right="row 0 is B's history, row 1 is A's",
    why="Row i of every tensor belongs to the i-th sequence of the batch.",
)
def _order(cls: Any) -> None:
    cache = _filled(cls, 1, 8, 1)
    for seq, base in (("A", 0), ("B", 100)):
        cache.create(seq)
        write(cache, {seq: range(base, base + 3)})
    keys, _, _ = write(cache, {"B": [103], "A": [3]})[0]
    for row, (seq, base) in enumerate((("B", 100), ("A", 0))):
        got, right = keys[row, 0, :, 0].tolist(), [base + p for p in range(4)]
        expect(
            got == right,
            got=f"row {row}, {seq}: {shown([int(value) for value in got])}",
            right=shown(right),
            why="The old tokens are right and the new one isn't: another row wrote to its slot."
            if got[:3] == right[:3]
            else f"Row {row} does not read the history of {seq}.",
        )


@paged_cache.case(
    "each row is its own sequence",
    tried="40 random steps of three sequences in changing company, 2 layers, 3 heads, seed 3",
    right="every row equals a plain list of everything that was written to that sequence",
    why="Paging moves memory and nothing else: each history is what it would be alone.",
)
def _company(cls: Any) -> None:
    import torch

    draw, cache = random.Random(3), _filled(cls, 2, 60, 3)
    plain: dict[str, list[int]] = {seq: [] for seq in "ABC"}
    for seq in plain:
        cache.create(seq)
    for step in range(1, 41):
        batch = draw.sample("ABC", draw.randint(1, 3))
        count = draw.randint(1, 3)
        new = {seq: [draw.randrange(1000) for _ in range(count)] for seq in batch}
        for seq in batch:
            plain[seq] += new[seq]
        for layer, (keys, values, _) in enumerate(write(cache, new)):
            for row, seq in enumerate(batch):
                right = keys_of([plain[seq]], layer, 3, 2)[0]
                n = right.shape[1]
                for name, got, wanted in (("keys", keys, right), ("values", values, -right)):
                    expect(
                        torch.equal(got[row, :, :n], wanted),
                        got=f"step {step}, batch {shown(batch)}, layer {layer}: the {name} of "
                        f"{seq} aren't its own",
                    )


@paged_cache.case(
    "blocks follow the length",
    tried="prompts of 3, 4 and 5 tokens, then 8 times one more, blocks of 4",
    right="ceil(length / 4) blocks at every step",
    why="A sequence holds the blocks it needs.",
)
def _edges(cls: Any) -> None:
    grows_by_edges(lambda blocks: cls(1, blocks, 4, 1, 1), cls.reserve)


@paged_cache.case(
    "a request that doesn't fit is refused whole",
    tried="A holds 1 block, 2 are free; reserve('A', 12) wants 3",
    right="BlockPoolExhausted, and nothing changed",
    why="A call that can't give all it was asked for raises, so that the step never starts.",
)
def _refused(cls: Any) -> None:
    refuses_whole(lambda blocks: cls(1, blocks, 4, 1, 1), cls.reserve)


@paged_cache.case(
    "free gives back every block",
    tried="8 blocks; A takes 3 of them; free('A'), create('A')",
    right="8 blocks free, and A begins empty",
    why="A request's memory is the next request's.",
)
def _free(cls: Any) -> None:
    cache = _filled(cls, 1, 8, 1)
    cache.create("A")
    write(cache, {"A": range(9)})
    cache.free("A")
    free = cache.allocator.num_free
    expect(free == 8, got=f"{shown(free)} of 8 blocks free")
    cache.create("A")
    expect(
        cache.lengths["A"] == 0 and cache.tables["A"] == [],
        got=f"length {shown(cache.lengths['A'])}, table {shown(cache.tables['A'])}",
    )
