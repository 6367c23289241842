"""Text to token ids and back; streams text without splitting a character."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer as Backend

from paged_attention.model.checkpoint import CheckpointError, read_json

_UNFINISHED = "\ufffd"  # what decoders put where bytes don't make a character (yet)


class Tokenizer:
    """Encodes, decodes and renders chats; ``eos_ids`` are the ids after which a reply is over."""

    def __init__(
        self,
        backend: Backend,
        eos_ids: Iterable[int] = (),
        chat_template: str | None = None,
        special: Mapping[str, str] | None = None,
    ) -> None:
        self.backend = backend
        self.eos_ids = frozenset(eos_ids)
        self.chat_template = chat_template
        self._special = dict(special or {})

    @classmethod
    def from_folder(cls, folder: Path) -> "Tokenizer":
        """Read ``tokenizer.json`` and what a checkpoint folder says about ends, chats and marks."""
        path = folder / "tokenizer.json"
        read_json(path)  # names the file if it is missing or cut short
        try:
            backend = Backend.from_file(str(path))
        except Exception as error:  # the library raises nothing narrower
            raise CheckpointError(
                f"{path} is no tokenizer this version can read: {error}"
            ) from None
        backend.no_truncation()  # a file may carry the settings of its maker's training run
        backend.no_padding()
        extra = folder / "tokenizer_config.json"
        settings = read_json(extra) if extra.exists() else {}
        special = {
            key: value["content"] if isinstance(value, dict) else value
            for key in ("bos_token", "eos_token", "pad_token", "unk_token")
            if (value := settings.get(key)) is not None
        }
        eos_ids = _eos_ids(folder, backend, special.get("eos_token"))
        return cls(backend, eos_ids, _chat_template(folder, settings), special)

    @property
    def vocab_size(self) -> int:
        """Ids the tokenizer knows; a model's embedding may be padded to more."""
        return self.backend.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """The ids of ``text``, with whatever start mark the model's tokenizer adds to a prompt."""
        ids: list[int] = self.backend.encode(text).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``, marks such as the end of a turn left out."""
        text: str = self.backend.decode(list(ids), skip_special_tokens=True)
        return text

    def encode_chat(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """The ids of a chat (``role`` and ``content`` each), ready for the model's reply."""
        ids: list[int] = self.backend.encode(
            self.render_chat(messages), add_special_tokens=False
        ).ids
        return ids

    def render_chat(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The chat as the text the model was trained on, up to where its reply begins."""
        if self.chat_template is None:
            raise ValueError(
                "this tokenizer has no chat template: encode a plain prompt, or add "
                "chat_template.jinja to the checkpoint folder"
            )
        return _render(self.chat_template, messages, self._special)

    def stream(self) -> "TextStream":
        """A fresh stream that turns ids into text as they come."""
        return TextStream(self)


class TextStream:
    """Ids in, text out, as soon as it is final: the pieces joined equal ``decode`` of all ids.

    A character may be spread over several tokens, so text is held back while it ends in bytes that
    don't make a character yet; ``finish`` hands over what is left.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._context: list[int] = []  # given out already, kept because decoders look to the left
        self._waiting: list[int] = []

    def push(self, token: int) -> str:
        """The text that ``token`` completes, often its own, sometimes none."""
        self._waiting.append(token)
        text = self._pending()
        if text.endswith(_UNFINISHED) or not text:
            return ""
        self._context, self._waiting = self._waiting, []
        return text

    def finish(self) -> str:
        """What was held back; the stream is empty afterwards."""
        text = self._pending()
        self._context, self._waiting = [], []
        return text

    def _pending(self) -> str:
        decode = self._tokenizer.decode
        return decode(self._context + self._waiting)[len(decode(self._context)) :]


def _eos_ids(folder: Path, backend: Backend, eos_token: str | None) -> list[int]:
    """End ids: what a checkpoint says about generating, else about the model, else its mark."""
    for name in ("generation_config.json", "config.json"):
        path = folder / name
        found = read_json(path).get("eos_token_id") if path.exists() else None
        if found is not None:
            return list(found) if isinstance(found, list) else [int(found)]
    token = backend.token_to_id(eos_token) if eos_token is not None else None
    return [] if token is None else [token]


def _chat_template(folder: Path, settings: Mapping[str, Any]) -> str | None:
    """A checkpoint's chat template, in a file of its own or among the tokenizer's settings."""
    path = folder / "chat_template.jinja"
    if path.exists():
        return path.read_text(encoding="utf-8")
    stored = settings.get("chat_template")
    if isinstance(stored, list):  # several, by name
        stored = {entry["name"]: entry["template"] for entry in stored}.get("default")
    return stored


def _render(
    template: str, messages: Sequence[Mapping[str, str]], special: Mapping[str, str]
) -> str:
    """Run a template in a sandbox: it is code that came with somebody's checkpoint."""
    sandbox = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    sandbox.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    sandbox.globals["raise_exception"] = _refuse
    sandbox.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    messages = [dict(message) for message in messages]
    try:
        return sandbox.from_string(template).render(
            messages=messages, add_generation_prompt=True, **special
        )
    except jinja2.TemplateError as error:
        raise ValueError(
            f"the model's chat template can't render these messages: {error}"
        ) from error


def _refuse(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)
