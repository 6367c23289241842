"""A check stops what would never end, says where, and leaves everybody else alone."""

import sys
import threading
import time
from typing import Any

import pytest

from workbook.checks.framework import Exercise, Registry
from workbook.checks.framework import limit as module
from workbook.checks.framework import running as checks_running
from workbook.checks.framework.calls import Checks
from workbook.checks.framework.limit import NoEnd, time_limit

SOON = 0.02


def a_cell(source: str, name: str = "/tmp/ipykernel_1/78.py") -> Any:
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    return list(names.values())[-1]


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> Checks:
    """A check of ``half`` that soon loses patience with a case; causes are looked for as ever."""
    monkeypatch.setattr(checks_running, "time_limit", lambda limit=SOON: time_limit(limit))
    registry = Registry()
    exercise: Exercise = registry.exercise(
        "half", label="ex-99-1", title="H", stub="half", takes="function", hints=("", "")
    )
    exercise.example("an even number", 4, right=2, why="Law.")
    exercise.finished = lambda n: n // 2
    exercise.mistake("Nothing in the loop changes n.")(
        a_cell("def half(n):\n  while n:\n    pass", "/tmp/ipykernel_1/79.py")
    )
    return Checks(registry)


def test_what_never_ends_fails_with_its_line_and_its_known_cause(soon: Checks) -> None:
    report = soon.half(a_cell("def half(n):\n  m = n\n  while n:\n    m = n\n  return m"))
    assert report.failure
    assert report.failure.got.startswith("no end within 5 seconds (line ")
    assert report.failure.why == "Nothing in the loop changes n."


def test_neither_an_except_nor_a_swallowed_error_saves_a_loop(soon: Checks) -> None:
    source = "def half(n):\n  while n:\n    try: int('x')\n    except Exception: pass"
    report = soon.half(a_cell(source))
    assert report.failure
    assert report.failure.got.startswith("no end")


def test_whoever_ends_in_time_hears_nothing_afterwards() -> None:
    for _ in range(50):
        with time_limit(SOON):
            sum(range(100))
    began = time.process_time()
    while time.process_time() - began < 3 * SOON:  # a forgotten watch would raise here
        pass
    assert not [t for t in threading.enumerate() if isinstance(t, module._Watch) and t.is_alive()]


def test_nobody_is_stopped_after_the_end_however_close_it_was() -> None:
    stopped = 0
    for share in range(40):
        began = time.process_time()
        try:
            with time_limit(0.002):
                while time.process_time() - began < 0.0018 + 0.00002 * share:
                    pass
        except NoEnd:
            stopped += 1
        sum(i for i in range(2000))  # would raise, were one pending
    assert stopped < 41


def test_waiting_is_not_computing() -> None:
    with time_limit(SOON):
        time.sleep(3 * SOON)


@pytest.mark.skipif(not module._STATM.exists(), reason="only Linux tells how much is taken")
def test_a_loop_that_collects_is_stopped_before_it_takes_the_machine(
    soon: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks_running, "time_limit", lambda _=0.0: time_limit(30))
    monkeypatch.setattr(module, "MEGABYTES", 40)
    source = "def half(n):\n  found = []\n  while n:\n    found.append(str(len(found)))"
    report = soon.half(a_cell(source))
    assert report.failure
    assert report.failure.got.startswith("no end, and 40 MB of memory taken (line ")


def test_ctrl_c_and_other_errors_pass() -> None:
    for error in KeyboardInterrupt, ValueError:
        with pytest.raises(error), time_limit(SOON):
            raise error


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser."""

    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(module._Watch, "start", refuse)


@pytest.mark.usefixtures("no_threads")
def test_without_threads_a_cell_is_stopped_all_the_same(soon: Checks) -> None:
    before = sys.gettrace()
    report = soon.half(a_cell("def half(n):\n  m = n\n  while n:\n    m = n\n  return m"))
    assert report.failure
    assert report.failure.got.startswith("no end within 5 seconds (line ")
    assert sys.gettrace() is before


@pytest.mark.usefixtures("no_threads")
def test_without_threads_nobody_else_is_watched() -> None:
    began = time.process_time()
    with time_limit(SOON):
        while time.process_time() - began < 2 * SOON:
            pass


def test_it_stops_a_loop_in_another_thread_than_the_main_one() -> None:
    ended = []

    def work() -> None:
        try:
            with time_limit(SOON):
                while True:
                    pass
        except NoEnd:
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(120)
    assert ended == [True]
