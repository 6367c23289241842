"""What a solution answered, call by call, while a case played with it."""

import copy
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workbook.checks.framework.cases import Case
from workbook.checks.framework.diagnosis.outcome import play
from workbook.checks.framework.exercise import Exercise
from workbook.checks.framework.limit import NoEnd


@dataclass
class Call:
    """One call: what was called (empty for a function that is checked itself), and its answer."""

    method: str
    value: Any = None
    error: BaseException | None = None
    args: tuple[Any, ...] = ()  # as they came
    kwargs: dict[str, Any] = field(default_factory=dict)


_right: dict[Case, list[Call]] = {}


def right_calls(exercise: Exercise, case: Case) -> list[Call]:
    """The calls that the case makes of the finished solution; played once a session."""
    if case not in _right:
        _right[case] = calls_of(case, exercise.finished, on_fuel=False)
    return _right[case]


def calls_of(case: Case, solution: Any, *, on_fuel: bool = True) -> list[Call]:
    """The calls that this case makes of a function, or of a class's public methods.

    A method that a method calls isn't listed. None are of a kernel or a text.
    """
    calls: list[Call] = []
    if inspect.isclass(solution):
        play(case, _listed_class(solution, calls), on_fuel=on_fuel)
    elif callable(solution) and not hasattr(solution, "fn"):
        play(case, _listed(solution, "", calls, []), on_fuel=on_fuel)
    return calls


def _listed(
    function: Callable[..., Any], method: str, calls: list[Call], inside: list[str]
) -> Callable[..., Any]:
    @functools.wraps(function)
    def listed(*args: Any, **kwargs: Any) -> Any:
        if inside:
            return function(*args, **kwargs)
        call = Call(method, args=_copied(args), kwargs=_copied(kwargs))
        calls.append(call)
        inside.append(method)
        try:
            call.value = function(*args, **kwargs)
        except (Exception, NoEnd) as error:
            call.error = error
            raise
        finally:
            inside.pop()
        return call.value

    return listed


def _copied(values: Any) -> Any:
    """A copy, which no callee can change; of a generator, say, there is none."""
    try:
        return copy.deepcopy(values)
    except TypeError:
        return values


def _listed_class(cls: type, calls: list[Call]) -> type:
    inside: list[str] = []
    methods = {
        name: _listed(method, name, calls, inside)
        for name, method in inspect.getmembers(cls, inspect.isfunction)
        if not name.startswith("_")
    }
    return type(cls.__name__, (cls,), methods)
