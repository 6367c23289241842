"""What JupyterLab saves of the book's pictures: only what shows without a kernel.

Lab saves a live widget's view without the state behind it, and next time shows an error where the
picture was. A picture has a still form beside the view; without the view, Lab shows that.
"""

from typing import Any

from bookbuild.outputs import WIDGET_VIEW

PICTURE = "application/vnd.paged-attention.picture+json"


def keep_still_pictures(model: dict[str, Any], **_: Any) -> None:
    """Take the widget views out of outputs that hold a picture, before a notebook is saved.

    A ``pre_save_hook`` of Jupyter's contents manager. Other widgets' outputs stay as they are.
    """
    if model.get("type") != "notebook":
        return
    for cell in model["content"].get("cells", []):
        for output in cell.get("outputs", []):
            if PICTURE in output.get("data", {}):
                output["data"].pop(WIDGET_VIEW, None)
