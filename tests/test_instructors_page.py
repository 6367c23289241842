"""*For instructors* keeps its word: minutes, sections, votes, commands and figures are the book's.

``test_instructors_quiz.py`` computes the quiz's answers.
"""

import argparse
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from benchmarks import kernel_memory_page
from benchmarks.page_parts import newest

import bookbuild.__main__ as bookbuild
import workbook.__main__ as workbook
from bookbuild.book import ROOT, chapters
from bookbuild.editions.clock import marks
from bookbuild.rules.page import Page
from bookbuild.text import read_text
from paged_attention.commands import commands

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


def questions(text: str) -> set[str]:
    """Each multiple-choice question with its answers and reasons, less its level."""
    found = re.findall(r"^(.+)\n\n((?:- \(.*\n)+\n:::\{dropdown\} Answer\n.*\n:::)", text, re.M)
    bare = re.compile(r"^(?:\w+ · |\*\*Discuss with a neighbour\.\*\* )")
    return {f"{bare.sub('', asked)}\n{rest}" for asked, rest in found}


def votes() -> dict[str, str]:
    """The text below each vote's heading."""
    part = PAGE.split("\n## Votes\n")[1].split("\n### Your counts")[0]
    return dict(re.findall(r"^### Vote (\d+)\n((?:(?!^### ).*\n?)+)", part, re.MULTILINE))


def test_each_vote_is_a_question_of_its_chapter_word_for_word() -> None:
    assert list(votes()) == [str(n) for n in range(9)]
    for number, text in votes().items():
        [asked] = questions(text)
        [chapter] = chapters(ROOT, [number])
        assert asked in questions(chapter.text.read_text(encoding="utf-8")), f"vote {number}"
        assert text.startswith("\n*To show afterwards:* ")


def test_plans_call_votes_that_are_there_and_after_what_they_ask() -> None:
    for title, rows in TABLES:
        met = set(range(12)) if "Two days" in title else set()
        for row in rows:
            met |= {int(row.chapter)} if row.chapter else set()
            for number in re.findall(r"\bVote (\d)$", row.what):
                assert number in votes()
                assert int(number) in met, f"{title}: vote {number} comes too early"


def test_figures_are_there_and_those_that_are_stepped_can_be() -> None:
    texts = "".join(chapter.text.read_text(encoding="utf-8") for chapter in chapters(ROOT))
    for number in set(re.findall(r"[Ff]igure (\d+\.\d+)", PAGE)):
        assert f"**Figure {number}" in texts, number
    for number in set(re.findall(r"[Ff]igure (\d+\.\d+)[^.|]*full screen", PAGE)):
        assert f"**Figure {number} (step it)**" in texts, number


def test_the_table_of_memory_says_what_was_measured() -> None:
    """If not: ``benchmarks.kernel_memory_page`` writes it anew."""
    assert kernel_memory_page.written(PAGE) == PAGE
    result = newest("kernel-memory")
    assert result
    assert set(result["chapters"]) == set(book())


def command_lines() -> list[str]:
    """Every command in a fence of the page, and those in the text."""
    fences = re.findall(r"```bash\n(.*?)```", PAGE, flags=re.DOTALL)
    lines = [line for fence in fences for line in fence.replace("\\\n", " ").splitlines()]
    return lines + re.findall(r"`(python -m [^`]+|make [^`]+)`", PAGE)


@pytest.mark.parametrize("line", sorted(set(command_lines())))
def test_each_command_would_run(line: str) -> None:
    known = re.compile(r"(make|python -m \w+|git clone|install)\b")
    assert known.match(line), line
    words = shlex.split(line.split("&&")[0])
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", Path(ROOT / "Makefile").read_text(), re.MULTILINE)
        assert {word for word in words[1:] if "=" not in word} <= set(targets)
    elif words[2:3] == ["bookbuild"]:
        bookbuild._parsed(words[3:])
    elif words[2:3] == ["paged_attention"]:
        parser = argparse.ArgumentParser()
        commands()[words[3]].add_options(parser)
        parser.parse_args(words[4:])
    elif words[2:3] == ["workbook"]:
        parser = argparse.ArgumentParser()
        workbook.board.add_options(parser)
        assert words[3] == "board"
        parser.parse_args(words[4:])


def test_names_that_learners_import_are_there() -> None:
    for module, names in re.findall(r"`from ([\w.]+) import ([\w, ]+)`", PAGE):
        space: dict[str, Any] = {}
        exec(f"from {module} import {names}", space)
        assert set(names.split(", ")) <= set(space)
