"""What a checkpoint folder says about its tokenizer besides ``tokenizer.json``: ends, marks, added
tokens, chats. Read as ``transformers`` reads it, or refused by the file and key.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import AddedToken
from tokenizers import Tokenizer as Backend

from paged_attention.model.chat import ChatTemplate
from paged_attention.model.checkpoint import CheckpointError, read_json


def read_settings(folder: Path) -> dict[str, Any]:
    """``tokenizer_config.json``, and the older ``special_tokens_map.json`` where that counts."""
    settings = _optional(folder / "tokenizer_config.json")
    if settings.get("added_tokens_decoder") is None:
        settings |= _optional(folder / "special_tokens_map.json")
    return settings


def special_tokens(settings: Mapping[str, Any]) -> dict[str, str]:
    """The special tokens by name, as templates see them: ``bos_token``, ``image_token`` …"""
    named = {key: value for key, value in settings.items() if key.endswith("_token")}
    for key in ("extra_special_tokens", "model_specific_special_tokens"):
        if isinstance(more := settings.get(key), dict):
            named |= more
    found = {}
    for key, value in named.items():
        if value is None or isinstance(value, bool):  # no such token; a switch, as add_bos_token
            continue
        content = value.get("content") if isinstance(value, dict) else value
        if not isinstance(content, str):
            raise CheckpointError(
                f"{key} in the tokenizer's settings is {value!r}; a token is a text, or an object "
                "with its text as 'content'"
            )
        found[key] = content
    return found


def add_tokens(backend: Backend, folder: Path, settings: Mapping[str, Any]) -> None:
    """Teach ``backend`` the tokens that were added beside ``tokenizer.json``, under their ids."""
    stored = settings.get("added_tokens_decoder")
    if stored is None:
        stored = {
            number: token for token, number in _optional(folder / "added_tokens.json").items()
        }
    try:
        tokens = {int(number): _added(token) for number, token in stored.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"the added tokens in {folder} can't be read, {error!r}: each is an id and a text, or "
            "an object with its text as 'content'"
        ) from error
    for number, token in sorted(tokens.items()):
        known = backend.token_to_id(token.content)
        if known is None:
            (backend.add_special_tokens if token.special else backend.add_tokens)([token])
            known = backend.token_to_id(token.content)
        if known != number:
            raise CheckpointError(
                f"token {token.content!r} is number {number} in the settings in {folder}, but "
                f"{known} in tokenizer.json: one of the two files is of another model"
            )


def end_ids(folder: Path, backend: Backend, eos_token: str | None) -> set[int]:
    """The ids that end a reply: what the checkpoint says about generating, else about the model;
    and the tokenizer's own end mark, which ends a turn of a chat.
    """
    ends: set[int] = set()
    for name in ("generation_config.json", "config.json"):
        found = _optional(folder / name).get("eos_token_id")
        if found is not None:
            ends = set(_whole_numbers(found, name))
            break
    mark = backend.token_to_id(eos_token) if eos_token is not None else None
    return ends if mark is None else ends | {mark}


def chat_template(folder: Path, settings: Mapping[str, Any]) -> ChatTemplate | None:
    """A checkpoint's chat templates: files of their own, or among the tokenizer's settings."""
    files = {path.stem: path for path in (folder / "additional_chat_templates").glob("*.jinja")}
    if (folder / "chat_template.jinja").exists():
        files["default"] = folder / "chat_template.jinja"
    if files:
        templates = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
        return templates["default"] if list(templates) == ["default"] else templates
    return _stored_template(settings.get("chat_template"))


def _stored_template(stored: Any) -> ChatTemplate | None:
    """A text, or texts by name, which are also written as a list of objects."""
    if stored is None or isinstance(stored, str):
        return stored
    if isinstance(stored, list) and all(isinstance(entry, dict) for entry in stored):
        stored = {entry.get("name"): entry.get("template") for entry in stored}
    if not isinstance(stored, dict) or not all(
        isinstance(text, str) for text in (*stored, *stored.values())
    ):
        raise CheckpointError(
            "chat_template in tokenizer_config.json is neither a text nor texts by name"
        )
    return stored


def _optional(path: Path) -> dict[str, Any]:
    return read_json(path) if path.exists() else {}


def _added(token: Any) -> AddedToken:
    if isinstance(token, str):
        return AddedToken(token)
    switches = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return AddedToken(
        token["content"], **{key: bool(token[key]) for key in switches if key in token}
    )


def _whole_numbers(found: Any, name: str) -> list[int]:
    numbers = found if isinstance(found, list) else [found]
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise CheckpointError(
                f"eos_token_id in {name} is {found!r}; it must be a token id, or a list of them"
            )
    return numbers
