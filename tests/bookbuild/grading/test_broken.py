"""What is broken in a notebook costs itself alone, and who changes the check changes nothing."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.submissions import Notebook, cell_of, points

from bookbuild.grading.limits import Limits

pytestmark = pytest.mark.xdist_group("grading")  # one process to fork from

Fill = Callable[[dict[str, str]], Notebook]
Grade = Callable[..., dict[str, dict[str, Any]]]

BROKEN = {
    "a syntax error": ("class MyAllocator:\n    def allocate(self:\n", "SyntaxError"),
    "an error": ("class MyAllocator:\n    1 / 0\n", "ZeroDivisionError: division by zero (line 2"),
    "input": ("class MyAllocator:\n    name = input('?')\n", "EOFError"),
    "exit": ("import sys\nclass MyAllocator:\n    sys.exit()\n", "SystemExit"),
    "the end of the process": ("import os\nclass MyAllocator:\n    os._exit(3)\n", "with code 3"),
    "a signal": (
        "import os\nclass MyAllocator:\n    os.kill(os.getpid(), 11)\n",
        "ended by SIGSEGV",
    ),
    "sleep": ("import time\nclass MyAllocator:\n    time.sleep(1e6)\n", "no end within 4 seconds"),
    "an error that can't be told": (
        "class Evil(Exception):\n    def __str__(self): raise Evil\nraise Evil\n"
        "class MyAllocator: pass\n",
        "with code 1",
    ),
    "an error of a gigabyte": (
        "class MyAllocator:\n    raise ValueError('x' * 10 ** 8)\n",
        "ValueError: xxx",
    ),
    "another word in the pipe": (
        "import gc\nfrom multiprocessing.connection import Connection\n"
        "[each.send_bytes(b'8') for each in gc.get_objects() if isinstance(each, Connection)]\n"
        "class MyAllocator: pass\n",
        "ended",
    ),
    "another kind": ("MyAllocator = 7\n", "Pass the class itself"),
    "nothing": ("MyAllocator = None\n", "the book's, not an answer"),
    "the book's by another name": ("MyAllocator = BlockAllocator\n", "the book's"),
    "a solution that was run": (
        "%run -i solutions/ex-02-1.py\nMyAllocator = AllocatorSolution\n",
        "NameError",
    ),
    "its own solution as a base": (
        "class MyAllocator(AllocatorSolution):\n    pass\n",
        "NameError: name 'AllocatorSolution'",
    ),
    "an imported solution": (
        "from solutions.ex_02_1 import AllocatorSolution as MyAllocator\n",
        "ModuleNotFoundError",
    ),
    "only renamed": ("class MyAlocator:\n    pass\n", ""),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_answer_costs_itself_alone(
    what: str, grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    source, said = BROKEN[what]
    limits = Limits(cell=1, wall=4 if what == "sleep" else 30, memory=700_000_000)
    beside = {"ex-02-2": right["ex-02-2"]} if what in ("exit", "sleep", "a signal") else {}
    rows = grade(fill({"ex-02-1": source} | beside), limits=limits)
    assert rows["ex-02-1"]["points"] == "0"
    assert rows["ex-02-2"]["points"] == ("4" if beside else "0")
    assert said in rows["ex-02-1"]["said"]


INSIDE = {
    "prints of megabytes": "print('x' * 20_000_000)",
    "a thread that stays": (
        "import threading, time\n    threading.Thread(target=time.sleep, args=(1e6,)).start()"
    ),
    "a changed folder": "import os; os.chdir('/')",
    "closed streams": "import os; os.close(1); os.close(2)",
    "a deaf clock": "import time; time.time = lambda: 0",
    "a recursion that is caught": (
        "f = lambda n: f(n + 1)\n    try: f(0)\n    except RecursionError: pass"
    ),
    "a memory hog that is caught": (
        "try: bytearray(10 ** 12)\n    except MemoryError: pass\n"
        "    hog = []\n    try:\n        while True: hog.append(bytearray(10 ** 7))\n"
        "    except MemoryError: hog.clear()"
    ),
}


@pytest.mark.parametrize("what", INSIDE)
def test_what_an_answer_does_beside_answering_is_its_own_affair(
    what: str, grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    own = right["ex-02-1"] + f"\ndef beside():\n    {INSIDE[what]}\n\nbeside()\n"
    assert points(grade(fill({"ex-02-1": own}))) == ["8", "0", "0", "0", "0", "8"]


def test_a_memory_hog_costs_itself(grade: Grade, fill: Fill) -> None:
    hog = "hog = []\nwhile True:\n    hog.append(bytearray(10 ** 7))\nclass MyAllocator: pass\n"
    rows = grade(fill({"ex-02-1": hog}))
    assert rows["ex-02-1"]["said"].startswith("MemoryError")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes")
def test_processes_that_an_answer_started_are_ended(
    grade: Grade, fill: Fill, right: dict[str, str], tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    start = (
        "import subprocess\n"
        f"keeps_it_open = open({str(pipe)!r}, 'w')\n"
        "subprocess.Popen(['sleep', '1000'], stdout=keeps_it_open)\n"
    )
    rows = grade(fill({"ex-02-1": start + right["ex-02-1"]}))
    assert rows["ex-02-1"]["points"] == "8"
    os.set_blocking(end, True)
    assert os.read(end, 1) == b""  # comes when nobody holds the other end any more
    os.close(end)


# ---- answers that would rather change the check

PATCHES = {
    "the name": "import workbook\nworkbook.check = None\n",
    "a method": (
        "from workbook.checks.framework import calls\ncalls.Checks._run = lambda *_: 1 / 0\n"
    ),
    "the report": (
        "from workbook.checks.framework.report import Report\nReport.ok = True\nReport.passed = 6\n"
    ),
    "the cases": (
        "from workbook.checks import exercises\n"
        "for each in exercises(): each.cases[:] = each.cases[:1]\n"
    ),
    "an attribute": (
        "import workbook.checks\n"
        "workbook.checks.framework.running.run_cases = None\n"
        "workbook.checks.check.allocate_release = lambda _: None\n"
    ),
}


@pytest.mark.parametrize("what", PATCHES)
def test_a_changed_check_doesnt_count(
    what: str, grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    nothing = "class MyAllocator:\n    def __init__(self, n): self.num_free = self.num_blocks = n\n"
    answers = {"ex-02-1": PATCHES[what] + nothing, "ex-02-2": PATCHES[what] + right["ex-02-2"]}
    assert points(grade(fill(answers))) == ["0", "4", "0", "0", "0", "4"]


# ---- files that are hardly notebooks


def test_cells_that_were_deleted(grade: Grade, fill: Fill, right: dict[str, str]) -> None:
    notebook = fill({"ex-02-2": right["ex-02-2"]})
    del notebook["cells"][cell_of(notebook, "class MyAllocator")]
    rows = grade(notebook)
    assert points(rows) == ["0", "4", "0", "0", "0", "4"]
    assert rows["ex-02-1"]["stopped"] == "no cell defines MyAllocator"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("no notebook", "not JSON"),
        ("\udcff".encode("utf-8", "surrogatepass").decode("latin-1"), "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "it has no cells"),
        ('{"cells": 3}', "it has no cells"),
        ('{"cells": [3, null, {"cell_type": "code"}]}', "like no chapter"),
        (json.dumps({"cells": [{"cell_type": "code", "source": "x = 1"}]}), "like no chapter"),
    ],
)
def test_a_file_that_is_no_notebook_is_told(text: str, why: str, grade: Grade) -> None:
    rows = grade(text, name="essay.ipynb")
    assert list(rows) == ["total"]
    assert rows["total"]["points"] == "0"
    assert why in rows["total"]["stopped"]


def test_an_empty_notebook_is_told_by_its_name(grade: Grade) -> None:
    rows = grade({"cells": []}, name="02_the_block_allocator.ipynb")
    assert points(rows) == ["0"] * 6
    assert rows["ex-02-4"]["stopped"] == "no cell defines audit"
    assert rows["ex-02-4"]["of"] == 8
