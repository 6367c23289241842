"""Text from a model, its history in the paged cache."""

import argparse
import time
from pathlib import Path
from typing import Any

from paged_attention.demos.base import Demo, Result, positive
from paged_attention.implementation import Implementation
from paged_attention.tables import blocks_needed


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompts", nargs="+", metavar="PROMPT", help="several run as one batch")
    parser.add_argument("--max-new-tokens", type=positive, default=32)
    parser.add_argument("--temperature", type=float, default=0.0, help="0 (the default) is greedy")
    parser.add_argument("--top-k", type=int)
    parser.add_argument("--top-p", type=float)
    parser.add_argument("--seed", type=int, default=0, help="request i draws with seed + i")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--model", type=Path, metavar="FOLDER", help="a local checkpoint")
    which.add_argument("--tiny", action="store_true", help="the tiny random model")
    parser.add_argument("--chat", action="store_true", help="the prompt is a user's message")
    parser.add_argument("--block-size", type=positive, default=16, help="tokens in a block")
    parser.add_argument("--num-blocks", type=positive, help="default: as many as it may take")


def _run(args: argparse.Namespace, impl: Implementation) -> Result:
    from paged_attention.generate import stream
    from paged_attention.model import load_model, tiny_model
    from paged_attention.sampling import Sampling

    settings = [
        Sampling(args.temperature, args.top_k, args.top_p, args.seed + index)
        for index in range(len(args.prompts))
    ]
    model = tiny_model() if args.tiny else load_model(args.model)
    prompts = [_encode(model.tokenizer, prompt, args.chat) for prompt in args.prompts]
    most = [blocks_needed(len(ids) + args.max_new_tokens - 1, args.block_size) for ids in prompts]
    num_blocks = args.num_blocks or sum(most)
    config = model.config
    cache = impl.make_cache(
        config.layers, num_blocks, args.block_size, config.kv_heads, config.head_dim
    )
    live = not args.json and len(prompts) == 1  # texts of a batch would mix on the screen
    if live:
        print(args.prompts[0], end="\n" if args.chat else "", flush=True)
    texts = [model.tokenizer.stream() for _ in prompts]
    pieces: list[list[str]] = [[] for _ in prompts]
    outputs: list[list[int]] = [[] for _ in prompts]
    peak = (0, 0)
    begun = time.perf_counter()
    for request, token in stream(
        model.decoder,
        cache,
        prompts,
        args.max_new_tokens,
        sampling=settings,
        eos_ids=model.tokenizer.eos_ids,
    ):
        outputs[request].append(token)
        pieces[request].append(texts[request].push(token))
        peak = max(peak, _in_use(cache))
        if live:
            print(pieces[0][-1], end="", flush=True)
    seconds = time.perf_counter() - begun
    for text, parts in zip(texts, pieces, strict=True):
        parts.append(text.finish())
    if live:
        print(pieces[0][-1])
    blocks, tokens = peak
    return {
        "demo": "generate",
        "model": model.name,
        "prompts": [
            {"prompt": prompt, "prompt_tokens": len(ids), "ids": out, "text": "".join(parts)}
            for prompt, ids, out, parts in zip(args.prompts, prompts, outputs, pieces, strict=True)
        ],
        "block_size": args.block_size,
        "num_blocks": num_blocks,
        "peak_blocks": blocks,
        "cached_tokens": tokens,
        "utilisation": round(tokens / (blocks * args.block_size), 3),
        "tokens_per_second": round(sum(map(len, outputs)) / seconds, 1),
    }


def _encode(tokenizer: Any, prompt: str, chat: bool) -> list[int]:
    message = {"role": "user", "content": prompt}
    ids: list[int] = tokenizer.encode_chat([message]) if chat else tokenizer.encode(prompt)
    return ids


def _in_use(cache: Any) -> tuple[int, int]:
    """Blocks named by a table now, and the tokens in them."""
    return len({b for table in cache.tables.values() for b in table}), sum(cache.lengths.values())


def _text(result: Result) -> str:
    lines = []
    if len(result["prompts"]) > 1:
        lines += [f"[{i}] {row['prompt']}{row['text']}" for i, row in enumerate(result["prompts"])]
    lines += [
        "",
        f"{result['model']}: {sum(len(row['ids']) for row in result['prompts'])} new tokens, "
        f"{result['tokens_per_second']} a second",
        f"{result['cached_tokens']} tokens in {result['peak_blocks']} of {result['num_blocks']} "
        f"blocks of {result['block_size']}: {result['utilisation']:.1%} used",
    ]
    return "\n".join(lines)


DEMO = Demo("text from a model through the paged cache", _add_options, _run, _text)
