"""Each token's own bytes: joined, they are the text's."""

from hypothesis import given, settings
from hypothesis import strategies as st

from paged_attention.model.tiny import tiny_tokenizer
from paged_attention.model.token_bytes import TokenBytes
from paged_attention.model.tokenizer import Tokenizer

TINY = tiny_tokenizer()
BYTES = TokenBytes(TINY.backend)


@settings(max_examples=15)
@given(st.text(max_size=20))
def test_the_bytes_of_all_tokens_are_the_texts(text: str) -> None:
    ids = TINY.encode(text)
    assert b"".join(BYTES.of(token) or b"" for token in ids) == text.encode()


def test_every_token_of_a_vocabulary_has_a_name_of_its_own() -> None:
    names = [BYTES.name(token) for token in range(TINY.vocab_size)]
    assert len(set(names)) == len(names)
    assert BYTES.of(1) is None
    assert BYTES.name(1) == "<|im_start|>"
    assert BYTES.name(TINY.encode("é")[0]) == r"bytes:\xc3"
    assert BYTES.of(10**6) == b""


def test_a_vocabulary_that_falls_back_to_bytes() -> None:
    from tokenizers import AddedToken, models
    from tokenizers import Tokenizer as Backend

    words = {"<0xF0>": 0, "▁a": 1, "<s>": 2, "<tag>": 3}
    backend = Backend(models.BPE(vocab=words, merges=[], byte_fallback=True))
    backend.add_special_tokens([AddedToken("<s>", special=True)])
    backend.add_tokens([AddedToken("<tag>", special=False)])
    found = TokenBytes(Tokenizer(backend).backend)
    assert [found.of(token) for token in range(4)] == [b"\xf0", b" a", None, b"<tag>"]
