"""Jupyter as the book's pictures know it: ``display``, a shell with a kernel, widgets.

A widget tells the page its traits when it is made, and each that changes; what its buttons send
comes back by ``hear``.
"""

import itertools
import types
from collections.abc import Callable
from typing import Any

from bookbuild.page.kernel import PageKernel

Hearer = Callable[["Widget", dict[str, Any], list[Any]], None]


class Trait:
    """A value that the page sees: set, it is told."""

    def __init__(self, default: Any = None) -> None:
        self._default = default

    def tag(self, **_: Any) -> "Trait":
        """All traits here are shared with the page."""
        return self

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, widget: "Widget | None", _owner: type) -> Any:
        return self if widget is None else widget.traits.get(self._name, self._default)

    def __set__(self, widget: "Widget", value: Any) -> None:
        widget.traits[self._name] = value
        widget.tell({self._name: value})


class Widget:
    """What stands for ``anywidget.AnyWidget``."""

    kernel: PageKernel
    made: dict[str, "Widget"]
    numbers: "itertools.count[int]"

    def __init__(self, **traits: Any) -> None:
        self.traits: dict[str, Any] = dict(traits)
        self._hearers: list[Hearer] = []
        self.model_id = f"model-{next(self.numbers)}"
        self.made[self.model_id] = self
        values = {name: getattr(self, name) for name in dir(type(self)) if _is_trait(self, name)}
        self.tell(values)

    def tell(self, traits: dict[str, Any]) -> None:
        """Tell the page what changed."""
        self.kernel.widget(self.model_id, traits)

    def on_msg(self, hear: Hearer) -> None:
        """Call ``hear(widget, content, [])`` for each message of a button."""
        self._hearers.append(hear)

    def heard(self, content: dict[str, Any]) -> None:
        """A button was pressed."""
        for hear in self._hearers:
            hear(self, content, [])


class Handle:
    """What ``display`` gives back for an output that will change."""

    def __init__(self, kernel: PageKernel, name: str) -> None:
        self._kernel, self.display_id = kernel, name

    def update(self, value: Any, **options: Any) -> None:
        """Show ``value`` in the place of what stands there."""
        self._kernel.display(value, display_id=self.display_id, update=True, **options)


class Jupyter:
    """The stand-ins for one kernel; ``modules`` goes into ``sys.modules``."""

    def __init__(self, kernel: PageKernel) -> None:
        self._kernel = kernel
        self._names = itertools.count(1)
        self.widgets: dict[str, Widget] = {}
        own = {"kernel": kernel, "made": self.widgets, "numbers": itertools.count(1)}
        shell = types.SimpleNamespace(kernel=kernel)
        display = {"display": self.display, "update_display": self._update}
        self.modules = {
            "IPython": _module("IPython", get_ipython=lambda: shell, **display),
            "IPython.display": _module("IPython.display", **display),
            "anywidget": _module("anywidget", AnyWidget=type("AnyWidget", (Widget,), own)),
            "traitlets": _module(
                "traitlets",
                Dict=lambda *_, **__: Trait({}),
                List=lambda *_, **__: Trait([]),
                Unicode=lambda default="", **_: Trait(default),
            ),
            # A page draws the pictures with the module that it has already.
            "workbook.widgets.bundle": _module(
                "workbook.widgets.bundle", module=lambda *_: "", style=lambda *_: ""
            ),
        }
        vars(self.modules["IPython"])["display"] = self.modules["IPython.display"]

    def display(self, *values: Any, display_id: Any = None, **options: Any) -> Handle | None:
        """``IPython.display.display``, as far as the book uses it."""
        name = f"display-{next(self._names)}" if display_id is True else display_id
        self._kernel.display(*values, display_id=name, **options)
        return Handle(self._kernel, name) if name else None

    def _update(self, value: Any, *, display_id: str, **options: Any) -> None:
        self._kernel.display(value, display_id=display_id, update=True, **options)

    def hear(self, model: str, content: dict[str, Any]) -> None:
        """A button of a picture was pressed. One that this kernel never made is no one's."""
        if model in self.widgets:
            self.widgets[model].heard(content)


def _is_trait(widget: Widget, name: str) -> bool:
    return isinstance(getattr(type(widget), name), Trait)


def _module(name: str, **values: Any) -> types.ModuleType:
    made = types.ModuleType(name)
    vars(made).update(values)
    return made
