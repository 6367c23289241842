"""The load demo: one load, five ways, exact figures; and the loads that it draws."""

import json
from typing import Any

import pytest

from paged_attention.__main__ import main
from workbook.loads import POLICIES, Policy, conversations, simulate

SMALL = ["demo", "load", "--requests", "24", "--num-blocks", "40"]


def result(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert main([*SMALL, *more, "--json"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out)
    return found


def test_the_same_load_in_five_ways(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys)
    assert found == result(capsys)
    rows = {row["name"]: row for row in found["policies"]}
    assert list(rows) == [policy.name for policy in POLICIES]
    longest, asked, paged = list(rows.values())[:3]
    assert longest["tokens_per_second"] < asked["tokens_per_second"] < paged["tokens_per_second"]
    assert longest["peak"] < paged["peak"]
    assert longest["preemptions"] == asked["preemptions"] == 0
    needed = found["prompt_tokens"] + found["answer_tokens"] - found["requests"]
    assert (
        longest["run_tokens"] == asked["run_tokens"] == rows["paged + swap"]["run_tokens"] == needed
    )
    assert rows["paged + prefix cache"]["run_tokens"] < needed <= paged["run_tokens"]


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SMALL) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].startswith("24 requests, 1.2 a second, ")
    assert len({len(line) for line in lines[3:]}) == 1
    assert captured.err == ""  # progress is for terminals


def test_a_stopwatch_instead_of_the_clock(capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--measure", "--tiny", "--requests", "4", "--rate", "1000"]
    found, reckoned = result(capsys, *small), result(capsys, *small[2:])
    assert (found["clock"], reckoned["clock"]) == ("measured", "reckoned")
    assert found["answer_tokens"] == reckoned["answer_tokens"]


def test_own_classes_are_declined(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    (tmp_path / "mine.py").write_text("class BlockAllocator:\n    pass\n")
    assert main([*SMALL, "--impl", str(tmp_path / "mine.py")]) == 1
    assert "runs the finished engine" in capsys.readouterr().err


def test_a_request_that_never_fits_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "load", "--requests", "3", "--num-blocks", "4"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("demo load stopped: ")
    assert error.count("\n") == 1


def test_a_load_is_drawn_by_its_seed() -> None:
    load = conversations(200, 2.0, seed=4, shared=10, groups=3)
    assert load == conversations(200, 2.0, seed=4, shared=10, groups=3)
    assert load != conversations(200, 2.0, seed=5, shared=10, groups=3)
    assert len({arrival.prompt[:10] for arrival in load}) == 3
    assert all(1 <= arrival.says <= arrival.max_new_tokens == 128 for arrival in load)
    assert all(12 <= len(arrival.prompt) <= 394 for arrival in load)
    assert {arrival.time for arrival in conversations(5, None)} == {0.0}


def test_more_memory_than_anybody_needs_makes_ways_alike() -> None:
    load = conversations(12, 0.3, seed=1)
    speeds = [
        simulate(policy, load, 2000).summary.tokens_per_second
        for policy in (Policy("asked", reserve="asked"), Policy("paged"))
    ]
    assert speeds[0] == speeds[1]
