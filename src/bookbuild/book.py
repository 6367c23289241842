"""Where the chapters are: each has one text, which people edit, and one notebook, which is made."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
STEM = re.compile(r"(\d\d)_[a-z0-9_]+")


class BookError(Exception):
    """A problem of the book, told so that an author can act on it."""


@dataclass(frozen=True)
class Chapter:
    """One chapter: ``number`` is ``"02"``, ``name`` is ``"02_the_block_allocator"``."""

    number: str
    name: str
    text: Path
    notebook: Path


def source_folder(root: Path) -> Path:
    """The folder of the texts."""
    return root / "chapters" / "source"


def chapters(root: Path, numbers: Iterable[str] = ()) -> list[Chapter]:
    """The chapters with these numbers (``2`` or ``02``), in order; all when none is named.

    Raises ``BookError`` for a number without a text and for a text with an odd name.
    """
    found: dict[str, Chapter] = {}
    for text in sorted(source_folder(root).glob("*.md")):
        match = STEM.fullmatch(text.stem)
        if match is None:
            raise BookError(f"{text.name}: a chapter's text is called NN_lower_case_words.md")
        number = match[1]
        if number in found:
            raise BookError(f"{text.name} and {found[number].text.name} are both chapter {number}")
        notebook = root / "chapters" / f"{text.stem}.ipynb"
        found[number] = Chapter(number, text.stem, text, notebook)
    wanted = [number.zfill(2) for number in numbers] or list(found)
    missing = [number for number in wanted if number not in found]
    if missing:
        raise BookError(
            f"no chapter {', '.join(missing)} in {source_folder(root).relative_to(root)}; "
            f"there are {', '.join(found) or 'none'}"
        )
    return [found[number] for number in sorted(set(wanted))]


def strays(root: Path) -> list[Path]:
    """Notebooks in ``chapters/`` that no text makes."""
    names = {text.stem for text in source_folder(root).glob("*.md")}
    return [path for path in sorted((root / "chapters").glob("*.ipynb")) if path.stem not in names]
