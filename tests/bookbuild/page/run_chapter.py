"""Run a chapter's cells as a page does: by its kernel, without the packages that it can't have.

``python run_chapter.py CELLS`` reads what a page reads, and prints JSON: the ids of the cells that
said something else than what is stored, each with what it said.
"""

import importlib.abc
import json
import sys
from pathlib import Path

HERE = {"bookbuild", "paged_attention", "workbook"} | set(sys.stdlib_module_names)


class Nothing(importlib.abc.MetaPathFinder):
    """A machine on which nothing is installed."""

    def find_spec(self, name: str, *_: object) -> None:
        """Only the book and the standard library can be found."""
        if name.partition(".")[0] not in HERE:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main(path: Path) -> None:
    """Print which cells differ."""
    sys.meta_path.insert(0, Nothing())
    from bookbuild.page import Page

    said: list[dict[str, object]] = []
    page = Page(lambda text: said.append(json.loads(text)))
    differ = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if "needs-torch" in cell["tags"]:
            continue
        said.clear()
        result = json.loads(page.run(cell["id"], cell["source"]))
        if result["digest"] != cell["digest"]:
            differ[cell["id"]] = said[:]
    print(json.dumps(differ))


main(Path(sys.argv[1]))
