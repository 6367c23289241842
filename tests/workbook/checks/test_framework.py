"""What a check says, whatever a reader passes to it."""

import subprocess
import sys
from typing import Any

import pytest

from paged_attention.allocator import BlockAllocator
from workbook.checks import check, compare, exercises
from workbook.checks.framework import CheckFailed, Registry, attempt, expect, shown
from workbook.checks.framework.calls import Checks

CELL = "/tmp/ipykernel_1/123.py"


def a_cell(source: str) -> Any:
    """The last name that the source defines, compiled as a notebook compiles a cell."""
    names: dict[str, Any] = {}
    exec(compile(source, CELL, "exec"), names)
    return list(names.values())[-1]


@pytest.fixture
def small() -> Checks:
    registry = Registry()
    half = registry.exercise(
        "half", label="ex-99-1", title="Half", stub="half", takes="function", hints=("one", "two")
    )
    half.example("an even number", 4, right=2, why="Two twos.", when=[(8, "Doubled.")])
    half.example("an odd number", 5, right=2, why="Rounded down.")
    pair = registry.exercise(
        "pair", label="ex-99-2", title="Pair", stub="pair", takes="function", hints=("1", "2")
    )
    pair.example("zero", 0, right=0, why="Nothing.")
    registry.suite("both", half, pair)
    return Checks(registry)


def test_the_report_of_a_double_release_reads_as_promised() -> None:
    class MyAllocator(BlockAllocator):
        def release(self, block: int) -> None:
            self.refs[block] = 0
            self._free.append(block)

    report = check.allocator(MyAllocator)
    assert (
        repr(report)
        == f"""\
check.allocator(MyAllocator)
  passed   1  a fresh pool is all free
  passed   2  two allocations never share a block
  FAILED   3  releasing a block twice
      tried   a = allocate(); release(a); release(a)
      got     no error; num_free is 5 in a pool of 4
      right   BlockNotHeld, num_free still 4
      why     Nobody held block 0, and it was taken back again, so it is in the free list twice. Two
              sequences will be given the same memory, and each will read the other's history. Ask
              the count first. (This happened: sgl-project/sglang#18694)
  2 of {len(report.titles)} passed; hint(1) and hint(2) are there when you want them."""
    )


def test_all_passed_ends_in_one_full_stop(small: Checks) -> None:
    report = small.half(lambda n: n // 2)
    assert report.ok
    assert repr(report).endswith("\n  2 of 2 passed.")


def test_an_untouched_stub_gets_one_calm_line(small: Checks) -> None:
    def half(n: int) -> int:
        raise NotImplementedError

    assert repr(small.half(half)).splitlines() == [
        "check.half(half)",
        "  not implemented yet; hint(1) and hint(2) are there when you want them.",
    ]


def test_a_stub_met_half_way_says_which_case_is_to_do(small: Checks) -> None:
    def half(n: int) -> int:
        if n % 2:
            raise NotImplementedError
        return n // 2

    assert repr(small.half(half)).splitlines()[1:] == [
        "  passed  1  an even number",
        "  to do   2  an odd number: not implemented yet",
        "  1 of 2 passed; hint(1) and hint(2) are there when you want them.",
    ]


def test_an_exception_tells_type_message_and_line(small: Checks) -> None:
    half = a_cell("def half(n):\n    table = {}\n    return table[n]\n")
    assert "got     KeyError: 4 (line 3 of your cell)" in repr(small.half(half))


def test_an_exception_deep_in_a_library_names_the_line_in_the_cell(small: Checks) -> None:
    half = a_cell("import json\ndef half(n):\n    return json.loads('{')\n")
    said = repr(small.half(half))
    assert "JSONDecodeError" in said
    assert "(line 3 of your cell)" in said


def test_the_line_is_found_in_properties_and_methods() -> None:
    source = (
        "class A:\n"
        "    def __init__(self, n): self.refs = []\n"
        "    num_free = property(lambda self: 1 / 0)"
    )
    assert "ZeroDivisionError: division by zero (line 3 of your cell)" in repr(
        check.allocate_release(a_cell(source))
    )


def test_a_missing_method_is_named() -> None:
    source = "class A:\n    def __init__(self, n): self.refs, self.num_free = [0] * n, n"
    said = repr(check.allocate_release(a_cell(source)))
    assert "AttributeError: 'A' object has no attribute 'allocate'" in said


def test_addresses_are_left_out() -> None:
    assert "0x" not in shown([object()])
    assert len(shown("x" * 1000)) == 160


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"x", "y", "w", 3}, "{'w', 'x', 'y', 3}"),
        (frozenset({"y", "x"}), "frozenset({'x', 'y'})"),
        (set(), "set()"),
        (frozenset({1}), "frozenset({1})"),
    ],
)
def test_a_set_is_shown_in_one_order(value: Any, text: str) -> None:
    assert shown(value) == text
    if value:
        assert eval(text) == value


def test_stopping_by_hand_is_reported_kindly(small: Checks) -> None:
    def half(n: int) -> int:
        raise KeyboardInterrupt

    said = repr(small.half(half))
    assert "Stopped by you in case 1, 'an even number' (line" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("name", "passed", "sentence"),
    [
        ("allocate_release", None, "None was passed. Run the cell that defines MyAllocator"),
        ("allocate_release", BlockAllocator(2), "An object of type BlockAllocator was passed."),
        ("allocate_release", len, "len is a function, and this check takes a class"),
        ("audit", 3, "An object of type int was passed."),
        ("audit", dict, "dict is a class, and this check takes a function"),
    ],
)
def test_the_wrong_kind_of_object_gets_a_way_out(name: str, passed: Any, sentence: str) -> None:
    report = getattr(check, name)(passed)
    assert not report.ok
    said = " ".join(repr(report).split())
    assert sentence in said
    assert f"check.{name}({'audit' if name == 'audit' else 'MyAllocator'})" in said


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(AttributeError, match=r"Did you mean check\.allocator\?.*audit"):
        _ = check.alocator


def test_completion_offers_the_exercises() -> None:
    assert {"allocator", "audit"} <= set(dir(check))
    assert not hasattr(check, "_repr_html_")  # a notebook asks for such names


def test_known_wrong_answers_get_a_why_of_their_own(small: Checks) -> None:
    assert "Doubled." in repr(small.half(lambda n: 2 * n))
    assert "Two twos." in repr(small.half(lambda n: 3))


def test_a_float_or_a_bool_is_not_a_count(small: Checks) -> None:
    assert not small.half(lambda n: n / 2).ok
    assert not small.pair(lambda n: False).ok


def test_arguments_of_an_example_survive_a_reader_who_changes_them() -> None:
    registry = Registry()
    exercise = registry.exercise(
        "f", label="ex-98-1", title="F", stub="f", takes="function", hints=("", "")
    )
    exercise.example("a list", [1, 2], right=2, why="")
    f = Checks(registry).f
    assert f(lambda xs: xs.pop()).ok
    assert f(lambda xs: xs.pop()).ok


def test_hints_speak_of_the_exercise_checked_last(
    small: Checks, capsys: pytest.CaptureFixture[str]
) -> None:
    small.hint(1)
    small.half(None)
    small.hint(1)
    small.hint(3)
    small.both(lambda n: n // 2 if n else 1)  # fails in the second part
    small.hint(2)
    assert capsys.readouterr().out.splitlines() == [
        "No exercise has been checked yet: run a check first, then ask again.",
        "Half, hint 1: one",
        "There are two hints: hint(1) and hint(2).",
        "Pair, hint 2: 2",
    ]


def test_names_and_labels_are_unique_and_may_register_again() -> None:
    registry = Registry()
    words: dict[str, Any] = {"title": "", "stub": "f", "takes": "function", "hints": ("", "")}
    registry.exercise("f", label="ex-98-1", **words)
    registry.exercise("f", label="ex-98-1", **words)
    with pytest.raises(ValueError, match="clashes"):
        registry.exercise("f", label="ex-98-2", **words)
    with pytest.raises(ValueError, match="clashes"):
        registry.exercise("g", label="ex-98-1", **words)
    with pytest.raises(ValueError, match="already"):
        registry.suite("f")


def test_attempt_keeps_errors_and_lets_stubs_through() -> None:
    def stub() -> None:
        raise NotImplementedError

    assert str(attempt(lambda: None)) == "no error"
    assert str(attempt(lambda: 3)) == "no error, 3 returned"
    assert attempt(lambda: [][0]).raised(IndexError)
    with pytest.raises(NotImplementedError):
        attempt(stub)


def test_expect_is_silent_or_raises() -> None:
    expect(True, got="")
    with pytest.raises(CheckFailed, match="this"):
        expect(False, got="this")


@pytest.mark.parametrize(
    ("guess", "answer", "line"),
    [
        (None, 5, "no guess; it is 5"),
        (5, 5, "you said 5, and it is 5"),
        (4, 22844, "you said 4; it is 22,844"),
        (0.3, 0.30286, "you said 0.3; close, it is 0.3029"),
        (11, 12, "you said 11; it is 12"),
        ("Nobody", "nobody", "you said Nobody, and it is nobody"),
        ((0, 0), [0, 0], "you said (0, 0), and it is [0, 0]"),
        ("NaN", float("nan"), "you said NaN, and it is nan"),
        (float("nan"), float("nan"), "you said nan, and it is nan"),
        (0, float("nan"), "you said 0; it is nan"),
        (True, False, "you said True; it is False"),
    ],
)
def test_compare(guess: Any, answer: Any, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    compare(guess, answer)
    assert capsys.readouterr().out == line + "\n"


def test_likely_wrong_guesses_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    likely = {9: "Nine is the index.", (0, 1): "In the other order."}
    for guess, answer in ((9, 10), (10, 10), (8, 10), (None, 10), ([0, 1], [1, 0])):
        compare(guess, answer, likely)
    assert capsys.readouterr().out.splitlines() == [
        "you said 9; it is 10",
        "Nine is the index.",
        "you said 10, and it is 10",
        "you said 8; it is 10",
        "no guess; it is 10",
        "you said [0, 1]; it is [1, 0]",
        "In the other order.",
    ]


def test_mine_is_the_very_object_that_passed(
    small: Checks, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "def half(n): return n // 2"
    right, again = a_cell(source), a_cell(source)
    wrong = a_cell("def half(n): return n / 2")
    book = a_cell("def half_solution(n): return n // 2")
    small.half(wrong)
    small.half(right)
    assert small.mine(None, book) is book
    assert small.mine(wrong, book) is book
    assert small.mine(again, book) is book
    assert small.mine(right, book) is right
    way = "(yours enters when its check has passed; then run this cell again)"
    assert capsys.readouterr().out.splitlines() == [
        f"half_solution: the book's {way}",
        f"half: the book's {way}",
        f"half: the book's {way}",
        "half: yours",
    ]


def test_a_class_that_was_changed_after_it_passed_passes_no_more() -> None:
    class MyAllocator(BlockAllocator):
        pass

    assert check.allocator(MyAllocator).ok
    assert check.mine(MyAllocator, BlockAllocator) is MyAllocator
    MyAllocator.allocate = lambda self: 0  # type: ignore[method-assign]
    assert not check.allocator(MyAllocator).ok
    assert check.mine(MyAllocator, BlockAllocator) is BlockAllocator


def test_a_text_is_checked_by_the_name_of_its_stub() -> None:
    registry = Registry()
    walk = registry.exercise(
        "walk", label="ex-98-1", title="W", stub="WALK", takes="text", hints=("", "")
    )

    @walk.case("it ends", tried="WALK", right=";", why="Every statement does.")
    def _ends(text: str) -> None:
        expect(text.endswith(";"), got=text)

    checks = Checks(registry)
    assert repr(checks.walk("return;")).startswith("check.walk(WALK)")
    assert "An object of type int was passed" in repr(checks.walk(3))
    assert not checks.walk("return").ok


def test_every_exercise_is_whole() -> None:
    for exercise in exercises():
        assert exercise.cases, exercise.name
        assert all(exercise.hints), exercise.name
        assert exercise.label.startswith("ex-"), exercise.name
        for case in exercise.cases:
            assert all((case.title, case.tried, case.right, case.why)), (exercise.name, case.title)


@pytest.mark.parametrize(
    "code",
    [
        "from workbook.checks import exercises; exercises()",
        "from workbook.checks import check; assert not check.ceil_div(lambda a, b: a // b).ok",
        "from workbook.checks import check; assert not check.account(lambda rows, n: n).ok",
        "from workbook.checks import check; assert not check.allocator(list).ok",
    ],
    ids=["loading all", "chapter 0", "chapter 1", "chapter 2"],
)
def test_checks_do_without_torch_until_one_needs_it(code: str) -> None:
    code = f"import sys; {code}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_line_of_a_report_fits_a_narrow_cell() -> None:
    long = f"def {'half'}(n): raise ValueError('{'word ' * 60}')"
    registry = Registry()
    exercise = registry.exercise(
        "half", label="ex-98-1", title="F", stub="half", takes="function", hints=("", "")
    )
    exercise.example("x", 1, right=1, why="because " * 40)
    said = repr(Checks(registry).half(a_cell(long)))
    assert max(map(len, said.splitlines())) <= 100


def test_listeners_hear_of_every_check_and_may_come_and_go() -> None:
    registry = Registry()
    half = registry.exercise(
        "half", label="ex-99-1", title="Half", stub="half", takes="function", hints=("one", "two")
    )
    half.example("an even number", 4, right=2, why="Two twos.")
    registry.suite("all_of_it", half, half)
    heard: list[tuple[int, bool, Any]] = []
    listeners: list[Any] = [
        lambda parts, report, yours: heard.append((len(parts), report.ok, yours))
    ]
    checks = Checks(registry, listeners=listeners)
    checks.half(right := lambda n: n // 2)
    checks.half(None)
    checks.all_of_it(right)
    listeners.clear()
    checks.half(right)
    assert heard == [(1, True, right), (1, False, None), (2, True, right)]
