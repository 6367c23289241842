"""Chapter 1's 32 requests, reserved in whole runs and in blocks."""

import argparse

from paged_attention.errors import InvariantBroken
from paged_attention.slots import SlotPool
from paged_attention.tables import blocks_needed
from workbook.demos.base import Demo, Result, positive
from workbook.demos.implementation import Implementation

# Tokens that each of the 32 requests ends with, as chapter 1 has them.
LENGTHS = [
    *(188, 227, 481, 284, 298, 479, 422, 255, 220, 251, 470, 261, 499, 255, 425, 163),
    *(339, 307, 46, 200, 240, 392, 153, 91, 471, 410, 120, 254, 479, 423, 475, 346),
]


def reserve_runs(lengths: list[int], max_tokens: int) -> int:
    """Slots taken when each request gets a run of ``max_tokens``, as none knows its end."""
    pool = SlotPool(len(lengths) * max_tokens)
    for _ in lengths:
        pool.reserve(max_tokens)
    return pool.num_slots - pool.num_free


def reserve_blocks(lengths: list[int], block_size: int, impl: Implementation) -> int:
    """Slots taken when each request gets a block whenever its last one is full."""
    num_blocks = sum(blocks_needed(length, block_size) for length in lengths)
    if impl.has_own_cache:
        taken, num_free = _through_cache(lengths, num_blocks, block_size, impl), None
    else:
        allocator = impl.allocator(num_blocks)
        taken = [allocator.allocate() for n in lengths for _ in range(0, n, block_size)]
        num_free = allocator.num_free
    if len(set(taken)) < len(taken) or num_free not in (None, num_blocks - len(taken)):
        raise InvariantBroken(
            f"{len(taken)} of {num_blocks} blocks were handed out: {len(set(taken))} different "
            f"ones, and num_free says {num_free}"
        )
    return len(taken) * block_size


def _through_cache(
    lengths: list[int], num_blocks: int, block_size: int, impl: Implementation
) -> list[int]:
    """The blocks in all tables of a small cache after each request grew token by token."""
    cache = impl.make_cache(1, num_blocks, block_size, 1, 1)
    for seq, length in enumerate(lengths):
        cache.create(seq)
        for tokens in range(1, length + 1):
            cache.reserve(seq, tokens)  # beyond length 0: nothing is written here
    return [block for seq in range(len(lengths)) for block in cache.tables[seq]]


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-tokens", type=positive, default=1024, help="slots in a whole run")
    parser.add_argument("--block-size", type=positive, default=16, help="tokens in a block")


def _run(args: argparse.Namespace, impl: Implementation) -> Result:
    lengths = LENGTHS
    if max(lengths) > args.max_tokens:
        raise ValueError(
            f"the longest request has {max(lengths)} tokens: --max-tokens {args.max_tokens} would "
            "not hold it"
        )
    tokens = sum(lengths)
    runs = reserve_runs(lengths, args.max_tokens)
    blocks = reserve_blocks(lengths, args.block_size, impl)
    return {
        "demo": "waste",
        "requests": len(lengths),
        "tokens_stored": tokens,
        "static_slots_reserved": runs,
        "paged_slots_reserved": blocks,
        "static_utilization": round(tokens / runs, 3),
        "paged_utilization": round(tokens / blocks, 3),
        "max_tokens": args.max_tokens,
        "block_size": args.block_size,
    }


def _text(result: Result) -> str:
    rows = [
        (f"runs of {result['max_tokens']:,} slots", "static"),
        (f"blocks of {result['block_size']:,}", "paged"),
    ]
    lines = [f"{result['requests']} requests hold {result['tokens_stored']:,} tokens."]
    for name, kind in rows:
        reserved, used = result[f"{kind}_slots_reserved"], result[f"{kind}_utilization"]
        lines.append(f"  {name:<20} {reserved:>7,} reserved, {used:.1%} used")
    return "\n".join(lines)


DEMO = Demo("the same 32 requests in reserved runs and in blocks", _add_options, _run, _text)
