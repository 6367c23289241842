"""What was measured on a quiet machine, dated: the JSON files below ``tests/benchmarks``."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "tests" / "benchmarks" / "results"


def newest(name: str) -> dict[str, Any] | None:
    """The newest ``DATE-name.json``; ``None`` where the book came without its tests."""
    files = sorted(FOLDER.glob(f"*-{name}.json"))
    return json.loads(files[-1].read_text(encoding="utf-8")) if files else None
