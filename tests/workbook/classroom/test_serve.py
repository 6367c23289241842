"""The board's server: this machine alone, texts alone, under a strict policy."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.class_board import board_page, put

from workbook.__main__ import main


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The page of the board in ``tmp_path / "board"``."""
    (tmp_path / "board").mkdir()
    with board_page(tmp_path / "board") as where:
        yield where


def get(address: str, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address + path, headers=headers), timeout=120
        ) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read().decode()


@pytest.mark.parametrize("path", ["/", "/board.js", "/style.css", "/icon.svg", "/board.json"])
def test_every_answer_is_under_the_policy(path: str, address: str) -> None:
    status, headers, _ = get(address, path)
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


def test_the_document_has_no_inline_script_or_style(address: str) -> None:
    _, _, text = get(address, "/")
    assert "style=" not in text
    assert "<style" not in text
    assert text.count("<script") == text.count('<script type="module" src=') == 1


def test_what_the_page_shows(address: str, tmp_path: Path) -> None:
    for _ in range(2):
        put(tmp_path / "board", "<b>Ada</b>", ("ex-02-1", 1, 6), stop="empty")
    state = json.loads(get(address, "/board.json")[2])
    assert [learner["cells"] for learner in state["learners"]] == [["1/6 ×1"]] * 2
    assert state["next"] == {"label": "ex-02-1", "title": "empty", "learners": 2}
    (exercise,) = state["exercises"]
    assert exercise == {
        "label": "ex-02-1",
        "title": "Allocate and release",
        "passed": 0,
        "begun": 2,
        "stop": {"title": "empty", "learners": 2},
    }


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_a_name_of_another_site_gets_nothing(host: str, address: str) -> None:
    assert get(address, "/board.json", Host=host)[0] in (400, 403)


@pytest.mark.parametrize("path", ["/etc/passwd", "/../share.py", "/%2e%2e/share.py", "/index.html"])
def test_there_is_nothing_else(path: str, address: str) -> None:
    assert get(address, path)[0] == 404


def test_a_folder_that_is_gone_is_told(address: str, tmp_path: Path) -> None:
    (tmp_path / "board").rmdir()
    assert "No such file" in json.loads(get(address, "/board.json")[2])["problem"]


def test_a_taken_port_is_told(address: str, tmp_path: Path, capsys: Any) -> None:
    port = address.rpartition(":")[2]
    assert main(["board", str(tmp_path / "board"), "--serve", "--port", port]) == 1
    assert "choose another port" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["65536", "-1", "x", "1.5"])
def test_a_port_that_cannot_be_is_told(port: str, tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main(["board", str(tmp_path), "--serve", f"--port={port}"])
    assert f"a number up to 65535, not {port}" in capsys.readouterr().err
