"""Answers that would be right for another question, or are the right ones changed alike each time.

The finished solution is asked with arguments changed in one way: a list cut short or turned around,
a number one off, two of them swapped. A reader whose answers agree in every call reads the
arguments so. Likewise one change of every right answer: rounded, turned around, a multiple.
"""

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from workbook.checks.framework.diagnosis.calls import Call, calls_of, right_calls
from workbook.checks.framework.diagnosis.changes import OF_ANSWERS, Values, of_arguments
from workbook.checks.framework.diagnosis.known import either
from workbook.checks.framework.diagnosis.probes import asked
from workbook.checks.framework.diagnosis.relation import equal
from workbook.checks.framework.exercise import Exercise

Pairs = Sequence[tuple[Call, Call]]  # the reader's call and the right one


def as_if(exercise: Exercise, reader: Any) -> str | None:
    """The changes that agree with the answers in all cases and probes, if there are few."""
    if exercise.takes != "function" or hasattr(reader, "fn") or exercise.finished is None:
        return None
    pairs: list[tuple[Call, Call]] = []
    for case in [*exercise.cases, *asked(exercise)]:
        mine = calls_of(case, reader)
        # Of a case that failed, both end with the call at which it did.
        pairs += zip(mine, right_calls(exercise, case), strict=False)
    if not pairs:
        return None
    found = [
        f"That is the right answer for {words}."
        for words, change in of_arguments(_named(exercise, pairs[0][1]))
        if _agree(pairs, (_ask(exercise, right, change) for _, right in pairs))
    ]
    found += [
        f"In every case that {words}."
        for words, change in OF_ANSWERS
        if _agree(pairs, (_changed(right, change) for _, right in pairs))
    ]
    return either(found)


def _named(exercise: Exercise, call: Call) -> Values:
    """The call's arguments by the finished solution's names; empty if they don't fit."""
    try:
        bound = inspect.signature(exercise.finished).bind(*call.args, **call.kwargs)
        return copy.deepcopy(dict(bound.arguments))
    except TypeError:  # a generator, say, has no copy
        return {}


def _ask(exercise: Exercise, call: Call, change: Callable[[Values], Values]) -> Call:
    """What the finished solution answers to the changed call."""
    try:
        return Call("", exercise.finished(**change(_named(exercise, call))))
    except Exception as error:
        return Call("", error=error)


def _changed(call: Call, change: Callable[[Any], Any]) -> Call:
    """The answer of a right call, changed; a refusal stays one."""
    if call.error is not None:
        return call
    try:
        return Call("", change(call.value))
    except Exception as error:  # the change has no sense for this answer
        return Call("", error=error)


def _agree(pairs: Pairs, wanted: Iterator[Call]) -> bool:
    """Whether every answer is the wanted one, and two at least aren't right anyhow.

    ``wanted`` are made one at a time, up to the first that isn't given: some are large.
    """
    same = all(_same(mine, other) for (mine, _), other in zip(pairs, wanted, strict=True))
    return same and sum(not _same(mine, right) for mine, right in pairs) >= 2


def _same(one: Call, other: Call) -> bool:
    if one.error is not None or other.error is not None:
        return type(one.error) is type(other.error)
    return equal(one.value, other.value)
