"""``python -m paged_attention serve`` as a person runs it: one process, curl, a signal."""

import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from helpers.api import ask, opened

from paged_attention.__main__ import main
from paged_attention.server import command

START = [sys.executable, "-m", "paged_attention", "serve", "--tiny", "--num-blocks", "64"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
def test_from_start_to_a_graceful_stop() -> None:
    with subprocess.Popen(
        [*START, "--port", "0", "--host", "localhost"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            found = re.search(r"http://\S+:\d+", first)
            assert found, first
            url = found[0].replace("localhost", "127.0.0.1")
            loading = ask(url, "/health")  # it answers before the model is there
            assert loading.status == 200 or loading.error["code"] == "loading"
            assert "is ready" in process.stdout.readline()
            assert ask(url, "/health").status == 200
            if shutil.which("curl"):
                body = '{"prompt": "a&b", "max_tokens": 3}'
                curl = ["curl", "-sS", f"{url}/v1/completions", "-d", body]
                said = subprocess.run(curl, capture_output=True, text=True, timeout=60)
                assert '"object": "text_completion"' in said.stdout, said
            line = opened(url, prompt="a", max_tokens=400, stream=True, ignore_eos=True)
            heard = line.recv(10)
            process.send_signal(signal.SIGTERM)
            while piece := line.recv(65536):
                heard += piece
                if heard.endswith(b"0\r\n\r\n"):
                    break
            assert b"data: [DONE]" in heard
            line.close()
            assert process.wait(60) == 0
        finally:
            process.kill()


def test_a_taken_port_ends_it_before_a_model_is_loaded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_load", lambda args: pytest.fail("it loaded a model"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port]) == 1
    said = capsys.readouterr()
    assert re.search(rf"can't listen on 127\.0\.0\.1:{port}: another program", said.err)
    assert not said.out


@pytest.mark.parametrize(
    ("options", "key", "said"),
    [
        (["--api-key", ""], None, "blank"),
        (["--api-key", " "], "right", "blank"),
        ([], "", "blank"),
        (["--host", "0.0.0.0"], None, "other machines"),
        (["--port", "99999"], None, "65535"),
        (["--time-limit", "-1"], None, "time_limit"),
        (["--tiny", "--port", "0", "--num-blocks", "0"], None, "block"),
        (["--tiny", "--port", "0", "--budget", "1"], None, "budget"),
    ],
)
def test_what_can_not_be_served_is_said(
    options: list[str],
    key: str | None,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(command.KEY_VARIABLE, raising=False)
    if key is not None:
        monkeypatch.setenv(command.KEY_VARIABLE, key)
    assert main(["serve", *options]) == 1
    assert said in capsys.readouterr().err


def test_a_model_that_can_not_be_loaded_ends_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    assert main(["serve", "--port", "0", "--model", str(tmp_path)]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_options_become_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    async def look(settings: Any, sockets: Any, load: Callable[[], Any]) -> int:
        assert [one.close() for one in sockets]
        made.extend([settings, *load()])
        return 0

    monkeypatch.setattr(command, "_serve", look)
    monkeypatch.setenv(command.KEY_VARIABLE, "k")
    options = "--tiny --num-blocks 9 --block-size 4 --host-blocks 3 --max-running 5 --budget 7"
    options += " --port 0"
    assert main(["serve", *options.split(), "--chunk", "2", "--no-prefix-cache"]) == 0
    settings, model, engine = made
    assert (settings.api_key, model.name) == ("k", "tiny random model")
    assert (engine.memory.num_blocks, engine.memory.cache.block_size) == (9, 4)
    assert engine.memory.host.allocator.num_blocks == 3
    assert engine.memory.prefix is None
    assert engine.scheduler.limits[:3] == (5, 7, 2)
