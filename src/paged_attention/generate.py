"""A small loop that any cache can serve: each prompt alone, then one token a step for all of them.

A sequence gives its memory back when it ends, when the loop fails, and when the caller stops
listening.
"""

from collections.abc import Collection, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from paged_attention.attention import UpdatingCache, as_attending
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.model.decoder import Decoder
from paged_attention.own_sequences import OwnSequences
from paged_attention.prompts import as_list, checked_count, checked_eos_ids, checked_prompts
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
    samples: int = 1,
    sampling: Sampling | Sequence[Sampling] = GREEDY,
    eos_ids: Collection[int] = (),
) -> Generator[NewToken, None, None]:
    """Yield each new token as it is known; request ``i`` is sequence ``i`` of ``cache``.

    With ``samples`` > 1 each prompt runs once and is forked: requests ``p * samples`` and up
    continue prompt ``p``. ``sampling`` is one for each request, or one for all of them, in which
    case the samples of a prompt use its seed, the next seed, and so on. Prompts may be arrays.

    A request ends with a token of ``eos_ids``, which is yielded too, or after ``max_new_tokens``.
    Its last token is never run: a sequence grows to prompt + new tokens - 1. Closing the iterator,
    or an error such as ``BlockPoolExhausted`` on the way, frees every sequence that the loop
    created.
    """
    max_new_tokens = checked_count("max_new_tokens", max_new_tokens)
    samples = checked_count("samples", samples)
    if samples > 1 and not hasattr(cache, "fork"):
        raise ValueError(
            f"{samples} samples share one prompt, and a {type(cache).__name__} can't fork; "
            "use a paged cache, or give the prompt several times"
        )
    texts = checked_prompts(decoder.config, prompts, max_new_tokens)
    if isinstance(sampling, Sampling):
        settings = [sampling.next_seed(i) for i in range(samples)] * len(texts)
    else:
        settings = list(sampling)
    if len(settings) != len(texts) * samples:
        raise ValueError(
            f"{len(texts) * samples} requests need as many settings, got {len(settings)}"
        )
    eos = checked_eos_ids(eos_ids)
    rows = [
        _Row(number, list(texts[number // samples]), max_new_tokens, chosen, chosen.generator())
        for number, chosen in enumerate(settings)
    ]
    groups = [rows[i : i + samples] for i in range(0, len(rows), samples)]
    return _stream(decoder, cache, groups, eos)


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
    prompts = as_list(prompts, "prompts")
    news = stream(
        decoder, cache, prompts, max_new_tokens, samples=samples, sampling=sampling, eos_ids=eos_ids
    )
    outputs: list[list[int]] = [[] for _ in range(len(prompts) * samples)]
    try:
        for request, token in news:
            outputs[request].append(token)
    finally:
        news.close()  # an error here, such as Ctrl-C, doesn't end the loop inside
    return outputs


def run(
    decoder: Decoder,
    cache: ServingCache,
    seqs: Sequence[Hashable],
    tokens: Sequence[Sequence[int]],
    starts: Sequence[int],
) -> Tensor:
    """One step: row ``i`` runs ``tokens[i]`` of sequence ``seqs[i]``, the first at ``starts[i]``.

    All rows are equally long. Returns the logits [B, vocab] after each row's last token. Room is
    reserved for every row or, raising, for none. Only a reader's cache without ``reserve_many`` is
    asked row by row, and may keep what the first rows got.
    """
    reserve_many = getattr(cache, "reserve_many", None)
    if reserve_many is not None and len(seqs) > 1:
        reserve_many({seq: len(row) for seq, row in zip(seqs, tokens, strict=True)})
    else:
        for seq, row in zip(seqs, tokens, strict=True):
            cache.reserve(seq, len(row))
    cache.set_batch(seqs)
    ids = torch.tensor(tokens, device=decoder.device)  # [B, T]
    positions = torch.tensor(starts, device=decoder.device)[:, None]  # [B, 1]
    positions = positions + torch.arange(ids.shape[1], device=decoder.device)  # [B, T]
    return decoder.next_logits(ids, positions, as_attending(cache))  # [B, vocab]


@dataclass
class _Row:
    """One request: the name of its sequence, its text (prompt and answer), how it goes on."""

    number: int
    text: list[int]
    left: int  # tokens it may still say
    settings: Sampling
    generator: torch.Generator

    def say(self, token: int, eos_ids: Collection[int]) -> None:
        """Add a token; one of ``eos_ids`` is the last."""
        self.text.append(token)
        self.left = 0 if token in eos_ids else self.left - 1


def _stream(
    decoder: Decoder, cache: ServingCache, groups: Sequence[list[_Row]], eos_ids: Collection[int]
) -> Generator[NewToken, None, None]:
    """The rows of a group have one prompt in common."""
    mine = OwnSequences(cache)
    running: list[_Row] = []

    def extend(rows: Sequence[_Row], logits: Tensor) -> Iterator[NewToken]:
        """Let each of ``rows`` say a token by its row of ``logits``; free those that end."""
        picks = sample(logits, [row.settings for row in rows], [row.generator for row in rows])
        for row, token in zip(rows, picks.tolist(), strict=True):
            row.say(token, eos_ids)
            yield NewToken(row.number, token)
        for row in rows:
            if not row.left:
                mine.free(row.number)

    with mine, mine:
        for group in groups:  # prefill
            first, *others = group
            # A contiguous cache must be told now how long the sequence may become.
            most = [len(first.text) + first.left - 1] * isinstance(cache, ContiguousKVCache)
            mine.create(first.number, *most)
            logits = run(decoder, cache, [first.number], [first.text], [0])  # [1, vocab]
            for other in others:
                mine.fork(first.number, other.number)
            yield from extend(group, logits.expand(len(group), -1))
            running += [row for row in group if row.left]
        while running:  # decode
            last = [row.text[-1:] for row in running]
            starts = [len(row.text) - 1 for row in running]
            logits = run(decoder, cache, [row.number for row in running], last, starts)
            yield from extend(running, logits)
            running = [row for row in running if row.left]
