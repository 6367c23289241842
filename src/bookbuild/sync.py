"""Do a chapter's text and its notebook say the same? Told without running anything."""

from itertools import zip_longest
from typing import Any

from nbformat import NotebookNode

from bookbuild.text import KEPT_CELL_METADATA


def difference(text: NotebookNode, notebook: NotebookNode) -> str | None:
    """The first place where the notebook is not what the text gives, in words; ``None`` when it is.

    Compared are the notebook's metadata, and every cell's type, source, tags, ``jupyter`` metadata,
    reason and id. Outputs are nbval's business.
    """
    if text.metadata != notebook.metadata:
        return f"the notebook's metadata is {dict(notebook.metadata)}, not {dict(text.metadata)}"
    for at, (wanted, found) in enumerate(zip_longest(text.cells, notebook.cells), start=1):
        if found is None:
            return f"cell {at} of the text is missing in the notebook: {_first_line(wanted)}"
        if wanted is None:
            return f"cell {at} of the notebook is not in the text: {_first_line(found)}"
        for key, value in _said(wanted).items():
            if value != _said(found)[key]:
                return (
                    f"cell {at} differs in its {key}: the text starts {_first_line(wanted)}, "
                    f"the notebook {_first_line(found)}"
                )
    return None


def _said(cell: NotebookNode) -> dict[str, Any]:
    metadata = {key: cell.metadata.get(key) for key in sorted(KEPT_CELL_METADATA)}
    extra = sorted(set(cell.metadata) - KEPT_CELL_METADATA)
    return {
        "type": cell.cell_type,
        "source": cell.source,
        **metadata,
        "other metadata": extra,
        "id": cell.id,
    }


def _first_line(cell: NotebookNode) -> str:
    return repr(cell.source.split("\n", 1)[0][:60])
