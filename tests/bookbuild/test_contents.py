"""myst.yml names every chapter, in order, by its notebook, and every page at the back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]


def files(entries: list[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        if "file" in entry:
            yield entry["file"]
        yield from files(entry.get("children", []))


def test_every_notebook_and_page_is_in_the_contents_in_order() -> None:
    project = yaml.safe_load((ROOT / "myst.yml").read_text(encoding="utf-8"))["project"]
    named = list(files(project["toc"]))
    assert len(named) == len(set(named))
    notebooks = [name for name in named if name.endswith(".ipynb")]
    assert notebooks == sorted(notebooks)
    made = {f"chapters/{path.name}" for path in (ROOT / "chapters").glob("*.ipynb")}
    written = {f"chapters/pages/{path.name}" for path in (ROOT / "chapters/pages").glob("*.md")}
    assert made | written <= set(named)
    assert written == set(named) - set(notebooks)
    assert "chapters/source/**" in project["exclude"]
