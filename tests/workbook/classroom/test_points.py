"""What an answer is worth."""

from typing import Any

import pytest

from workbook.checks import check
from workbook.checks.framework.limit import no_end
from workbook.checks.framework.report import Failure, Report
from workbook.classroom.points import is_endless, nobody_reads, points, worth


@pytest.mark.parametrize(
    ("passed", "of_stub", "endless", "right"),
    [
        (6, 1, False, 8.0),
        (2, 1, False, 2.7),
        (1, 1, False, 0.0),  # a stub can do that
        (1, 0, False, 1.3),
        (5, 1, True, 0.0),
        (0, 0, False, 0.0),
    ],
)
def test_points_are_shared_out_by_cases(
    passed: int, of_stub: int, endless: bool, right: float
) -> None:
    assert worth(8, passed, 6, of_stub=of_stub, endless=endless) == right


def test_an_exercise_whose_stub_passes_everything_still_counts_when_done() -> None:
    assert worth(8, 6, 6, of_stub=6, endless=False) == 8.0


def kv_bytes(sizes: Any, bytes_per_number: int) -> int:
    return int(2 * sizes.layers * sizes.kv_heads * sizes.head_dim * bytes_per_number)


def test_points_by_a_check_that_nobody_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert points("kv_bytes", kv_bytes, most=2) == 2.0
    monkeypatch.setattr(check, "kv_bytes", lambda _: None, raising=False)
    assert points("kv_bytes", kv_bytes, most=2) == 2.0
    assert points("kv_bytes", lambda _sizes, _bytes: 0, most=2) == 0.0


def test_where_nobody_reads_no_cause_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbook.checks.framework import running

    monkeypatch.setattr(check, "explain", True)
    monkeypatch.setattr(running, "cause", lambda *_: "the cause")

    def wrong(_sizes: Any, _bytes: int) -> int:
        return 0

    first = check.kv_bytes(wrong)
    assert first.failure
    assert first.failure.why == "the cause"
    nobody_reads()
    second = check.kv_bytes(wrong)
    assert second.failure
    assert second.failure.why != "the cause"


def test_only_a_loop_is_without_end() -> None:
    def report(got: str) -> Report:
        return Report("check.x(y)", ("a",), 0, Failure("tried", got, "right", "why"))

    assert is_endless(report(f"{no_end()} (line 3 of your cell)"))
    assert not is_endless(report("4"))
    assert not is_endless(Report("check.x(y)", ("a",), 0, todo=True))
