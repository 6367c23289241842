"""The messages of a chat as a template takes them: a role, and its content as one string."""

from collections.abc import Mapping
from typing import Any

from paged_attention.server.fields import Fields, check_text, kind_of

Message = Mapping[str, Any]

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_TEMPLATE_ROLES = {"developer": "system"}  # the newer name; templates know the older
_UNSUPPORTED = ("tool_calls", "function_call", "audio")


def checked_messages(fields: Fields) -> tuple[Message, ...]:
    """The field ``messages``, or an ``ApiError`` that names the message and what is wrong."""
    value = fields.get("messages")
    if value is None:
        raise fields.wrong("messages", "is missing")
    if not isinstance(value, list):
        raise fields.wrong("messages", f"must be an array, not {kind_of(value)}")
    if not value:
        raise fields.wrong("messages", "is empty: there is nothing to answer")
    return tuple(_message(fields, number, one) for number, one in enumerate(value))


def _message(fields: Fields, number: int, value: object) -> Message:
    name = f"messages[{number}]"
    if not isinstance(value, dict):
        raise fields.wrong(name, f"must be an object, not {kind_of(value)}")
    inner = Fields(value, f"{name}.")
    role = inner.text("role")
    if role not in ROLES:
        known = ", ".join(ROLES)
        said = "is missing" if role is None else "is not a role"
        raise inner.wrong("role", f"{said}: use one of {known}")
    for field in _UNSUPPORTED:
        inner.neutral(field, ([], {}, ""))
    message = {key: text for key, text in value.items() if isinstance(text, str)}
    for key, text in message.items():
        check_text(text, f"{name}.{key}")
    return message | {"role": _TEMPLATE_ROLES.get(role, role), "content": _content(inner)}


def _content(message: Fields) -> str:
    """A string as it is; parts of text one behind the other."""
    value = message.get("content")
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        said = "is missing" if value is None else f"is {kind_of(value)}"
        raise message.wrong("content", f"{said}: it must be a string or an array of text parts")
    if not value:
        raise message.wrong("content", "is an empty array: it must hold a text part at least")
    return "".join(_part(message, number, part) for number, part in enumerate(value))


def _part(message: Fields, number: int, value: object) -> str:
    name = f"content[{number}]"
    if not isinstance(value, dict):
        raise message.wrong(name, f"must be an object such as a text part, not {kind_of(value)}")
    part = Fields(value, f"{message.where}{name}.")
    kind = part.text("type")
    if kind is None:
        raise part.wrong("type", "is missing")
    if kind != "text":
        raise part.wrong("type", f"is {kind!r}: this model reads parts of type 'text' only")
    text = part.text("text")
    if text is None:
        raise part.wrong("text", "is missing")
    return text
