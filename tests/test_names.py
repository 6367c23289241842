"""The name map keeps its word: every name on the page is defined where the page says.

The page is parsed, so a new row is tested by itself. Names of the book are looked up in ``src``.
Names of other engines are looked up in their unpacked packages, in a folder that
``PAGED_ATTENTION_PEERS`` names (a wheel unpacked with its ``.dist-info``); an installed package,
as ``transformers`` and ``torch`` are for the tests, does as well. Nothing of theirs is imported.
"""

import ast
import builtins
import keyword
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

HOUSE = Path(__file__).parents[1]
PAGE = HOUSE / "chapters/pages/names.md"
ENGINE = HOUSE / "src/paged_attention"
# A section's package, and the name its metadata goes by.
DISTRIBUTIONS = {
    "vLLM": "vllm",
    "SGLang": "sglang",
    "FlashInfer": "flashinfer_python",
    "transformers": "transformers",
    "PyTorch": "torch",
}


class Row(NamedTuple):
    """One row: names of the book, names of the peer, and the file that defines the latter."""

    peer: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    file: str
    remark: tuple[str, ...]


def code(text: str) -> tuple[str, ...]:
    """The names in a cell's code spans: ``refs[block]`` is ``refs``, ``pool.free(b)`` both."""
    spans = re.findall(r"`([^`]+)`", text)
    heads = (re.match(r"[A-Za-z_][\w.]*", span) for span in spans)
    return tuple(head[0] for head in heads if head)


def sections() -> dict[str, str]:
    """The page's parts by peer."""
    parts = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        name: text
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
        if name in DISTRIBUTIONS
    }


def root(peer: str) -> str:
    """The folder that a section says its files are below."""
    found = re.search(r"files are below `([^`]+)`", sections()[peer])
    assert found, f"the part on {peer} does not say where its files are"
    return found[1]


def rows() -> list[Row]:
    """Every row of every table of a peer."""
    result = []
    for peer, text in sections().items():
        table = [line for line in text.splitlines() if line.startswith("|")][2:]
        for line in table:
            ours, theirs, file, remark = (cell.strip() for cell in line.strip("|").split("|"))
            result.append(Row(peer, code(ours), code(theirs), file.strip("`"), code(remark)))
    return result


ROWS = rows()
PEER_ROWS = [row for row in ROWS if row.theirs]


@cache
def mentioned(file: Path) -> frozenset[str]:
    """All words of a file."""
    return frozenset(re.findall(r"[A-Za-z_]\w*", file.read_text(encoding="utf-8")))


@cache
def defined(file: Path) -> frozenset[str]:
    """Names that a file defines: functions, classes, parameters, attributes, ``Class.member``."""
    return frozenset(names_in(ast.parse(file.read_text(encoding="utf-8"))))


def names_in(tree: ast.AST) -> set[str]:
    """The names that a syntax tree defines, members of its classes also with the class's name."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name):
                found.add(name)
                inner = set().union(*(names_in(child) for child in node.body))
                found |= {f"{name}.{member}" for member in inner if "." not in member}
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.arg(arg=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
    return found


def folders() -> list[Path]:
    """Where packages may lie: the folder of peers, then what is installed."""
    peers = os.environ.get("PAGED_ATTENTION_PEERS")
    return [Path(p) for p in ([peers] if peers else []) + [p for p in sys.path if p]]


def home(peer: str) -> Path:
    """The folder that holds a peer's package; the test is skipped where none does."""
    top = root(peer).split("/")[0]
    for folder in folders():
        if (folder / top / "__init__.py").is_file():
            return folder
    pytest.skip(f"set PAGED_ATTENTION_PEERS to a folder with the unpacked package {top}")


def test_the_page_is_read() -> None:
    assert {row.peer for row in ROWS} == set(DISTRIBUTIONS)
    assert len(PEER_ROWS) > 50
    assert all(row.file.endswith(".py") for row in PEER_ROWS)


def test_a_missing_name_is_missed() -> None:
    tree = ast.parse("class A:\n    x: int\n    def f(self, y): self.z = y\ndef g(): pass")
    assert names_in(tree) == {
        *("A", "x", "f", "self", "y", "z", "g"),
        *("A.x", "A.f", "A.self", "A.y", "A.z"),
    }


@pytest.mark.parametrize("name", sorted({name for row in ROWS for name in row.ours}))
def test_the_book_has_the_name(name: str) -> None:
    files = ENGINE.rglob("*.py")
    assert any(name in defined(file) for file in files), f"{name} is not in src/paged_attention"


@pytest.mark.parametrize("row", PEER_ROWS, ids=lambda row: f"{row.peer}-{'-'.join(row.theirs)}")
def test_the_peer_has_the_names_where_the_page_says(row: Row) -> None:
    file = home(row.peer) / root(row.peer) / row.file
    assert file.is_file(), f"{row.peer} has no {row.file}: search for the idea"
    missing = set(row.theirs) - defined(file)
    assert not missing, f"{row.peer}: {row.file} does not define {', '.join(sorted(missing))}"


@pytest.mark.parametrize(
    "row", [row for row in PEER_ROWS if row.remark], ids=lambda row: f"{row.peer}-{row.theirs[0]}"
)
def test_a_remark_speaks_of_what_is_there(row: Row) -> None:
    file = mentioned(home(row.peer) / root(row.peer) / row.file)
    page = {name for other in ROWS if other.peer == row.peer for name in other.theirs}
    book = set().union(*(defined(file) for file in ENGINE.rglob("*.py")))
    python = set(dir(builtins)) | set(keyword.kwlist)
    assert set(row.remark) <= file | page | book | python


@pytest.mark.parametrize("peer", DISTRIBUTIONS)
def test_the_page_names_the_version_that_was_looked_up(peer: str) -> None:
    stated = re.search(rf"{peer} (\d+\.\d+\.\d+)", PAGE.read_text(encoding="utf-8"))
    assert stated, f"the page does not say which version of {peer} it speaks of"
    found = [path.name for path in home(peer).glob(f"{DISTRIBUTIONS[peer]}-*.dist-info")]
    if not found:
        pytest.skip(f"no metadata lies beside the package of {peer}")
    versions = {re.split(r"-|\+|\.dist", name)[1] for name in found}
    assert versions == {stated[1]}, (
        "look every name up in the newer release, then write its version on the page"
    )
