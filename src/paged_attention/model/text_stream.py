"""Ids in, text out as they come, without splitting a character or changing a word later."""

import codecs
import re
from collections.abc import Callable, Sequence

from tokenizers import Tokenizer as Backend

UNFINISHED = "\ufffd"  # what decoders put where bytes don't make a character (yet)
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_REMEMBERED = 4  # tokens: no character has more bytes


class TextStream:
    """Ids in, text out, as soon as it is final: the pieces joined equal ``decode`` of all ids.

    A character may be spread over several tokens, so what ends in bytes that don't make a
    character yet waits for the next one. Where a vocabulary falls back to single bytes, one byte
    too many turns a whole row of them into marks, so a row waits until it ends or is broken.
    ``finish`` hands over what is left.
    """

    def __init__(self, backend: Backend, decode: Callable[[Sequence[int]], str]) -> None:
        self._backend, self._decode = backend, decode
        added = backend.get_added_tokens_decoder()
        self._marks = frozenset(token for token, mark in added.items() if mark.special)
        decoder = backend.decoder
        self._falls_back = decoder is not None and b"ByteFallback" in decoder.__getstate__()
        self._broken = False  # the row of bytes that is being pushed can't become text any more
        self._characters = _strict()
        self._clear()

    def _clear(self) -> None:
        self._context: list[int] = []  # given out already, kept because decoders look to the left
        self._waiting: list[int] = []
        self._given = 0  # characters of the waiting tokens' text that were handed over
        self._end_row()

    def push(self, token: int) -> str:
        """The text that ``token`` completes, often its own, sometimes none."""
        if token in self._marks:
            return ""  # ``decode`` leaves it out, too
        self._waiting.append(token)
        byte = self._byte(token)
        if byte is not None:
            return self._more_of_row(byte)
        self._end_row()
        text = self._text()
        final = text.removesuffix(UNFINISHED)
        piece, self._given = final[self._given :], len(final)
        if final == text:
            self._context, self._waiting, self._given = self._waiting[-_REMEMBERED:], [], 0
        elif len(self._waiting) > 2 * _REMEMBERED:
            self._forget()
        return piece

    def finish(self) -> str:
        """What was held back; the stream is empty afterwards."""
        text = self._text()[self._given :]
        self._clear()
        return text

    def _text(self) -> str:
        before = len(self._decode(self._context))
        return self._decode(self._context + self._waiting)[before:]

    def _forget(self) -> None:
        """Keep the last tokens alone: bytes that make no character must not pile up."""
        tail = self._waiting[-2 * _REMEMBERED :]
        self._context, self._waiting = tail[:_REMEMBERED], tail[_REMEMBERED:]
        self._given = len(self._text()) - len(UNFINISHED)

    def _byte(self, token: int) -> bytes | None:
        """The byte that a token of a byte fallback stands for."""
        if not self._falls_back:
            return None
        found = _BYTE.fullmatch(self._backend.id_to_token(token) or "")
        return bytes.fromhex(found[1]) if found else None

    def _more_of_row(self, byte: bytes) -> str:
        """Nothing while the row may still be text; one mark for each byte once it can't be."""
        if not self._broken:
            try:
                self._characters.decode(byte)
                return ""
            except UnicodeDecodeError:
                self._broken = True
                piece = self._text()[self._given :]
                self._given += len(piece)
                return piece
        self._given += 1
        return UNFINISHED

    def _end_row(self) -> None:
        self._broken = False
        self._characters = _strict()


def _strict() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")("strict")
