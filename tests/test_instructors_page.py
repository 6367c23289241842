"""*For instructors* keeps its word: votes, laws, figures, memory and commands are the book's.

``test_instructors_plans.py`` compares the minutes, ``test_instructors_quiz.py`` computes answers.
"""

import argparse
import re
import shlex
from typing import Any

import pytest
from benchmarks import kernel_memory_page
from benchmarks.page_parts import newest

import bookbuild.__main__ as bookbuild
import workbook.__main__ as workbook
from bookbuild.book import ROOT, chapters
from paged_attention.commands import commands

PAGE = (ROOT / "chapters/pages/instructors.md").read_text(encoding="utf-8")


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


def test_the_laws_are_the_chapters_own() -> None:
    part = PAGE.split("\n## The laws\n")[1].split("\n## ")[0]
    laws = re.findall(r"^\| (\d) \| (.+) \|$", part, re.MULTILINE)
    assert len(laws) > 12
    for number, law in laws:
        [chapter] = chapters(ROOT, [number])
        assert f"**{law}**" in chapter.text.read_text(encoding="utf-8"), law


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
    assert list(result["chapters"]) == [chapter.number for chapter in chapters(ROOT)]


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
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
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
