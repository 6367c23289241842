"""What a page needs to run its chapter: Python for browsers, the engine, and the chapter's cells.

Two folders are written, each named after what is in it, so that browsers may keep them for good:
``_python-…`` changes with Pyodide's version, ``_run-…`` with the book. Files that a click fetches
are packed here, since not every host packs WebAssembly.
"""

import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext

from bookbuild.book import BookError, Chapter, chapters
from bookbuild.build import read_notebook
from bookbuild.dress import dressed
from bookbuild.page.digests import digest, digest_of, text_of
from bookbuild.sync import difference
from bookbuild.web.tools import theme_folder

MARK = "runs-in-browser"  # in the front matter of a chapter's text


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WHEN = (2020, 1, 1, 0, 0, 0)  # of every file in an archive: the same bytes for the same content
# Of the standard library a page has no use for networks, windows, other processes, databases,
# debuggers and old encodings: half of its weight.
LEFT_OUT = _words("""
    _aix_support _osx_support _pyio _pyrepl antigravity bdb cProfile cmd code codeop compileall
    curses dbm doctest email ensurepip ftplib getopt getpass http idlelib imaplib lib2to3 mailbox
    mimetypes modulefinder multiprocessing netrc optparse pdb pickletools plistlib poplib profile
    pstats pyclbr pydoc pydoc_data quopri rlcompleter sched smtplib socketserver sqlite3 ssl
    symtable tabnanny tarfile this tkinter trace turtle turtledemo unittest venv webbrowser wsgiref
    xml xmlrpc zoneinfo
""")
ENCODINGS = _words("""
    __init__ aliases ascii cp437 hex_codec idna latin_1 punycode raw_unicode_escape rot_13
    unicode_escape utf_16 utf_16_be utf_16_le utf_32 utf_8 utf_8_sig
""")
# Of the book: what only a terminal, a server or a GPU uses.
NOT_IN_A_PAGE = ("paged_attention/server", "paged_attention/load_client", "workbook/demos")
NOTICE = """\
Pyodide {version}, Mozilla Public License 2.0, https://github.com/pyodide/pyodide
with CPython and its standard library, PSF License Agreement, https://www.python.org
Both are as their authors made them; of the standard library some modules were left out.
"""


@dataclass(frozen=True)
class Pack:
    """What was written: the folder of this book, the bytes that a click fetches, who can run."""

    folder: str
    bytes: int
    chapters: tuple[str, ...]


def chapters_that_run(root: Path) -> list[Chapter]:
    """The chapters whose text says ``runs-in-browser: true``."""
    return [chapter for chapter in chapters(root) if _marked(chapter)]


def _marked(chapter: Chapter) -> bool:
    front = jupytext.reads(chapter.text.read_text(encoding="utf-8"), fmt="md:myst").metadata
    mark = front.get(MARK, False)
    if not isinstance(mark, bool):
        raise BookError(f"{chapter.text.name}: {MARK} is true or is left out, got {mark!r}")
    return mark


def write_pack(root: Path, out: Path) -> Pack | None:
    """Write into ``out`` what the chapters that run need; ``None`` when there are none.

    Raises ``BookError`` when a chapter's notebook wasn't made from its text: its stored outputs
    would then be compared with other code than the page runs.
    """
    running = chapters_that_run(root)
    if not running:
        return None
    package = theme_folder(root) / "node_modules" / "pyodide"
    python = _files_of_python(package)
    python_folder = _write(out, "_python", python)
    book = _packed({"book.zip": _archive(_book_files(root, running))})
    packed = {f"../{python_folder}/{name}": content for name, content in python.items()} | book
    manifest = {
        "python": f"../{python_folder}/",
        "files": [
            {"path": path, "bytes": len(content)}
            for path, content in packed.items()
            if path.endswith(".gz")
        ],
        "lock": _lock(package),
    }
    cells = {f"{chapter.name}.json": _json(cells_of(chapter)) for chapter in running}
    folder = _write(out, "_run", book | cells | {"manifest.json": _json(manifest)})
    weight = sum(
        len(each) if name.endswith(".gz") else len(_gzip(each)) for name, each in packed.items()
    )
    return Pack(folder, weight, tuple(chapter.name for chapter in running))


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


def _files_of_python(package: Path) -> dict[str, bytes]:
    """Pyodide's files, the large ones packed, and what their authors want said."""
    library = _archive(_kept(package / "python_stdlib.zip"))
    wasm = (package / "pyodide.asm.wasm").read_bytes()
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    # Not every host knows that .mjs is JavaScript.
    scripts = {
        name.replace(".mjs", ".js"): (package / name).read_bytes()
        for name in ("pyodide.mjs", "pyodide.asm.js")
    }
    notice = {"NOTICE.txt": NOTICE.format(version=version).encode()}
    return scripts | notice | _packed({"pyodide.asm.wasm": wasm, "python_stdlib.zip": library})


def _kept(library: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(library) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and _wanted(name)]
        return {name: archive.read(name) for name in names}


def _wanted(name: str) -> bool:
    root, _, rest = name.removesuffix(".py").partition("/")
    return root not in LEFT_OUT and (root != "encodings" or rest in ENCODINGS)


def _lock(package: Path) -> dict[str, Any]:
    """Pyodide's list of packages, without any: a page has what it was given."""
    lock = json.loads((package / "pyodide-lock.json").read_text(encoding="utf-8"))
    return {"info": lock["info"], "packages": {}}


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


def _archive(files: Mapping[str, bytes]) -> bytes:
    """A zip archive that packs nothing by itself: packed as a whole it is a fifth smaller."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, WHEN), files[name])
    return made.getvalue()


def _packed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{name}.gz": _gzip(content) for name, content in files.items()}


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


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
