"""A notebook has what its reader needs in JupyterLab: a way on, titled exercises, shut folds."""

from collections.abc import Callable

from bookbuild.book import Chapter
from bookbuild.dress import dressed
from bookbuild.text import read_text

Write = Callable[..., Chapter]
EXERCISE = """\
### Exercise

:::{exercise} Share and *release*
:label: ex-02-3
9 minutes · difficulty 2 of 3
:::

```{code-cell} ipython3
:tags: [solution, hide-input]
:jupyter: {source_hidden: true}

check.share(1)
```
"""


def chapter(write: Write, number: str, body: str = "Words.") -> Chapter:
    return write(
        f"(ch-{number})=\n# {int(number)} · Title {number}\n\n{body}\n", f"{number}_x{number}"
    )


def test_both_ends_lead_to_the_neighbours(write: Write) -> None:
    one, two, five = (chapter(write, number) for number in ("01", "02", "05"))
    way = "[← 1 · Title 01](01_x01.ipynb) | [5 · Title 05 →](05_x05.ipynb)"
    first, *_, last = dressed(two).cells
    assert first.source.splitlines()[:4] == ["(ch-02)=", "# 2 · Title 02", "", way]
    assert last.source == way
    assert last.metadata.tags == ["remove-cell"]
    assert dressed(one).cells[-1].source == "[2 · Title 02 →](02_x02.ipynb)"
    assert dressed(five).cells[-1].source == "[← 2 · Title 02](02_x02.ipynb)"


def test_a_chapter_alone_is_its_text(write: Write) -> None:
    alone = chapter(write, "02")
    assert dressed(alone) == read_text(alone)


def test_viewers_that_cannot_fold_say_so_where_something_folds(write: Write) -> None:
    for body in (":::{hint} Hint 1\n:class: dropdown\nx\n:::", ":::{dropdown} Q\nA\n:::"):
        lines = dressed(chapter(write, "02", body)).cells[0].source.splitlines()
        assert lines[3].startswith("% If you can read this line")
    assert "%" not in dressed(chapter(write, "02")).cells[0].source


def test_the_outline_names_each_exercise(write: Write) -> None:
    cells = dressed(chapter(write, "02", EXERCISE)).cells
    assert "### Exercise 3 · Share and *release*\n\n:::{exercise}" in cells[0].source
    untouched = EXERCISE.replace(":label: ex-02-3\n", "")
    assert "### Exercise\n" in dressed(chapter(write, "02", untouched)).cells[0].source


def test_a_solution_shuts_its_output_too_and_nothing_else_does(write: Write) -> None:
    body = f"{EXERCISE}\n```{{code-cell}} ipython3\n1\n```\n"
    solution, plain = (
        c for c in dressed(chapter(write, "02", body)).cells if c.cell_type == "code"
    )
    assert solution.metadata.jupyter == {"source_hidden": True, "outputs_hidden": True}
    assert "jupyter" not in plain.metadata
