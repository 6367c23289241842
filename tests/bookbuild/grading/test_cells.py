"""Cells: whatever stands in one, a grader reads it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookbuild.grading.cells import Cell

SCRAPS = st.sampled_from(
    [
        "class A:\n",
        "    def f(self):\n",
        "%run x\n",
        "!ls\n",
        "%%time\n",
        "x?\n",
        "'''",
        "\\\n",
        "(",
    ]
)


@settings(max_examples=12)
@given(st.lists(st.one_of(SCRAPS, st.text(max_size=8)), max_size=6).map("".join))
def test_no_cell_stops_a_grader(raw: str) -> None:
    cell = Cell(raw)
    assert isinstance(cell.source, str)
    assert isinstance(cell.shape, str)
    assert cell.binds >= frozenset()


@pytest.mark.parametrize(
    ("raw", "binds"),
    [
        ("class A: pass", {"A"}),
        ("%%time\ndef f(): pass\n", {"f"}),
        ("%%bash\nf() { :; }\n", set()),
        ("class A:\n    def f(self:\n", {"A"}),
        ("if True:\n    def f(): pass\nelse:\n    g = 1\n", {"f", "g"}),
        ("f = lambda: 0\n%time f()\n", {"f"}),
        ("%run -i solutions/ex-02-1.py\nMine = Theirs\n", {"Mine"}),
        ("\x00", set()),
        ("\ud800", set()),
        ("(" * 10_000, set()),
    ],
)
def test_the_names_that_a_cell_binds(raw: str, binds: set[str]) -> None:
    assert Cell(raw).binds == binds


def test_patches_are_parts_of_a_name() -> None:
    source = "A.b = 1\nA.c[0] = 2\nsetattr(B, 'x', 3)\nC = 4\nD.x += 1\nE.f: int = 5\nprint(F.g)\n"
    assert Cell(source).patches == {"A", "B", "D", "E"}


def test_comments_and_blanks_make_no_answer() -> None:
    given_stub, touched = Cell("def f(x):\n    raise E\n"), Cell("# mine\ndef f(x):\n\n    raise E")
    assert given_stub.shape == touched.shape != Cell("def f(x):\n    return 1\n").shape
