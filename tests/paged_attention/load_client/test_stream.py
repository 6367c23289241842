"""Server-sent events: any cutting of the bytes gives the same events."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paged_attention.load_client.answer import Outcome, Reader
from paged_attention.load_client.stream import EventStream

PARTS = [
    "data: a",
    "data:b",
    "data:  c",
    ": ping",
    "event: x",
    "data",
    "é🙂",
    "",
    "\n",
    "\r\n",
    "\r",
]
ANSWER = (
    'data: {"choices": [{"delta": {"role": "assistant", "content": ""}}]}\r\n\r\n'
    ": ping\n\n"
    'data: {"choices": [{"delta": {"content": "Zürich 🙂"}}]}\n\n'
    'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'
    'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}\n\n'
    "data: [DONE]\n\n"
).encode()


def events(pieces: list[bytes]) -> list[str]:
    stream = EventStream()
    return [event for piece in pieces for event in stream.feed(piece)] + stream.end()


def cut(raw: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(raw) + 1) for place in places), len(raw)]
    return [raw[a:b] for a, b in pairwise(edges)]


@settings(max_examples=80)
@given(st.lists(st.sampled_from(PARTS), max_size=20), st.lists(st.integers(0, 200), max_size=8))
def test_any_cut_gives_the_same_events(parts: list[str], places: list[int]) -> None:
    raw = "".join(parts).encode()
    whole = events([raw])
    assert events(cut(raw, places)) == whole
    assert events([bytes([byte]) for byte in raw]) == whole


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_line_end_the_standard_names(end: str) -> None:
    raw = end.join(["data: one", "", ": a comment", "", "data: two", "data: lines", "", ""])
    assert events([raw.encode()]) == ["one", "two\nlines"]


@pytest.mark.parametrize(
    ("raw", "right"),
    [
        (b"data: [DONE]", ["[DONE]"]),  # no empty line follows: some servers end so
        (b"data: [DONE]\r", ["[DONE]"]),
        ("\ufeffdata: x\n\n".encode(), ["x"]),
        (b"data:x\n\n", ["x"]),
        (b"data:   x\n\n", ["  x"]),
        (b"data: \xff\n\n", ["\ufffd"]),
        (b"event: ping\n\n", []),
        (b"", []),
    ],
)
def test_odd_but_allowed(raw: bytes, right: list[str]) -> None:
    assert events([raw]) == right


def test_an_event_comes_with_the_bytes_that_complete_it() -> None:
    stream = EventStream()
    assert stream.feed(b"data: x\r") == []
    assert stream.feed(b"\n\r") == ["x"]
    assert stream.feed(b"\ndata: y\n\n") == ["y"]


def read(pieces: list[bytes]) -> Outcome:
    outcome = Outcome(0.0)
    reader = Reader(outcome)
    for number, piece in enumerate(pieces):
        reader.feed(piece, float(number))
    reader.end(float(len(pieces)))
    return outcome


@settings(max_examples=40)
@given(st.lists(st.integers(0, len(ANSWER)), max_size=8))
def test_any_cut_gives_the_same_answer(places: list[int]) -> None:
    one = read(cut(ANSWER, places))
    assert (one.text, one.finish, one.answer_tokens, one.error) == ("Zürich 🙂", "stop", 2, None)
    assert len(one.texts_at) == 1 < len(one.chunks_at)


def piece(found: object) -> bytes:
    return f"data: {json.dumps(found)}\n\n".encode()


TEXT = piece({"choices": [{"text": "a"}]})
END = piece({"choices": [{"text": "", "finish_reason": "length"}]})
DONE = b"data: [DONE]\n\n"


def test_times_are_of_text_alone() -> None:
    role = piece({"choices": [{"delta": {"role": "assistant", "content": ""}}]})
    said = piece({"choices": [{"delta": {"content": "a"}}]})
    one = read([role, said, b": ping\n\n", said, END, DONE])
    assert one.texts_at == [1.0, 3.0]
    assert one.ttft == 1.0
    assert one.gaps == [2.0]
    assert one.latency == 3.0
    assert one.chunks_at == [0.0, 1.0, 3.0, 4.0]


def test_thoughts_are_tokens() -> None:
    one = read([piece({"choices": [{"delta": {"reasoning_content": "hm", "content": None}}]}), END])
    assert one.text == "hm"


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([TEXT, piece({"error": {"message": "out of memory", "code": 500}})], "out of memory"),
        ([TEXT, piece({"error": "plain words"}), END, DONE], "plain words"),
        ([TEXT], "no finish_reason"),
        ([], "no finish_reason"),
        ([b"data: oops\n\n", END, DONE], "no JSON"),
        ([b"data: [1]\n\n"], "no JSON object"),
    ],
)
def test_what_is_a_failure(pieces: list[bytes], words: str) -> None:
    one = read(pieces)
    assert not one.answered
    assert words in str(one.error)


def test_done_without_a_reason_is_an_end() -> None:
    one = read([TEXT, DONE, piece({"choices": [{"text": "after the end"}]})])
    assert one.answered
    assert (one.finish, one.text) == ("unknown", "a")


def test_tokens_come_from_usage_and_else_from_pieces() -> None:
    counted = piece({"choices": [], "usage": {"completion_tokens": 7, "prompt_tokens": 2}})
    assert read([TEXT, TEXT, END, counted, DONE]).tokens == 7
    without = read([TEXT, TEXT, END, DONE])
    assert (without.tokens, without.answer_tokens, without.per_token) == (2, None, None)
    running = piece({"choices": [{"text": "b"}], "usage": {"completion_tokens": 1}})
    assert read([running, END, counted]).tokens == 7


def test_time_per_token_is_by_the_servers_count() -> None:
    """A piece may hold several tokens: two pieces, five tokens, four gaps in one second."""
    counted = piece({"choices": [], "usage": {"completion_tokens": 5}})
    assert read([TEXT, TEXT, END, counted]).per_token == 0.25
