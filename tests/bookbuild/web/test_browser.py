"""What pages need to run their chapters is packed: right, light, and the same twice."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from bookbuild.book import ROOT, BookError, Chapter
from bookbuild.dress import dressed
from bookbuild.page.digests import digest
from bookbuild.web import browser
from bookbuild.web.browser import cells_of, chapters_that_run, write_pack
from bookbuild.web.python import LEFT_OUT, archive, packed

RUNS = "---\ntitle: A\nruns-in-browser: {}\n---\n\n```{{code-cell}} ipython3\n6 * 7\n```\n"
Write = Callable[..., Chapter]


@pytest.fixture
def built(root: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> Chapter:
    """A chapter that runs in its page, with its notebook; packing Python itself is left out."""
    chapter = write(RUNS.format("true"))
    notebook = dressed(chapter)
    code = notebook.cells[-1]
    code.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "42"})]
    nbformat.write(notebook, chapter.notebook)
    for name, text in {"bookbuild/__init__.py": "", "bookbuild/measured.cfg": "[measured]"}.items():
        (root / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "src" / name).write_text(text, encoding="utf-8")
    python = {"pyodide.js": b"1;" * 50, "python_stdlib.zip.gz": packed(b"library")}
    monkeypatch.setattr(browser, "python_files", lambda _: python)
    monkeypatch.setattr(browser, "without_packages", lambda _: {"packages": {}})
    return chapter


@pytest.mark.parametrize(("said", "runs"), [("true", 1), ("false", 0), (" true", 1)])
def test_a_chapter_runs_if_its_text_says_so(root: Path, write: Write, said: str, runs: int) -> None:
    write(RUNS.format(said))
    assert len(chapters_that_run(root)) == runs


def test_a_text_without_front_matter_does_not_run(root: Path, write: Write) -> None:
    write("# 2 · A\n\nruns-in-browser: true\n")
    assert chapters_that_run(root) == []
    assert write_pack(root, root / "out") is None


def test_another_word_than_true_is_refused(root: Path, write: Write) -> None:
    write(RUNS.format("yes"))
    with pytest.raises(BookError, match=r"02_sample.md: runs-in-browser is true or is left out"):
        chapters_that_run(root)


def test_cells_come_with_what_is_stored_of_them(built: Chapter) -> None:
    [cell] = cells_of(built)["cells"]
    assert cell["source"] == "6 * 7"
    assert (cell["digest"], cell["outputs"]) == (digest("42"), [digest("42")])


def test_an_edition_changes_with_its_cells_alone(built: Chapter) -> None:
    before = cells_of(built)["edition"]
    notebook = nbformat.read(built.notebook, as_version=4)
    notebook.cells[-1].outputs = []
    nbformat.write(notebook, built.notebook)
    assert cells_of(built)["edition"] != before


def test_a_text_that_left_its_notebook_behind_stops_the_build(built: Chapter, root: Path) -> None:
    built.text.write_text(RUNS.format("true").replace("6 * 7", "7 * 6"), encoding="utf-8")
    with pytest.raises(BookError, match=r"02_sample.ipynb isn't what its text gives .*CHAPTERS=02"):
        write_pack(root, root / "out")


def test_a_pack_is_named_after_what_is_in_it(built: Chapter, root: Path) -> None:
    first, second = write_pack(root, root / "one"), write_pack(root, root / "two")
    assert first == second
    assert first
    assert first.chapters == ("02_sample",)
    [python] = (root / "one").glob("_python-*")
    run = root / "one" / first.folder
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    assert (run / manifest["python"]).resolve() == python
    sizes = {each["path"]: (run / each["path"]).stat().st_size for each in manifest["files"]}
    assert sizes == {each["path"]: each["bytes"] for each in manifest["files"]}
    assert sum(sizes.values()) < first.bytes < sum(sizes.values()) + 100
    (root / "src" / "bookbuild" / "__init__.py").write_text("more = 1", encoding="utf-8")
    third = write_pack(root, root / "three")
    assert third
    assert third.folder != first.folder


def test_of_the_checks_only_those_of_chapters_that_run_are_packed() -> None:
    running = [chapter for chapter in chapters_that_run(ROOT) if chapter.number == "02"]
    names = set(browser._book_files(ROOT, running))
    assert "workbook/checks/ch02/allocating.py" in names
    assert not any(name.startswith("workbook/checks/ch03/") for name in names)
    assert {"bookbuild/page/__init__.py", "bookbuild/measured.cfg"} <= names
    assert not any(name.startswith(("paged_attention/server", "bookbuild/web")) for name in names)


def test_an_archive_is_the_same_on_every_day() -> None:
    files = {"b.py": b"2", "a/c.py": b"1"}
    made = packed(archive(files))
    assert made == packed(archive(dict(reversed(files.items()))))
    with zipfile.ZipFile(io.BytesIO(gzip.decompress(made))) as found:
        assert {name: found.read(name) for name in found.namelist()} == files


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("code.py", False),
        ("codecs.py", True),
        ("http/client.py", False),
        ("html/__init__.py", True),
        ("encodings/utf_8.py", True),
        ("encodings/cp1250.py", False),
        ("encodings/__init__.py", True),
        ("asyncio/events.py", True),
    ],
)
def test_what_a_page_keeps_of_the_standard_library(name: str, kept: bool) -> None:
    assert (LEFT_OUT.fullmatch(name) is None) == kept
