"""A walk in a reader's cell: right ones pass, and every fault is heard."""

from pathlib import Path

import pytest
from helpers.walks import NAIVE, by_block

from paged_attention.kernels.cpu import find_compiler
from workbook.walk import program
from workbook.walk.cases import cases
from workbook.walk.judge import SECONDS, Outcome, in_words, run_function, run_text
from workbook.walk.program import DoesNotCompile

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C++ compiler here")


def first_wrong(outcomes: list[Outcome]) -> Outcome | None:
    return next((outcome for outcome in outcomes if outcome.wrong), None)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path))


@needs_compiler
def test_a_right_walk_passes_every_case() -> None:
    outcomes = run_text(NAIVE, cases())
    assert len(outcomes) == len(cases())
    assert first_wrong(outcomes) is None


@needs_compiler
def test_a_cell_may_hold_the_whole_function_and_helpers() -> None:
    whole = f"static int one() {{ return 1; }}\n{program.SIGNATURE} {NAIVE}"
    assert first_wrong(run_text(whole, cases())) is None


@needs_compiler
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("p < length", "p <= length", "it reads table[1], and table has 1 numbers (line 5"),
        ("p % block_size * D", "p % block_size * block_stride", "it reads k_pool["),
        ("* block_stride + p", "* block_stride * 4 + p", "it reads "),
        ("out[g][d] =", "out[g + 1][d] =", "it writes past the end of an array"),
        ("float m = -INF", "*(volatile float*)0 = 1; float m = -INF", "null pointer"),
        ("k_pool[at + d]", "k_pool[(int64_t)1 << 40]", "at an address that no array has"),
        ("acc[D] = {};", "acc[D] = {}; acc[D + length - 4] = 0;", "out of bounds"),
    ],
)
def test_a_fault_is_told_in_words_with_its_line(old: str, new: str, said: str) -> None:
    assert old in NAIVE
    outcome = run_text(NAIVE.replace(old, new), cases())[-1]
    assert outcome.answer is None
    assert said in outcome.fault
    assert "of your cell" in outcome.fault


@needs_compiler
@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        ("table[p / block_size]", "(p / block_size)", "one block"),
        ("m = higher;", "", "one block"),
        ("l > 0 ? acc[d] / l : 0", "acc[d] / l", "a sequence without tokens"),
        ("out[g][d] = l", "if (g) out[g][d] = l", "one block"),
    ],
)
def test_wrong_numbers_are_found(old: str, new: str, title: str) -> None:
    assert old in NAIVE
    wrong = first_wrong(run_text(NAIVE.replace(old, new), cases()))
    assert wrong is not None
    assert wrong.answer is not None
    assert title in wrong.case.title


@needs_compiler
def test_an_endless_walk_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbook.walk.judge.SECONDS", 1)
    outcome = run_text(NAIVE.replace("p < length; p++", "p < length; p += 0"), cases())[-1]
    assert outcome.fault == "it didn't end within 1 seconds"
    assert SECONDS == 10


@needs_compiler
def test_the_compilers_first_error_names_the_cells_line() -> None:
    with pytest.raises(DoesNotCompile, match=r"^line \d of your cell: .*expected"):
        run_text(NAIVE.replace("float score = 0;", "float score = 0"), cases())


@needs_compiler
def test_a_text_is_built_once(tmp_path: Path) -> None:
    run_text(NAIVE, cases())
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "walks").iterdir()}
    run_text(NAIVE, cases())
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "walks").iterdir()} == made
    assert len(made) == 1


def test_a_function_is_judged_by_the_same_cases() -> None:
    assert first_wrong(run_function(by_block, cases())) is None

    def jitted(*args):
        raise AssertionError("compiled code isn't run to be judged")

    jitted.py_func = by_block
    assert first_wrong(run_function(jitted, cases())) is None


def test_a_function_that_raises_or_writes_is_told() -> None:
    def beyond(q, k_pool, v_pool, table, length, block_size):
        return k_pool[table[length]]

    def writes(q, k_pool, v_pool, table, length, block_size):
        k_pool[:] = 0

    assert "IndexError" in run_function(beyond, cases())[-1].fault
    assert "read-only" in run_function(writes, cases())[-1].fault


def test_reports_of_other_compilers_are_read_too() -> None:
    clang = """==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1
READ of size 8 at 0x1 thread T0
    #0 0x2 in walk(float const (*) [8]) your_cell:7:22
0x1 is located 8 bytes after 16-byte region [0x1,0x2)
allocated by thread T0 here:
    #0 0x3 in malloc
    #1 0x4 in long* heap<long>(char const*&, unsigned long) frame_tail.h:46:35
    #2 0x5 in main frame_tail.h:{line}:24
"""
    tail = (program.HERE / program.TAIL).read_text().splitlines()
    line = next(n for n, text in enumerate(tail, 1) if "// array: table" in text)
    said = in_words(clang.replace("{line}", str(line)), 1)
    assert said == "it reads table[3], and table has 2 numbers (line 7 of your cell)"
