"""What runs in an exercise's own process: cells, the answer, a fresh check, and the word back.

It is loaded once by the process from which all others are forked, so that each of them has what
chapters import already.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import workbook
from bookbuild.grading.limits import Limits
from bookbuild.grading.plan import Plan
from workbook.checks import load_chapter, load_mistakes
from workbook.checks.framework.calls import Checks
from workbook.checks.framework.cases import in_words
from workbook.checks.framework.limit import NoEnd, no_end, time_limit
from workbook.checks.framework.opened import OpenTask
from workbook.checks.framework.owner import is_learners
from workbook.checks.framework.registry import registry
from workbook.checks.framework.report import Report
from workbook.classroom.points import is_endless

MOST_WRITTEN = 100_000_000  # bytes of a file that an answer writes
MOST_SAID = 1_000  # signs


@dataclass(frozen=True)
class Outcome:
    """How one answer did. ``stopped`` says where, ``said`` what came there; both are for people."""

    passed: int = 0
    of: int = 0
    todo: bool = False
    endless: bool = False
    here: bool = True  # false where this machine can't run the check
    stopped: str = ""
    said: str = ""

    @property
    def ok(self) -> bool:
        """Whether every case passed."""
        return self.of > 0 and self.passed == self.of


def run_alone(
    line: Connection, plan: Plan, label: str, check: str, stub: str, limits: Limits, folder: str
) -> None:
    """Send the ``Outcome`` of one plan over ``line`` and end the process, whatever runs in it.

    ``folder`` is an empty one, where cells are kept as files so that tracebacks find their lines.
    """
    if hasattr(os, "setsid"):
        os.setsid()  # so that all that an answer starts can be ended with it
    os.chdir(folder)
    sys.path.append(plan.folder)  # where a learner may have a module of their own
    _close_the_ears()
    _limit(limits.memory)
    try:
        outcome = _outcome(plan, label, check, stub, limits)
    except BaseException as error:  # SystemExit in a method, and whatever a learner invents
        outcome = Outcome(stopped="the check was ended", said=in_words(error))
    outcome = replace(outcome, said=outcome.said[:MOST_SAID])
    with contextlib.suppress(OSError):
        line.send_bytes(json.dumps(asdict(outcome)).encode())  # whoever hears it unpickles nothing
        line.close()
    os._exit(0)  # threads that are left don't hold us


def _close_the_ears() -> None:
    """Nothing to read, and what is printed goes nowhere, by whatever way."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    os.environ.pop("PAGED_ATTENTION_BOARD", None)


def _limit(memory: int | None) -> None:
    """Hold the process to so many bytes, as far as the system can; ``None`` lets it go again."""
    try:
        import resource
    except ImportError:  # Windows
        return
    most = resource.RLIM_INFINITY if memory is None else memory
    limits = [
        (resource.RLIMIT_DATA, most),
        (resource.RLIMIT_FSIZE, MOST_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ]
    for kind, value in limits:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))


def _outcome(plan: Plan, label: str, check: str, stub: str, limits: Limits) -> Outcome:
    space = _notebook(plan)
    ours = _put_away("workbook.checks")
    for number, source in enumerate(plan.before):
        with contextlib.suppress(BaseException), time_limit(limits.cell):
            _run(source, f"cell_{number}.py", space)  # what it lacks is missed later, by name
    try:
        for source in (plan.answer, *plan.after):
            with time_limit(limits.cell):
                _run(source, "answer.py", space)
    except NoEnd:
        return Outcome(endless=True, stopped="the cell itself", said=no_end(limits.cell))
    except BaseException as error:
        return Outcome(stopped="the cell itself", said=_with_line(error))
    sys.modules.update(ours)
    if stub not in space:
        return Outcome(stopped="the cell itself", said=f"{stub} is not defined after it")
    load_chapter(label.split("-")[1])
    if check.startswith("judge."):
        return _judged(registry.tasks[check.removeprefix("judge.")], space[stub])
    return _checked(check, space[stub])


def _notebook(plan: Plan) -> dict[str, Any]:
    """The names of a fresh notebook, where the book's own calls have an answer at hand."""
    module = ModuleType("__main__")
    sys.modules["__main__"] = module
    space = vars(module)
    quiet: Callable[..., None] = lambda *_, **__: None  # noqa: E731
    space |= {"display": quiet, "get_ipython": lambda: _Anything()}

    def mine(yours: Any, ours: Any, _name: str | None = None) -> Any:
        """The learner's, if it is one of those that passed; as in the notebook."""
        passed = any(space.get(each) is yours for each in plan.trusted)
        return yours if passed and yours is not None else ours

    vars(workbook).update(mine=mine, check=_Anything(), hint=quiet, show=quiet)
    return space


def _put_away(package: str) -> dict[str, ModuleType]:
    """Take the package's modules out of sight, and return them: cells that import them load copies
    of their own, and may change those as they like.
    """
    vars(workbook).pop(package.rpartition(".")[2], None)
    names = [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]
    return {name: sys.modules.pop(name) for name in names}


class _Anything:
    """Stands for checks and for the notebook's shell in cells that only prepare."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *_, **__: SimpleNamespace(ok=True)


def _run(source: str, name: str, space: dict[str, Any]) -> None:
    file = Path.cwd() / name
    file.write_text(source, encoding="utf-8")
    exec(compile(source, str(file), "exec"), space)


def _with_line(error: BaseException) -> str:
    """The error in words, and the line of the answer's cell where it arose."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith("answer.py"):
            line = trace.tb_lineno
        trace = trace.tb_next
    return in_words(error) + (f" (line {line} of the cell)" if line else "")


def _checked(check: str, answer: Any) -> Outcome:
    """What a check says that no cell of the learner's has touched."""
    exercise = registry.exercises[check]
    if not is_learners(exercise, answer):
        said = f"{getattr(answer, '__name__', 'it')} is the book's, not an answer"
        return Outcome(0, len(exercise.cases), stopped="the cell itself", said=said)
    if isinstance(answer, str):
        _limit(None)  # it is compiled, and its sanitizers map more memory than there is
    fresh = Checks(registry, load_mistakes=load_mistakes, explain=False)
    return _told(getattr(fresh, check)(answer))


def _told(report: Report) -> Outcome:
    stopped = "" if report.ok else report.titles[report.passed]
    got = report.failure.got if report.failure else (report.remark or "")
    return Outcome(
        passed=report.passed,
        of=len(report.titles),
        todo=report.todo,
        endless=is_endless(report),
        here=report.here,
        stopped=stopped,
        said="not implemented yet" if report.todo else got,
    )


def _judged(task: OpenTask, answer: Any) -> Outcome:
    """The score of an answer to an open task; whole ones count as cases."""
    verdict = task(answer)
    if verdict.score is None:
        return Outcome(stopped="rejected", said=verdict.rejected or "")
    best = f"{task.bound[0]:,} at best, " if task.bound else ""
    said = (
        f"{verdict.score:,} {task.unit}; {best}the book's {task.book[0]:,}, {task.better} is better"
    )
    return Outcome(passed=int(verdict.score), said=said)
