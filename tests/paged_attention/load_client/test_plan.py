"""Loads: drawn with a seed, or read from a file, whose mistakes are named by their line."""

import json
from pathlib import Path
from typing import Any

import pytest

from paged_attention.load_client.plan import BadLoad, Planned, drawn, recorded


def test_one_seed_one_load() -> None:
    load = drawn(20, 2.0, words=8, shared=3, max_tokens=4, seed=1)
    assert load == drawn(20, 2.0, words=8, shared=3, max_tokens=4, seed=1)
    assert load != drawn(20, 2.0, words=8, shared=3, max_tokens=4, seed=2)
    prompts = [str(planned.prompt).split() for planned in load]
    assert {len(words) for words in prompts} == {8}
    assert len({tuple(words[:3]) for words in prompts}) == 1
    assert len({tuple(words[3:]) for words in prompts}) > 15


def test_an_endless_rate_is_all_at_once() -> None:
    load = drawn(5, float("inf"), words=2, shared=9, max_tokens=4)
    assert [planned.due for planned in load] == [0.0] * 5
    assert len({planned.prompt for planned in load}) == 1


def write(folder: Path, *lines: Any) -> Path:
    file = folder / "load.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return file


def test_a_recorded_load(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        {"time": 10, "prompt": "Grüezi", "max_tokens": 3},
        "",
        {"time": 10.5, "tokens": [1, 2, 3]},
    )
    assert recorded(file, max_tokens=9) == [
        Planned(0.0, "Grüezi", 3),
        Planned(0.5, (1, 2, 3), 9),
    ]


def test_times_that_were_not_recorded_are_drawn(tmp_path: Path) -> None:
    file = write(tmp_path, {"prompt": "a"}, {"prompt": "b"})
    assert [p.due for p in recorded(file, max_tokens=1, rate=2.0)] == pytest.approx(
        [p.due for p in drawn(2, 2.0, words=1, shared=0, max_tokens=1)]
    )
    with pytest.raises(BadLoad, match="--rate"):
        recorded(file, max_tokens=1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2 is no JSON"),
        ("[1]", "no JSON object"),
        ({"time": 1}, "either a prompt"),
        ({"time": 1, "prompt": "a", "tokens": [1]}, "either a prompt"),
        ({"time": 1, "prompt": ""}, "neither is empty"),
        ({"time": 1, "tokens": [True]}, "list of ids"),
        ({"time": 1, "tokens": [-1]}, "list of ids"),
        ({"time": -1, "prompt": "a"}, "time is a number"),
        ('{"time": NaN, "prompt": "a"}', "time is a number"),
        ({"time": True, "prompt": "a"}, "time is a number"),
        ({"time": 1, "prompt": "a", "max_tokens": 0}, "max_tokens"),
        ({"time": 0, "prompt": "a"}, "go back"),
        ({"prompt": "a"}, "1 of 2 lines"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, line: Any, words: str) -> None:
    with pytest.raises(BadLoad, match=words):
        recorded(write(tmp_path, {"time": 0.5, "prompt": "first"}, line), max_tokens=4)


def test_a_file_that_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadLoad, match="no request"):
        recorded(write(tmp_path, ""), max_tokens=4)
    with pytest.raises(BadLoad, match="can't be read"):
        recorded(tmp_path / "nowhere.jsonl", max_tokens=4)
