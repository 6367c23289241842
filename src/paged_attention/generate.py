"""A small loop that any cache can serve: each prompt alone, then one token a step for all of them.

A sequence gives its memory back when it ends, when the loop fails, and when the caller stops
listening.
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, cast

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


class ForkingCache(ServingCache, Protocol):
    """A cache whose sequences can share a beginning."""

    def fork(self, parent: Hashable, child: Hashable) -> None:
        """Begin ``child`` with the tokens of ``parent``."""
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
    samples: int = 1,
    sampling: Sampling | Sequence[Sampling] = GREEDY,
    eos_ids: Collection[int] = (),
) -> Iterator[NewToken]:
    """Yield each new token as it is known; request ``i`` is sequence ``i`` of ``cache``.

    With ``samples`` > 1 each prompt runs once and is forked: requests ``p * samples`` and up
    continue prompt ``p``. ``sampling`` is one for each request, or one for all of them, in which
    case the samples of a prompt use its seed, the next seed, and so on.

    A request ends with a token of ``eos_ids``, which is yielded too, or after ``max_new_tokens``.
    Its last token is never run: a sequence grows to prompt + new tokens - 1. Closing the iterator,
    or an error such as ``BlockPoolExhausted`` on the way, frees every sequence that the loop
    created.
    """
    if isinstance(sampling, Sampling):
        group = [replace(sampling, seed=sampling.seed + i) for i in range(samples)]
        settings = group * len(prompts)
    else:
        settings = list(sampling)
    if samples > 1 and not hasattr(cache, "fork"):
        raise ValueError(
            f"{samples} samples share one prompt, and a {type(cache).__name__} can't fork; "
            "use a paged cache, or give the prompt several times"
        )
    _check(decoder, prompts, max_new_tokens, samples, settings)
    return _stream(decoder, cache, prompts, max_new_tokens, samples, settings, eos_ids)


def generate(
    decoder: Decoder,
    cache: ServingCache,
    prompts: Sequence[Sequence[int]],
    max_new_tokens: int,
    *,
    samples: int = 1,
    sampling: Sampling | Sequence[Sampling] = GREEDY,
    eos_ids: Collection[int] = (),
) -> list[list[int]]:
    """The new tokens of each request, all at once; see ``stream``. The cache is left as it was."""
    outputs: list[list[int]] = [[] for _ in range(len(prompts) * samples)]
    for request, token in stream(
        decoder, cache, prompts, max_new_tokens, samples=samples, sampling=sampling, eos_ids=eos_ids
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
    """One step: row ``i`` runs ``tokens[i]`` of sequence ``seqs[i]``, the first at ``starts[i]``.

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
    samples: int,
    settings: Sequence[Sampling],
    eos_ids: Collection[int],
) -> Iterator[NewToken]:
    generators = [chosen.generator() for chosen in settings]
    texts: dict[int, list[int]] = {}  # prompt and new tokens of each sequence in the cache

    def extend(requests: Sequence[int], logits: Tensor) -> Iterator[NewToken]:
        """Give each of ``requests`` a token by its row of ``logits``; free those that end."""
        picks = sample(logits, [settings[i] for i in requests], [generators[i] for i in requests])
        for i, token in zip(requests, picks.tolist(), strict=True):
            texts[i].append(token)
            yield NewToken(i, token)
        for i in requests:
            if texts[i][-1] in eos_ids or len(texts[i]) == ends[i]:
                del texts[i]
                cache.free(i)

    ends = [len(prompt) + max_new_tokens for prompt in prompts for _ in range(samples)]
    try:
        for number, prompt in enumerate(prompts):  # prefill
            first, *others = range(number * samples, (number + 1) * samples)
            _create(cache, first, ends[first] - 1)
            texts[first] = list(prompt)
            logits = run(decoder, cache, [first], [prompt], [0])  # [1, vocab]
            for other in others:
                cast(ForkingCache, cache).fork(first, other)
                texts[other] = list(prompt)
            yield from extend([first, *others], logits.expand(samples, -1))
        while texts:  # decode
            running = list(texts)
            last = [texts[i][-1:] for i in running]
            logits = run(decoder, cache, running, last, [len(texts[i]) - 1 for i in running])
            yield from extend(running, logits)
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
    samples: int,
    settings: Sequence[Sampling],
) -> None:
    """Raise before anything is created."""
    config = decoder.config
    for name, value in (("max_new_tokens", max_new_tokens), ("samples", samples)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    if len(settings) != len(prompts) * samples:
        raise ValueError(
            f"{len(prompts) * samples} requests need as many settings, got {len(settings)}"
        )
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
