"""A figure that has a dark twin (the README shows it) is the same drawing in other colours."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "assets/figures"
DARK = sorted(FIGURES.glob("*_dark.svg"))
COLOUR = {"fill", "stroke", "stroke-width", "stroke-linejoin", "paint-order"}


def drawn(path: Path) -> list[tuple[str, str | None, dict[str, str]]]:
    """Every element with its text and where it is, without its colours."""
    return [
        (each.tag, each.text, {k: v for k, v in each.attrib.items() if k not in COLOUR})
        for each in ET.fromstring(path.read_text("utf-8")).iter()
    ]


@pytest.mark.parametrize("dark", DARK, ids=[path.stem for path in DARK])
def test_a_dark_figure_is_the_light_one_in_other_colours(dark: Path) -> None:
    light = dark.with_name(dark.name.replace("_dark", ""))
    assert drawn(dark) == drawn(light)
    assert dark.read_text("utf-8") != light.read_text("utf-8")


def test_every_figure_of_the_readme_is_there_and_follows_the_dark() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    shown = re.findall(r'(?:src|srcset)="([^"]+)"', readme)
    assert shown
    assert [name for name in shown if not (ROOT / name).is_file()] == []
    assert "prefers-color-scheme: dark" in readme
    assert all(len(alt) > 20 for alt in re.findall(r'alt="([^"]*)"', readme))
