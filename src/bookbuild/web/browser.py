"""What a page needs to run its chapter: Python for browsers, the engine, and the chapter's cells.

Two folders are written, each named after what is in it, so that browsers may keep them for good:
``_python-…`` changes with Pyodide's version, ``_run-…`` with the book.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookbuild.book import BookError, Chapter, chapters
from bookbuild.build import read_notebook
from bookbuild.dress import dressed
from bookbuild.page.digests import digest, digest_of, text_of
from bookbuild.sync import difference
from bookbuild.text import runs_in_browser
from bookbuild.web.python import archive, packed, python_files, without_packages
from bookbuild.web.tools import theme_folder

# Of the book: what only a terminal, a server or a GPU uses.
NOT_IN_A_PAGE = ("paged_attention/server", "paged_attention/load_client", "workbook/demos")


@dataclass(frozen=True)
class Pack:
    """What was written: the folder of this book, the bytes that a click fetches, who can run."""

    folder: str
    bytes: int
    chapters: tuple[str, ...]


def chapters_that_run(root: Path) -> list[Chapter]:
    """The chapters whose text says ``runs-in-browser: true``."""
    return [chapter for chapter in chapters(root) if runs_in_browser(chapter)]


def write_pack(root: Path, out: Path) -> Pack | None:
    """Write into ``out`` what the chapters that run need; ``None`` when there are none.

    Raises ``BookError`` when a chapter's notebook wasn't made from its text: its stored outputs
    would then be compared with other code than the page runs.
    """
    running = chapters_that_run(root)
    if not running:
        return None
    python = python_files(theme_folder(root))
    folder = _write(out, "_python", python)
    book = packed(archive(_book_files(root, running)))
    fetched = {f"../{folder}/{name}": content for name, content in python.items()}
    fetched["book.zip.gz"] = book
    sizes = {path: len(content) for path, content in fetched.items() if path.endswith(".gz")}
    manifest = {
        "python": f"../{folder}/",
        "files": [{"path": path, "bytes": size} for path, size in sizes.items()],
        "lock": without_packages(theme_folder(root)),
    }
    cells = {f"{chapter.name}.json": _json(cells_of(chapter)) for chapter in running}
    own = {"book.zip.gz": book, "manifest.json": _json(manifest)}
    scripts = sum(len(packed(python[name])) for name in python if name.endswith(".js"))
    return Pack(
        folder=_write(out, "_run", own | cells),
        bytes=sum(sizes.values()) + scripts,
        chapters=tuple(chapter.name for chapter in running),
    )


def cells_of(chapter: Chapter) -> dict[str, Any]:
    """The code cells of a chapter: id, source, tags, and the digest of what is stored of each.

    ``edition`` changes when any of them does.
    """
    notebook = read_notebook(chapter.notebook)
    if apart := difference(dressed(chapter), notebook):
        raise BookError(
            f"{chapter.notebook.name} isn't what its text gives ({apart}), so its page can't say "
            f"if a cell still prints what is stored: `make notebooks CHAPTERS={chapter.number}`"
        )
    cells = [
        {
            "id": cell.id,
            "source": cell.source,
            "tags": cell.metadata.get("tags", []),
            "digest": digest_of(cell.outputs),
            "outputs": [digest(text_of(output)) for output in cell.outputs],
        }
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    edition = hashlib.sha256(_json(cells)).hexdigest()[:12]
    return {"chapter": chapter.name, "edition": edition, "cells": cells}


def _book_files(root: Path, running: Iterable[Chapter]) -> dict[str, bytes]:
    """The engine, what chapters use beside it, and the page's kernel, by their import paths."""
    source = root / "src"
    folders = [source / name for name in ("paged_attention", "workbook", "bookbuild/page")]
    paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
    paths += [source / "bookbuild" / name for name in ("__init__.py", "measured.cfg")]
    numbers = {chapter.number for chapter in running}
    named = {path.relative_to(source).as_posix(): path for path in paths if path.is_file()}
    return {name: path.read_bytes() for name, path in named.items() if _in_page(name, numbers)}


def _in_page(name: str, numbers: set[str]) -> bool:
    """Python and its words; of the checks, those of the chapters that run."""
    if not name.endswith((".py", ".json", ".cfg")) or name.startswith(NOT_IN_A_PAGE):
        return False
    _, _, chapter = name.partition("workbook/checks/ch")
    return not chapter or chapter[:2] in numbers


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _write(out: Path, name: str, files: Mapping[str, bytes]) -> str:
    """Write the files into a folder that is named after their content; returns its name."""
    seen = hashlib.sha256()
    for path, content in sorted(files.items()):
        seen.update(path.encode() + b"\0" + hashlib.sha256(content).digest())
    folder = f"{name}-{seen.hexdigest()[:10]}"
    (out / folder).mkdir(parents=True)
    for path, content in files.items():
        (out / folder / path).write_bytes(content)
    return folder
