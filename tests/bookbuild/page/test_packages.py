"""Packages that a browser lacks: cells beside them run, and whoever uses them is told where."""

import importlib
import sys

import pytest

from bookbuild.page.packages import ABSENT, NAMED, Finder, NotInAPage

MISSING = {*NAMED, *ABSENT}


@pytest.fixture(autouse=True)
def browser(monkeypatch):
    """Forget what is installed here, and remember it afterwards."""
    for name in [name for name in sys.modules if name.partition(".")[0] in MISSING]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in MISSING]:
        del sys.modules[name]


def test_torch_can_be_named_in_what_a_cell_defines(page):
    source = """import torch
from torch import Tensor
import torch.nn.functional as F

def add(a: Tensor, b: "Tensor | None" = None, dtype=torch.float32) -> Tensor | None:
    return a + b

class Model(torch.nn.Module):
    kinds: list[Tensor] = []

isinstance(3, Tensor), add(1, 2)"""
    assert page.text(source) == "(False, 3)"


@pytest.mark.parametrize(
    "call", ["torch.zeros(3)", "torch.nn.Linear(1, 1)", "Model()", "F.softmax(1)"]
)
def test_using_torch_says_where_the_chapter_runs(page, call):
    page.run("import torch\nimport torch.nn.functional as F\nclass Model(torch.nn.Module): pass")
    *_, message = page.run(call)
    assert message["ename"] == NotInAPage.__name__
    assert message["evalue"].startswith("this cell needs PyTorch: run the chapter in JupyterLab")


def test_what_is_not_there_at_all_says_so_when_it_is_imported():
    with pytest.raises(ModuleNotFoundError, match="this cell needs Matplotlib") as caught:
        importlib.import_module("matplotlib.figure")
    assert caught.value.name == "matplotlib"


def test_other_names_are_left_to_others():
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_thing'"):
        importlib.import_module("no_such_thing")
