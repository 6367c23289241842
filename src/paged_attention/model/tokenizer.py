"""Text to token ids and back; streams text without splitting a character."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as Backend

from paged_attention.model.chat import ChatTemplate, Message, render
from paged_attention.model.checkpoint import CheckpointError, read_json
from paged_attention.model.text_stream import TextStream
from paged_attention.model.tokenizer_files import (
    add_tokens,
    chat_template,
    end_ids,
    read_settings,
    special_tokens,
)


class Tokenizer:
    """Encodes, decodes and renders chats; ``eos_ids`` are the ids after which a reply is over."""

    def __init__(
        self,
        backend: Backend,
        eos_ids: Iterable[int] = (),
        chat_template: ChatTemplate | None = None,
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
        settings = read_settings(folder)
        add_tokens(backend, folder, settings)
        special = special_tokens(settings)
        ends = end_ids(folder, backend, special.get("eos_token"))
        return cls(backend, ends, chat_template(folder, settings), special)

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

    def encode_chat(self, messages: Sequence[Message], **variables: Any) -> list[int]:
        """The ids of a chat (``role`` and ``content`` each), ready for the model's reply."""
        ids: list[int] = self.backend.encode(
            self.render_chat(messages, **variables), add_special_tokens=False
        ).ids
        return ids

    def render_chat(self, messages: Sequence[Message], **variables: Any) -> str:
        """The chat as the text the model was trained on, up to where its reply begins.

        ``variables`` are for the template: ``tools``, ``documents``, ``enable_thinking`` …
        """
        if self.chat_template is None:
            raise ValueError(
                "this tokenizer has no chat template: encode a plain prompt, or add "
                "chat_template.jinja to the checkpoint folder"
            )
        return render(self.chat_template, messages, self._special, variables)

    def stream(self) -> "TextStream":
        """A fresh stream that turns ids into text as they come."""
        return TextStream(self.backend, self.decode)
