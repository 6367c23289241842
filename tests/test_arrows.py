"""The house's laws of importing: arrows go one way, in no circle, and bookkeeping is light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
PACKAGES = ("paged_attention", "workbook", "bookbuild")
MODULES = {
    ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in (SRC / package).rglob("*.py")
}
# What may be imported by whom: the book knows the engine, the build knows both.
ALLOWED = {
    "paged_attention": {"paged_attention"},
    "workbook": {"paged_attention", "workbook"},
    "bookbuild": set(PACKAGES),
}
# Heavy packages that bookkeeping does without, and the modules that keep to it.
HEAVY = ("torch", "matplotlib", "IPython", "ipywidgets", "jupyter_core")
LIGHT = [
    "paged_attention",
    "paged_attention.allocator",
    "paged_attention.errors",
    "paged_attention.idle",
    "paged_attention.serving.cost",
    "paged_attention.serving.scheduler",
    "paged_attention.journal",
    "paged_attention.load_client.command",
    "paged_attention.load_client.report",
    "paged_attention.own_sequences",
    "paged_attention.paged_sequences",
    "paged_attention.prefix",
    "paged_attention.server.command",
    "paged_attention.server.sockets",
    "paged_attention.prefix_tree",
    "paged_attention.runs",
    "paged_attention.slots",
    "paged_attention.tables",
    "workbook",
    "workbook.checks",
    "workbook.classroom.command",
    "workbook.classroom.share",
    "workbook.clock",
    "workbook.live.board_panel",
    "workbook.live.chat_panel",
    "workbook.stills",
    "workbook.stills.block_tables",
    "workbook.stills.forks",
    "workbook.stills.output",
    "workbook.stills.pool",
    "workbook.stills.prefix",
    "workbook.stills.slots",
    "workbook.trace",
    "workbook.trace.prefix",
    "workbook.trace.sequences",
    "workbook.widgets",
    "workbook.widgets.block_size.picture",
    "workbook.widgets.bundle",
    "workbook.widgets.contiguous.picture",
    "workbook.widgets.engine.picture",
    "workbook.widgets.fork.picture",
    "workbook.widgets.line.picture",
    "workbook.widgets.pages.picture",
    "workbook.widgets.pool.picture",
    "workbook.widgets.prefix.picture",
    "workbook.widgets.reading.picture",
    "workbook.widgets.tiles.picture",
    "workbook.words",
    "workbook.words.story",
]


def imported(node: ast.AST) -> Iterator[str]:
    """The modules of the house that one import statement loads."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield whole if whole in MODULES else node.module


def outside(node: ast.AST) -> list[str]:
    """The modules that one import statement names, of whatever house."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements, those in functions too, but not those for a type checker alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from statements(node)


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_go_one_way(package: str) -> None:
    wrong = [
        f"{name} imports {found}"
        for name, path in MODULES.items()
        if name.split(".")[0] == package
        for node in ast.walk(ast.parse(path.read_text()))
        for found in imported(node)
        if found.split(".")[0] in PACKAGES and found.split(".")[0] not in ALLOWED[package]
    ]
    assert not wrong


def test_nothing_below_knows_a_network() -> None:
    """The engine serves without one: HTTP and Prometheus are for the server and its client."""
    outer = ("paged_attention.server", "paged_attention.load_client")
    wrong = [
        f"{name} imports {found}"
        for name, path in MODULES.items()
        if name.startswith("paged_attention") and not name.startswith(outer)
        for node in ast.walk(ast.parse(path.read_text()))
        for found in (*imported(node), *outside(node))
        if found.split(".")[0] in ("tornado", "prometheus_client")
        or (found.startswith(outer) and name != "paged_attention.commands")
    ]
    assert not wrong


def test_no_module_imports_itself_by_way_of_others() -> None:
    arrows = {
        name: {
            found
            for node in statements(ast.parse(path.read_text()))
            for found in imported(node)
            if found in MODULES and found != name
        }
        for name, path in MODULES.items()
    }
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as circle:
        pytest.fail(f"a circle of imports: {' -> '.join(circle.args[1])}")


def test_bookkeeping_is_imported_without_heavy_packages() -> None:
    """One after the other in one process: the first that brings a heavy package is named."""
    code = f"""
import importlib, sys
for module in {LIGHT!r}:
    importlib.import_module(module)
    if heavy := {set(HEAVY)!r} & set(sys.modules):
        sys.exit(f"{{module}} loads {{' '.join(heavy)}}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_cells_are_drawn_without_heavy_packages() -> None:
    """Only charts need matplotlib, only recorded tensors torch, only a notebook IPython."""
    code = f"""
import sys
from workbook.stills.block_tables import draw_table_walk
from workbook.trace import Recorder
from workbook.widgets import (block_size_picture, contiguous_vs_paged, fork_and_copy, pool_picture,
    prefix_picture, reading_through_table)
from workbook.words.story import story

draw_table_walk([1, 0], 5, 3, block_size=4, num_blocks=4).svg()
trace = Recorder("paged", 2, 4, [0, 1]).trace
story(trace)
for make in (block_size_picture, contiguous_vs_paged, fork_and_copy, pool_picture, prefix_picture,
             reading_through_table):
    picture = make()
    picture.svg, picture.text, picture.data
sys.exit(" ".join({set(HEAVY)!r} & set(sys.modules)) or None)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"drawing cells loads {done.stderr}"
