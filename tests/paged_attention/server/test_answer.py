"""An answer's text, however its tokens cut it: what leaves is final and holds no stop string."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from paged_attention.server.answer import Answer, Delta
from paged_attention.serving.request import NewToken, TokenLogprobs


class Pieces:
    """A stream whose token ``i`` is the ``i``-th piece of a text; ``tail`` waits for its end."""

    def __init__(self, pieces: list[str], tail: str = "") -> None:
        self.pieces, self.tail = pieces, tail

    def push(self, token: int) -> str:
        return self.pieces[token]

    def finish(self) -> str:
        return self.tail


def said(pieces: list[str], stops: list[str], tail: str = "", ends: bool = False) -> list[Delta]:
    """All deltas of an answer; with ``ends`` one token more, which is the end of the text."""
    answer, deltas = Answer(Pieces(pieces, tail), stops, frozenset({-1})), []
    tokens = [*range(len(pieces)), *[-1] * ends]
    for nth, token in enumerate(tokens):
        last = nth == len(tokens) - 1
        finish = ("stop" if ends else "length") if last else None
        seen = TokenLogprobs(token, -1.0, [])
        deltas.append(answer.say(NewToken("r", nth, token, finish), seen))
        if answer.finish:
            break
    return deltas


def cut(text: str, stops: list[str]) -> str | None:
    """``text`` up to the stop string that is complete first; read character by character."""
    for end in range(1, len(text) + 1):
        found = [end - len(stop) for stop in stops if text[:end].endswith(stop)]
        if found:
            return text[: min(found)]
    return None


WORD = st.text("ab", min_size=1, max_size=3)


@settings(max_examples=60)
@example(["a", "ba", "b"], ["aba", "b"], "", False)
@given(st.lists(st.text("ab", max_size=3), min_size=1, max_size=9), st.lists(WORD, max_size=3),
       st.text("ab", max_size=2), st.booleans())  # fmt: skip
def test_the_text_is_the_same_however_it_is_cut(
    pieces: list[str], stops: list[str], tail: str, ends: bool
) -> None:
    deltas = said(pieces, stops, tail, ends)
    whole = "".join(pieces) + tail
    right = cut(whole, stops)
    text = "".join(delta.text for delta in deltas)
    assert text == (whole if right is None else right)
    finishes = [delta.finish for delta in deltas]
    assert finishes[:-1] == [None] * (len(deltas) - 1)
    assert finishes[-1] == ("stop" if right is not None or ends else "length")
    entries = [entry for delta in deltas for entry in delta.entries]
    tokens = [*range(len(pieces)), *[-1] * ends]
    assert [entry.logprobs.token for entry in entries] == tokens[: len(deltas)]
    assert sum(delta.said for delta in deltas) == len(deltas)
    offsets = [entry.offset for entry in entries]
    assert offsets == sorted(offsets)
    assert offsets[-1] <= len(text)


def test_nothing_is_held_back_that_cannot_become_a_stop() -> None:
    deltas = said(["a", "b", "x", "ab"], ["abc", "zz"])
    assert [delta.text for delta in deltas] == ["", "", "abx", "ab"]
    assert [len(delta.entries) for delta in deltas] == [0, 0, 3, 1]


def test_a_failed_token_ends_with_an_error() -> None:
    answer = Answer(Pieces(["a"]))
    answer.say(NewToken("r", 0, 0, None))
    assert answer.say(NewToken("r", 1, None, "error")).finish == "error"
