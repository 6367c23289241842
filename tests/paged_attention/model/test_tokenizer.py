"""Text survives the way to ids and back, whole and in a stream."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Backend
from tokenizers import decoders, models

from paged_attention.model.checkpoint import CheckpointError
from paged_attention.model.tiny import tiny_tokenizer
from paged_attention.model.tokenizer import Tokenizer

TINY = tiny_tokenizer()


def streamed(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    stream = tokenizer.stream()
    return [stream.push(token) for token in ids] + [stream.finish()]


@given(st.text())
def test_every_text_comes_back(text: str) -> None:
    ids = TINY.encode(text)
    assert TINY.decode(ids) == text
    assert "".join(streamed(TINY, ids)) == text


@given(st.lists(st.integers(0, TINY.vocab_size - 1), max_size=60))
def test_a_stream_says_what_decode_says_for_any_ids(ids: list[int]) -> None:
    assert "".join(streamed(TINY, ids)) == TINY.decode(ids)


def test_a_character_of_several_tokens_comes_out_whole() -> None:
    pieces = streamed(TINY, TINY.encode("a日é"))
    assert pieces == ["a", "", "", "日", "", "é", ""]


def test_what_never_becomes_a_character_is_handed_over_at_the_end() -> None:
    ids = TINY.encode("日")[:2]
    assert streamed(TINY, ids) == ["", "", "\ufffd"]


def test_marks_are_encoded_whole_and_left_out_of_the_text() -> None:
    ids = TINY.encode("hi<|im_end|>")
    assert len(ids) == 3
    assert ids[-1] in TINY.eos_ids
    assert TINY.decode(ids) == "hi"
    assert streamed(TINY, ids) == ["h", "i", "", ""]


def test_a_chat_ends_where_the_reply_begins() -> None:
    text = TINY.render_chat([{"role": "user", "content": "Hello"}])
    assert text == "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    assert TINY.encode_chat([{"role": "user", "content": "Hello"}]) == TINY.encode(text)


def write(folder: Path, settings: dict[str, object], **files: object) -> Tokenizer:
    """A tokenizer read from a folder with these settings."""
    TINY.backend.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return Tokenizer.from_folder(folder)


def test_ends_come_from_the_most_specific_file_and_the_tokenizer_s_mark(tmp_path: Path) -> None:
    """Blaizzy/mlx-vlm#2112: generation_config.json alone misses the end of a turn."""
    settings = {"eos_token": {"content": "<|endoftext|>"}}
    assert write(tmp_path, settings).eos_ids == {0}
    assert write(tmp_path, settings, config={"eos_token_id": 1}).eos_ids == {0, 1}
    both = write(tmp_path, settings, generation_config={"eos_token_id": [3, 2]})
    assert both.eos_ids == {0, 2, 3}
    assert write(tmp_path, {}, generation_config={"eos_token_id": None}).eos_ids == {1}
    assert write(tmp_path, {"eos_token": "no such token"}).eos_ids == {1}
    assert write(tmp_path, {}, generation_config={"eos_token_id": []}).eos_ids == set()


@pytest.mark.parametrize("ends", ["2", [1, "2"], True, -1, 2.0, [[2]], {"id": 2}], ids=str)
def test_an_end_that_is_no_token_id_is_refused(tmp_path: Path, ends: object) -> None:
    with pytest.raises(CheckpointError, match=r"eos_token_id in generation_config\.json is"):
        write(tmp_path, {}, generation_config={"eos_token_id": ends})


def test_a_template_may_be_among_the_settings_or_in_its_own_file(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "x"}]
    one = write(
        tmp_path, {"chat_template": "{{ bos_token }}{{ messages[0]['content'] }}", "bos_token": "B"}
    )
    assert one.render_chat(messages) == "Bx"
    named = [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "yes"}]
    assert write(tmp_path, {"chat_template": named}).render_chat(messages) == "yes"
    (tmp_path / "chat_template.jinja").write_text("{{ messages | tojson }}")
    own = Tokenizer.from_folder(tmp_path)
    assert json.loads(own.render_chat(messages)) == messages


@pytest.mark.parametrize(
    ("template", "fragment"),
    [
        ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("{% for %}", "can't render"),
        ("{{ messages.__class__.__mro__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "unsafe"),
    ],
)
def test_a_template_that_fails_or_reaches_out_is_refused(template: str, fragment: str) -> None:
    tokenizer = Tokenizer(TINY.backend, chat_template=template)
    with pytest.raises(ValueError, match=fragment):
        tokenizer.render_chat([{"role": "user", "content": "x"}])


def test_without_a_template_the_way_out_is_named() -> None:
    with pytest.raises(ValueError, match="plain prompt"):
        Tokenizer(TINY.backend).render_chat([])


def test_a_prompt_is_never_cut_or_filled_up(tmp_path: Path) -> None:
    backend = tiny_tokenizer().backend
    backend.enable_truncation(4)
    backend.enable_padding(length=8)
    backend.save(str(tmp_path / "tokenizer.json"))
    tokenizer = Tokenizer.from_folder(tmp_path)
    assert [len(tokenizer.encode(text)) for text in ("a", "a longer text")] == [1, 13]


def test_word_pieces_stream_with_their_spaces() -> None:
    words = {"<s>": 0, "▁": 1, "▁Hello": 2, "▁world": 3, "!": 4}
    backend = Backend(models.WordLevel(words, unk_token="<s>"))
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    backend.add_special_tokens(["<s>"])
    tokenizer = Tokenizer(backend)
    assert streamed(tokenizer, [0, 2, 3, 0, 4]) == ["", "Hello", " world", "", "!", ""]
    assert tokenizer.decode([0, 2, 3, 0, 4]) == "Hello world!"


def test_a_missing_or_foreign_tokenizer_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"tokenizer\.json is missing"):
        Tokenizer.from_folder(tmp_path)
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "abacus"}}')
    with pytest.raises(CheckpointError, match="no tokenizer this version can read"):
        Tokenizer.from_folder(tmp_path)
