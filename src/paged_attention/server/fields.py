"""Reads the fields of a JSON body. A field that is null counts as absent; a wrong one is named."""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from paged_attention.server.errors import ApiError

_MOST_DIGITS = 1000  # Python itself reads some thousands


def read_body(body: bytes) -> dict[str, Any]:
    """The JSON object in ``body``, or an ``ApiError`` that says what is there instead."""
    try:
        content = json.loads(body, parse_constant=_no_number, parse_int=_integer)
    except RecursionError:
        raise ApiError("the body is nested too deeply to be a request") from None
    except ValueError as error:  # bad JSON, bad UTF-8
        raise ApiError(f"the body is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise ApiError(f"the body must be a JSON object, not {kind_of(content)}")
    return content


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits, more than any field takes")
    return int(digits)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def kind_of(value: object) -> str:
    """What JSON calls the kind of ``value``."""
    if value is None:
        return "null"
    kinds = {bool: "a boolean", int: "an integer", float: "a number", str: "a string"}
    return kinds.get(type(value), "an array" if isinstance(value, list) else "an object")


class Fields:
    """The fields of one object; ``where`` stands before their names when one is wrong."""

    def __init__(self, content: Mapping[str, Any], where: str = "") -> None:
        self.content, self.where = content, where

    def get(self, name: str) -> Any:
        """The field as it is; ``None`` if it is absent or null."""
        return self.content.get(name)

    def wrong(self, name: str, what: str, code: str | None = None) -> ApiError:
        """The error that names the field ``name``: it ``what``."""
        param = self.where + name
        return ApiError(f"'{param}' {what}", param=param, code=code)

    def integer(self, name: str, low: int, high: int) -> int | None:
        """An integer from ``low`` to ``high``."""
        value = self.get(name)
        if value is None:
            return None
        if type(value) is not int:
            raise self.wrong(name, f"must be an integer, not {kind_of(value)}")
        if not low <= value <= high:
            raise self.wrong(name, f"must be from {low} to {high}, got {short(value)}")
        return value

    def number(self, name: str, low: float, high: float, *, above: bool = False) -> float | None:
        """A number from ``low`` to ``high``; ``above``: ``low`` itself is not allowed."""
        value = self.get(name)
        if value is None:
            return None
        if type(value) not in (int, float):
            raise self.wrong(name, f"must be a number, not {kind_of(value)}")
        if not low <= value <= high or (above and value == low):  # false for NaN and infinity, too
            fits = f"above {low:g} and at most {high:g}" if above else f"from {low:g} to {high:g}"
            raise self.wrong(name, f"must be {fits}, got {short(value)}")
        return float(value)

    def flag(self, name: str) -> bool:
        """A boolean; false if absent."""
        value = self.get(name)
        if value is not None and type(value) is not bool:
            raise self.wrong(name, f"must be true or false, not {kind_of(value)}")
        return bool(value)

    def text(self, name: str) -> str | None:
        """A string that can be encoded: no half of a surrogate pair alone."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.wrong(name, f"must be a string, not {kind_of(value)}")
        check_text(value, self.where + name)
        return value

    def neutral(self, name: str, allowed: Collection[object]) -> None:
        """Refuse a field that this server would ignore, unless its value asks for nothing."""
        value = self.get(name)
        if value is None or any(type_equal(value, one) for one in allowed):
            return
        raise self.wrong(name, "is not supported here: leave it out", "unsupported_parameter")


def check_text(text: str, param: str | None) -> None:
    """Raise unless ``text``, the field ``param`` or the name of one, is made of characters."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ApiError(
            f"{'the name of a field' if param is None else repr(param)} holds half of a surrogate "
            f"pair, {text[error.start]!a}, which is no character",
            param=param,
        ) from None


def type_equal(value: object, other: object) -> bool:
    """Whether both are the same JSON value: 1 and 1.0 are, 1 and true are not."""
    return value == other and (type(value) is bool) == (type(other) is bool)


def short(value: object) -> str:
    """``value`` for a message."""
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
