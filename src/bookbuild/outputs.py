"""What cells printed: freed from everything that belongs to one machine or one run."""

import json
import re
from collections.abc import Iterable
from configparser import RawConfigParser
from pathlib import Path

from nbformat import NotebookNode

MASKS = Path(__file__).with_name("measured.cfg")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def masks() -> list[tuple[re.Pattern[str], str]]:
    """The patterns of measured numbers, with their replacements."""
    config = RawConfigParser()
    config.read(MASKS, encoding="utf-8")
    section = config["measured"]
    return [(re.compile(section["regex"]), section["replace"])]


def masked(text: str) -> str:
    """``text`` with every measured number replaced."""
    for pattern, replacement in masks():
        text = pattern.sub(replacement, text)
    return text


def tidy(outputs: Iterable[NotebookNode], root: Path) -> None:
    """Take out machine paths, widget views (their state is not stored) and colours. In place."""
    for output in outputs:
        data = output.get("data", {})
        data.pop(WIDGET_VIEW, None)
        if "text/plain" in data:
            data["text/plain"] = COLOUR.sub("", data["text/plain"])
        if output.output_type == "error":
            output.traceback = [_shorten(line, root) for line in output.traceback]


def _shorten(line: str, root: Path) -> str:
    """A traceback line with paths relative to the book, and packages named without their folder."""
    home = Path.home()
    bases = [str(root)]
    if root.is_relative_to(home):
        bases.append(f"~/{root.relative_to(home).as_posix()}")
    line = re.sub(r"[^\s\"']*[/\\]site-packages[/\\]", "site-packages/", line)
    for base in bases:
        line = line.replace(f"{base}/", "")
    return re.sub(r"[^\s\"']*[/\\](lib[/\\]python3\.\d+[/\\])", r"\1", line)


def keep_old(new: NotebookNode, old: NotebookNode) -> None:
    """Give back to each cell of ``new`` its old outputs where only measured numbers changed.

    Cells are matched by id, so the text of a matched pair is the same.
    """
    before = {cell.id: cell for cell in old.cells if cell.cell_type == "code"}
    for cell in new.cells:
        if cell.cell_type != "code" or cell.id not in before:
            continue
        outputs = before[cell.id].outputs
        if _compared(cell.outputs) == _compared(outputs):
            cell.outputs = outputs
            for output in outputs:
                if output.output_type == "execute_result":
                    output.execution_count = cell.execution_count


def _compared(outputs: list[NotebookNode]) -> str:
    plain = [{k: v for k, v in output.items() if k != "execution_count"} for output in outputs]
    return masked(json.dumps(plain, sort_keys=True, ensure_ascii=False))
