"""``make gpu``: what it skips, how it shares out its minutes, and a rehearsal without a GPU."""

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

pytest.importorskip("triton")
from benchmarks import decode_gpu, on_gpu
from benchmarks.on_gpu import Outcome, Step, run_all

TESTS = Path(on_gpu.__file__).parents[1]


class Machine:
    """A clock, and commands that take as long as they are told to and end with a code."""

    def __init__(self, **commands: tuple[float, int]) -> None:
        self.now, self.commands = 1000.0, commands
        self.limits: dict[str, float] = {}

    def run(self, words: Sequence[str], limit: float) -> int | None:
        spent, code = self.commands[words[0]]
        self.limits[words[0]] = limit
        self.now += min(spent, limit)
        return code if spent <= limit else None

    def tried(self, todo: Sequence[Step], seconds: float) -> list[Outcome]:
        return run_all(todo, seconds, self.run, lambda: self.now)


def step(name: str, most: float = 100, leaves: float = 0, makes: Path | None = None) -> Step:
    return Step(name, lambda seconds: [name, f"{seconds:.0f}"], most, leaves, makes)


def said(outcomes: list[Outcome]) -> list[str]:
    return [outcome.said for outcome in outcomes]


def test_every_step_is_done_when_there_is_time() -> None:
    machine = Machine(a=(30, 0), b=(40, 0))
    outcomes = machine.tried([step("a"), step("b")], 480)
    assert said(outcomes) == ["done in 30 s", "done in 40 s"]
    assert machine.limits == {"a": 100, "b": 100}
    assert not any(outcome.failed for outcome in outcomes)


def test_a_step_gets_what_is_left_and_leaves_its_share() -> None:
    machine = Machine(a=(60, 0), b=(35, 0), c=(20, 0))
    todo = [step("a"), step("b", most=600, leaves=40), step("c")]
    assert said(machine.tried(todo, 140)) == ["done in 60 s", "done in 35 s", "done in 20 s"]
    assert machine.limits["b"] == 80  # it is told 40 s, and stopped only when all is over
    assert machine.limits["c"] == 45


def test_a_step_that_takes_too_long_is_stopped_and_has_failed() -> None:
    machine = Machine(a=(500, 0), b=(1, 0))
    outcomes = machine.tried([step("a", most=50), step("b")], 480)
    assert said(outcomes) == ["FAILED: stopped after 50 s", "done in 1 s"]
    assert [outcome.failed for outcome in outcomes] == [True, False]


def test_without_time_a_step_is_skipped_and_that_is_no_failure() -> None:
    outcomes = Machine(a=(90, 0)).tried([step("a"), step("b")], 95)
    assert said(outcomes) == ["done in 90 s", "skipped: 5 s are left"]
    assert not any(outcome.failed for outcome in outcomes)


def test_failing_tests_do_not_stop_the_benchmark() -> None:
    outcomes = Machine(a=(10, 1), b=(10, 0)).tried([step("a"), step("b")], 480)
    assert said(outcomes) == ["FAILED with exit code 1 in 10 s", "done in 10 s"]
    assert outcomes[0].failed


def test_tests_that_were_all_skipped_are_said_to_be() -> None:
    (outcome,) = Machine(a=(2, on_gpu.NOTHING_RAN)).tried([step("a")], 480)
    assert outcome == Outcome("a", "skipped: no test could run here")


@pytest.mark.parametrize("code", [0, 1])
def test_without_new_results_the_page_is_left_alone(tmp_path: Path, code: int) -> None:
    todo = [step("a", makes=tmp_path / "new.json"), step("page")]
    assert said(Machine(a=(10, code)).tried(todo, 480))[1] == "skipped: there is no new new.json"
    (tmp_path / "new.json").write_text("{}")
    assert said(Machine(a=(10, 0), page=(1, 0)).tried(todo, 480))[1] == "done in 1 s"


def test_the_steps_name_files_that_are_there(tmp_path: Path) -> None:
    tests, *others = on_gpu.steps(tmp_path, rehearse=False)
    assert all((TESTS / file).is_file() for file in tests.words(1)[-2:])
    for kind, benchmark, page in (("decode", *others[:2]), ("prefill", *others[2:])):
        assert benchmark.words(290)[-2:] == ["--seconds", "290"]
        assert benchmark.makes == tmp_path / f"{date.today().isoformat()}-{kind}-gpu.json"
        assert str(tmp_path) in page.words(1)
        assert tests.most + benchmark.leaves < 8 * 60


def test_a_benchmark_without_results_stops_only_its_own_page(tmp_path: Path) -> None:
    todo = [step("a", makes=tmp_path / "a.json"), step("page"), step("b", makes=tmp_path / "b")]
    machine = Machine(a=(10, 1), b=(10, 0), page=(1, 0))
    (tmp_path / "b").touch()
    assert said(machine.tried([*todo, step("page")], 480)) == [
        "FAILED with exit code 1 in 10 s",
        "skipped: there is no new a.json",
        "done in 10 s",
        "done in 1 s",
    ]


def test_the_benchmark_begins_no_shape_when_its_time_is_over() -> None:
    now = iter([0.0, 5.0, 9.0, 11.0, 20.0])
    todo = [(1, n, 1, 64, 16) for n in range(5)]
    assert list(decode_gpu.in_time(todo, 10, lambda: next(now))) == todo[:3]
    assert list(decode_gpu.in_time(todo, -1, lambda: 0.0)) == todo[:1]


def test_without_a_gpu_it_says_so_and_runs_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_gpu, "missing_here", lambda: "there is no NVIDIA GPU here")
    monkeypatch.setattr(on_gpu, "run_python", lambda *_: pytest.fail("something ran"))
    monkeypatch.delenv("PAGED_ATTENTION_PEERS", raising=False)
    assert on_gpu.main([]) == 0
    assert capsys.readouterr().out.splitlines()[-7:] == [
        "tests on the GPU: skipped: there is no NVIDIA GPU here",
        "decode benchmark: skipped: there is no NVIDIA GPU here",
        "decode's page: skipped: there is no NVIDIA GPU here",
        "prefill benchmark: skipped: there is no NVIDIA GPU here",
        "prefill's page: skipped: there is no NVIDIA GPU here",
        "vLLM's kernel: skipped: PAGED_ATTENTION_PEERS names no folder",
        "SGLang's kernel: skipped: PAGED_ATTENTION_PEERS names no folder",
    ]


@pytest.mark.slow
def test_a_rehearsal_takes_every_step_and_leaves_nothing_behind(tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in on_gpu.RESULTS.iterdir()}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.on_gpu", "--rehearse"],
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    summary = done.stdout.partition("==== summary")[2]
    assert "decode benchmark: done in" in summary
    assert "decode's page: done in" in summary
    assert before == {path: path.stat().st_mtime_ns for path in on_gpu.RESULTS.iterdir()}


def test_the_page_shows_what_was_measured(tmp_path: Path) -> None:
    measured = {
        "date": "2026-12-01",
        "GPU": "a GPU",
        "copy GB/s": 4000.0,
        "shapes left out": 7,
        "results": [
            {"batch": 1, "context": 1024, "group": 4, "head_dim": 128, "block_size": 16}
            | {"results": {"ours": {"of copy": 0.5}, "flex": "Refused: too old"}}
        ],
    }
    (tmp_path / "2026-12-01-decode-gpu.json").write_text(json.dumps(measured))
    subprocess.run(
        [sys.executable, "-m", "benchmarks.decode_page", "--results", str(tmp_path)],
        cwd=TESTS,
        check=True,
        timeout=120,
    )
    page = (tmp_path / "decode.md").read_text()
    assert "a GPU; a copy moves 4000.0 GB" in page
    assert "no time for 7 more shapes" in page
    assert "| 1 | 1024 | 4 | 128 | 16 | 50% | – |" in page
