"""The command against a server that does as it is told: figures, failures, files."""

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from helpers.loads import load_at
from helpers.openai_stub import Stub, chat, completion, event, serving

from paged_attention.__main__ import main
from paged_attention.load_client.answer import Outcome
from paged_attention.load_client.plot import busy
from paged_attention.load_client.report import summarize, table
from paged_attention.load_client.run import Run, retry_after
from paged_attention.load_client.target import Target, TargetError, base_of


def load(stub: Stub, tmp_path: Path, *more: str, code: int = 0) -> dict[str, Any]:
    """The JSON of four requests at once."""
    with serving(stub):
        return load_at(stub.url, tmp_path, *more, code=code)


def stops(capsys: pytest.CaptureFixture[str], url: str, *more: str) -> str:
    """What the command says when it can't begin."""
    assert main(["load", "--base-url", url, "--requests", "2", *more]) == 1
    return capsys.readouterr().err


def test_figures_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stub = Stub(pieces=completion(["a", "b", "c"]))
    found = load(stub, tmp_path)
    assert (found["requests"], found["answered"], found["failed"]) == (4, 4, 0)
    assert (found["answer_tokens"], found["prompt_tokens"], found["without_usage"]) == (12, 20, 0)
    assert found["model"] == "stub"
    for name in ("ttft", "itl", "tpot", "e2e", "vllm_ttft", "vllm_itl", "vllm_tpot", "vllm_e2e"):
        assert found[name]["p50"] <= found[name]["p99"] <= found[name]["max"]
    assert len(found["outcomes"]) == 4
    assert "4 answered, 0 rejected (429), 0 failed" in capsys.readouterr().out


def test_what_is_asked(tmp_path: Path) -> None:
    stub = Stub(pieces=completion(["a"]))
    load(stub, tmp_path, "--ignore-eos", "--max-tokens", "7", "--api-key", "secret")
    warmup, first, *_ = stub.asked
    assert warmup["max_tokens"] < 7
    assert first.pop("prompt")
    assert first == {
        "model": "stub",
        "max_tokens": 7,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.0,
        "ignore_eos": True,
    }
    assert set(stub.keys) == {"Bearer secret"}


def test_chat_and_a_server_without_usage(tmp_path: Path) -> None:
    stub = Stub(pieces=chat(["Hal", "lo"]))
    found = load(stub, tmp_path, "--api", "chat", "--no-usage", "--warmup", "0")
    assert stub.asked[0]["messages"][0]["role"] == "user"
    assert "stream_options" not in stub.asked[0]
    assert found["outcomes"][0]["text"] == "Hallo"
    stub = Stub(pieces=completion(["a", "b"], usage=False))
    found = load(stub, tmp_path)
    assert (found["without_usage"], found["prompt_tokens"], found["tpot"]) == (4, None, None)
    assert found["answer_tokens"] == 8


def test_a_recorded_load_of_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "load.jsonl"
    file.write_text('{"time": 3, "tokens": [5, 6], "max_tokens": 2}\n')
    stub = Stub(pieces=completion(["a"]))
    found = load(stub, tmp_path, "--recorded", str(file))
    assert found["requests"] == 1
    assert stub.asked[-1]["prompt"] == [5, 6]
    with serving(Stub()) as stub:
        said = stops(capsys, stub.url, "--recorded", str(file), "--api", "chat")
    assert "--api completions" in said
    assert not stub.asked


def test_a_full_server_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stub = Stub(pieces=completion(["a"]), refuse=3)
    found = load(stub, tmp_path, "--warmup", "0")
    assert (found["answered"], found["rejected"], found["failed"]) == (1, 3, 0)
    stub = Stub(pieces=completion(["a"]), refuse=3)
    found = load(stub, tmp_path, "--warmup", "0", "--retry", "3")
    assert (found["answered"], found["rejected"], found["refusals"]) == (4, 0, 3)
    assert len(stub.asked) == 7
    assert "429 came 3 times" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("stub", "words"),
    [
        (Stub(pieces=[event({"error": {"message": "engine died"}})]), "engine died"),
        (Stub(pieces=completion(["a"])[:1]), "no finish_reason"),
        (Stub(pieces=completion(["a"])[:1], hang_up=True), "broke off"),
        (Stub(pieces=[b"{}"], content_type="application/json"), "without a stream"),
        (Stub(status=500, body=b'{"error": {"message": "a bug"}}'), "status 500: a bug"),
        (Stub(status=502, body=b"<html>bad gateway</html>"), "bad gateway"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_fails_is_counted_and_told(tmp_path: Path, stub: Stub, words: str) -> None:
    found = load(stub, tmp_path, "--warmup", "0", code=1)
    assert (found["answered"], found["failed"]) == (0, 4)
    assert found["ttft"] is None
    (error,) = found["errors"]
    assert words in error


def test_nothing_listens(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        assert "nothing listens" in stops(capsys, url)


@pytest.mark.parametrize(
    ("stub", "more", "words"),
    [
        (Stub(models="<html>"), [], "no list of models"),
        (Stub(models={"detail": "no"}, models_status=404), [], "status 404: no"),
        (Stub(models={"data": []}), [], "lists no model"),
        (Stub(models={"data": [{"id": "a"}, {"id": "b"}]}), [], "'a', 'b': say which"),
        (Stub(), ["--model", "other"], "doesn't serve 'other': it lists 'stub'"),
        (Stub(models_status=401), [], "--api-key"),
        (Stub(status=400, body=b'{"error": {"message": "ignore_eos?"}}'), [], "ignore_eos?"),
        (Stub(), ["--recorded", "/nowhere"], "can't be read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_server_that_cant_be_measured(
    capsys: pytest.CaptureFixture[str], stub: Stub, more: list[str], words: str
) -> None:
    with serving(stub):
        assert words in stops(capsys, stub.url, *more)


def test_a_gateway_that_lists_nothing_is_asked_all_the_same(tmp_path: Path) -> None:
    stub = Stub(models={}, models_status=404, pieces=completion(["a"]))
    assert load(stub, tmp_path, "--model", "any")["answered"] == 4


@contextmanager
def ctrl_c_is_heard() -> Iterator[None]:
    """What is started inside obeys SIGINT, also where a shell's `&` had these tests ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupted_run_reports_what_had_ended() -> None:
    with serving(Stub(pieces=completion(["a", "b"]), delay=0.05)) as stub:
        command = [sys.executable, "-m", "paged_attention", "load", "--base-url", stub.url]
        command += ["--requests", "99", "--rate", "20"]
        with ctrl_c_is_heard():
            running = subprocess.Popen(command, stdout=-1, stderr=-1, text=True)
        while len(stub.asked) < 12:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out, error = running.communicate(timeout=120)
    assert running.returncode == 130
    assert " answered, 0 rejected (429), 0 failed" in out
    assert re.fullmatch(r"\s*stopped: \d+ of 99 requests had ended\s*", error)


def test_a_picture_when_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "run.svg"
    load(Stub(pieces=completion(["a", "b"])), tmp_path, "--plot", str(file))
    assert "<svg" in file.read_text()


@pytest.mark.parametrize(
    "more",
    [["--rate", "0"], ["--requests", "0"], ["--plot", "a.jpg"], ["--retry", "-1"]],
)
def test_options_that_make_no_sense(more: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(["load", "--base-url", "http://127.0.0.1:1", *more])


@pytest.mark.parametrize(
    ("url", "right"),
    [
        ("http://a:8000", "http://a:8000/v1"),
        ("http://a:8000/", "http://a:8000/v1"),
        ("https://a/v1/", "https://a/v1"),
        ("https://a/api/v3", "https://a/api/v3"),
        ("localhost:8000", "http://localhost:8000/v1"),
    ],
)
def test_addresses(url: str, right: str) -> None:
    assert base_of(url) == right


def test_no_address() -> None:
    for url in ("ftp://a", "http://", ""):
        with pytest.raises(TargetError, match="no address"):
            base_of(url)


def test_when_to_come_again() -> None:
    now = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
    assert retry_after(None) == 1.0
    assert retry_after("2.5") == 2.5
    assert retry_after("-1") == 0.0
    assert retry_after("Tue, 01 Dec 2026 12:00:07 GMT", now) == 7.0
    assert retry_after("soon") == 1.0


def made(**changed: Any) -> Outcome:
    return Outcome(**({"due": 1.0, "sent": 1.5, "finish": "stop", "status": 200} | changed))


def test_latencies_count_from_when_a_request_was_due() -> None:
    """It was sent half a second late, and a role came before any text."""
    one = made(texts_at=[3.0, 3.5, 5.0], chunks_at=[2.0, 3.0, 3.5, 5.0, 5.5], answer_tokens=5)
    found = summarize(Run(Target("http://a/v1"), [one]))
    figures = {
        "ttft": 2.0, "e2e": 4.0, "tpot": 0.5,
        "vllm_ttft": 0.5, "vllm_e2e": 4.0, "vllm_tpot": 3.5 / 4,
    }  # fmt: skip
    for name, right in figures.items():
        assert found[name]["mean"] == pytest.approx(right), name
    assert found["itl"] == {"mean": 1.0, "p50": 0.5, "p90": 1.5, "p99": 1.5, "max": 1.5}
    assert found["sent_late"] == 0.5
    assert (found["seconds"], found["tokens_per_second"]) == (5.0, 1.0)
    assert "client itself was up to 500 ms late" in table(found)


def test_what_did_not_end_well_is_in_no_latency() -> None:
    outcomes = [
        made(texts_at=[2.0], chunks_at=[2.0]),
        made(texts_at=[9.0], chunks_at=[9.0], finish=None, error="broke off"),
        made(status=429, finish=None, error="full", refusals=1),
        made(texts_at=[], chunks_at=[2.0]),
    ]
    found = summarize(Run(Target("http://a/v1"), outcomes))
    counts = [found[name] for name in ("answered", "rejected", "failed", "empty")]
    assert counts == [2, 1, 1, 1]
    assert found["ttft"]["max"] == 1.0
    assert found["errors"] == {"broke off": 1}


def test_requests_under_way() -> None:
    both = [made(due=0.0, texts_at=[2.0]), made(due=1.0, texts_at=[3.0]), made(texts_at=[])]
    assert busy(both) == ([0.0, 1.0, 2.0, 3.0], [1, 2, 1, 0])
