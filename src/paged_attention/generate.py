"""A small loop that any cache can serve: each prompt alone, then one token a step for all of them.

A sequence gives its memory back when it ends, when the loop fails, and when the caller stops
listening.
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from paged_attention.attention import UpdatingCache, as_attending
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.model.decoder import Decoder
from paged_attention.sampling import GREEDY, Sampling, sample


class ServingCache(UpdatingCache, Protocol):
    """What the loop asks of a cache, besides ``update`` or ``attend``."""

    def create(self, *args: Any, **kwargs: Any) -> None:
        """Begin a sequence: ``create(seq)``, or ``create(seq, max_tokens)`` when contiguous."""
        ...

    def reserve(self, seq: Hashable, new_tokens: int) -> None:
        """Make room for ``new_tokens`` more, or raise and change nothing."""
        ...

    def set_batch(self, seqs: Sequence[Hashable]) -> None:
        """Choose the sequences whose rows the next step holds."""
        ...

    def free(self, seq: Hashable) -> None:
        """Give back the memory of ``seq``."""
        ...


class NewToken(NamedTuple):
    """One request's news. Its sequence, of the same number, is still in the cache when it comes."""

    request: int
    token: int


def stream(
    decoder: Decoder,
    cache: ServingCache,
    prompts: Sequence[Sequence[int]],
    max_new_tokens: int,
    *,
    sampling: Sampling | Sequence[Sampling] = GREEDY,
    eos_ids: Collection[int] = (),
) -> Iterator[NewToken]:
    """Yield each new token as it is known; request ``i`` is sequence ``i`` of ``cache``.

    A request ends with a token of ``eos_ids``, which is yielded too, or after ``max_new_tokens``.
    Its last token is never run: a sequence grows to prompt + new tokens - 1. Closing the iterator,
    or an error such as ``BlockPoolExhausted`` on the way, frees every sequence that the loop
    created.
    """
    settings = [sampling] * len(prompts) if isinstance(sampling, Sampling) else list(sampling)
    _check(decoder, prompts, max_new_tokens, settings)
    return _stream(decoder, cache, prompts, max_new_tokens, settings, eos_ids)


def generate(
    decoder: Decoder,
    cache: ServingCache,
    prompts: Sequence[Sequence[int]],
    max_new_tokens: int,
    *,
    sampling: Sampling | Sequence[Sampling] = GREEDY,
    eos_ids: Collection[int] = (),
) -> list[list[int]]:
    """The new tokens of each request, all at once; see ``stream``. The cache is left as it was."""
    outputs: list[list[int]] = [[] for _ in prompts]
    for request, token in stream(
        decoder, cache, prompts, max_new_tokens, sampling=sampling, eos_ids=eos_ids
    ):
        outputs[request].append(token)
    return outputs


def run(
    decoder: Decoder,
    cache: ServingCache,
    seqs: Sequence[Hashable],
    tokens: Sequence[Sequence[int]],
    starts: Sequence[int],
) -> Tensor:
    """One step: row ``i`` runs ``tokens[i]`` of sequence ``seqs[i]`` from position ``starts[i]``
    on.

    All rows are equally long. Returns the logits [B, vocab] after each row's last token.
    """
    for seq, row in zip(seqs, tokens, strict=True):
        cache.reserve(seq, len(row))
    cache.set_batch(seqs)
    ids = torch.tensor(tokens, device=decoder.device)  # [B, T]
    positions = torch.tensor(starts, device=decoder.device)[:, None]  # [B, 1]
    positions = positions + torch.arange(ids.shape[1], device=decoder.device)  # [B, T]
    return decoder.next_logits(ids, positions, as_attending(cache))  # [B, vocab]


def _stream(
    decoder: Decoder,
    cache: ServingCache,
    prompts: Sequence[Sequence[int]],
    max_new_tokens: int,
    settings: Sequence[Sampling],
    eos_ids: Collection[int],
) -> Iterator[NewToken]:
    generators = [chosen.generator() for chosen in settings]
    texts: dict[int, list[int]] = {}  # prompt and new tokens of each sequence in the cache

    def step(requests: list[int], starts: list[int]) -> Iterator[NewToken]:
        tokens = [texts[i][start:] for i, start in zip(requests, starts, strict=True)]
        logits = run(decoder, cache, requests, tokens, starts)  # [B, vocab]
        picks = sample(logits, [settings[i] for i in requests], [generators[i] for i in requests])
        for i, token in zip(requests, picks.tolist(), strict=True):
            texts[i].append(token)
            yield NewToken(i, token)
        for i in requests:
            if texts[i][-1] in eos_ids or len(texts[i]) == len(prompts[i]) + max_new_tokens:
                del texts[i]
                cache.free(i)

    try:
        for i, prompt in enumerate(prompts):  # prefill
            _create(cache, i, len(prompt) + max_new_tokens - 1)
            texts[i] = list(prompt)
            yield from step([i], [0])
        while texts:  # decode
            yield from step(list(texts), [len(text) - 1 for text in texts.values()])
    finally:
        for i in texts:
            cache.free(i)


def _create(cache: ServingCache, seq: int, most: int) -> None:
    """Begin ``seq``; a contiguous cache must be told now how long it may become."""
    if isinstance(cache, ContiguousKVCache):
        cache.create(seq, most)
    else:
        cache.create(seq)


def _check(
    decoder: Decoder,
    prompts: Sequence[Sequence[int]],
    max_new_tokens: int,
    settings: Sequence[Sampling],
) -> None:
    """Raise before anything is created."""
    config = decoder.config
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens must be at least 1, got {max_new_tokens}")
    if len(settings) != len(prompts):
        raise ValueError(f"{len(prompts)} requests need as many settings, got {len(settings)}")
    for request, prompt in enumerate(prompts):
        if not prompt:
            raise ValueError(f"request {request} has an empty prompt: there is no token to run")
        for token in prompt:
            if not 0 <= token < config.vocab_size:
                raise ValueError(
                    f"request {request} holds token {token}, the model knows 0 to "
                    f"{config.vocab_size - 1}: was it encoded with this model's tokenizer?"
                )
        if len(prompt) + max_new_tokens > config.max_positions:
            raise ValueError(
                f"request {request} may reach {len(prompt)} + {max_new_tokens} tokens, the model "
                f"was trained on {config.max_positions} at most: shorten the prompt or ask for "
                "fewer"
            )
