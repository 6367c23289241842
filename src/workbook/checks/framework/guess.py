"""Predict, run, see: put the reader's prediction beside what came."""

import math
import textwrap
from collections.abc import Mapping
from typing import Any

from workbook.checks.framework.report import WIDTH


def compare(guess: Any, answer: Any, likely: Mapping[Any, str] | None = None) -> None:
    """Print the prediction and the answer side by side; ``None`` means that nothing was guessed.

    ``likely`` has wrong guesses that are easily made, each with what speaks against it; a tuple
    there stands for a list, too.
    """
    guess, answer = _plain(guess), _plain(answer)
    _say(guess, answer)
    if guess is not None and not _equal(guess, answer):
        against = (text for wrong, text in (likely or {}).items() if _equal(guess, wrong))
        if text := next(against, None):
            print(textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def _say(guess: Any, answer: Any) -> None:
    if guess is None:
        print(f"no guess; it is {_said(answer)}")
    elif _equal(guess, answer):
        print(f"you said {_said(guess)}, and it is {_said(answer)}")
    elif _near(guess, answer):
        print(f"you said {_said(guess)}; close, it is {_said(answer)}")
    else:
        print(f"you said {_said(guess)}; it is {_said(answer)}")


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _equal(guess: Any, answer: Any) -> bool:
    if isinstance(answer, float) and math.isnan(answer):  # which equals nothing, itself included
        return str(guess).strip().lower() == "nan"
    if isinstance(guess, str) and isinstance(answer, str):
        return guess.strip().lower() == answer.strip().lower()
    if isinstance(guess, (list, tuple)) and isinstance(answer, (list, tuple)):
        return list(guess) == list(answer)
    return bool(guess == answer)


def _near(guess: Any, answer: Any) -> bool:
    if isinstance(guess, bool) or not isinstance(guess, (int, float)):
        return False
    # Counts are exact; only a fraction or a rate can be nearly right.
    return isinstance(answer, float) and math.isclose(guess, answer, rel_tol=0.02)


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    return value if isinstance(value, str) else repr(value)
