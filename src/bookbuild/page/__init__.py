"""What runs in a page: a kernel without Jupyter, and stand-ins for what a browser can't have.

Standard library only: ``bookbuild.web.browser`` packs this folder for the pages, Pyodide runs it.
"""

import json
import sys
from collections.abc import Callable


class Page:
    """One page's Python: ``post`` gets each message as JSON, as ``run`` and ``hear`` go on."""

    def __init__(self, post: Callable[[str], object]) -> None:
        from bookbuild.page.jupyter import Jupyter
        from bookbuild.page.kernel import PageKernel
        from bookbuild.page.packages import Finder

        self.kernel = PageKernel(lambda message: post(json.dumps(message, allow_nan=False)))
        self._jupyter = Jupyter(self.kernel)
        sys.modules.update(self._jupyter.modules)
        sys.meta_path.insert(0, Finder())

    def run(self, cell: str, source: str, line: int = 1) -> str:
        """Run a cell; JSON with ``ok`` and ``digest``."""
        return json.dumps(self.kernel.run(cell, source, line))

    def hear(self, model: str, content: str) -> None:
        """A picture's button was pressed; ``content`` is JSON."""
        self._jupyter.hear(model, json.loads(content))
