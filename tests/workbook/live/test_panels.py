"""What board and chat leave in a notebook, and what their widgets do with a page's messages."""

import base64
import re
from typing import Any

import pytest
from helpers.openai_stub import VLLM, Stub, serving
from helpers.openai_stub import chat as said
from helpers.waiting import until

from workbook.live import board, chat
from workbook.live.panel import MIME, Panel, module, style

KINDS = {MIME, "text/html", "text/plain"}


def svg(panel: Panel) -> str:
    found = re.search(r"base64,([^\"]+)", panel._repr_mimebundle_()["text/html"])
    assert found
    return base64.b64decode(found[1]).decode()


def test_a_board_keeps_how_the_server_stood() -> None:
    with serving(Stub(metrics=VLLM)) as stub:
        first, again = board(stub.url), board(f"{stub.url}/v1", every=0.5)
    assert set(first._repr_mimebundle_()) == KINDS
    assert first._repr_mimebundle_() == again._repr_mimebundle_()
    assert str(first).splitlines()[:-1] == [
        "3 running, 1 waiting, 2 preempted",
        "blocks: 29 of 64 held",
    ]
    assert re.fullmatch(
        r"tokens: 900 of prompts, 558 found, 1,184 said; sha256 [0-9a-f]{12}",
        str(first).splitlines()[-1],
    )
    assert "29 of 64 held" in svg(first)
    assert stub.url not in str(first._repr_mimebundle_()[MIME]) + svg(first)


def test_a_board_without_a_server() -> None:
    nobody = board("http://127.0.0.1:9")
    assert str(nobody).startswith("No server answered when this cell ran")
    assert "No server" in svg(nobody)
    with pytest.raises(ValueError, match="every so many seconds"):
        board("http://127.0.0.1:9", every=0)


def test_a_chat_keeps_what_was_said() -> None:
    with serving(Stub(pieces=said(["A list <of>", "\nblocks."]))) as stub:
        panel = chat(stub.url, first="What is a table?", max_tokens=5)
        assert set(panel._repr_mimebundle_()) == KINDS
        first, second = str(panel).splitlines()
        assert first == "You: What is a table?"
        assert second.startswith("Model: A list <of> blocks; sha256 ")
        assert panel.data["messages"][1] == ["assistant", "A list <of>\nblocks."]
        assert "&lt;of&gt;" in svg(panel)
        assert stub.asked[0]["temperature"] == 0.0
        with pytest.raises(ValueError, match="empty first message"):
            chat(stub.url, first=" ")
    silent = chat("http://127.0.0.1:9")
    assert str(silent).startswith("Nothing was said")
    assert repr([silent]) == "[<Chat with the server: Nothing was said when this cell ran>]"


def test_a_board_looks_while_it_is_shown() -> None:
    with serving(Stub(metrics=VLLM)) as stub:
        live: Any = board(stub.url, every=60).make()
        watch = live._watch
        assert not watch.running
        for call, running in [
            ("seen", True),
            ("seen", True),
            ("gone", True),
            ("gone", False),
            ("gone", False),
            ("resume", True),
            ("pause", False),
            ("dance", False),
            ("seen", True),
        ]:
            live._hear(live, {"call": call}, [])
            assert watch.running == live.watching == running, call
        live.close()
        assert not watch.running
        live._show(watch.look())
        assert live.data["panel"] == "board"
        assert live.data["held"] == 29


def test_a_chats_buttons() -> None:
    with serving(Stub(pieces=said(["Hello"]))) as stub:
        live: Any = chat(stub.url).make()
        live._hear(live, {"call": "send", "text": "Hi"}, [])
        live._hear(live, {"call": "stop"}, [])
        live._hear(live, {"call": "send"}, [])
        until(lambda: live.data["state"] == "ready")
        live._hear(live, {"call": "fresh"}, [])
        assert live.data["messages"] == []
        live.close()


def test_the_module_is_light_and_stands_alone() -> None:
    text = module()
    assert "\nimport " not in f"\n{text}"
    assert "innerHTML" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert len(text.encode()) < 28_000
    found = re.findall(r"([^{};]+)\{", style())
    selectors = [one.strip() for rule in found if "@" not in rule for one in rule.split(",\n")]
    assert [s for s in selectors if not s.startswith((".pa", "[data-jp-theme-light="))] == []
