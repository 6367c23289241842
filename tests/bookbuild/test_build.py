"""Building: only what changed, byte for byte the same again, and nothing lost on a failure."""

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from bookbuild.book import Chapter
from bookbuild.build import build, build_all, read_notebook

Write = Callable[..., Chapter]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test's notebook is kept for the others."""
    return tmp_path_factory.mktemp("built")


@pytest.fixture
def built(once: Path, root: Path, write: Write) -> Chapter:
    """The sample, built: executed for the first test that asks, the others have a copy."""
    chapter = write()
    kept = once / chapter.notebook.name
    if kept.exists():
        shutil.copyfile(kept, chapter.notebook)
    else:
        assert build(chapter, root).word == "built"
        shutil.copyfile(chapter.notebook, kept)
    return chapter


def test_a_second_build_is_byte_identical(root: Path, built: Chapter) -> None:
    first = built.notebook.read_bytes()
    assert build(built, root).word == "up to date"
    assert build(built, root, force=True).word == "built, unchanged"
    assert built.notebook.read_bytes() == first


def test_the_notebook_carries_nothing_of_one_machine_or_run(built: Chapter) -> None:
    notebook = read_notebook(built.notebook)
    nbformat.validate(notebook)
    assert notebook.metadata == {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    assert [set(cell.metadata) for cell in notebook.cells] == [set(), set(), set(), {"tags"}, set()]
    assert [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"] == [
        1,
        2,
        3,
    ]


def test_a_new_sentence_keeps_the_old_measurement(root: Path, write: Write, built: Chapter) -> None:
    before = read_notebook(built.notebook)
    write(built.text.read_text(encoding="utf-8").replace("Some prose.", "Better prose."))
    assert build(built, root, force=True).word == "built"
    after = read_notebook(built.notebook)
    assert after.cells[3] == before.cells[3]
    assert after.cells[2].source == "Better prose."


def test_nothing_is_executed_for_words_alone(root: Path, write: Write) -> None:
    chapter = write()
    (root / "chapters" / "number.py").write_text("n = 1")
    text = chapter.text.read_text(encoding="utf-8").replace("6 * 7)", "__import__('number').n)")
    write(text)
    build(chapter, root)
    before = read_notebook(chapter.notebook)
    (root / "chapters" / "number.py").write_text("raise RuntimeError")
    write(text.replace("Some prose.", "Better prose."))
    assert build(chapter, root).word == "only words changed"
    after = read_notebook(chapter.notebook)
    assert after.cells[2].source == "Better prose."
    assert after.cells[3] == before.cells[3]
    write(text.replace("6 * 7", "7 * 6"))
    assert build(chapter, root).word == "FAILED"


def test_a_changed_result_replaces_the_old_output(root: Path, write: Write) -> None:
    chapter = write()
    (root / "chapters" / "number.py").write_text("n = 1")
    text = chapter.text.read_text(encoding="utf-8").replace("6 * 7)", "__import__('number').n)")
    write(text)
    build(chapter, root)
    (root / "chapters" / "number.py").write_text("n = 2000")
    assert build(chapter, root, force=True).word == "built"
    assert "2000" in read_notebook(chapter.notebook).cells[3].outputs[0].text


def test_a_failing_cell_is_told_and_leaves_the_notebook(
    root: Path, write: Write, built: Chapter
) -> None:
    before = built.notebook.read_bytes()
    write(built.text.read_text(encoding="utf-8").replace("\n6 * 7\n", "\nrows = 1\nrows / 0\n"))
    outcome = build(built, root)
    assert outcome.word == "FAILED"
    assert "02_sample, cell 5 failed" in outcome.problem
    assert "    rows = 1\n    rows / 0\n" in outcome.problem
    assert "ZeroDivisionError: division by zero" in outcome.problem
    assert built.notebook.read_bytes() == before


def test_an_error_that_is_the_lesson_has_no_machine_path(root: Path, write: Write) -> None:
    (root / "chapters" / "broken.py").write_text("def f():\n    raise ValueError('no')\n")
    chapter = write(
        "# T\n\n```{code-cell} ipython3\n:tags: [raises-exception]\n:reason: the lesson\n\n"
        "import broken, json\nbroken.f()\n```\n\n"
        "```{code-cell} ipython3\n:tags: [raises-exception]\n\njson.loads('{')\n```\n"
    )
    assert build(chapter, root).problem == ""
    cells = read_notebook(chapter.notebook).cells
    own, library = ("\n".join(cell.outputs[0].traceback) for cell in cells[1:])
    assert "chapters/broken.py" in own
    assert str(root) not in own
    assert "json/decoder.py" in library
    assert "/lib/" not in library.replace("\x1b", " ")


def test_cells_run_offline_beside_the_chapters(root: Path, write: Write) -> None:
    chapter = write(
        "# T\n\n```{code-cell} ipython3\nimport os, pathlib\n"
        "print(os.environ['HF_HUB_OFFLINE'], pathlib.Path.cwd().name)\n```\n"
    )
    build(chapter, root)
    assert read_notebook(chapter.notebook).cells[1].outputs[0].text == "1 chapters\n"


def test_several_chapters_report_in_order(root: Path, write: Write, capsys: object) -> None:
    both = [write(name="03_b"), write("# T\n\n```{code-cell} ipython3\n1 / 0\n```\n", "01_a")]
    outcomes = build_all(both, root)
    assert [outcome.word for outcome in outcomes] == ["built", "FAILED"]
    out = capsys.readouterr().out  # type: ignore[attr-defined]
    assert out.index("03_b") < out.index("01_a")
    assert "01_a, cell 2 failed" in out
