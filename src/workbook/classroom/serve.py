"""The board as a page on this machine: one document, a script, a style sheet, and the state."""

import asyncio
import json
import socket
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tornado.httpserver
import tornado.web

from workbook.classroom.board import Board, minutes_quiet, read_board
from workbook.classroom.table import cell
from workbook.widgets.bundle import colours

PAGE = Path(__file__).parent / "page"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HERE = {"127.0.0.1", "localhost", "::1"}


async def serve(folder: Path, chapters: Sequence[str], sockets: Sequence[socket.socket]) -> None:
    """Serve the board in ``folder`` on ``sockets`` until this is cancelled; says where it is."""
    server = tornado.httpserver.HTTPServer(application(folder, chapters))
    server.add_sockets(sockets)
    port = sockets[0].getsockname()[1]
    print(f"The board is at http://127.0.0.1:{port}/ (Ctrl-C stops)", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        server.stop()


def application(folder: Path, chapters: Sequence[str] = ()) -> tornado.web.Application:
    """The page of the board in ``folder``, of these chapters or of all."""
    given = {"text": (PAGE / "style.css").read_text(encoding="utf-8")}
    style = {"text": colours(":root") + given["text"], "kind": "text/css"}
    files = [
        (path, _Fixed, {"text": (PAGE / name).read_text(encoding="utf-8"), "kind": kind})
        for path, name, kind in (
            ("/", "index.html", "text/html"),
            ("/board.js", "board.js", "text/javascript"),
            ("/icon.svg", "icon.svg", "image/svg+xml"),
        )
    ]
    state = ("/board.json", _State, {"folder": folder, "chapters": chapters})
    return tornado.web.Application([*files, ("/style.css", _Fixed, style), state], log_function=_no)


def state_of(board: Board, now: float) -> dict[str, Any]:
    """What the page shows: texts and numbers only."""
    stop = board.explain_next()
    return {
        "learners": [
            {
                "name": learner.name,
                "quiet": minutes_quiet(learner, now),
                "cells": [cell(learner.standings.get(label)) for label in board.labels],
            }
            for learner in board.learners
        ],
        "exercises": [_exercise(board, label) for label in board.labels],
        "next": stop and {"label": stop.label, "title": stop.title, "learners": stop.learners},
    }


def _exercise(board: Board, label: str) -> dict[str, Any]:
    from workbook.checks import exercises

    stop = board.stop(label)
    titles = (each.title for each in exercises() if each.label == label)
    return {
        "label": label,
        "title": next(titles, ""),
        "passed": board.passed(label),
        "begun": board.begun(label),
        "stop": stop and {"title": stop.title, "learners": stop.learners},
    }


class _Handler(tornado.web.RequestHandler):
    """Answers this machine alone: a page of another site that points a name of its own here gets
    nothing.
    """

    def prepare(self) -> None:
        if urlsplit(f"//{self.request.host}").hostname not in _HERE:
            raise tornado.web.HTTPError(403)

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("Cache-Control", "no-store")

    def say(self, text: str, kind: str) -> None:
        """Answer with a text."""
        self.set_header("Content-Type", f"{kind}; charset=utf-8")
        self.finish(text)


class _Fixed(_Handler):
    def initialize(self, text: str, kind: str) -> None:
        self.text, self.kind = text, kind

    def get(self) -> None:
        self.say(self.text, self.kind)


class _State(_Handler):
    def initialize(self, folder: Path, chapters: Iterable[str]) -> None:
        self.folder, self.chapters = folder, chapters

    def get(self) -> None:
        try:
            board = read_board(self.folder, self.chapters)
        except OSError as error:
            told: dict[str, Any] = {"problem": f"{self.folder}: {error.strerror}"}
        else:
            told = state_of(board, time.time())
        self.say(json.dumps(told), "application/json")


def _no(_: tornado.web.RequestHandler) -> None:
    """Log no request: the teacher looks at the page."""
