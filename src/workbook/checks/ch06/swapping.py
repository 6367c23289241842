"""Chapter 06: keys and values that wait in host memory."""

from typing import Any

from workbook.checks.framework import attempt, exercise, expect, shown

host = exercise(
    "host",
    label="ex-06-4",
    title="Swap",
    stub="MyHost",
    takes="class",
    hints=(
        "Which blocks of the table hold something? Its length tells. And who must not be able to "
        "write into them before the copy is made?",
        "`swap_out`: the first `cache.blocks_needed(length)` entries of the table; as many from "
        "`self.free`, or `False`; copy keys and values, note both in `kept`, then `cache.free`. "
        "`swap_in`: `create`, `reserve`, copy back, `advance`, and give the host's blocks back.",
    ),
)

SIZES = {"layers": 2, "kv_heads": 3, "head_dim": 5}


def _world(cls: Any, num_blocks: int, host_blocks: int) -> tuple[Any, Any]:
    """A cache full of NaN whose blocks come in no order, and the reader's host memory."""
    import torch

    from paged_attention.cache import PagedKVCache

    torch.manual_seed(6)

    class Reused(PagedKVCache):
        """Whose freed blocks are somebody else's at once, as on a busy server."""

        def free(self, seq: Any) -> None:
            table = list(self.tables[seq])
            super().free(seq)
            for pool in (self.k_pool, self.v_pool):
                pool[:, [block for block in table if not self.allocator.refs[block]]] = torch.nan

    cache = Reused(SIZES["layers"], num_blocks, 4, SIZES["kv_heads"], SIZES["head_dim"])
    cache.k_pool.fill_(torch.nan)
    cache.v_pool.fill_(torch.nan)
    order = cache.allocator.allocate_many(num_blocks)
    cache.allocator.release_many(order[1::2] + order[::2])
    return cache, cls(cache, host_blocks)


def _write(cache: Any, seq: str, tokens: int) -> None:
    """Append random keys and values."""
    import torch

    cache.create(seq) if seq not in cache.tables else None
    start = cache.lengths[seq]
    cache.reserve(seq, tokens)
    cache.set_batch([seq])
    for layer in range(cache.layers):
        k, v = torch.randn(2, 1, cache.kv_heads, tokens, cache.head_dim)
        cache.update(layer, k, v, torch.arange(start, start + tokens))


def _history(cache: Any, seq: str) -> Any:
    """Keys and values, read through the table."""
    import torch

    table, length = cache.tables[seq], cache.lengths[seq]
    pools = (cache.k_pool, cache.v_pool)
    return torch.stack([p[:, table].transpose(1, 2).flatten(2, 3)[:, :, :length] for p in pools])


def _compared(got: Any, right: Any) -> str:
    """Where two histories differ, in words."""
    import torch

    if got.shape != right.shape:
        return f"{got.shape[3]} tokens for {right.shape[3]}"
    parts = []
    for name, mine, wanted in zip(("keys", "values"), got, right, strict=True):
        for layer in range(len(wanted)):
            same = torch.isclose(mine[layer], wanted[layer]).all(dim=2).all(dim=0)  # [tokens]
            if not same.all():
                places = shown((~same).nonzero().flatten().tolist())
                what = _what(mine[layer][:, ~same], right[:, layer][:, :, ~same])
                parts.append(f"{name} of layer {layer} differ at positions {places}{what}")
    return "; ".join(parts)


def _out(memory: Any, name: str) -> Any:
    came = attempt(memory.swap_out, name)
    expect(
        came.error is None and came.value is True,
        tried=f"swap_out({name!r}), with room on the host",
        got=str(came),
        right="True",
        why="There was room: the copy is made, and swap_out says so.",
    )
    return came


def _what(mine: Any, right: Any) -> str:
    """What the wrong numbers are, if that can be said: ``mine`` of ``right``, keys and values."""
    if mine.isnan().all():
        return " (never written: NaN)"
    if not mine.any():
        return " (0, as in the host's unused memory)"
    for name, others in zip(("keys", "values"), right, strict=True):
        if bool((mine == others).all()):
            return f" (they are its {name})"
    return ""


@host.case(
    "a copy, and the pool's blocks are free",
    tried="A writes 9 tokens in blocks of 4; swap_out('A')",
    right="True; A is gone from the cache, all 8 blocks are free; the host's 3 in use",
    why="Whoever waits holds no block of the pool: that is what preemption is for.",
)
def _goes(cls: Any) -> None:
    cache, memory = _world(cls, 8, 3)
    _write(cache, "A", 9)
    _out(memory, "A")
    got = (
        f"A {'is' if 'A' in cache.tables else 'is not'} in the cache, {cache.allocator.num_free} "
        f"blocks free, {3 - len(memory.free)} of the host's in use"
    )
    expect(got == "A is not in the cache, 8 blocks free, 3 of the host's in use", got=got)
    copied = memory.k[:, list(memory.kept["A"][0]), :, 0]  # a key in each block, if nothing else
    expect(
        not copied.isnan().any() and bool(copied.any()),
        got="the host's blocks of `kept['A']` hold nothing of A's",
        right="A's keys",
        why="The copy is in the host blocks that `kept` names, and made while A holds its own.",
    )


@host.case(
    "what comes back is what went out",
    tried="A writes 9 tokens and goes out; B writes into every block of the pool and leaves; "
    "swap_in('A')",
    right="A's nine keys and values, in both layers",
    why="The tail of one token counts, too; and values as well as keys.",
)
def _comes(cls: Any) -> None:
    cache, memory = _world(cls, 8, 5)
    _write(cache, "A", 9)
    before = _history(cache, "A")
    _out(memory, "A")
    _write(cache, "B", 32)
    cache.free("B")
    came = attempt(memory.swap_in, "A")
    expect(came.error is None and "A" in cache.tables, got=str(came))
    expect(
        cache.lengths["A"] == 9,
        got=f"A has length {cache.lengths['A']}",
        right="length 9",
        why="The length says what was written. Slots behind it hold nothing that A wrote.",
    )
    wrong = _compared(_history(cache, "A"), before)
    expect(not wrong, got=wrong)
    free = len(memory.free)
    expect(
        free == 5 and not memory.kept,
        got=f"{free} of the host's 5 blocks are free, kept is {shown(sorted(memory.kept))}",
        right="5 free, nothing kept",
        why="What came back needs no copy. Blocks that are not given back are lost for ever.",
    )


@host.case(
    "two at once",
    tried="A (5 tokens) and B (8) go out, B comes back, then A",
    right="each has its own keys and values",
    why="Each copy has blocks of its own.",
)
def _two(cls: Any) -> None:
    cache, memory = _world(cls, 8, 5)
    _write(cache, "A", 5)
    _write(cache, "B", 8)
    before = {name: _history(cache, name) for name in "AB"}
    for name in "AB":
        _out(memory, name)
    _write(cache, "C", 12)
    for name in "BA":
        came = attempt(memory.swap_in, name)
        expect(came.error is None, got=str(came))
        wrong = _compared(_history(cache, name), before[name])
        expect(not wrong, got=f"{name}: {wrong}")
    cache.check_invariants()


@host.case(
    "a host that is full",
    tried="A has 9 tokens, the host 2 blocks; swap_out('A')",
    right="False; A still has its blocks, the host its two",
    why="Full swap space is no reason to fail: A will be computed again. (vllm-project/vllm#787)",
)
def _full(cls: Any) -> None:
    cache, memory = _world(cls, 8, 2)
    _write(cache, "A", 9)
    before = list(cache.tables["A"])
    came = attempt(memory.swap_out, "A")
    answer = came.value if came.error is None else came
    has = shown(cache.tables.get("A"))
    got = f"{answer}; A has {has}, {len(memory.free)} host blocks free"
    expect(
        came.error is None
        and came.value is False
        and cache.tables.get("A") == before
        and len(memory.free) == 2,
        got=got,
        right=f"False; A has {before}, 2 host blocks free",
    )


@host.case(
    "room that is reserved and not written",
    tried="A writes 4 tokens and reserves 9 more; the host has 1 block; A goes out and comes back",
    right="True, and 4 tokens come back",
    why="Only what is written needs a copy: one block.",
)
def _reserved(cls: Any) -> None:
    cache, memory = _world(cls, 8, 1)
    _write(cache, "A", 4)
    cache.reserve("A", 9)
    before = _history(cache, "A")
    came = attempt(memory.swap_out, "A")
    expect(came.error is None and came.value is True, got=str(came))
    came = attempt(memory.swap_in, "A")
    expect(came.error is None, got=str(came))
    wrong = _compared(_history(cache, "A"), before)
    expect(not wrong, got=wrong)
    _write(cache, "A", 3)
    cache.check_invariants()
