"""The stopwatch times only what is right, and a walk that ends its process ends nothing else."""

import math
import re
from pathlib import Path

import pytest
import torch
from helpers.walks import NAIVE, by_block

from paged_attention.kernels.cpu import find_compiler
from workbook.walk.load import Load, function_way, library_way, other_ways, right
from workbook.walk.program import FAST, build
from workbook.walk.stopwatch import NotTimed, _in_a_process, stopwatch, timed
from workbook.walk.timing import measure

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C++ compiler here")
SMALL = Load(2, 40)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path))


def watched(body: str) -> dict[str, object]:
    steps = SMALL.steps()
    library = build(body, FAST, 64, 3, ".so")
    ways = {"yours": library_way(str(library.path), steps, 1)} | other_ways(SMALL, steps)
    return measure(SMALL, ways, steps, "yours", 1, rounds=2)


def test_a_right_walk_is_timed_beside_the_others() -> None:
    found = watched(NAIVE)
    assert found["fault"] == ""
    assert list(found["best"]) == [
        "yours",
        "finished",
        "contiguous SDPA",
        "a copy of as many bytes",
    ]
    assert all(0 < seconds < math.inf for seconds in found["best"].values())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("* k_pool[at + d];", "* k_pool[at + d]; if (length > 30) score = 0;"),
        ("m = higher;", "m = higher; if (p > 30) const_cast<float*>(v_pool)[at] += 1;"),
    ],
    ids=["right for short histories only", "writes to a pool"],
)
def test_what_only_passes_small_cases_does_not_count(old: str, new: str) -> None:
    assert old in NAIVE
    assert "not right" in watched(NAIVE.replace(old, new))["fault"]


def test_a_kept_answer_does_not_count() -> None:
    keeps = NAIVE.replace(
        "{\n  for (int g",
        "{\n  static int calls = 0;\n  if (calls++ >= 6) return;\n  for (int g",
        1,
    )
    assert "not right" in watched(keeps)["fault"]


def test_every_way_gives_the_right_answer() -> None:
    steps = SMALL.steps()
    ways = other_ways(SMALL, steps) | {"yours": function_way(by_block, steps)}
    ways.pop("a copy of as many bytes")
    for turn, wanted in enumerate(right(steps)):
        for name, way in ways.items():
            torch.testing.assert_close(way(turn).double(), wanted, atol=1e-4, rtol=0, msg=name)


def test_a_stub_and_a_wrong_walk_are_not_timed(capsys: pytest.CaptureFixture[str]) -> None:
    assert stopwatch("{ NOT_IMPLEMENTED; }") is None
    assert capsys.readouterr().out == "Nothing to time yet: the walk is not implemented.\n"
    assert stopwatch(NAIVE.replace("p < length", "p + 1 < length")) is None
    assert "it isn't right yet" in capsys.readouterr().out
    assert stopwatch("{ nonsense }") is None
    assert re.match(r"Your walk isn't timed: line 1 of your cell: ", capsys.readouterr().out)


def test_a_walk_that_ends_its_process_leaves_the_notebook_alone() -> None:
    crash = NAIVE.replace("float m = -INF", "*(volatile float*)64 = 1; float m = -INF")
    library = build(crash, FAST, 64, 3, ".so")
    asked = {"library": str(library.path), "loads": [(1, 16)], "threads": 1, "rounds": 1}
    with pytest.raises(NotTimed, match=r"ended the stopwatch's process \(SIGSEGV\)"):
        _in_a_process(asked)


def test_without_a_compiler_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbook.walk.program.find_compiler", lambda: None)
    with pytest.raises(NotTimed, match=r"no C\+\+ compiler"):
        timed(NAIVE)
