"""The simulated class: what its learners answer, when it stops, and what its page says."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from benchmarks import class_memory
from benchmarks.class_hub import config
from benchmarks.class_learner import cells
from benchmarks.class_room_page import INSTRUCTORS, for_instructors, page

STUB = "def gather(pool):\n    raise NotImplementedError"
SOLUTION = "def gather_solution(pool):\n    return pool[len(pool) - 1]\n"


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "ex-02-1.py").write_text(SOLUTION)
    made = [(STUB, ["stub"]), ("gather([1])", []), ("1 / 0", ["raises-exception"])]
    code = [
        {"cell_type": "code", "source": source, "metadata": {"tags": tags}} for source, tags in made
    ]
    path = tmp_path / "02_chapter.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "#"}, *code]}))
    return path


def test_learners_solve_slip_or_leave_the_stub(notebook: Path) -> None:
    right, wrong, left = (cells(notebook, kind) for kind in ("right", "wrong", "untouched"))
    assert right[0] == ("def gather(pool):\n    return pool[len(pool) - 1]\n", False)
    assert wrong[0] == ("def gather(pool):\n    return pool[len(pool)]\n", False)
    assert left[0] == (STUB, False)
    assert right[1:] == wrong[1:] == left[1:] == [("gather([1])", False), ("1 / 0", True)]


def test_the_guard_stops_before_memory_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter([2_000.0, 1_900.0, 1_400.0, 1_400.0])
    monkeypatch.setattr(class_memory, "available", lambda: next(left))
    watch = class_memory.Watch(SimpleNamespace(), 1_500)  # type: ignore[arg-type]
    asyncio.run(asyncio.wait_for(watch.guard(), 5))
    assert watch.stopped == "the guard, at 1,400 MB available"


def test_a_hub_s_configuration_is_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.class_hub.smollm2.ready_folder", lambda: tmp_path)
    told: Any = SimpleNamespace()
    for part in ("JupyterHub", "Authenticator", "SimpleLocalProcessSpawner", "Spawner"):
        setattr(told, part, SimpleNamespace())
    told.ConfigurableHTTPProxy = SimpleNamespace()
    exec(config(tmp_path, "secret", (1, 2, 3)), {"c": told})
    assert told.JupyterHub.bind_url == "http://127.0.0.1:1"
    assert told.Spawner.environment["PAGED_ATTENTION_MODEL"] == str(tmp_path)


def result(finished: bool) -> dict[str, Any]:
    chapters = {"02": {"seconds": 9.5, "private_mb": 60, "errors": []}} if finished else {}
    return {
        "date": "2026-12-01",
        "machine": "a machine",
        "versions": {"python": "3.12"},
        "memory_gb": 25.3,
        "learners": 1,
        "stagger_seconds": 4.0,
        "chapters": ["02"],
        "finished": int(finished),
        "failed_cells": 0,
        "refused": 2,
        "lost": 0,
        "stopped_by": "" if finished else "time, after 12 minutes",
        "seconds": 40,
        "most": {
            "together": 175,
            "one_kernel": 60,
            "available": 20_000,
            "cpu_seconds": 30,
            "load": 1,
        },
        "each": [{"chapters": chapters, "server_seconds": 5.0 if finished else None}],
    }


def test_its_page_tells_of_a_room_that_came_through_and_of_one_that_did_not() -> None:
    told = "\n".join(page(result(True)))
    assert "| finished both chapters | 1 of 1 |" in told
    assert "| 02 | 1 of 1 | 10 s | 10 s | 60 MB, most 60 MB |" in told
    told = "\n".join(page(result(False)))
    assert "**It was stopped by time, after 12 minutes.**" in told
    assert "| 02 | 0 | – | – | – |" in told


def test_the_instructors_table_is_put_in_and_then_replaced() -> None:
    text = INSTRUCTORS.read_text(encoding="utf-8")
    once = for_instructors(text, result(False))
    assert "one came every 4 s. It was stopped by time, after 12 minutes.*" in once
    again = for_instructors(once, result(True))
    assert again == for_instructors(text, result(True))
    assert again.count("| a simulated room of 1 | |\n|---|---|\n| finished both") == 1
    assert again.count("*Measured ") == text.count("*Measured ") + ("simulated room of" not in text)
