"""Text from a model, its history in the paged cache."""

import argparse
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paged_attention.tables import blocks_needed
from workbook.demos.base import Demo, Result, positive
from workbook.demos.implementation import Implementation


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
    eos_ids = model.tokenizer.eos_ids
    tokens = stream(
        model.decoder, cache, prompts, args.max_new_tokens, sampling=settings, eos_ids=eos_ids
    )
    log = _Log(model.tokenizer, cache, len(prompts))
    live = not args.json and len(prompts) == 1  # texts of a batch would mix on the screen
    log.follow(tokens, args.prompts[0] + "\n" * args.chat if live else None)
    return {
        "demo": "generate",
        "model": model.name,
        "requests": [
            {"prompt": prompt, "prompt_tokens": len(ids), "ids": out, "text": text}
            for prompt, ids, out, text in zip(
                args.prompts, prompts, log.outputs, log.texts, strict=True
            )
        ],
        "block_size": args.block_size,
        "num_blocks": num_blocks,
        "peak_blocks": log.blocks,
        "cached_tokens": log.tokens,
        "utilisation": round(log.tokens / (log.blocks * args.block_size), 3),
        "prefill_seconds": round(log.prefill_seconds, 3),
        "decode_tokens_per_second": log.decode_rate(),
    }


class _Log:
    """What came while it came: tokens, text, the cache at its fullest, and the clock."""

    def __init__(self, tokenizer: Any, cache: Any, requests: int) -> None:
        self.cache = cache
        self.outputs: list[list[int]] = [[] for _ in range(requests)]
        self.texts = [""] * requests
        self.blocks = self.tokens = 0
        self.prefill_seconds = self.decode_seconds = 0.0
        self._streams = [tokenizer.stream() for _ in range(requests)]

    def follow(self, tokens: Iterable[tuple[int, int]], heading: str | None) -> None:
        """Take all ``tokens``; with a ``heading`` it and the text are printed as they come."""
        _show(heading)
        begun = time.perf_counter()
        try:
            for count, (request, token) in enumerate(tokens, start=1):
                now = time.perf_counter() - begun
                if count == len(self.outputs):  # every prompt has run
                    self.prefill_seconds = now
                self.decode_seconds = now - self.prefill_seconds
                self._note(request, token, heading is not None)
            for request, stream in enumerate(self._streams):
                self.texts[request] += stream.finish()
        finally:
            _show(None if heading is None else "\n")

    def _note(self, request: int, token: int, show: bool) -> None:
        piece = self._streams[request].push(token)
        self.outputs[request].append(token)
        self.texts[request] += piece
        blocks = len({block for table in self.cache.tables.values() for block in table})
        if blocks >= self.blocks:
            self.blocks, self.tokens = blocks, sum(self.cache.lengths.values())
        _show(piece if show else None)

    def decode_rate(self) -> float | None:
        """New tokens a second once every prompt has run; ``None`` when nothing was decoded."""
        decoded = sum(map(len, self.outputs)) - len(self.outputs)
        return round(decoded / self.decode_seconds, 1) if decoded else None


def _show(text: str | None) -> None:
    if text is not None:
        print(text, end="", flush=True)


def _encode(tokenizer: Any, prompt: str, chat: bool) -> list[int]:
    message = {"role": "user", "content": prompt}
    ids: list[int] = tokenizer.encode_chat([message]) if chat else tokenizer.encode(prompt)
    return ids


def _text(result: Result) -> str:
    requests, rate = result["requests"], result["decode_tokens_per_second"]
    lines = []
    if len(requests) > 1:
        lines += [f"[{i}] {row['prompt']}{row['text']}" for i, row in enumerate(requests)]
    lines += [
        "",
        f"{result['model']}: {sum(row['prompt_tokens'] for row in requests)} prompt tokens in "
        f"{result['prefill_seconds']:.2f} s, "
        f"{sum(len(row['ids']) for row in requests)} new ones"
        + (f", {rate} a second" if rate is not None else ""),
        f"{result['cached_tokens']} tokens in {result['peak_blocks']} of {result['num_blocks']} "
        f"blocks of {result['block_size']}: {result['utilisation']:.1%} used",
    ]
    return "\n".join(lines)


DEMO = Demo("text from a model through the paged cache", _add_options, _run, _text)
