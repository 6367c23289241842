"""Open the book in JupyterLab, at its first chapter."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FIRST = "chapters/00_how_to_use_this_book.ipynb"
NEWS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    }
}
# With jupytext's extension on, saving a notebook in Lab would rewrite the chapter's text.
NO_JUPYTEXT = "--ServerApp.jpserver_extensions={'jupytext': False}"


def quieten(prefix: Path) -> None:
    """Turn Lab's news pop-up off in this environment; other settings there stay as they are."""
    settings = prefix / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    found = json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}
    if not NEWS.items() <= found.items():
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps(found | NEWS, indent=2) + "\n", encoding="utf-8")


def command(root: Path, arguments: Sequence[str]) -> list[str]:
    """The command line that serves the book; ``arguments`` go on to Lab and win over ours."""
    start = f"/lab/tree/{FIRST}" if (root / FIRST).exists() else "/lab"
    lab = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"]
    return [*lab, f"--LabApp.default_url={start}", NO_JUPYTEXT, *arguments]


def open_lab(root: Path, arguments: Sequence[str]) -> int:
    """Serve the book until Ctrl+C."""
    quieten(Path(sys.prefix))
    print("Opening the book; stop it with Ctrl+C here.", flush=True)
    try:
        return subprocess.run(command(root, arguments), cwd=root, check=False).returncode
    except KeyboardInterrupt:
        return 0
