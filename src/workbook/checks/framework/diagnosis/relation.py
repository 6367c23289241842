"""How a wrong answer is related to the right one, in a sentence that is true whatever the cause."""

import math
from itertools import accumulate
from typing import Any

FEW = 8


def relation(got: Any, right: Any) -> str | None:
    """The relation of two answers of one kind that differ, or ``None`` if none is seen."""
    if equal(got, right):
        return None
    if hasattr(right, "flatten") and hasattr(got, "flatten"):
        return _tensors(got, right)
    if is_number(right) and is_number(got):
        return _numbers(got, right)
    if isinstance(right, tuple | list) and isinstance(got, tuple | list):
        return _items(list(got), list(right))
    return None


def equal(got: Any, right: Any) -> bool:
    """Whether two answers of one kind say the same; in tensors NaN is equal to NaN.

    A float is rounded, so it may be off in its last digits: 1 - 108 / 120 is not quite 0.1.
    """
    if hasattr(right, "shape") and hasattr(got, "shape"):
        if got.shape != right.shape:
            return False
        same = got == right
        return bool(
            (same | (got.isnan() & right.isnan()) if hasattr(right, "isnan") else same).all()
        )
    if isinstance(right, tuple | list) and type(got) is type(right):
        return len(got) == len(right) and all(map(equal, got, right))
    if isinstance(right, float) and is_number(got):
        return math.isclose(got, right, rel_tol=1e-9, abs_tol=1e-12)
    return bool(got is right or got == right)


def is_number(value: Any) -> bool:
    """Whether it is an int or a float, and no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(got: Any, right: Any) -> str | None:
    if isinstance(right, int) and abs(got - right) == 1:
        return f"Off by one: {got} is one too {'many' if got > right else 'few'}."
    if got == -right:
        return "The right number with the wrong sign."
    if not (isinstance(right, int) and isinstance(got, int) and min(abs(right), abs(got)) > 1):
        return None  # every number is a multiple of 1
    if got % right == 0:
        return f"That is {got // right} times the right number."
    if right % got == 0:
        return f"That is the right number divided by {right // got}."
    return None


def _items(got: list[Any], right: list[Any]) -> str | None:
    if any(hasattr(item, "shape") for item in right):
        return _first_that_differs(got, right)
    if found := _same_items(got, right) or _sums(got, right):
        return found
    off = [i for i, (a, b) in enumerate(zip(got, right, strict=False)) if a != b]
    if len(got) == len(right) <= FEW and len(off) == 1:
        (i,) = off
        if isinstance(right[i], tuple | list) and (found := relation(got[i], right[i])):
            nested = found.removeprefix("Only item ")
            return f"Only item {i} is wrong, counted from 0" + (
                f", and in it item {nested}" if nested != found else f". {found}"
            )
        return f"Only item {i} is wrong, counted from 0: {got[i]!r} for {right[i]!r}."
    return None


def _same_items(got: list[Any], right: list[Any]) -> str | None:
    if got == right[::-1]:
        return "The right items in reverse."
    if sorted(map(repr, got)) == sorted(map(repr, right)):
        ascending = all(map(is_number, got)) and got == sorted(got)
        return f"The right items {'sorted' if ascending else 'in another order'}."
    if got == right[:-1]:
        return "The last item is missing."
    if got == right[1:]:
        return "The first item is missing."
    if got[:-1] == right and got:
        return "One item too many, at the end."
    if right and all(map(is_number, [*got, *right])) and got == [-item for item in right]:
        return "The right numbers with the wrong sign."
    return None


def _sums(got: list[Any], right: list[Any]) -> str | None:
    """Whether running sums came for numbers, or numbers for their running sums."""
    if len(right) < 3 or not all(map(is_number, [*got, *right])):
        return None
    if got == list(accumulate(right)):
        return "The right items added up: each has all before it in it."
    return "The differences of the right items." if right == list(accumulate(got)) else None


def _first_that_differs(got: list[Any], right: list[Any]) -> str | None:
    """Of a few tensors, what the first wrong one is to the right one."""
    for i, (mine, wanted) in enumerate(zip(got, right, strict=False)):
        if not equal(mine, wanted):
            found = relation(mine, wanted)
            return f"Item {i}, counted from 0: {found}" if found else None
    return None


def _tensors(got: Any, right: Any) -> str | None:
    if got.shape != right.shape or not right.shape:
        return None
    for axis in range(len(right.shape)):
        if right.shape[axis] > 1 and bool((got.flip(axis) == right).all()):
            return f"The right numbers, reversed along axis {axis}."
    flat, wanted = got.flatten().tolist(), right.flatten().tolist()
    if sorted(map(repr, flat)) == sorted(map(repr, wanted)):
        return "The right numbers, in other places."
    wrong = (got != right).nonzero().tolist()
    for axis, length in enumerate(right.shape):
        places = {place[axis] for place in wrong}
        if length > 1 and len(places) == 1:
            return f"Only place {places.pop()} of axis {axis} is wrong, counted from 0."
    return None
