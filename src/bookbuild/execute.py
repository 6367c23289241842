"""Run the cells of a notebook in a fresh kernel, offline, in the folder where readers run them."""

import os
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from bookbuild.book import BookError

SECONDS_PER_CELL = 900
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


class CellFailed(BookError):
    """A cell stopped the build."""


def execute(notebook: NotebookNode, folder: Path, name: str) -> None:
    """Fill in the outputs and execution counts of ``notebook``, in place; cells run in ``folder``.

    Raises ``CellFailed`` with the cell's number, its source and the error. A cell with the tag
    ``raises-exception`` may raise; one with ``nbval-skip`` isn't run.
    """
    running = 0

    def note(cell_index: int, **_: object) -> None:
        nonlocal running
        running = cell_index

    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        skip_cells_with_tag="nbval-skip",
        on_cell_start=note,
    )
    try:
        client.execute(env=_environment())
    except CellExecutionError as error:
        raise CellFailed(
            _story(name, running, notebook, f"{error.ename}: {error.evalue}")
        ) from error
    except CellTimeoutError as error:
        reason = f"still running after {SECONDS_PER_CELL} seconds"
        raise CellFailed(_story(name, running, notebook, reason)) from error
    except DeadKernelError as error:
        reason = "the kernel died here (out of memory, or a crash in compiled code)"
        raise CellFailed(_story(name, running, notebook, reason)) from error


def _environment() -> dict[str, Any]:
    return {**os.environ, **OFFLINE}


def _story(name: str, index: int, notebook: NotebookNode, reason: str) -> str:
    source = "\n".join(f"    {line}" for line in notebook.cells[index].source.splitlines())
    return f"{name}, cell {index + 1} failed:\n\n{source}\n\n  {reason}\n"
