"""myst.yml names every chapter, in order, by its notebook."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_every_notebook_is_in_the_contents_in_order() -> None:
    project = yaml.safe_load((ROOT / "myst.yml").read_text(encoding="utf-8"))["project"]
    named = [entry["file"] for entry in project["toc"] if entry["file"].startswith("chapters/")]
    assert named == sorted(named)
    made = [f"chapters/{path.name}" for path in (ROOT / "chapters").glob("*.ipynb")]
    assert set(made) <= set(named)
    assert "chapters/source/**" in project["exclude"]
