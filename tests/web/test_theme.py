"""The theme's own tests, which run in Node."""

import re
import subprocess
from pathlib import Path

from bookbuild.web.tools import install, theme_folder
from workbook.stills.looks import COLOURS, STATES

ROOT = Path(__file__).parents[2]


def test_pure_functions_of_the_theme(node: str) -> None:
    folder = theme_folder(ROOT)
    install(folder)
    made = subprocess.run(
        [node, "--test", "test/"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout


def test_lock_files_hold_no_addresses() -> None:
    for folder in (theme_folder(ROOT), ROOT / "tests" / "web" / "audit"):
        lock = (folder / "package-lock.json").read_text(encoding="utf-8")
        assert '"integrity"' in lock
        assert '"resolved"' not in lock


def test_pages_and_pictures_have_the_same_colours() -> None:
    styles = (theme_folder(ROOT) / "static" / "css" / "base.css").read_text(encoding="utf-8")
    found = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\);", styles))
    shared = set(found) & set(COLOURS) - {"soft"}  # a picture's ground lies on another one
    assert {"page", "ink", "muted", "line", "yours"} <= shared
    for name in shared:
        assert found[name] == ", ".join(COLOURS[name]), name
    assert f"--on-held: {STATES['held'].text};" in styles
