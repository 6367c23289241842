"""Chapter 5's eight requests with one beginning: what a prefix cache saves them."""

import argparse
import inspect
from typing import Any

from paged_attention.errors import InvariantBroken
from paged_attention.tables import blocks_needed
from workbook.demos import keys
from workbook.demos.base import Demo, Result, positive
from workbook.demos.implementation import BadImplementation, Implementation


class WholePrefixIndex:
    """Chapter 5's first index, for a reader's prefix cache that is given one."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[Any, ...], int] = {}

    def find(self, parent: tuple[Any, ...], tokens: tuple[int, ...]) -> Any:
        """The node after ``tokens`` and a block that holds them, or ``None``."""
        node = parent + tokens
        return (node, self.blocks[node]) if node in self.blocks else None

    def publish(self, parent: tuple[Any, ...], tokens: tuple[int, ...], block: int) -> Any:
        """The node after ``tokens``, and whether the index has become a holder of ``block``."""
        node = parent + tokens
        return node, self.blocks.setdefault(node, block) == block


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--requests", type=positive, default=8)
    parser.add_argument("--shared-tokens", type=positive, default=96)
    parser.add_argument("--own-tokens", type=positive, default=8)
    parser.add_argument("--block-size", type=positive, default=16, help="tokens in a block")


def _run(args: argparse.Namespace, impl: Implementation) -> Result:
    shared = list(range(args.shared_tokens))
    prompts = [
        [
            *shared,
            *(args.shared_tokens + request * args.own_tokens + i for i in range(args.own_tokens)),
        ]
        for request in range(args.requests)
    ]
    prefilled, in_use = _serve(prompts, args.block_size, impl, sharing=True)
    _, without = _serve(prompts, args.block_size, impl, sharing=False)
    return {
        "demo": "prefix",
        "block_size": args.block_size,
        "requests": args.requests,
        "shared_tokens": args.shared_tokens,
        "own_tokens": args.own_tokens,
        "prompt_tokens": sum(map(len, prompts)),
        "tokens_prefilled": prefilled,
        "blocks_in_use": in_use,
        "blocks_without_sharing": without,
    }


def _serve(
    prompts: list[list[int]], block_size: int, impl: Implementation, *, sharing: bool
) -> tuple[int, int]:
    """Admit all ``prompts``, one after the other; tokens that were run, and blocks in tables."""
    num_blocks = sum(blocks_needed(len(prompt), block_size) for prompt in prompts)
    cache = impl.make_cache(1, num_blocks, block_size, 1, 1)
    prefix = _prefix_cache(cache, impl) if sharing else None
    prefilled = 0
    for seq, prompt in enumerate(prompts):
        reused = 0
        if prefix is None:
            cache.create(seq)
        else:
            reused = prefix.attach(seq, prompt)
        keys.append(cache, seq, prompt[reused:])
        if prefix is not None:
            prefix.remember(seq, prompt)
        prefilled += len(prompt) - reused
    for seq, prompt in enumerate(prompts):
        _expect(cache, seq, prompt)
    return prefilled, len({block for table in cache.tables.values() for block in table})


def _prefix_cache(cache: Any, impl: Implementation) -> Any:
    if not impl.has_own_prefix and not (
        hasattr(cache, "adopt") and hasattr(cache.allocator, "connect_index")
    ):
        raise BadImplementation(
            "the finished PrefixCache needs the finished allocator and cache, which know cached "
            "blocks and adopt(seq, blocks); give a MyPrefixCache of your own too, or run without "
            "--impl"
        )
    parameters = inspect.signature(impl.prefix).parameters.values()
    by_place = [p for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    return impl.prefix(cache, WholePrefixIndex()) if len(by_place) > 1 else impl.prefix(cache)


def _expect(cache: Any, seq: int, tokens: list[int]) -> None:
    """Read the keys of ``seq`` through its table; they must be those of ``tokens``."""
    read = keys.read(cache, seq)
    for position, (got, token) in enumerate(zip(read, tokens, strict=True)):
        if got != token:
            raise InvariantBroken(
                f"request {seq} reads the key of token {got} at position {position}, where its "
                f"prompt has token {token}"
            )


def _text(result: Result) -> str:
    prompt, run = result["prompt_tokens"], result["tokens_prefilled"]
    return "\n".join(
        [
            f"{result['requests']} requests, {result['shared_tokens']} shared and "
            f"{result['own_tokens']} own tokens each, blocks of {result['block_size']}.",
            f"  prompt tokens {prompt:>7,}",
            f"  prefilled     {run:>7,}   {run / prompt:.1%}",
            f"  blocks in use {result['blocks_in_use']:>7,}   "
            f"{result['blocks_without_sharing']:,} without sharing",
            "Each request reads its own prompt.",
        ]
    )


DEMO = Demo("eight requests that share 96 tokens of their prompts", _add_options, _run, _text)
