"""The workbook where torch, numpy, matplotlib and Jupyter are missing: what still works there."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbook.digest import digest
from workbook.stills import canvas, output, show

TESTS = Path(__file__).parents[1]
SHOWN = """
figure, axes = canvas(4, 2)
axes.bar([1], [2], color="none")
show(figure, alt="a bar that is two high", caption="**Figure** of `n`", data=[1, 2])
"""


def bare(code: str) -> str:
    """What ``code`` prints in a Python without them."""
    code = f"from helpers.bare import block\nblock()\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=TESTS, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_chart_becomes_its_words_with_the_same_caption_and_digest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outputs: list[dict[str, Any]] = []
    monkeypatch.setattr(output, "_emit", outputs.append)
    exec(SHOWN, {"canvas": canvas, "show": show})
    printed = bare(f"from workbook import canvas, show\n{SHOWN}")
    assert printed == "".join(f"{bundle['text/plain']}\n" for bundle in outputs)
    assert printed == f"a bar that is two high\n**Figure** of `n` [data {digest([1, 2])}]\n"


def test_every_exercise_is_there_and_those_of_chapters_1_and_2_are_checked() -> None:
    code = """
from workbook import check
from workbook.checks import exercises, load_mistakes
wrong = []
for exercise in exercises():
    if exercise.label.startswith(("ex-00", "ex-01", "ex-02")):
        load_mistakes(exercise.label)
        right = exercise.finished or exercise.also_right[0]
        if not getattr(check, exercise.name)(right).ok:
            wrong.append(exercise.label)
print(len(exercises()) > 40, wrong)
"""
    assert bare(code).endswith("True []\n")
