"""The theme's own tests, which run in Node."""

import subprocess
from pathlib import Path

from bookbuild.web.tools import install, theme_folder

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
