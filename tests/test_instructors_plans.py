"""*For instructors* keeps its word: the plans' minutes, sections and exercises are the chapters'.

A plan is as long as it says, and gives a room about twice what somebody needs who reads alone.
"""

import re
from functools import cache
from typing import NamedTuple

import pytest

from bookbuild.book import ROOT, chapters
from bookbuild.editions.clock import marks
from bookbuild.rules.page import Page
from bookbuild.text import read_text

PAGE = (ROOT / "chapters/pages/instructors.md").read_text(encoding="utf-8")
HEAD = "| at | min | ch. | what | book |"
# What each plan promises, in minutes: for each of its tables.
LENGTHS = {
    "90 minutes: who has the block?": [90],
    "3 hours: from waste to a table": [180],
    "3 hours: why is my server slow today?": [180],
    "Two days: a cache for a real model": [450, 450],
    "Two days: a kernel room": [435, 435],
}
ROOM = (1.6, 2.4)  # a room's minutes for one of a reader's, over a whole table


class Row(NamedTuple):
    """A line of a plan: minutes from its start, and what is done."""

    at: int
    minutes: int
    chapter: str
    what: str
    book: str

    @property
    def sections(self) -> list[str]:
        return re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", self.what)

    @property
    def exercises(self) -> list[tuple[str, str]]:
        """Text and label of each link to an exercise."""
        return re.findall(r"\[([^]]+)\]\(#(ex-\d\d-\d)\)", self.what)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read_row(line: str) -> Row:
    at, minutes, chapter, what, book = cells(line)
    hours, rest = at.split(":")
    return Row(
        60 * int(hours) + int(rest), int(minutes), chapter and f"{int(chapter):02}", what, book
    )


def plans() -> dict[str, list[list[Row]]]:
    """The tables of each plan."""
    part = PAGE.split("\n## Plans\n")[1].split("\n(votes)=")[0]
    found = {}
    for plan in re.split(r"^### ", part, flags=re.MULTILINE)[1:]:
        title, body = plan.split("\n", 1)
        tables = [table.split("\n\n")[0].strip().splitlines()[1:] for table in body.split(HEAD)[1:]]
        found[title] = [[read_row(line) for line in table] for table in tables]
    return found


PLANS = plans()
TABLES = [(title, rows) for title, tables in PLANS.items() for rows in tables]
ROWS = [(title, row) for title, rows in TABLES for row in rows]


class Times(NamedTuple):
    """A chapter's minutes by the clock of the instructor edition: its sections' reading, and its
    exercises, each with its title.
    """

    sections: dict[str, int]
    exercises: dict[str, tuple[str, int]]


@cache
def book() -> dict[str, Times]:
    found = {}
    for chapter in chapters(ROOT):
        clock = marks(Page(chapter.name, chapter.number, read_text(chapter).cells))
        reading = [(mark.title, mark.minutes) for mark in clock if mark.task is None]
        found[chapter.number] = Times(
            # Two short sections may share a cell, and then their minutes.
            {name: minutes for titles, minutes in reading for name in titles.split(", then ")},
            {mark.task.label: (mark.title, mark.minutes) for mark in clock if mark.task},
        )
    return found


def test_plans_are_as_long_as_they_promise() -> None:
    assert list(PLANS) == list(LENGTHS)
    for title, tables in PLANS.items():
        assert [rows[-1].at + rows[-1].minutes for rows in tables] == LENGTHS[title], title
    for title, rows in TABLES:
        clock = 0
        for row in rows:
            assert row.at == clock, (
                f"{title}: {row.what[:40]} begins at {clock // 60}:{clock % 60:02}"
            )
            clock += row.minutes


@pytest.mark.parametrize(("title", "row"), [(t, r) for t, r in ROWS if r.chapter])
def test_a_row_agrees_with_its_chapter(title: str, row: Row) -> None:
    """Its sections and exercises are there, and its minutes are the chapter's own."""
    of = book()[row.chapter]
    assert row.sections or row.exercises
    minutes = 0
    for section in row.sections:
        assert section in of.sections, f"{title}: chapter {row.chapter} has no section {section!r}"
        minutes += of.sections[section]
    for text, label in row.exercises:
        number, _, name = text.partition(", ")
        assert label == f"ex-{row.chapter}-{number}", f"{title}: {text} leads to {label}"
        assert name in ("", of.exercises[label][0])
        minutes += of.exercises[label][1]
    # A word more or less in a chapter may move a minute from one section to another.
    off = f"{title}, {row.what[:50]}: chapter {row.chapter} has {minutes}"
    assert abs(int(row.book) - minutes) <= 1, off
    assert row.minutes > minutes


def test_rows_without_a_chapter_claim_no_minutes() -> None:
    for _, row in ROWS:
        if not row.chapter:
            assert row.book == ""
            assert row.exercises == []


@pytest.mark.parametrize(("title", "rows"), TABLES)
def test_a_room_gets_about_twice_the_readers_minutes(title: str, rows: list[Row]) -> None:
    both = [(row.minutes, int(row.book)) for row in rows if row.book]
    ratio = sum(room for room, _ in both) / sum(reader for _, reader in both)
    assert ROOM[0] <= ratio <= ROOM[1], f"{title}: {ratio:.2f}"


@pytest.mark.parametrize(("title", "rows"), TABLES)
def test_nobody_sits_for_two_hours(title: str, rows: list[Row]) -> None:
    began = 0
    for row in rows:
        if row.what.startswith(("Break", "Lunch", "The plan of three hours")):
            began = row.at + row.minutes
        assert row.at + row.minutes - began <= 115, f"{title}, at {row.what[:40]}"


def test_plans_call_votes_that_are_there_and_after_what_they_ask() -> None:
    for title, rows in TABLES:
        met = set(range(12)) if "Two days" in title else set()
        for row in rows:
            met |= {int(row.chapter)} if row.chapter else set()
            for number in re.findall(r"\bVote (\d)$", row.what):
                assert f"\n### Vote {number}\n" in PAGE
                assert int(number) in met, f"{title}: vote {number} comes too early"
