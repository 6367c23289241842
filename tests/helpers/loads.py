"""A small load sent by the command, as a test wants it."""

import json
from pathlib import Path
from typing import Any

from paged_attention.__main__ import main


def load_at(url: str, folder: Path, *more: str, code: int = 0) -> dict[str, Any]:
    """The JSON of four requests at once to the server at ``url``."""
    out = folder / "out.json"
    few = ["load", "--base-url", url, "--requests", "4", "--rate", "inf", "--out", str(out)]
    assert main([*few, *more]) == code
    found: dict[str, Any] = json.loads(out.read_text())
    return found
