"""What is asked, and when: drawn by chance at a rate, or recorded in a file of JSON lines.

Arrivals don't wait for answers (an open loop): users come whether or not the server keeps up, and
a load that waits for the server hides how long they would have waited.
"""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from paged_attention.serving.load import poisson

_VOCABULARY = (
    "about after again air along animal answer around back because before below book both build "
    "city close come country cut day draw earth eat end even every eye far farm few find first "
    "follow food form four give good great ground grow hand hard head hear help here high home "
    "house idea just keep kind land large last learn leave letter life light line list little live "
    "long look make many mean mountain move name near need never new next night now number old "
    "open other over page paper part people picture place plant play point read right river run "
    "school sea second sentence set show side small some sound spell stand start still stop story "
    "study sun take tell there thing think three through time together tree turn under until use "
    "walk watch water way well when where which while white why will with word work world year"
)


class BadLoad(ValueError):
    """A recorded load can't be read."""


@dataclass(frozen=True)
class Planned:
    """One request: seconds after the start when it is due, its prompt, tokens it may say.

    A prompt of numbers is token ids, for the completions endpoint.
    """

    due: float
    prompt: str | tuple[int, ...]
    max_tokens: int


def drawn(
    count: int, rate: float, *, words: int, shared: int, max_tokens: int, seed: int = 0
) -> list[Planned]:
    """``count`` prompts of ``words`` random words, the first ``shared`` the same in all of them.

    Words, not tokens: a client of any server has no tokenizer. One seed, one load.
    """
    draw, vocabulary = random.Random(seed), _VOCABULARY.split()
    common = draw.choices(vocabulary, k=min(shared, words))
    own = [draw.choices(vocabulary, k=words - len(common)) for _ in range(count)]
    times = poisson(count, rate, seed)
    return [
        Planned(due, " ".join(common + rest), max_tokens)
        for due, rest in zip(times, own, strict=True)
    ]


def recorded(
    file: Path, *, max_tokens: int, rate: float | None = None, seed: int = 0
) -> list[Planned]:
    """The requests of a file: a JSON object a line, in order of ``time``.

    ``time`` in seconds, ``prompt`` (a text) or ``tokens`` (ids), ``max_tokens`` (else the one
    given). Where no line has a time, ``rate`` draws them; the first time becomes 0. Raises
    ``BadLoad`` naming file and line.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadLoad(f"the load in {file} can't be read: {error}") from error
    found = [
        _request(line, f"{file}, line {number}", max_tokens)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not found:
        raise BadLoad(f"{file} holds no request: each line is a JSON object with a prompt")
    times = [time for time, _, _ in found]
    if all(time is None for time in times):
        if rate is None:
            raise BadLoad(f"no line of {file} has a time: give --rate, and they are drawn")
        dues: Sequence[float] = poisson(len(found), rate, seed)
    else:
        dues = _from_zero(times, file)
    return [Planned(due, prompt, most) for due, (_, prompt, most) in zip(dues, found, strict=True)]


def _from_zero(times: Sequence[float | None], file: Path) -> list[float]:
    known = [time for time in times if time is not None]
    if len(known) < len(times):
        raise BadLoad(f"{len(times) - len(known)} of {len(times)} lines of {file} have no time")
    if any(after < before for before, after in pairwise(known)):
        raise BadLoad(f"the times in {file} go back: sort its lines by time")
    return [time - known[0] for time in known]


def _request(
    line: str, where: str, max_tokens: int
) -> tuple[float | None, str | tuple[int, ...], int]:
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise BadLoad(f"{where} is no JSON: {error}") from error
    if not isinstance(entry, dict):
        raise BadLoad(f"{where} is no JSON object: {line[:60]}")
    time, most = entry.get("time"), entry.get("max_tokens", max_tokens)
    if time is not None and not (_number(time) and time >= 0):
        raise BadLoad(f"{where}: time is a number of seconds, got {time!r}")
    if not (_whole(most) and most > 0):
        raise BadLoad(f"{where}: max_tokens is a whole number above 0, got {most!r}")
    return time, _prompt(entry, where), most


def _prompt(entry: dict[str, Any], where: str) -> str | tuple[int, ...]:
    prompt, tokens = entry.get("prompt"), entry.get("tokens")
    if (prompt is None) == (tokens is None):
        raise BadLoad(f"{where} needs either a prompt (a text) or tokens (a list of ids)")
    if isinstance(prompt, str) and prompt:
        return prompt
    if isinstance(tokens, list) and tokens and _all_ids(tokens):
        return tuple(tokens)
    raise BadLoad(f"{where}: a prompt is a text, tokens are a list of ids, and neither is empty")


def _all_ids(tokens: Iterable[Any]) -> bool:
    return all(_whole(token) and token >= 0 for token in tokens)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    # NaN and the infinities are no JSON, but Python's reader takes them.
    return _whole(value) or (isinstance(value, float) and abs(value) < float("inf"))
