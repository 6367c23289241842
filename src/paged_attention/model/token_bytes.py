"""The bytes that single tokens stand for: of a character spread over tokens each has a part."""

import re

from tokenizers import Tokenizer as Backend

_FALLBACK = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SPACE = "\u2581"  # stands for a space in SentencePiece's vocabularies


class TokenBytes:
    """Looks up tokens of one vocabulary; a byte-level one, or one that falls back to bytes."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        added = backend.get_added_tokens_decoder()
        self._marks = {token: mark.content for token, mark in added.items() if mark.special}
        self._words = {token: mark.content for token, mark in added.items() if not mark.special}
        decoder = backend.decoder
        kind = b"" if decoder is None else decoder.__getstate__()
        self._alphabet = _byte_level() if b"ByteLevel" in kind else {}

    def of(self, token: int) -> bytes | None:
        """The bytes of ``token``; ``None`` for a mark such as the end of a turn, which is no text.

        An id that the vocabulary doesn't know stands for no bytes.
        """
        if token in self._marks:
            return None
        if token in self._words:
            return self._words[token].encode()
        text = self._backend.id_to_token(token) or ""
        if self._alphabet:
            parts = (self._alphabet.get(char) for char in text)
            return b"".join(
                char.encode() if part is None else part
                for char, part in zip(text, parts, strict=True)
            )
        byte = _FALLBACK.fullmatch(text)
        return bytes.fromhex(byte[1]) if byte else text.replace(_SPACE, " ").encode()

    def name(self, token: int) -> str:
        r"""``token`` in print, another one for each: its text; a mark as it is written; a part of a
        character as ``bytes:\xf0\x9f``.
        """
        content = self.of(token)
        if content is None:
            return self._marks[token]
        try:
            return content.decode()
        except UnicodeDecodeError:
            return "bytes:" + "".join(f"\\x{byte:02x}" for byte in content)


def _byte_level() -> dict[str, bytes]:
    """GPT-2's alphabet: printable bytes stand for themselves, the others for U+0100 and up."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in plain)
    alphabet = {chr(byte): bytes([byte]) for byte in plain}
    return alphabet | {chr(256 + nth): bytes([byte]) for nth, byte in enumerate(others)}
