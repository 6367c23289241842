"""A teacher's side of the board: who stands where, and what to explain next."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from workbook.classroom.lines import SUFFIX, Line, lines


@dataclass
class Standing:
    """How far one learner is with one exercise."""

    passed: int = 0
    of: int = 0
    todo: bool = True  # only a stub has been checked so far
    stop: str | None = None  # title of the case at which the last check stopped
    tries: int = 0  # checks of something written, up to the one that passed

    @property
    def done(self) -> bool:
        """Whether all cases have passed once; what is broken later doesn't undo that."""
        return self.of > 0 and self.passed == self.of

    def hear(self, line: Line) -> None:
        """Take the next check into account."""
        if self.done:
            return
        self.passed, self.of, self.todo, self.stop = line.passed, line.of, line.todo, line.stop
        self.tries += not line.todo


@dataclass
class Learner:
    """One file of the folder: a name, which two may have, and standings by exercise."""

    name: str
    seen: int  # time of the last line, in seconds since 1970
    standings: dict[str, Standing] = field(default_factory=dict)


@dataclass(frozen=True)
class Stop:
    """The case at which most are stopped in an exercise."""

    label: str
    title: str
    learners: int


@dataclass
class Board:
    """A class at one moment; learners in the order of their names."""

    learners: list[Learner]
    labels: list[str]

    def passed(self, label: str) -> int:
        """How many have passed the exercise."""
        return sum(standing.done for standing in self._standings(label))

    def begun(self, label: str) -> int:
        """How many have checked something written, whether it passed or not."""
        return sum(standing.tries > 0 for standing in self._standings(label))

    def stop(self, label: str) -> Stop | None:
        """Where most of those who have begun and not passed are stopped, if anywhere."""
        open_ones = [each for each in self._standings(label) if not each.done and each.stop]
        first = {each.stop: each.passed for each in open_ones}
        counts = Counter(each.stop for each in open_ones)
        # Of two with as many the earlier case: who is stopped there hasn't seen the later one.
        most = max(counts, key=lambda title: (counts[title], -first[title]), default=None)
        return Stop(label, most, counts[most]) if most else None

    def line(self, label: str) -> str:
        """``ex-02-2: 9 of 27 passed; most stop at 'a request …' (18)``."""
        told = f"{label}: {self.passed(label)} of {len(self.learners)} passed"
        stop = self.stop(label)
        return f"{told}; most stop at {stop.title!r} ({stop.learners})" if stop else told

    def explain_next(self) -> Stop | None:
        """The case that stops most learners of all, if it stops two; of equals the first."""
        stops = [stop for label in self.labels if (stop := self.stop(label))]
        most = max(stops, key=lambda stop: stop.learners, default=None)
        return most if most and most.learners > 1 else None

    def _standings(self, label: str) -> list[Standing]:
        return [each.standings[label] for each in self.learners if label in each.standings]


def read_board(folder: Path, chapters: Iterable[str] = ()) -> Board:
    """The board in ``folder``, of these chapters (``02``) or of all.

    Files that nobody's ``share_progress`` wrote, and damaged lines, are passed over. Raises
    ``OSError`` if the folder can't be listed.
    """
    wanted = tuple(f"ex-{chapter}-" for chapter in chapters)
    files = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    learners = [learner for path in files if (learner := _learner(path, wanted))]
    learners.sort(key=lambda each: (each.name.casefold(), each.name))
    labels = {label for each in learners for label in each.standings}
    return Board(learners, sorted(labels, key=_order))


def _learner(path: Path, wanted: tuple[str, ...]) -> Learner | None:
    learner: Learner | None = None
    for line in lines(path):
        learner = learner or Learner(line.who, line.t)
        learner.name, learner.seen = line.who, max(learner.seen, line.t)
        if line.ex is not None and line.ex.startswith(wanted or ""):
            learner.standings.setdefault(line.ex, Standing()).hear(line)
    return learner


def _order(label: str) -> tuple[list[tuple[int, str]], str]:
    """``ex-02-10`` comes after ``ex-02-9``."""
    parts = [(int(part) if part.isdecimal() else -1, part) for part in label.split("-")]
    return parts, label


def minutes_quiet(learner: Learner, now: float | None = None) -> int:
    """Whole minutes since the learner's last sign of life; 0 where clocks disagree."""
    return max(0, int((time.time() if now is None else now) - learner.seen) // 60)
