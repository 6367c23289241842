"""Notebooks as learners really hand them in: what is odd in them costs nothing."""

import copy
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.submissions import Notebook, cell_of, code, points

pytestmark = pytest.mark.xdist_group("grading")  # one process to fork from

Rows = dict[str, dict[str, Any]]
Fill = Callable[[dict[str, str]], Notebook]
Grade = Callable[..., Rows]

ALL = ["8", "4", "6", "14", "8", "40"]


def clean(text: str) -> str:
    return inspect.cleandoc(text) + "\n"


def test_neither_names_nor_metadata_nor_order_are_needed(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    """ucbds-infra/otter-grader#722: a copied notebook has no metadata."""
    notebook = fill(right)
    for cell in notebook["cells"]:
        del cell["metadata"], cell["id"]
    notebook["cells"].reverse()
    del notebook["metadata"]
    assert points(grade(notebook, name="homework (1) final.ipynb")) == ALL


def test_a_notebook_of_2014_with_the_answers_alone(grade: Grade, right: dict[str, str]) -> None:
    cells = [{"cell_type": "code", "input": [source]} for source in right.values()]
    assert points(grade({"worksheets": [{"cells": cells}]}, name="x.ipynb")) == ALL


SPLIT = clean("""
    class MyAllocator:
        def __init__(self, num_blocks):
            self.num_blocks = num_blocks
            self.free = list(range(num_blocks - 1, -1, -1))
            self.refs = [0] * num_blocks

        num_free = property(lambda self: len(self.free))

        def allocate(self):
            if not self.free:
                raise BlockPoolExhausted("none")
            self.refs[self.free[-1]] = 1
            return self.free.pop()
""")
RELEASE = clean("""
    def give_back(self, block):
        if self.refs[block] == 0:
            raise BlockNotHeld(nobody(block))
        self.refs[block] = 0
        self.free.append(block)
""")
NOBODY = "def nobody(block):\n    return f'nobody holds {block}'\n"


@pytest.mark.parametrize("way", ["subclass", "patch", "setattr"])
def test_an_answer_in_several_cells(
    way: str, grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    notebook = fill({"ex-02-1": SPLIT})
    at = cell_of(notebook, "class MyAllocator")
    joined = {
        "subclass": "class MyAllocator(MyAllocator):\n    release = give_back\n",
        "patch": "MyAllocator.release = give_back\n",
        "setattr": "setattr(MyAllocator, 'release', give_back)\n",
    }[way]
    notebook["cells"][at + 1 : at + 1] = [code(RELEASE), code(joined)]
    notebook["cells"].append(code(NOBODY))  # ran before, though it stands below
    assert points(grade(notebook)) == ["8", "0", "0", "0", "0", "8"]


def test_an_answer_that_leans_on_ones_own_earlier_one(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    """As ``mine`` does in the notebook: another class below than the book's, with other parts."""
    own = right["ex-02-1"].replace("self.free", "self.stack")
    own += "\n    free = property(lambda self: self.stack)\n"
    many = clean("""
        class MyBulkAllocator(mine(MyAllocator, AllocatorSolution)):
            def allocate_many(self, n):
                if n > len(self.stack):
                    raise BlockPoolExhausted("too many")
                return [self.allocate() for _ in range(n)]
    """)
    rows = grade(fill({"ex-02-1": own, "ex-02-2": many}))
    assert points(rows) == ["8", "4", "0", "0", "0", "12"]


def test_a_direct_subclass_of_a_failed_answer_gets_the_books(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    many = right["ex-02-2"].replace("(AllocatorSolution)", "(MyAllocator)")
    rows = grade(fill({"ex-02-1": "class MyAllocator:\n    pass\n", "ex-02-2": many}))
    assert points(rows) == ["0", "4", "0", "0", "0", "4"]


def test_a_stub_below_an_answer_doesnt_take_it_away(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    notebook, untouched = fill({"ex-02-1": right["ex-02-1"]}), fill({})
    stub = copy.deepcopy(untouched["cells"][cell_of(untouched, "class MyAllocator")])
    stub["source"] = ["# let me try again\n", *stub["source"]]
    half_typed = code("class MyAllocator:\n    def allocate(self:\n")
    notebook["cells"] += [stub, half_typed]
    assert grade(notebook)["total"]["points"] == "8"


def test_the_last_of_several_answers_counts(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    notebook = fill({"ex-02-1": "class MyAllocator:\n    pass\n"})
    notebook["cells"].append(code(right["ex-02-1"]))
    assert grade(notebook)["total"]["points"] == "8"


def test_magics_imports_and_helpers_of_ones_own(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    notebook = fill({"ex-02-4": right["ex-02-4"]})
    own = right["ex-02-4"].replace("Counter(", "tally(").replace("def audit", "%time\ndef audit")
    at = cell_of(notebook, "def audit")
    notebook["cells"][at]["source"] = f"%%time\n{own}\n!ls\naudit?\n"
    changed = notebook["cells"][cell_of(notebook, "import random")]
    changed["source"] = ["from collections import *\n", *changed["source"]]
    notebook["cells"].append(code("%matplotlib inline\ntally = lambda xs: Counter(xs)\n"))
    notebook["cells"].append(code("%%bash\nexit 1\n"))
    assert grade(notebook)["total"]["points"] == "14"


def test_a_module_of_ones_own_beside_the_notebook(
    grade: Grade, fill: Fill, right: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "ada").mkdir()
    head = "from paged_attention.errors import BlockNotHeld, BlockPoolExhausted\n"
    (tmp_path / "ada" / "my_allocator.py").write_text(head + right["ex-02-1"])
    rows = grade(fill({"ex-02-1": "from my_allocator import MyAllocator\n"}))
    assert rows["ex-02-1"]["points"] == "8"


def test_a_damaged_cell_of_the_book_costs_nothing(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    notebook = fill(right)
    at = cell_of(notebook, "class Engine")
    notebook["cells"][at]["source"] = "class Engine:\n    def __init__(self):\n        1 / 0\n"
    notebook["cells"][cell_of(notebook, "import random")]["source"] = (
        "import nothing_of_that_name\n"
    )
    assert points(grade(notebook)) == ALL


def test_cells_that_nothing_needs_dont_run(grade: Grade, fill: Fill, right: dict[str, str]) -> None:
    notebook = fill(right)
    for source in ("input('name?')", "while True: pass", "import os; os._exit(1)", "1 / 0"):
        notebook["cells"].insert(0, code(source))
        notebook["cells"].append(code(source))
    assert points(grade(notebook)) == ALL


def test_an_open_task_has_a_score_and_no_points(
    grade: Grade, fill: Fill, right: dict[str, str]
) -> None:
    notebook = fill({"ex-02-2": right["ex-02-2"]})
    notebook["cells"] += [
        code("judge.few_runs(BlockAllocator)"),
        code("class Few(BlockAllocator):\n    pass\n"),
        code("judge.few_runs(Few)\n"),
    ]
    rows = grade(notebook)
    assert points(rows) == ["0", "4", "0", "0", "0", "", "4"]
    assert rows["open-02"]["optional"] == "open task"
    assert "the book's" in rows["open-02"]["said"]
    notebook["cells"][-2]["source"] = "Few = BlockAllocator\n"
    notebook["cells"].append(code("class Few:\n    pass\n"))
    assert grade(notebook)["open-02"]["stopped"] == "rejected"
