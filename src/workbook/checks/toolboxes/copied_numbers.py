"""Which numbers of a copied block are wrong, and what the wrong ones have in common."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from workbook.checks.framework import shown
from workbook.checks.toolboxes.known_tokens import HEAD, LAYER


class Wrong(NamedTuple):
    """One number that isn't the one that ``known_tokens.write`` put there."""

    pool: str  # "K" or "V"
    layer: int
    head: int
    position: int
    got: float
    right: float


def wrong_numbers(cache: Any, seq: str, entry: int, positions: Sequence[int]) -> list[Wrong]:
    """Wrong keys and values at ``positions``, all in the block of this entry of its table.

    Token and position are the same number, as in ``known_tokens.written``.
    """
    block, found = cache.tables[seq][entry], []
    layers, _, heads, size, _ = cache.k_pool.shape
    pools = (("K", cache.k_pool, 1), ("V", cache.v_pool, -1))
    places_ = itertools.product(range(layers), range(heads), pools, positions)
    for layer, head, (name, pool, sign), position in places_:
        got = float(pool[layer][block, head, position % size, 0])
        right = float(sign * (position + HEAD * head + LAYER * layer))
        if got != right:
            found.append(Wrong(name, layer, head, position, got, right))
    return found


def places(seq: str, wrong: Sequence[Wrong]) -> str:
    """Where the numbers of ``seq`` are wrong, and the first of them."""
    first = wrong[0]
    return (
        f"{len(wrong)} of {seq}'s numbers are wrong: {' and '.join(_all(wrong, 'pool'))}, layers "
        f"{shown(_all(wrong, 'layer'))}, heads {shown(_all(wrong, 'head'))}, positions "
        f"{shown(_all(wrong, 'position'))}; {first.pool} of layer {first.layer}, head "
        f"{first.head}, position {first.position} is {first.got:g} for {first.right:g}"
    )


def in_common(wrong: Sequence[Wrong], layers: int = 3, heads: int = 5, slots: int = 3) -> str:
    """What the wrong numbers have in common, out of so many layers, heads and written slots."""
    pools = _all(wrong, "pool")
    if len(pools) == 1:
        return (
            f"The copy's {pools[0]} is wrong, and the other pool right: each is copied from itself."
        )
    if len(found := _all(wrong, "layer")) < layers:
        return f"Only layers {shown(found)} are wrong: a pool's first axis counts layers."
    if len(found := _all(wrong, "head")) < heads:
        return f"Only heads {shown(found)} are wrong: after the block come the heads."
    if len(found := _all(wrong, "position")) < slots:
        return f"Positions {shown(found)} weren't copied: `offset` slots are written, from 0 on."
    return "None of the written slots has what the old block has in them."


def _all(wrong: Sequence[Wrong], field: str) -> list[Any]:
    return sorted({getattr(number, field) for number in wrong})
