"""Run a chapter's cells as a page does: by its kernel, without the packages that it can't have.

``python run_chapter.py NOTEBOOK`` prints JSON: the ids of the cells that said something else than
what is stored, each with what it said.
"""

import importlib.abc
import json
import sys
from pathlib import Path

import nbformat

HERE = {"bookbuild", "paged_attention", "workbook"} | set(sys.stdlib_module_names)


class Nothing(importlib.abc.MetaPathFinder):
    """A machine on which nothing is installed."""

    def find_spec(self, name: str, *_: object) -> None:
        """Only the book and the standard library can be found."""
        if name.partition(".")[0] not in HERE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main(path: Path) -> None:
    """Print which cells differ."""
    notebook = nbformat.read(path, as_version=4)
    sys.meta_path.insert(0, Nothing())
    from bookbuild.page import Page
    from bookbuild.page.digests import digest_of

    said: list[dict[str, object]] = []
    page = Page(lambda text: said.append(json.loads(text)))
    differ = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        said.clear()
        result = json.loads(page.run(cell.id, cell.source))
        if result["digest"] != digest_of(cell.outputs):
            differ[cell.id] = said[:]
    print(json.dumps(differ))


main(Path(sys.argv[1]))
