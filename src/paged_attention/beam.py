"""Beam search over a paged cache: a beam that goes on twice is forked, one that dies is freed.

Only block tables move. Between two steps every survivor is forked first, then the old beams are
freed, then room is reserved. In this order nobody loses a block that is still needed, and a shared
tail is copied only if two beams really write into it.
"""

import math
from collections.abc import Collection, Sequence
from itertools import count
from typing import NamedTuple

import torch
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.generate import run
from paged_attention.model.decoder import Decoder
from paged_attention.own_sequences import OwnSequences
from paged_attention.prompts import checked_count, checked_eos_ids, checked_prompt
from paged_attention.sampling import check_finite, is_finite


class Beam(NamedTuple):
    """One continuation: its new tokens and the sum of their log-probabilities."""

    tokens: list[int]
    log_probability: float

    def score(self, length_penalty: float) -> float:
        """Log-probability divided by length to the power of ``length_penalty``; 0 compares sums."""
        scale: float = len(self.tokens) ** length_penalty
        return self.log_probability / scale


class Step(NamedTuple):
    """Where the next beams come from: ``parents[i]`` is the row that beam ``i`` continues."""

    beams: list[Beam]
    parents: list[int]
    ended: list[Beam]


def choose(beams: Sequence[Beam], logits: Tensor, width: int, eos_ids: Collection[int]) -> Step:
    """The best ``width`` continuations that go on, and those as good that end here.

    ``logits`` [B, vocab], one row a beam. At most ``1 + len(eos_ids)`` times as many candidates are
    looked at, so that endings never leave fewer than ``width`` that go on. A continuation of
    probability 0 is none: where fewer are possible, fewer go on. Raises ``ValueError`` for a row
    without a finite maximum.
    """
    check_finite(logits)
    totals = logits.float().log_softmax(dim=-1).double()  # [B, vocab]
    totals += torch.tensor([[b.log_probability] for b in beams], device=logits.device)
    wanted = min(width * (1 + len(eos_ids)), totals.numel())
    best = totals.flatten().topk(wanted)
    step = Step([], [], [])
    for place, total in zip(best.indices.tolist(), best.values.tolist(), strict=True):
        if total == -math.inf:
            break
        row, token = divmod(place, totals.shape[1])
        beam = Beam([*beams[row].tokens, token], total)
        if token in eos_ids:
            step.ended.append(beam)
        else:
            step.beams.append(beam)
            step.parents.append(row)
        if len(step.beams) == width:
            break
    return step


def beam_search(
    decoder: Decoder,
    cache: PagedKVCache,
    prompt: Sequence[int],
    width: int,
    max_new_tokens: int,
    *,
    length_penalty: float = 1.0,
    eos_ids: Collection[int] = (),
) -> list[Beam]:
    """The ``width`` best continuations of ``prompt``, best first; ``cache`` is left as it was.

    A beam ends with a token of ``eos_ids`` or after ``max_new_tokens``. The search ends early once
    no running beam can still beat the worst of ``width`` that have ended. Prompt and length are
    checked as ``generate`` does, and an error or an interrupt frees every beam.
    """
    width = checked_count("width", width)
    max_new_tokens = checked_count("max_new_tokens", max_new_tokens)
    _check_penalty(length_penalty, max_new_tokens)
    tokens = checked_prompt(decoder.config, prompt, max_new_tokens, "the request")
    eos = checked_eos_ids(eos_ids)
    names = (name for number in count() if (name := ("beam", number)) not in cache.lengths)
    mine = OwnSequences(cache)
    with mine, mine:
        mine.create(next(names))
        logits = run(decoder, cache, mine.names, [tokens], [0])  # [1, vocab]
        beams, ended = [Beam([], 0.0)], list[Beam]()
        for length in range(1, max_new_tokens + 1):
            step = choose(beams, logits, width, eos)
            beams, ended = step.beams, _best([*ended, *step.ended], width, length_penalty)
            left = max_new_tokens - length
            if not left or _settled(beams, ended, width, length_penalty, left):
                break
            old = mine.names.copy()
            for row in step.parents:
                mine.fork(old[row], next(names))
            for seq in old:
                mine.free(seq)
            last = [beam.tokens[-1:] for beam in beams]
            starts = [len(tokens) + length - 1] * len(beams)
            logits = run(decoder, cache, mine.names, last, starts)  # [width, vocab]
        return _best([*ended, *beams], width, length_penalty)


def _check_penalty(length_penalty: float, longest: int) -> None:
    """Raise unless ``longest`` to the power of it is a number to divide by."""
    if not (is_finite(length_penalty) and abs(length_penalty) * math.log(longest) < 700):
        raise ValueError(
            f"length_penalty must be a number, and {longest} to its power within a float's range; "
            f"got {length_penalty!r}. 0 compares sums, 1 means"
        )


def _best(beams: Sequence[Beam], width: int, length_penalty: float) -> list[Beam]:
    """The ``width`` of them with the highest score, best first; of equal ones the earlier."""
    return sorted(beams, key=lambda beam: -beam.score(length_penalty))[:width]


def _settled(
    beams: Sequence[Beam],
    ended: Sequence[Beam],
    width: int,
    length_penalty: float,
    left: int,
) -> bool:
    """Whether none of ``beams``, with ``left`` tokens to go at most, can still be among the best.

    A log-probability only falls. What a beam may still reach is therefore its present sum, at the
    length that flatters it most: the longest one if the penalty is positive, else the present one.
    """
    if not beams:
        return True
    if len(ended) < width:
        return False
    best = max(
        Beam([0] * length, beam.log_probability).score(length_penalty)
        for beam in beams
        for length in (len(beam.tokens), len(beam.tokens) + left)
    )
    return best <= ended[-1].score(length_penalty)
