"""Names that a cell binds, and those that must be there before it runs."""

import pytest

from bookbuild.editions.names import names, undefined


@pytest.mark.parametrize(
    ("source", "binds", "now", "later"),
    [
        ("a = b", "a", "b", ""),
        ("a = a + 1", "a", "a", ""),
        ("a += 1", "a", "a", ""),
        ("a: int = b", "a", "b", ""),
        ("a.b = c", "", "a c", ""),
        ("a[i] = c", "", "a c i", ""),
        ("a, (b, *c) = d", "a b c", "d", ""),
        ("import os.path as p, re", "p re", "", ""),
        ("import os.path", "os", "", ""),
        ("from m import a as b, c", "b c", "", ""),
        ("for i in i: j = i", "i j", "i", ""),
        ("while True:\n    a = b\n    print(a)", "a", "b", ""),
        ("with f(x) as g: g()", "g", "f x", ""),
        ("try:\n    a()\nexcept E as e:\n    print(e)", "e", "E a", ""),
        ("def f(x, y=d) -> R:\n    return x + z + f(1)", "f", "R d", "z"),
        ("@deco(a)\ndef f(): ...", "f", "a deco", ""),
        ("def f():\n    def g():\n        return z\n    return g", "f", "", "z"),
        ("f = lambda x, y=d: x + z", "f", "d", "z"),
        ("z = 1\ndef f():\n    return z", "f z", "", ""),
        ("def f():\n    return z\nz = 1", "f z", "", ""),
        ("class A(B, metaclass=M):\n    n = k\n    m = n\n    def f(self):\n        return n",
         "A", "B M k", "n"),
        ("[x * y for x in xs if x > t]", "", "t xs y", ""),
        ("[(x, y) for x in xs for y in x]", "", "xs", ""),
        ("{k: v for k, v in d.items()}", "", "d", ""),
        ("x = 1\n[x for y in ys]", "x", "ys", ""),
        ("any((last := x) for x in xs)", "last", "xs", ""),
        ("if (n := f()): print(n)", "n", "f", ""),
        ("f'{a!r:>{width}}'", "", "a width", ""),
        ("match p:\n    case [a, *b]: print(a, b)\n    case C(x=c) as d: print(c, d)",
         "a b c d", "C p", ""),
        ("print(len, display)", "", "", ""),
        ("def f():\n    global g\n    g = h", "f", "", "h"),
        ("async def f():\n    async for x in y: await x", "f", "", "y"),
    ],
)  # fmt: skip
def test_what_a_cell_binds_and_needs(source: str, binds: str, now: str, later: str) -> None:
    found = names(source)
    assert [sorted(part) for part in found] == [part.split() for part in (binds, now, later)]


def test_a_name_that_no_cell_above_binds_is_found_where_it_is_read() -> None:
    cells = ["import os", "x = os.sep + y", "def f():\n    return z + w", "y, z = 1, f()"]
    assert list(undefined(cells)) == [(1, "y"), (2, "w")]


def test_a_cell_that_is_not_python_is_refused() -> None:
    with pytest.raises(SyntaxError):
        names("%run -i solutions/ex-02-1.py")
