"""myst.yml and the README name every chapter, in order; myst.yml every page at the back, too."""

import re
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


def test_the_readme_lists_every_chapter_by_number_and_title() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", (ROOT / "README.md").read_text("utf-8"), re.M)
    made = []
    for path in sorted((ROOT / "chapters" / "source").glob("*.md")):
        title = re.search(r"^# (\d+) · (.+)$", path.read_text(encoding="utf-8"), re.M)
        assert title, path.name
        made.append(title.groups())
    assert rows == made
