"""``progress()``: what a reader has passed, chapter by chapter."""

import re

from workbook.checks import exercises
from workbook.checks.framework.exercise import Exercise
from workbook.notes import passed

CHAPTER = re.compile(r"ex-(\d+)-\d+")


def progress() -> None:
    """Print, for each chapter, how many of its exercises have passed their checks, and which."""
    done = passed()
    chapters: dict[str, list[Exercise]] = {}
    for exercise in exercises():
        if match := CHAPTER.fullmatch(exercise.label):
            chapters.setdefault(match[1], []).append(exercise)
    for number, there in chapters.items():
        titles = ", ".join(each.title for each in there if each.label in done)
        count = sum(each.label in done for each in there)
        print(f"chapter {int(number):<3} {count} of {len(there)}   {titles}".rstrip())
    total = sum(map(len, chapters.values()))
    known = sum(each.label in done for there in chapters.values() for each in there)
    print(f"{known} of {total} checks passed. Only this machine knows.")
