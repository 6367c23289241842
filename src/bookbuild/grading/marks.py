"""From outcomes to points: what passes counts, and what a stub can do counts for nothing."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from bookbuild.grading.alone import Outcome
from bookbuild.grading.edition import Chapter, Exercise
from bookbuild.grading.plan import Plan, plan
from bookbuild.grading.processes import Processes
from bookbuild.grading.submission import Submission


@dataclass(frozen=True)
class Mark:
    """One exercise of one submission. ``points`` is ``None`` where nobody can tell here."""

    exercise: Exercise
    points: float | None
    outcome: Outcome


@dataclass
class Marker:
    """Marks submissions; may be called from several threads."""

    processes: Processes
    _stubs: dict[str, int] = field(default_factory=dict)  # cases that a stub passes, by label
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def marks(self, submission: Submission) -> Iterator[Mark]:
        """The mark of each exercise of the submission's chapter, in order."""
        passed = frozenset[str]()
        for exercise in submission.chapter.exercises:
            outcome = self._best(submission, exercise, passed)
            if outcome.ok:
                passed |= {exercise.label}
            yield Mark(exercise, self._points(submission.chapter, exercise, outcome), outcome)

    def _best(self, submission: Submission, exercise: Exercise, passed: frozenset[str]) -> Outcome:
        """The answer as in the learner's notebook; if that isn't all, also after the edition's own
        cells, for a fault in another cell shall cost nothing here.
        """
        if submission.answers[exercise.label] is None:
            return Outcome(stopped=f"no cell defines {exercise.stub}")
        if submission.is_stub(exercise):
            return Outcome(todo=True, stopped="not begun")
        best: Outcome | None = None
        tried: list[Plan] = []
        for theirs in (True, False):
            way = plan(submission, exercise, passed, theirs=theirs)
            if way is None or way in tried:
                continue
            tried.append(way)
            outcome = self.processes.run(way, exercise)
            if best is None or outcome.passed > best.passed:
                best = outcome
            if best.ok or best.endless:
                break
        return best or Outcome()

    def _points(self, chapter: Chapter, exercise: Exercise, outcome: Outcome) -> float | None:
        if not outcome.here:
            return None
        if outcome.ok:
            return float(exercise.points)
        if (
            outcome.endless
            or not outcome.passed
            or outcome.passed <= self._of_stub(chapter, exercise)
        ):
            return 0.0
        return round(exercise.points * outcome.passed / outcome.of, 1)

    def _of_stub(self, chapter: Chapter, exercise: Exercise) -> int:
        """How many cases the stub passes as the edition gives it."""
        with self._lock:
            if exercise.label not in self._stubs:
                untouched = Submission("", chapter, (exercise.given,))
                way = plan(untouched, exercise, frozenset(), theirs=False)
                passed = self.processes.run(way, exercise).passed if way else 0
                self._stubs[exercise.label] = passed
            return self._stubs[exercise.label]
