"""What has to run before an answer does: only cells that bind a name which it needs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bookbuild.grading.cells import Cell
from bookbuild.grading.edition import Exercise
from bookbuild.grading.submission import Submission


@dataclass
class Plan:
    """Sources in the order in which they run; ``trusted`` are the names of earlier answers of the
    learner that passed, which ``mine`` takes in this process as it did in the notebook.
    """

    before: list[str] = field(default_factory=list)
    answer: str = ""
    after: list[str] = field(default_factory=list)  # ``MyAllocator.release = release``
    trusted: list[str] = field(default_factory=list)
    folder: str = ""  # the submission's


def plan(
    submission: Submission, exercise: Exercise, at: int, passed: frozenset[str], *, theirs: bool
) -> Plan:
    """The plan of one answer, the submission's cell ``at``.

    ``passed`` has the labels of the learner's answers that passed. With ``theirs`` what the learner
    changed is taken first, as in their notebook; without it, the edition's cells go first, and the
    learner's only give what the edition doesn't have.
    """
    search = _Search(submission, exercise, passed, at, theirs=theirs)
    answer = submission.cells[at]
    search.provide(answer.wants, at)
    after = []
    for later in sorted(submission.own):
        cell = submission.cells[later]
        if later > at and exercise.stub in cell.patches:
            search.provide(cell.wants - {exercise.stub}, later)
            after.append(cell.source)
    folder = str(submission.folder.absolute())
    return Plan(search.sources, answer.source, after, search.trusted, folder)


class _Search:
    """Looks for what binds a name, and before it for what that needs itself."""

    def __init__(
        self,
        submission: Submission,
        exercise: Exercise,
        passed: frozenset[str],
        at: int,
        *,
        theirs: bool,
    ) -> None:
        self.sources: list[str] = []
        self.trusted: list[str] = []
        self._theirs = theirs
        self._stub = exercise.stub
        self._cells = submission.cells
        self._book = submission.chapter.cells[: exercise.above]
        others = [each for each in submission.chapter.exercises if each is not exercise]
        answers = {submission.answers[each.label] for each in others} | {at}
        self._helpers = sorted(submission.own - answers)
        self._answers = {
            each.stub: (each, submission.answers[each.label])
            for each in others
            if each.above < exercise.above
        }
        self._passed = passed if theirs else frozenset[str]()
        self._seen: set[Cell] = {self._cells[at]}

    def provide(self, names: Sequence[str] | frozenset[str], reader: int | None) -> None:
        """Run what binds these names; ``reader`` is the learner's cell that needs them."""
        for name in sorted(names):
            for cell, place in self._providers(name, reader):
                self._add(cell, place)

    def _add(self, cell: Cell, place: int | None) -> None:
        if cell in self._seen:
            return
        self._seen.add(cell)
        self.provide(cell.wants, place)
        self.sources.append(cell.source)

    def _providers(self, name: str, reader: int | None) -> Iterator[tuple[Cell, int | None]]:
        """The cells that give this name what it is where ``reader`` reads it, with their places."""
        if name == self._stub:
            yield from self._first_half(reader)
        elif name in self._answers:
            yield from self._earlier(name)
        else:
            book = [cell for cell in self._book if name in cell.binds]
            own = [at for at in self._helpers if name in self._cells[at].binds]
            if own and reader is not None and (self._theirs or not book):
                yield from self._helper(name, own, reader)
            elif book:
                yield book[-1], None
                yield from ((cell, None) for cell in self._book if name in cell.patches)
            elif reader is not None:  # `from math import *` may be it
                yield from (
                    (self._cells[at], at) for at in self._helpers if "*" in self._cells[at].binds
                )

    def _first_half(self, reader: int | None) -> Iterator[tuple[Cell, int | None]]:
        """What an answer goes on from: ``class MyAllocator(MyAllocator)``, in a second cell."""
        if reader is not None and self._stub in self._cells[reader].binds:
            above = [at for at in range(reader) if self._stub in self._cells[at].binds]
            yield from ((self._cells[at], at) for at in above[-1:])

    def _helper(
        self, name: str, own: Sequence[int], reader: int
    ) -> Iterator[tuple[Cell, int | None]]:
        """The learner's own cell: the last one above, or one below that they ran before."""
        above = [at for at in own if at < reader]
        at = above[-1] if above else own[0]
        yield self._cells[at], at
        for later in self._helpers:
            if name in self._cells[later].patches and at < later < max(at + 1, reader):
                yield self._cells[later], later

    def _earlier(self, name: str) -> Iterator[tuple[Cell, int | None]]:
        """An earlier exercise's name: the learner's answer if it passed, else the book's."""
        exercise, at = self._answers[name]
        if exercise.label in self._passed and at is not None:
            self.trusted.append(name)
            yield self._cells[at], at
        elif any(exercise.solution in cell.binds for cell in self._book):
            yield Cell(f"{name} = {exercise.solution}"), None
