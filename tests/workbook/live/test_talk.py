"""A conversation: streamed, stopped, failed, begun anew."""

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from helpers.openai_stub import Stub, chat, event, serving
from helpers.waiting import until

from workbook.live.line import Line
from workbook.live.talk import Talk


class Heard:
    """What a page would have shown, and a way to wait for it."""

    def __init__(self, talk: Talk) -> None:
        self.changes: list[Mapping[str, Any]] = []
        self.saying = threading.Event()
        talk.told = self

    def __call__(self, changed: Mapping[str, Any]) -> None:
        self.changes.append(dict(changed))
        if changed.get("said"):
            self.saying.set()


def say(talk: Talk, text: str) -> None:
    thread = talk.send(text)
    assert thread
    thread.join(120)
    assert not thread.is_alive()


def test_answers_are_streamed_and_the_conversation_goes_on() -> None:
    with serving(Stub(pieces=chat(["Hel", "lo"]))) as stub:
        talk = Talk(Line(stub.url, "secret", max_tokens=9, system="Be brief."))
        heard = Heard(talk)
        say(talk, "Hi")
        assert talk.messages == (("user", "Hi"), ("assistant", "Hello"))
        assert talk.note.startswith("2 tokens, the first after ")
        say(talk, "More")
        first, second = stub.asked
        assert first == {
            "model": "stub",
            "max_tokens": 9,
            "stream": True,
            "stream_options": {"include_usage": True},
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hi"},
            ],
        }
        assert [m["role"] for m in second["messages"]] == ["system", "user", "assistant", "user"]
        assert stub.keys == ["Bearer secret"] * 2
    assert heard.changes[0]["data"]["state"] == "answering"
    assert any(change.get("said", "").startswith("Hel") for change in heard.changes)
    assert heard.changes[-1]["data"]["state"] == "ready"


def test_only_one_answer_at_a_time_and_nothing_for_nothing() -> None:
    with serving(Stub(pieces=chat(["a"] * 5000), delay=0.02)) as stub:
        talk = Talk(Line(stub.url, model="stub"))
        heard = Heard(talk)
        assert talk.send(" \n") is None
        thread = talk.send("one")
        assert heard.saying.wait(120)
        assert talk.send("two") is None
        talk.stop()
        assert thread
        thread.join(120)
        assert [role for role, _ in talk.messages] == ["user", "assistant"]
        assert set(talk.messages[1][1]) == {"a"}
        assert talk.note.startswith("Stopped")
        until(lambda: stub.left == 1)  # the server hears of it with its next piece
        say_again = talk.send("three")
        assert say_again
        talk.stop()
        say_again.join(120)


def test_a_fresh_start_forgets_also_what_is_under_way() -> None:
    with serving(Stub(pieces=chat(["a"] * 5000), delay=0.02)) as stub:
        talk = Talk(Line(stub.url))
        heard = Heard(talk)
        thread = talk.send("one")
        assert heard.saying.wait(120)
        talk.fresh()
        assert thread
        thread.join(120)
    assert talk.messages == ()
    assert (talk.note, talk.draft) == ("", "")
    talk.fresh()
    assert heard.changes[-1]["data"] == {"v": 1, "panel": "chat", "messages": [], "state": "ready"}


@pytest.mark.parametrize(
    ("stub", "words"),
    [
        (Stub(status=503, body=b'{"error": {"message": "draining"}}'), "status 503: draining."),
        (Stub(models={"data": [{"id": "a"}, {"id": "b"}]}), "a, b: say which"),
        (Stub(models={"data": []}), "the server lists none"),
        (Stub(pieces=[event({"error": {"message": "engine died"}})]), "engine died."),
        (Stub(pieces=chat([])[:1], hang_up=True), "No answer: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nothing_came_and_the_message_is_back(stub: Stub, words: str) -> None:
    with serving(stub):
        talk = Talk(Line(stub.url))
        say(talk, "Hi")
    assert words in talk.note
    assert (talk.draft, talk.messages) == ("Hi", ())


def test_a_server_that_goes_away_and_comes_back() -> None:
    stub = Stub(pieces=chat(["Hello"]))
    with serving(stub):
        talk = Talk(Line(stub.url))
        say(talk, "Hi")
    say(talk, "Still there?")
    assert talk.note.startswith("No answer: nothing listens there")
    assert len(talk.messages) == 2
    with serving(stub):
        talk._line.base = f"{stub.url}/v1"
        say(talk, "Now?")
    assert [text for _, text in talk.messages] == ["Hi", "Hello", "Now?", "Hello"]


def test_what_was_said_before_it_broke_stays() -> None:
    with serving(Stub(pieces=chat(["Hel", "lo"])[:2], hang_up=True)) as stub:
        talk = Talk(Line(stub.url))
        say(talk, "Hi")
    assert talk.messages == (("user", "Hi"), ("assistant", "Hel"))
    assert talk.note.startswith("The answer broke off: ")
