"""Two answers that differ in what they are, before one asks what they say."""

from numbers import Real
from typing import Any

# A subclass is as good: a Counter for a dict, a NamedTuple for a tuple.
_WORDS = {bool: "True or False", int: "an int", float: "a float", str: "a text", dict: "a dict"}


def nothing(method: str = "") -> str:
    """What is said of None where an answer is wanted; ``method`` is empty for a function."""
    return (
        f"Your {f'`{method}`' if method else 'function'} returned nothing (None): is a `return` "
        "missing, or inside an `if` that wasn't taken?"
    )


def returned_error(value: Any) -> str | None:
    """What is said of an answer that is an error, or the class of one; else ``None``."""
    cls = value if isinstance(value, type) else type(value)
    if not issubclass(cls, BaseException):
        return None
    return f"{cls.__name__} was returned as an answer, and the caller goes on: `raise` it."


def kind(got: Any, right: Any) -> str | None:
    """A sentence if ``got`` is of another kind than ``right``, else ``None``. None is of any."""
    if right is None or got is None:
        return None
    if hasattr(right, "dtype") and hasattr(right, "shape"):
        return _tensors(got, right)
    if isinstance(right, tuple | list):
        return _items(got, right)
    return _scalars(got, right)


def _items(got: Any, right: Any) -> str | None:
    kind_ = "tuple" if isinstance(right, tuple) else "list"
    if isinstance(got, tuple | list) and not isinstance(got, type(right)):
        if kind_ == "tuple":
            return "A tuple is wanted, this is a list: put ( ) around the items instead of [ ]."
        return "A list is wanted, this is a tuple: it could not grow or change."
    if not isinstance(got, tuple | list):
        wanted = (
            f"A tuple of {len(right)}" if kind_ == "tuple" else "A list"
        )  # lists have any length
        return f"{wanted} is wanted, this is {_said(got)}."
    if isinstance(right, tuple) and len(got) != len(right):
        return f"{len(right)} items are wanted, here are {len(got)}."
    found = (kind(a, b) for a, b in zip(got, right, strict=False) if b is not None)
    return next((f"Item by item: {words}" for words in found if words), None)


def _scalars(got: Any, right: Any) -> str | None:
    if isinstance(right, bool) or isinstance(got, bool):
        if isinstance(right, bool) == isinstance(got, bool):
            return None
        return f"{_words(right)} is wanted, this is {_said(got)}."
    if isinstance(right, int) and isinstance(got, float):
        return "A count is an int, this is a float: divide with `//`, or multiply only."
    if isinstance(right, float) and isinstance(got, Real):
        return None
    if isinstance(right, tuple(_WORDS)) and not isinstance(got, type(right)):
        return f"{_words(right)} is wanted, this is {_said(got)}."
    return None


def _tensors(got: Any, right: Any) -> str | None:
    if not isinstance(got, type(right)):
        return f"A tensor is wanted, this is {_said(got)}."
    mine, wanted = list(got.shape), list(right.shape)
    if mine == wanted:
        if got.dtype == right.dtype:
            return None
        return (
            f"The numbers are {_dtype(got)}, and {_dtype(right)} is wanted: whoever makes a new "
            "tensor must ask for the dtype of the old one."
        )
    words = f"Shape {mine} for {wanted}: "
    if sorted(mine) == sorted(wanted):
        return words + "the axes are right, their order isn't."
    if len(mine) != len(wanted):
        return words + f"{len(mine)} axes, and {len(wanted)} are wanted."
    off = [axis for axis in range(len(wanted)) if mine[axis] != wanted[axis]]
    if len(off) == 1:
        more = mine[off[0]] - wanted[off[0]]
        return words + f"axis {off[0]} has {abs(more)} {'too many' if more > 0 else 'too few'}."
    if got.numel() == right.numel():
        return words + "all the numbers, cut at other places. Which axes were joined?"
    return words + f"axes {off} have other lengths."


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _words(value: Any) -> str:
    words = next(words for kind_, words in _WORDS.items() if isinstance(value, kind_))
    return words[0].upper() + words[1:]


def _said(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
