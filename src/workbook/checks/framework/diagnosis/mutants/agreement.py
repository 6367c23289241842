"""Which small change of a right solution ends as the reader's does, in every case?"""

import inspect
import time
from collections.abc import Iterator
from typing import Any

from workbook.checks.framework.cases import Case, NotHere, shown
from workbook.checks.framework.diagnosis.calls import right_calls
from workbook.checks.framework.diagnosis.mutants.making import Mutant, mutants_of
from workbook.checks.framework.diagnosis.outcome import PASSED, Outcome, play
from workbook.checks.framework.diagnosis.probes import asked
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.limit import NoEnd, time_limit

_MOST = 2  # changes that one failure may name
_FEWEST = 4  # cases that differ, below which agreement may be chance
_SECONDS = 5.0  # of computing for one search
_ONE = 1.0  # and for one case of one mutant: a loop of the case's own may not end, either

_outcomes: dict[tuple[Mutant, Case], str] = {}


class _TooLong(Exception):
    """The search would take too long, and half of it says nothing."""


def like(exercise: Exercise, case: Case, reader: Any, here: Outcome) -> str | None:
    """Words for the one or two changes with the reader's outcome in every case and probe.

    ``here`` is the reader's in ``case``, which failed. ``None`` if no change agrees, or too many
    do, or the cases are too few, or the search takes too long: never a guess.
    """
    if not (inspect.isclass(reader) or inspect.isfunction(reader)) or not _tells(exercise):
        return None
    others = [c for c in [*exercise.cases, *asked(exercise)] if c is not case]
    search = _Search(case, others, reader, here.text)
    try:
        for right in [exercise.finished, *exercise.also_right]:
            places: dict[int, str] = {}  # of several changes of one line the simplest says enough
            agreeing = sorted(search.agreeing(right), key=_simplest_first)
            for mutant in (one for one in agreeing if search.tells(one)):
                places.setdefault(mutant.line, mutant.clause)
            if places:
                return _said(list(places.values()))
    except _TooLong:
        pass
    return None


def _simplest_first(mutant: Mutant) -> bool:
    return not mutant.clause.endswith("is left out")


def _said(clauses: list[str]) -> str | None:
    if len(clauses) > _MOST:
        return None
    either = f"either {clauses[0]}, or {clauses[1]}" if len(clauses) == 2 else clauses[0]
    return f"In every case yours ends like a right solution in which {either}."


def _tells(exercise: Exercise) -> bool:
    """Whether the right one's answers differ in enough cases.

    A class, or a function that answers nothing, is judged by what it leaves behind, which does.
    """
    every = [*exercise.cases, *asked(exercise)]
    answers = {shown([(c.value, c.error) for c in right_calls(exercise, one)]) for one in every}
    silent = exercise.takes == "class" or not exercise.answers
    return len(every if silent else answers) >= _FEWEST


class _Search:
    """One search, with the reader's outcomes played once and a limit to its time."""

    def __init__(self, case: Case, others: list[Case], reader: Any, here: str) -> None:
        self._mine = {case: here}
        self._cases, self._reader = [case, *others], reader
        self._inherited = _inherited(reader)  # where no fault of the reader's can be
        self._end = time.process_time() + _SECONDS

    def tells(self, mutant: Mutant) -> bool:
        """Whether the reader's outcomes, all known now, are different enough for this change.

        One and the same in most cases has many causes.
        """
        failed = [text for text in self._mine.values() if text != PASSED]
        kinds = len(set(failed))
        return kinds >= mutant.needs and (kinds > 1 or 2 * len(failed) <= len(self._cases))

    def agreeing(self, right: Any) -> Iterator[Mutant]:
        for mutant in mutants_of(right):
            if mutant.function not in self._inherited and self._agrees(mutant):
                yield mutant

    def _agrees(self, mutant: Mutant) -> bool:
        return mutant.solution is not None and all(
            self._of(mutant, case) == self._reader_in(case) for case in self._cases
        )

    def _reader_in(self, case: Case) -> str:
        if case not in self._mine:
            self._mine[case] = play(case, self._reader).text
        return self._mine[case]

    def _of(self, mutant: Mutant, case: Case) -> str:
        if (mutant, case) not in _outcomes:
            if time.process_time() > self._end:
                raise _TooLong
            _outcomes[mutant, case] = played(mutant, case)
        return _outcomes[mutant, case]


def played(mutant: Mutant, case: Case) -> str:
    """The text of the mutant's outcome in this case; one that goes on for ever is stopped."""
    try:
        with time_limit(_ONE):
            return play(case, mutant.solution).text
    except (NoEnd, NotHere):
        return "|it never ends"


def _inherited(reader: Any) -> set[str]:
    """The methods which the reader's class has from another one."""
    if not inspect.isclass(reader):
        return set()
    return {name for base in reader.__mro__[1:] for name in vars(base)} - set(vars(reader))
