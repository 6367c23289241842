"""One simulated learner: a server, Lab's page, then each cell of the chapters over a websocket."""

import asyncio
import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.class_hub import Hub
from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse
from tornado.websocket import WebSocketClientConnection, websocket_connect

from bookbuild.rules.signatures import solution_name, unfinished

KINDS = ("right", "wrong", "untouched")
SLIPS = (
    (" < ", " <= "),
    (" > ", " >= "),
    (" - 1", ""),
    (" + 1", ""),
    (" == 0", " == 1"),
    ("return ", "return None and "),
)
MEMORY = "print(open('/proc/self/smaps_rollup').read())"
Cell = tuple[str, bool]  # what is run, and whether it may raise


@dataclass
class Learner:
    """Who it is and what became of it; ``chapters``: seconds, errors and private MB of each."""

    name: str
    kind: str
    chapters: dict[str, dict[str, Any]] = field(default_factory=dict)
    server_seconds: float | None = None
    refused: int = 0  # answers 429 or 5xx to a request for a server or a kernel
    lost: int = 0  # websockets that closed under a running cell
    stopped: str = ""  # why it went no further


def private_megabytes(smaps: str) -> float:
    """Dirty pages of a process's own, in memory or swapped out."""
    return sum(map(int, re.findall(r"^(?:Private_Dirty|Swap): +(\d+) kB$", smaps, re.M))) / 1000


def cells(notebook: Path, kind: str) -> list[Cell]:
    """The code cells as this kind of learner leaves them."""
    solutions = [path.read_text() for path in notebook.parent.glob("solutions/ex-*.py")]
    kept = []
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            source, tags = "".join(cell["source"]), cell["metadata"].get("tags", [])
            if "stub" in tags and kind != "untouched":
                source = answer(source, solutions, kind)
            kept.append((source, "raises-exception" in tags))
    return kept


def answer(stub: str, solutions: list[str], kind: str) -> str:
    """The book's solution under the stub's name; of a wrong one, with a slip in it."""
    [(mine, definition)] = unfinished(stub).items()
    name = solution_name(definition)
    right = next((text for text in solutions if re.search(rf"^\w+ {name}\b", text, re.M)), None)
    if right is None:
        return stub
    right = re.sub(rf"\b{name}\b", mine, right)
    if kind == "right":
        return right
    old, new = next(((old, new) for old, new in SLIPS if old in right), ("", ""))
    return right.replace(old, new, 1)


class Visit:
    """A learner's way through the hub."""

    def __init__(self, hub: Hub, learner: Learner, say: Callable[[str], None]) -> None:
        self._hub, self.learner, self._say = hub, learner, say
        self._client = AsyncHTTPClient(max_clients=200)
        self._headers = {"Authorization": f"token {hub.token}"}
        self._open: list[WebSocketClientConnection] = []

    async def run(self, chapters: Mapping[str, Path]) -> None:
        """Everything; what goes wrong ends it and is noted."""
        try:
            await self._begin_server()
            for number, notebook in chapters.items():
                await self._chapter(number, notebook)
        except Exception as error:
            self.learner.stopped = f"{type(error).__name__}: {error}"[:300]
            self._say(f"{self.learner.name} stopped: {self.learner.stopped}")

    async def _ask(self, method: str, path: str, body: Any = None) -> HTTPResponse:
        return await self._client.fetch(
            self._hub.url + path,
            method=method,
            headers=self._headers,
            body=None if method == "GET" else json.dumps(body or {}),
            request_timeout=300,
            connect_timeout=120,
            raise_error=False,
        )

    async def _insist(self, method: str, path: str, body: Any = None) -> HTTPResponse:
        """Ask until it isn't refused, as a page that says "try again" does."""
        while True:
            answer = await self._ask(method, path, body)
            if answer.code != 429 and answer.code < 500:
                return answer
            self.learner.refused += 1
            await asyncio.sleep(3)

    async def _begin_server(self) -> None:
        user, began = f"/hub/api/users/{self.learner.name}", perf_counter()
        await self._insist("POST", user)
        await self._insist("POST", f"{user}/server")
        while True:
            model = json.loads((await self._ask("GET", user)).body)
            if model["servers"].get("", {}).get("ready"):
                break
            if not model["servers"]:
                raise RuntimeError("its server didn't start")
            await asyncio.sleep(1)
        page = await self._ask("GET", f"/user/{self.learner.name}/lab")
        if page.code != 200 or b"JupyterLab" not in page.body:
            raise RuntimeError(f"Lab's page answers {page.code}")
        self.learner.server_seconds = round(perf_counter() - began, 1)
        self._say(f"{self.learner.name} is in after {self.learner.server_seconds} s")

    async def _chapter(self, number: str, notebook: Path) -> None:
        began = perf_counter()
        home = f"/user/{self.learner.name}/api"
        asked = {"path": notebook.name, "name": "", "type": "notebook", "kernel": {"name": ""}}
        session = await self._insist("POST", f"{home}/sessions", asked)
        kernel = json.loads(session.body)["kernel"]["id"]
        address = f"{self._hub.url.replace('http', 'ws', 1)}{home}/kernels/{kernel}/channels"
        request = HTTPRequest(address, headers=self._headers, connect_timeout=120)
        socket = await websocket_connect(request, max_message_size=2**27)
        self._open.append(socket)  # a learner leaves chapter 2 open
        errors = []
        for source, may_raise in cells(notebook, self.learner.kind):
            _, error = await self._execute(socket, source)
            if error and not may_raise:
                errors.append(f"{source.splitlines()[0][:60]}: {error}")
        printed, _ = await self._execute(socket, MEMORY)
        done = {
            "seconds": round(perf_counter() - began, 1),
            "private_mb": round(private_megabytes(printed)),
            "errors": errors,
        }
        self.learner.chapters[number] = done
        self._say(f"{self.learner.name} has finished chapter {number} in {done['seconds']} s")

    async def _execute(self, socket: WebSocketClientConnection, code: str) -> tuple[str, str]:
        """What a cell prints, and its error if it has one."""
        message, printed, error = request_to_run(code), "", ""
        await socket.write_message(json.dumps(message))
        while True:
            raw = await socket.read_message()
            if raw is None:
                self.learner.lost += 1
                raise ConnectionError("the websocket was closed under a running cell")
            if isinstance(raw, bytes):
                continue
            reply = json.loads(raw)
            kind, content = reply["msg_type"], reply["content"]
            state = content.get("execution_state")
            if state in ("restarting", "dead"):
                raise RuntimeError(f"the kernel is {state}")
            if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            if kind == "stream":
                printed += content["text"]
            elif kind == "error":
                error = f"{content['ename']}: {content['evalue'][:200]}"
            elif kind == "status" and state == "idle":
                return printed, error


def request_to_run(code: str) -> dict[str, Any]:
    """An ``execute_request`` of Jupyter's protocol."""
    header = {
        "msg_id": uuid.uuid4().hex,
        "msg_type": "execute_request",
        "username": "",
        "session": uuid.uuid4().hex,
        "version": "5.3",
        "date": datetime.now(UTC).isoformat(),
    }
    content = {
        "code": code,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": False,
    }
    empty: dict[str, Any] = {}
    return {
        "header": header,
        "parent_header": empty,
        "metadata": empty,
        "content": content,
        "channel": "shell",
        "buffers": [],
    }
