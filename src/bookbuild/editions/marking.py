"""The line at the top of a corrected notebook: file lists cut names off, and tabs look alike."""

import nbformat
from nbformat.v4 import new_markdown_cell

from bookbuild.build import written

ID = "corrected"


def marked(notebook: bytes, correction: str) -> bytes:
    """The notebook with a first cell that says what it is, as ``corrected 14.30`` does."""
    found = nbformat.reads(notebook.decode(), as_version=4)
    words = (
        f"**{correction.capitalize()}.** The notebook that you had is beside this one, as you left "
        "it. Copy what you wrote, and go on here."
    )
    found.cells.insert(0, new_markdown_cell(words, id=ID))
    return written(found)


def unmarked(notebook: bytes) -> bytes:
    """The notebook without that cell; as it is where it has none."""
    if f'"id": "{ID}"'.encode() not in notebook:
        return notebook
    found = nbformat.reads(notebook.decode(), as_version=4)
    found.cells = [cell for cell in found.cells if cell.id != ID]
    return written(found)
