"""Chapter 4's prompt, forked and written to: what a fork costs, and when."""

import argparse
from collections.abc import Hashable
from typing import Any

from paged_attention.errors import InvariantBroken
from paged_attention.tables import blocks_needed
from workbook.demos import keys
from workbook.demos.base import Demo, Result, positive
from workbook.demos.implementation import BadImplementation, Implementation


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--prompt-tokens", type=positive, default=40)
    parser.add_argument("--forks", type=positive, default=4)
    parser.add_argument("--block-size", type=positive, default=16, help="tokens in a block")


def _run(args: argparse.Namespace, impl: Implementation) -> Result:
    prompt, forks, block_size = args.prompt_tokens, args.forks, args.block_size
    num_blocks = blocks_needed(prompt, block_size) + forks
    cache = impl.make_cache(1, num_blocks, block_size, 1, 1)
    if not hasattr(cache, "fork"):
        raise BadImplementation(
            f"a {type(cache).__name__} can't fork yet: it needs fork(parent, child), which "
            "chapter 4 builds"
        )
    cache.create("prompt")
    tokens = list(range(prompt))
    keys.append(cache, "prompt", tokens)
    after_prompt = _held(cache)
    children = [f"fork {number}" for number in range(1, forks + 1)]
    for child in children:
        cache.fork("prompt", child)
    after_forks = _held(cache)
    for number, child in enumerate(children, start=1):
        keys.append(cache, child, [-number])
    for number, child in enumerate(children, start=1):
        _expect(cache, child, [*tokens, -number])
    _expect(cache, "prompt", tokens)
    return {
        "demo": "forks",
        "block_size": block_size,
        "prompt_tokens": prompt,
        "parent_blocks": after_prompt,
        "forks": forks,
        f"new_blocks_after_{forks}_forks": after_forks - after_prompt,
        "new_blocks_after_each_sample_writes_a_token": _held(cache) - after_forks,
    }


def _held(cache: Any) -> int:
    """Blocks that any table names."""
    return len({block for table in cache.tables.values() for block in table})


def _expect(cache: Any, seq: Hashable, tokens: list[int]) -> None:
    """Read the keys of ``seq`` through its table; they must be those of ``tokens``."""
    read = keys.read(cache, seq)
    if read != tokens:
        raise InvariantBroken(f"{seq} reads {read}, and {tokens} was written to it")


def _text(result: Result) -> str:
    forks = result["forks"]
    rows = [
        (f"{forks} forks of it", result[f"new_blocks_after_{forks}_forks"]),
        ("each fork writes 1 token", result["new_blocks_after_each_sample_writes_a_token"]),
    ]
    several = "s" * (result["parent_blocks"] != 1)
    blocks = f"{result['parent_blocks']} block{several} of {result['block_size']}"
    return "\n".join(
        [
            f"A prompt of {result['prompt_tokens']} tokens holds {blocks}.",
            *[f"  {name:<26}{count:>2} new" for name, count in rows],
            "Each fork reads the prompt and its own token.",
        ]
    )


DEMO = Demo("one prompt, four forks of it, and their first writes", _add_options, _run, _text)
