"""An open task says what it asks, and what an answer is worth."""

from typing import Any

import pytest

from workbook.checks.framework import Registry, Rejected
from workbook.checks.framework.calls import Judge


@pytest.fixture
def judge() -> Judge:
    registry = Registry()

    @registry.open_task(
        "pack",
        label="open-98",
        title="Pack tightly",
        asks="a function pack(n) -> boxes",
        unit="boxes",
        better="less",
        today=(20, "one each"),
        book=(12, "largest first"),
        bound=(10, "all of them full"),
    )
    def pack(answer: Any) -> int:
        boxes: int = answer(40)
        if boxes < 10:
            raise Rejected(f"40 things don't fit into {boxes} boxes of 4.")
        return boxes

    return Judge(registry)


def test_it_says_what_is_asked_and_what_is_to_beat(judge: Judge) -> None:
    assert (
        repr(judge.pack)
        == """\
judge.pack: Pack tightly
  asks   a function pack(n) -> boxes
  score  boxes; less is better
  today     20 boxes  one each
  the book  12 boxes  largest first
  bound     10 boxes  all of them full"""
    )


@pytest.mark.parametrize(
    ("boxes", "place"),
    [
        (11, "better than the book's"),
        (12, "level with the book's"),
        (15, "better than today's"),
        (20, "no better than today's"),
    ],
)
def test_a_score_stands_among_the_marks(judge: Judge, boxes: int, place: str) -> None:
    verdict = judge.pack(lambda _n: boxes)
    assert verdict.ok
    assert repr(verdict).splitlines()[1].split() == f"yours {boxes} boxes {place}".split()


def test_an_answer_that_breaks_the_spec_is_told_where(judge: Judge) -> None:
    verdict = judge.pack(lambda n: n // 8)
    assert not verdict.ok
    assert "rejected  40 things don't fit into 5 boxes of 4." in repr(verdict)
    assert "It ends in ZeroDivisionError" in repr(judge.pack(lambda n: n // 0))


def test_an_unknown_task_lists_the_known_ones(judge: Judge) -> None:
    with pytest.raises(AttributeError, match=r"Did you mean judge\.pack\?"):
        _ = judge.pak
