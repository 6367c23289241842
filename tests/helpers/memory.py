"""What a kernel holds alone while and after it runs a chapter, told by cells of its own.

Counted is what it has written: the model's file is mapped, and its pages are everybody's. Linux
tells it in ``/proc/self/smaps_rollup``.
"""

import json
import re
from pathlib import Path

from nbformat.v4 import new_code_cell

from bookbuild.book import Chapter
from bookbuild.execute import execute
from bookbuild.text import NotebookNode

SMAPS = Path("/proc/self/smaps_rollup")
# A thread looks four times a second; what it has seen stands in the last cell.
WATCH = f"""
def _watch():
    import pathlib, re, threading, time
    private = re.compile(r"^(?:Private_Dirty|Swap): +([0-9]+) kB$", re.MULTILINE)
    seen = []
    def look():
        seen.append(sum(map(int, private.findall(pathlib.Path("{SMAPS}").read_text()))) / 1000)
        return seen
    def run():
        while True:
            look()
            time.sleep(0.25)
    threading.Thread(target=run, daemon=True).start()
    return look
_look = _watch()
"""
TELL = """
import json as _json, time as _time
print(_json.dumps({"end": _look()[-1], "most": max(_look()), "cpu": _time.process_time()}))
"""


def kept(notebook: NotebookNode, chapter: Chapter) -> dict[str, float]:
    """Execute ``notebook``, and tell the kernel's megabytes at its ``end``, the ``most`` it had on
    the way, and the seconds of ``cpu`` that all its threads took.
    """
    notebook.cells.insert(0, new_code_cell(WATCH))
    notebook.cells.append(new_code_cell(TELL))
    execute(notebook, chapter.notebook.parent, chapter.name)
    told = re.search(r"\{.*\}", notebook.cells[-1].outputs[0].text)
    assert told
    figures: dict[str, float] = json.loads(told[0])
    return figures
