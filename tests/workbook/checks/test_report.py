"""A report in a notebook: the same words, verdicts in colour and nothing else."""

import re

from workbook.checks.framework.report import BLUE, GREEN, PLAIN, RED, Failure, Report

TITLES = ("one", "two passed", "three")
FAILED = Report("check.f(f)", TITLES, 1, Failure("f(1)", "passed  1", "2", "why not"))


def shown(report: Report) -> str:
    return report._repr_mimebundle_()["text/plain"]


def test_verdicts_have_colours_and_the_words_stay() -> None:
    assert f"  {GREEN}passed{PLAIN}  1  one" in shown(FAILED)
    assert f"  {RED}FAILED{PLAIN}  2  two passed" in shown(FAILED)
    todo = Report("check.f(f)", TITLES, 1, todo=True)
    assert f"  {BLUE}to do{PLAIN}   2  two passed" in shown(todo)
    for report in (FAILED, todo, Report("check.f(f)", TITLES, 3)):
        assert re.sub(r"\x1b\[[0-9;]*m", "", shown(report)) == repr(report)


def test_nothing_a_reader_wrote_is_coloured() -> None:
    assert shown(FAILED).count(PLAIN) == 2
