"""An edition as files, and how it gets into a folder: all of it, or nothing."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from nbformat import NotebookNode

from bookbuild.book import BookError, Chapter, source_folder

Files = dict[str, bytes]  # by path below the edition's folder, with `/`
SOLUTIONS = "solutions"
ORIGINALS = ".originals"  # what `bookbuild fresh` copies; Lab's file browser doesn't show it
LINKED_PAGE = re.compile(r"\]\((pages/[a-z_]+\.md)")


def readme(kind: str, book: Sequence[Chapter]) -> Files:
    """The first page of an edition, from ``first_pages/kind.md``.

    It says which text it was made from, so that two people can tell whether they hold the same.
    """
    template = Path(__file__).with_name("first_pages") / f"{kind}.md"
    digest = hashlib.sha256()
    for chapter in book:
        digest.update(chapter.text.read_bytes())
    words = Template(template.read_text(encoding="utf-8")).substitute(
        first=f"{book[0].name}.ipynb",
        number=book[-1].number,
        chapters="\n".join(f"- [{_title(chapter)}]({chapter.name}.ipynb)" for chapter in book),
        text=digest.hexdigest()[:12],
    )
    return {"README.md": words.encode()}


def _title(chapter: Chapter) -> str:
    found = re.search(r"^# (\d+ · .+)$", chapter.text.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else chapter.name


def page_files(chapter: Chapter, notebook: NotebookNode) -> Files:
    """The book's pages that the notebook links to."""
    chapters = source_folder(chapter.text.parents[2]).parent
    linked = {name for cell in notebook.cells for name in LINKED_PAGE.findall(cell.source)}
    return {name: (chapters / name).read_bytes() for name in sorted(linked)}


def lay(files: Mapping[str, bytes], folder: Path) -> list[str]:
    """Write what isn't there yet; returns the names of what was written.

    A file that is there with other bytes may be somebody's work: then ``BookError``, and nothing is
    written. Each file appears whole, and a run that was stopped can be repeated.
    """
    other = [name for name, content in files.items() if _differs(folder / name, content)]
    if other:
        raise BookError(
            f"{folder} has {_some(other)} already, and with other words, perhaps somebody's. "
            "Nothing was written; name a folder that isn't there yet"
        )
    new = [name for name in files if not (folder / name).exists()]
    for name in new:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        part.write_bytes(files[name])
        part.replace(path)
    return new


def _differs(path: Path, content: bytes) -> bool:
    if path.is_dir():
        return True
    return path.exists() and path.read_bytes() != content


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(sorted(names)[:3]) + more
