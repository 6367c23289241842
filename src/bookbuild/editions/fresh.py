"""A fresh copy of a chapter's notebook: beside the one that somebody worked in, never over it."""

import re
from itertools import count
from pathlib import Path

from bookbuild.book import BookError
from bookbuild.editions.corrected import newest_first
from bookbuild.editions.folder import ORIGINALS
from bookbuild.lab import WORK


def fresh(number: str, root: Path, here: Path) -> Path:
    """Lay ``02_… (fresh).ipynb`` and return where; the next one is ``(fresh 2)``.

    ``here`` is an edition's folder, which has its originals, or any other place: then the copy is
    one of the book's own notebook, in ``work/``. Of several editions of a chapter the last
    correction counts. Raises ``BookError`` where there is no such chapter.
    """
    edition = (here / ORIGINALS).is_dir()
    kept = here / ORIGINALS if edition else root / "chapters"
    digits = re.fullmatch(r"\d{1,2}", number)
    found = newest_first(path.name for path in kept.glob(f"{number.zfill(2)}_*.ipynb"))
    if not digits or not found:
        there = sorted({path.name[:2] for path in kept.glob("[0-9][0-9]_*.ipynb")})
        raise BookError(f"no chapter {number} in {kept}; there are {', '.join(there) or 'none'}")
    target = here if edition else root / WORK
    target.mkdir(exist_ok=True)
    return _beside(kept / found[0], target)


def _beside(original: Path, folder: Path) -> Path:
    """Write under the first name that nobody has: not even one that appears meanwhile is lost."""
    content = original.read_bytes()
    for again in count(1):
        word = "fresh" if again == 1 else f"fresh {again}"
        path = folder / f"{original.stem} ({word}).ipynb"
        try:
            with path.open("xb") as file:
                file.write(content)
        except FileExistsError:
            continue
        return path
    raise AssertionError
