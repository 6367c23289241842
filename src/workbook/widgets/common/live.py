"""The live form of a picture in a notebook: the module, its data, the engine behind its buttons."""

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from workbook.widgets.bundle import module, style
from workbook.widgets.common.answer import Answer


class LivePicture(anywidget.AnyWidget):
    """Shows ``data``; a button sends a message, the answer is new data.

    ``live`` lists the calls that are answered. ``fault`` is what went wrong, for the reader.
    """

    _esm = module()
    _css = style()
    data = traitlets.Dict().tag(sync=True)
    live = traitlets.List(traitlets.Unicode()).tag(sync=True)
    fault = traitlets.Unicode("").tag(sync=True)

    def __init__(self, data: dict[str, Any], answer: Answer | None = None) -> None:
        super().__init__(data=data, live=answer.calls if answer else [])
        self._answer = answer
        self.on_msg(self._hear)

    def _hear(self, _widget: Any, content: Mapping[str, Any], _buffers: Any) -> None:
        """Answer a button. A call that fails is told to the reader and changes nothing."""
        if self._answer is None:
            return
        self.fault = ""
        try:
            self.data = self._answer.act(content)
        except (ValueError, LookupError, RuntimeError, MemoryError) as error:
            self.fault = f"{type(error).__name__}: {error}"
