"""The panels while a kernel runs: anywidgets whose buttons are messages to the kernel."""

from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import traitlets

from workbook.live.panel import module, style
from workbook.live.talk import Talk
from workbook.live.watch import Watch


class LiveBoard(anywidget.AnyWidget):
    """Looks at a server as long as a page shows it: each view says when it comes and goes."""

    _esm = module()
    _css = style()
    data = traitlets.Dict().tag(sync=True)
    where = traitlets.Unicode().tag(sync=True)
    watching = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        where: str,
        data: dict[str, Any],
        watch: Callable[[Callable[[dict[str, Any]], None]], Watch],
    ) -> None:
        super().__init__(data=data, where=where)
        self._views = 0
        self._watch = watch(self._show)
        self.on_msg(self._hear)

    def _show(self, state: dict[str, Any]) -> None:
        self.data = {"v": 1, "panel": "board", **state}

    def _hear(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        call = content.get("call")
        if call in ("seen", "gone"):
            self._views = max(0, self._views + (1 if call == "seen" else -1))
            self._set(self._views > 0)
        elif call in ("pause", "resume"):
            self._set(call == "resume")

    def _set(self, watching: bool) -> None:
        if watching:
            self._watch.start()
        else:
            self._watch.stop()
        self.watching = watching

    def close(self) -> None:
        """Stop looking, then what a widget does."""
        self._watch.stop()
        super().close()


class LiveChat(anywidget.AnyWidget):
    """A conversation; ``said`` is the answer under way, ``note`` what the reader should know.

    ``draft`` is a message that nothing came of; the page puts it back into the box.
    """

    _esm = module()
    _css = style()
    data = traitlets.Dict().tag(sync=True)
    said = traitlets.Unicode("").tag(sync=True)
    note = traitlets.Unicode("").tag(sync=True)
    draft = traitlets.Unicode("").tag(sync=True)

    def __init__(self, talk: Talk) -> None:
        super().__init__(data=talk.data, note=talk.note, draft=talk.draft)
        self._talk = talk
        talk.told = self._show
        self.on_msg(self._hear)

    def _show(self, changed: Mapping[str, Any]) -> None:
        # One message for all of it, or a page would show an answer twice for a moment.
        with self.hold_sync():
            for name, value in changed.items():
                setattr(self, name, value)

    def _hear(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        call = content.get("call")
        if call == "send":
            self._talk.send(str(content.get("text", "")))
        elif call == "stop":
            self._talk.stop()
        elif call == "fresh":
            self._talk.fresh()

    def close(self) -> None:
        """Hang up, then what a widget does."""
        self._talk.stop()
        super().close()
