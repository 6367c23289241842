"""Ways in which a question is misread, or a right answer changed, alike in every case."""

import math
from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from typing import Any

Values = dict[str, Any]  # arguments by name
_LISTS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("the first item of `{}` alone", lambda xs: xs[:1]),
    ("the last item of `{}` alone", lambda xs: xs[-1:]),
    ("`{}` without its first item", lambda xs: xs[1:]),
    ("`{}` without its last item", lambda xs: xs[:-1]),
    ("`{}` in reverse", lambda xs: xs[::-1]),
    ("`{}` in sorted order", sorted),
)
_FACTORS = (2, 3, 4, 8, 10, 16, 100, 1000, 1024)
OF_ANSWERS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("is the right answer, rounded down", lambda x: type(x)(math.floor(x))),
    ("is the right answer, rounded to a whole number", lambda x: type(x)(round(x))),
    ("is the right answer, rounded to one decimal", lambda x: round(x, 1)),
    ("is the right answer, rounded to two decimals", lambda x: round(x, 2)),
    ("is the right answer, rounded to three decimals", lambda x: round(x, 3)),
    ("is the right answer with the wrong sign", lambda x: -x),
    ("is 1 minus the right answer", lambda x: 1 - x),
    ("is 1 divided by the right answer, upside down", lambda x: 1 / x),
    ("is the right answer in reverse", lambda x: x[::-1]),
    ("is one more than the right answer", lambda x: x + 1),
    ("is one less than the right answer", lambda x: x - 1),
    ("is the right answer without its first item", lambda x: x[1:]),
    ("is the right answer without its last item", lambda x: x[:-1]),
    *((f"is {k} times the right answer", lambda x, k=k: _times(x, k)) for k in _FACTORS),
    *((f"is the right answer divided by {k}", lambda x, k=k: x / k) for k in _FACTORS),
)


def of_arguments(given: Values) -> Iterator[tuple[str, Callable[[Values], Values]]]:
    """Words for a question that these arguments may be taken for, and what makes it of them."""
    for name, value in given.items():
        if isinstance(value, list):
            for words, cut in _LISTS:
                yield words.format(name), _one(name, cut)
        if type(value) is int:
            yield f"a `{name}` that is one more", _one(name, lambda n: n + 1)
            yield f"a `{name}` that is one less", _one(name, lambda n: n - 1)
    alike = [pair for pair in combinations(given, 2) if len({type(given[n]) for n in pair}) == 1]
    for one, other in alike:
        yield f"`{one}` and `{other}` swapped", _moved({one: other, other: one})
        for taken, left in permutations((one, other)):
            yield f"`{taken}` in the place of `{left}`", _moved({left: taken})


def _times(x: Any, k: int) -> Any:
    """A number, or a tensor's, times ``k``; a list has no multiple, only a thousand copies."""
    if isinstance(x, (list, tuple, str, bytes)):
        raise TypeError(f"{type(x).__name__} is no number")
    return x * k


def _one(name: str, change: Callable[[Any], Any]) -> Callable[[Values], Values]:
    return lambda given: given | {name: change(given[name])}


def _moved(names: dict[str, str]) -> Callable[[Values], Values]:
    return lambda given: given | {to: given[name] for to, name in names.items()}
