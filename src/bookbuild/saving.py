"""What JupyterLab saves of the book's pictures: only what shows without a kernel.

Lab saves a live widget's view without the state behind it, and next time shows an error where the
picture was. A picture has a still form beside the view; without the view, Lab shows that.

This module is an extension of Jupyter's server. The installed package says so in ``etc/jupyter``,
so it runs however a server was started.
"""

from typing import Any

from bookbuild.outputs import WIDGET_VIEW

PICTURE = "application/vnd.paged-attention.picture+json"
PANEL = "application/vnd.paged-attention.panel+json"


def keep_still_pictures(model: dict[str, Any], **_: Any) -> None:
    """Take the widget views out of outputs with a still form, before a notebook is saved.

    Other widgets' outputs, and other people's notebooks, stay as they are.
    """
    if model.get("type") != "notebook":
        return
    for cell in model["content"].get("cells", []):
        for output in cell.get("outputs", []):
            if {PICTURE, PANEL} & set(output.get("data", {})):
                output["data"].pop(WIDGET_VIEW, None)


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """What Jupyter's server asks a package that its configuration names."""
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Have this server keep pictures' still forms whenever it saves a notebook.

    An extension that is loaded later may put another contents manager in place (jupytext does), so
    the hook waits until all are.
    """
    server.io_loop.add_callback(
        lambda: server.contents_manager.register_pre_save_hook(keep_still_pictures)
    )
