"""What the web book needs besides Python: Node, npm, and the theme's few packages."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

from filelock import FileLock

from bookbuild.book import BookError

OLDEST_NODE = 20


def theme_folder(root: Path) -> Path:
    """The folder of the theme."""
    return root / "assets" / "theme"


def missing_tool() -> str | None:
    """What is missing for a build, as a sentence; ``None`` when all is there."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return (
            f"The web book needs Node {OLDEST_NODE} or newer with npm, from your system's packages."
        )
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)", said)
    if version is None or int(version[1]) < OLDEST_NODE:
        return (
            f"The web book needs Node {OLDEST_NODE} or newer; `node` is {said.strip() or 'broken'}."
        )
    return None


def install(folder: Path) -> None:
    """``npm ci`` in ``folder``, unless what its lock file says is there already.

    One process installs while others wait: two at once delete each other's files.
    """
    with FileLock(folder / ".npm-ci.lock"):
        stamp = folder / "node_modules" / ".installed"
        wanted = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
            return
        command = [shutil.which("npm") or "npm", "ci", "--ignore-scripts"]
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if made.returncode:
            raise BookError(
                f"npm could not install the packages that {folder} names (needed once, with "
                f"network):\n{made.stdout}{made.stderr}"
            )
        stamp.write_text(wanted, encoding="utf-8")


def chromium() -> str | None:
    """The path of a Chromium or Chrome on this machine, or ``None``."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)
