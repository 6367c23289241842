"""What a stream says is what ``decode`` says, for any ids, and it never stalls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, decoders, models
from tokenizers import Tokenizer as Backend

from paged_attention.model.tiny import tiny_tokenizer
from paged_attention.model.tokenizer import Tokenizer


def with_byte_fallback() -> Tokenizer:
    """As Llama 2's: one token for each byte, words with ▁ for a space, and marks."""
    vocabulary = {f"<0x{i:02X}>": i for i in range(256)}
    vocabulary |= {"x": 256, "▁a": 257, "▁": 258, "é": 259, "<s>": 260}
    backend = Backend(models.BPE(vocab=vocabulary, merges=[], byte_fallback=True))
    backend.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    backend.add_special_tokens([AddedToken("<s>", special=True)])
    return Tokenizer(backend)


FALLBACK, BYTES = with_byte_fallback(), tiny_tokenizer()


def pieces(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    stream = tokenizer.stream()
    return [*map(stream.push, ids), stream.finish()]


# Mostly bytes of characters of two to four, so that whole, cut and broken ones are all met.
LIKELY = st.sampled_from([*"你é😀".encode(), 0x41, 0xFF, 0xC0])


@given(st.lists(LIKELY | st.integers(0, 260), max_size=40))
def test_rows_of_single_bytes(ids: list[int]) -> None:
    """sgl-project/sglang#31598: byte tokens cut short."""
    assert "".join(pieces(FALLBACK, ids)) == FALLBACK.decode(ids)


@given(st.lists(LIKELY.map(lambda byte: BYTES.encode("a")[0] + byte - 97) | st.integers(0, 258)))
def test_any_bytes_of_a_byte_level_vocabulary(ids: list[int]) -> None:
    ids = [token % BYTES.vocab_size for token in ids]
    assert "".join(pieces(BYTES, ids)) == BYTES.decode(ids)


@given(st.text())
def test_text(text: str) -> None:
    assert "".join(pieces(BYTES, BYTES.encode(text))) == text
    ids = list(text.encode())
    assert "".join(pieces(FALLBACK, ids)) == FALLBACK.decode(ids)


@pytest.mark.parametrize("tokenizer", [BYTES, FALLBACK], ids=["byte level", "byte fallback"])
def test_bytes_that_never_make_a_character_come_out(tokenizer: Tokenizer) -> None:
    """A reply of broken bytes is shown as it comes, and each token costs the same."""
    bad = next(i for i in range(256) if tokenizer.decode([i, i]) == "\ufffd\ufffd")
    stream = tokenizer.stream()
    said = [stream.push(bad) for _ in range(200)]
    assert "".join(said[:10]).count("\ufffd") >= 8
    assert "".join([*said, stream.finish()]) == tokenizer.decode([bad] * 200)


def test_a_step_decodes_few_tokens() -> None:
    seen: list[int] = []
    tokenizer = tiny_tokenizer()
    plain = tokenizer.decode
    tokenizer.decode = lambda ids: (seen.append(len(ids)), plain(ids))[1]  # type: ignore[method-assign, func-returns-value]
    bad = next(i for i in range(256) if plain([i, i]) == "\ufffd\ufffd")
    stream = tokenizer.stream()
    for token in [bad] * 100 + tokenizer.encode("plain text" * 20):
        stream.push(token)
    assert max(seen) <= 16


def test_a_row_of_bytes_waits_until_it_ends_or_is_broken() -> None:
    whole = [*"你".encode()]
    assert pieces(FALLBACK, [256, *whole, 256]) == ["x", "", "", "", "你x", ""]
    broken = pieces(FALLBACK, [*whole, 0xFF, 0x41, 256])
    assert broken == ["", "", "", "\ufffd" * 4, "\ufffd", "x", ""]
    assert pieces(FALLBACK, [*whole, 260, 0x41]) == ["", "", "", "", "", "你A"]  # a mark between


def test_a_stream_is_empty_after_its_end() -> None:
    stream = FALLBACK.stream()
    stream.push(0xE4)
    assert stream.finish() == "\ufffd"
    assert [stream.push(256), stream.finish()] == ["x", ""]
