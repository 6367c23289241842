"""A Python without torch, matplotlib and the like, as a page that runs the book by itself has.

``python -m helpers.bare`` reads cells from its input, ``{chapter: [source, …]}``, runs each chapter
in a namespace of its own and writes what each cell raised, ``""`` if nothing.
"""

import ast
import contextlib
import io
import json
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

MISSING = {
    *("torch", "triton", "numpy", "matplotlib", "safetensors", "tokenizers", "platformdirs"),
    *("IPython", "ipywidgets", "anywidget", "traitlets"),
}


class Blocker(MetaPathFinder):
    """Says of the missing packages that they aren't installed."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> None:
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def block() -> None:
    """From now on this process has none of the missing packages."""
    assert not MISSING & set(sys.modules), MISSING & set(sys.modules)
    sys.meta_path.insert(0, Blocker())


def run(source: str, space: dict[str, Any]) -> str:
    """Run a cell and show its last value; returns what it raised, on one line."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(tree, "cell", "exec"), space)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), space)
                getattr(value, "_repr_mimebundle_", value.__repr__)()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main() -> None:
    block()
    raised = {}
    for chapter, sources in json.load(sys.stdin).items():
        space: dict[str, Any] = {"__name__": "__main__"}
        raised[chapter] = [run(source, space) for source in sources]
    json.dump(raised, sys.stdout)


if __name__ == "__main__":
    main()
