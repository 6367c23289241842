"""From outcomes to points: what passes counts, and what a stub can do counts for nothing."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from bookbuild.grading.alone import Outcome
from bookbuild.grading.edition import Chapter, Exercise
from bookbuild.grading.plan import plan
from bookbuild.grading.processes import Processes
from bookbuild.grading.submission import Submission
from workbook.classroom.points import worth


@dataclass(frozen=True)
class Mark:
    """One exercise of one submission. ``points`` is ``None`` where nobody can tell here, and for an
    open task, which has a score instead.
    """

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
        for judge, (name, at) in sorted(submission.judged.items()):
            task = submission.chapter.open_task(judge, name)
            yield Mark(task, None, self._tried(submission, task, at, passed))

    def _best(self, submission: Submission, exercise: Exercise, passed: frozenset[str]) -> Outcome:
        at = submission.answers[exercise.label]
        if at is None:
            return Outcome(stopped=f"no cell defines {exercise.stub}")
        if submission.is_stub(exercise):
            return Outcome(todo=True, stopped="not begun")
        return self._tried(submission, exercise, at, passed)

    def _tried(
        self, submission: Submission, exercise: Exercise, at: int, passed: frozenset[str]
    ) -> Outcome:
        """The answer as in the learner's notebook; if that isn't all, also after the edition's own
        cells, for a fault in another cell shall cost nothing here.
        """
        first = plan(submission, exercise, at, passed, theirs=True)
        outcome = self.processes.run(first, exercise)
        second = plan(submission, exercise, at, passed, theirs=False)
        if outcome.ok or outcome.endless or second == first:
            return outcome
        again = self.processes.run(second, exercise)
        return again if again.passed > outcome.passed else outcome

    def _points(self, chapter: Chapter, exercise: Exercise, outcome: Outcome) -> float | None:
        if not outcome.here:
            return None
        partly = 0 < outcome.passed < outcome.of
        return worth(
            exercise.points,
            outcome.passed,
            outcome.of,
            of_stub=self.of_stub(chapter, exercise) if partly else 0,
            endless=outcome.endless,
        )

    def of_stub(self, chapter: Chapter, exercise: Exercise) -> int:
        """How many cases the stub passes as the edition gives it."""
        with self._lock:
            if exercise.label not in self._stubs:
                untouched = Submission("", chapter, (exercise.given,))
                way = plan(untouched, exercise, 0, frozenset(), theirs=False)
                self._stubs[exercise.label] = self.processes.run(way, exercise).passed
            return self._stubs[exercise.label]
