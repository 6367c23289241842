"""What the pages of results share: the newest result of a kind, a table, where it was measured."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("results")
OURS = "paged, in place"
Result = dict[str, Any]
Row = Sequence[object]


def newest(kind: str, folder: Path = FOLDER) -> Result | None:
    """The result file of this kind with the latest date in its name."""
    files = sorted(folder.glob(f"*-{kind}.json"))
    return json.loads(files[-1].read_text()) if files else None


def table(head: Row, rows: Sequence[Row]) -> Iterator[str]:
    """A Markdown table, numbers to the right."""
    yield "| " + " | ".join(map(str, head)) + " |"
    yield "|" + "|".join("---" if i == 0 else "---:" for i, _ in enumerate(head)) + "|"
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"
    yield ""


def where(result: Result) -> str:
    """Date, machine and versions in one line."""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    machine = result.get("machine", result.get("heads", ""))
    threads = f", {result['threads']} threads" if "threads" in result else ""
    return f"*{result['date']}; {machine}{threads}; {versions}.*"


def times(value: float) -> str:
    return f"{value:.1f} ×"
