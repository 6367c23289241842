"""Open the book in JupyterLab, at the reader's own copy of its first chapter."""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FIRST = "00_how_to_use_this_book.ipynb"
WORK = "work"  # git ignores it
SAVING = (
    Path(__file__).with_name("jupyter") / "jupyter_server_config.d" / "paged_attention_book.json"
)
# Files below the environment's folder, with what Lab shall find in them.
SETTINGS: dict[str, dict[str, Any]] = {
    # No news pop-up: the book asks no other machine for anything.
    "share/jupyter/lab/settings/overrides.json": {
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        },
        # A picture's button waits for the cell that runs: a cache belongs to one thread.
        "@jupyterlab/apputils-extension:kernels-settings": {"commsOverSubshells": "disabled"},
    },
    # Jupytext would rewrite a chapter's text when its notebook is saved.
    "etc/jupyter/labconfig/page_config.json": {"disabledExtensions": {"jupyterlab-jupytext": True}},
    # Installing the package writes this one, too; an environment may be older than it.
    f"etc/jupyter/jupyter_server_config.d/{SAVING.name}": json.loads(SAVING.read_text("utf-8")),
}
NO_JUPYTEXT = "--ServerApp.jpserver_extensions={'jupyterlab_jupytext': False}"


def settle(prefix: Path) -> None:
    """Write Lab's settings into this environment; other settings there stay as they are."""
    for name, wanted in SETTINGS.items():
        path = prefix / name
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if not wanted.items() <= found.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(found | wanted, indent=2) + "\n", encoding="utf-8")


def copies(root: Path) -> list[Path]:
    """Make the reader's own copies in ``work/`` of chapters that have none there; returns the new.

    A copy that is there is never touched, whatever is in it: the reader's work.
    """
    made = []
    for notebook in sorted((root / "chapters").glob("[0-9][0-9]_*.ipynb")):
        copy = root / WORK / notebook.name
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            part = copy.with_suffix(".ipynb.part")
            shutil.copyfile(notebook, part)
            part.replace(copy)
            made.append(copy)
    return made


def arguments(root: Path, more: Sequence[str]) -> list[str]:
    """Lab's command line for the book; ``more`` comes last and wins."""
    start = f"/lab/tree/{WORK}/{FIRST}" if (root / WORK / FIRST).exists() else "/lab"
    where = [f"--ServerApp.root_dir={root}", f"--LabApp.default_url={start}"]
    ours = [*where, NO_JUPYTEXT]
    # In a container one is often root, and Jupyter refuses that without this word.
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [*ours, *as_root, *more]


def open_lab(root: Path, more: Sequence[str]) -> None:
    """Serve the book until Ctrl+C. Jupyter takes the next free port when 8888 is in use."""
    from jupyterlab.labapp import LabApp

    settle(Path(sys.prefix))
    if made := copies(root):
        print(f"{WORK}/ has your own copies of {len(made)} chapters; they are yours to change.")
    print("Opening the book; stop it with Ctrl+C here.", flush=True)
    LabApp.launch_instance(arguments(root, more))
