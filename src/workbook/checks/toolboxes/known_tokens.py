"""Tokens whose keys tell which they are: written into any cache, and read back through its tables.

The key of a token in layer l and KV head h is ``token + HEAD * h + LAYER * l`` in each of its
numbers, and its value is the key's negative; so whatever is read says whose it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from workbook.checks.framework import CheckFailed, shown

HEAD, LAYER = 1_000, 100_000


def keys_of(tokens: Sequence[Sequence[int]], layer: int, heads: int, head_dim: int = 1) -> Any:
    """The keys [B, Hkv, T, D] of ``tokens`` [B, T] in one layer, in float32."""
    import torch

    keys = torch.tensor(tokens, dtype=torch.float32)[:, None, :, None]
    head = HEAD * torch.arange(heads)[:, None, None]
    return (keys + head + LAYER * layer).expand(-1, -1, -1, head_dim)


def write(cache: Any, tokens: Mapping[Any, Sequence[int]]) -> list[tuple[Any, Any, Any]]:
    """One step of any cache: reserve, then ``tokens[seq]``, equally many each, after each sequence.

    Returns what ``update`` returned, layer by layer; one without pools only notes the lengths.
    """
    for seq, new in tokens.items():
        cache.reserve(seq, len(new))
    if not hasattr(cache, "k_pool"):
        ends = {seq: cache.lengths[seq] + len(new) for seq, new in tokens.items()}
        for seq, end in ends.items():
            cache.check_writable(seq, cache.lengths[seq], end)
        cache.advance(ends)
        return []
    import torch

    cache.set_batch(list(tokens))
    rows = [list(new) for new in tokens.values()]
    starts = torch.tensor([[cache.lengths[seq]] for seq in tokens])
    positions = starts + torch.arange(len(rows[0]))
    _, heads, _, head_dim = cache.k_pool[0].shape
    answers = []
    for layer in range(len(cache.k_pool)):
        keys = keys_of(rows, layer, heads, head_dim)
        answers.append(cache.update(layer, keys, -keys, positions))
    return answers


def read(cache: Any, seq: Any) -> list[int]:
    """The tokens of ``seq`` as layer 0's head 0 has them; -1 for a slot nobody wrote (NaN)."""
    table, length = cache.tables[seq], cache.lengths[seq]
    found = cache.k_pool[0][table][:, 0, :, 0].flatten()[:length].nan_to_num(-1)
    return [int(key) for key in found.tolist()]


def alike_in_layers_and_heads(cache: Any, seq: Any) -> bool:
    """Every layer and head, K and V, tells the same of ``seq`` as layer 0's head 0 of K does."""
    import torch

    table, length = cache.tables[seq], cache.lengths[seq]
    for layer, (keys, values) in enumerate(zip(cache.k_pool, cache.v_pool, strict=True)):
        heads = HEAD * torch.arange(keys.shape[1])[:, None]
        first = cache.k_pool[0][table][:, 0, :, 0].flatten()[:length]
        for pool, sign in ((keys, 1), (values, -1)):
            found = pool[table][..., 0].transpose(0, 1).flatten(1)[:, :length]  # [Hkv, length]
            if not torch.equal(sign * found, first + heads + LAYER * layer):
                return False
    return True


def written(
    tokens: int,
    *,
    num_blocks: int = 8,
    layers: int = 1,
    kv_heads: int = 1,
    block_size: int = 4,
    ids: Sequence[int] = (),
) -> Any:
    """A cache in which ``a`` has the tokens 0, 1, 2 …; unwritten slots are NaN.

    Blocks come out in the order of ``ids``, all of them, or ascending.
    """
    import torch

    from paged_attention.cache import PagedKVCache

    cache = PagedKVCache(layers, num_blocks, block_size, kv_heads, 1)
    cache.k_pool.fill_(torch.nan)
    cache.v_pool.fill_(torch.nan)
    if ids:
        cache.allocator.allocate_many(num_blocks)
        for block in reversed(ids):
            cache.allocator.release(block)
    cache.create("a")
    if tokens:
        write(cache, {"a": range(tokens)})
    return cache


def used(cache: Any) -> int:
    """Blocks that are held."""
    return int(cache.allocator.num_blocks - cache.allocator.num_free)


def state(cache: Any) -> str:
    """Tables and counts, for what a case got."""
    refs = cache.allocator.refs[: 1 + max((b for t in cache.tables.values() for b in t), default=0)]
    return f"tables {shown(dict(cache.tables))}, refs {shown(list(refs))} …"


def expect_counted(cache: Any) -> None:
    """Fail for the first block whose count isn't the number of tables that name it."""
    holders = Counter(block for table in cache.tables.values() for block in table)
    for block, refs in enumerate(cache.allocator.refs):
        held = holders[block]
        if refs == held:
            continue
        why = "Whoever releases it first frees it, while others still read it."
        if refs > held:
            why = "A hold that nobody has will never be released: the block is lost."
        raise CheckFailed(
            f"block {block} counts {refs} and is in {held} tables; {state(cache)}",
            right=f"refs[{block}] is {held}",
            why=why,
        )
