"""A running server in a notebook: ``board(url)`` shows what it does, ``chat(url)`` talks to it.

Both live in the kernel's process beside the server, so they also work where a browser can't reach
the server's port. What a notebook keeps of them is a picture and its text.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from workbook.live.board_panel import board as board
    from workbook.live.chat_panel import chat as chat

_HOME = {"board": "board_panel", "chat": "chat_panel"}
__all__ = [*_HOME]  # names, all of them strings


__getattr__, __dir__ = lazy_names(__name__, _HOME)
