"""What a rule sees of a chapter, and how it says that something is wrong."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nbformat import NotebookNode


class Problem(NamedTuple):
    """One thing to mend: where it is, what is wrong, and the way out."""

    chapter: str
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.chapter}{self.place}: {self.message}"


@dataclass(frozen=True)
class Page:
    """A chapter's cells; ``number`` is ``"02"``. Cells are counted from 1 in messages."""

    name: str
    number: str
    cells: list[NotebookNode]

    def problem(self, message: str, at: int | None = None) -> Problem:
        """A problem of the cell with index ``at``, or of the whole chapter."""
        if at is None:
            return Problem(self.name, "", message)
        first = self.cells[at].source.strip().split("\n", 1)[0][:50]
        return Problem(self.name, f", cell {at + 1} ({first})", message)

    def code(self) -> Iterator[tuple[int, NotebookNode]]:
        """Index and cell of every code cell."""
        return ((at, cell) for at, cell in enumerate(self.cells) if cell.cell_type == "code")

    def prose(self) -> Iterator[tuple[int, NotebookNode]]:
        """Index and cell of every markdown cell."""
        return ((at, cell) for at, cell in enumerate(self.cells) if cell.cell_type == "markdown")


Rule = Callable[[Page], Iterator[Problem]]


def tags(cell: NotebookNode) -> list[str]:
    """The cell's tags."""
    return list(cell.metadata.get("tags", []))
