"""guidellm 0.8 measures our server, and we its mock server. Skipped unless it is installed.

It is no dependency of the book. Install it into an environment of its own, and name its program:
``GUIDELLM=/path/to/bin/guidellm pytest tests/paged_attention/load_client/test_guidellm.py``.
"""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.api import served
from helpers.loads import load_at

from paged_attention.model import tiny_model

GUIDELLM = os.environ.get("GUIDELLM") or shutil.which("guidellm")
pytestmark = pytest.mark.skipif(GUIDELLM is None, reason="guidellm is not installed")
SECONDS = 120
# Nothing is fetched, and it doesn't see the packages of this run.
ALONE = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"HF_HUB_OFFLINE": "1"}


def test_it_measures_our_server(tmp_path: Path) -> None:
    lines = [{"prompt": f"tell me about river {n}", "output_tokens_count": 8} for n in range(4)]
    (tmp_path / "prompts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with served(tiny_model()) as server:
        backend = f"kind=openai_http,target={server.url},model={server.model}"
        command = [str(GUIDELLM), "run"]
        command += ["--backend", f"{backend},request_format=/v1/completions"]
        command += ["--profile", "kind=concurrent,streams=2"]
        command += ["--constraint", "kind=max_requests,count=4"]
        command += ["--data", "kind=json_file,path=prompts.jsonl"]
        subprocess.run(command, cwd=tmp_path, env=ALONE, check=True, timeout=SECONDS)
    (benchmark,) = json.loads((tmp_path / "benchmarks.json").read_text())["benchmarks"]
    metrics = benchmark["metrics"]
    assert metrics["request_totals"]["successful"] == 4
    assert metrics["request_totals"]["errored"] == 0
    assert metrics["output_token_count"]["successful"]["mean"] == 8


@pytest.fixture
def mock(tmp_path: Path) -> Iterator[str]:
    """guidellm's own server, which answers with twelve tokens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(GUIDELLM), "mock-server", "--port", str(port), "--model", "mock"]
    command += ["--ttft-ms", "20", "--itl-ms", "2", "--output-tokens", "12"]
    running = subprocess.Popen(command, cwd=tmp_path, env=ALONE)
    try:
        for _ in range(SECONDS * 4):
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health").close()
                break
            time.sleep(0.25)
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(120)


@pytest.mark.parametrize("api", ["completions", "chat"])
def test_we_measure_its_mock_server(mock: str, api: str, tmp_path: Path) -> None:
    found = load_at(mock, tmp_path, "--api", api, "--max-tokens", "12")
    assert (found["answered"], found["failed"], found["answer_tokens"]) == (4, 0, 48)
    assert found["ttft"]["p50"] > 0.015
