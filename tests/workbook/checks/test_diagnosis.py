"""A failing check names the cause, and asks for it in the order that it promises."""

import linecache
import sys
from typing import Any

import numpy as np
import pytest
import torch

from workbook.checks.framework import Exercise, Registry, Skipped, attempt, expect, shown
from workbook.checks.framework.calls import Checks
from workbook.checks.framework.diagnosis.error_words import error_words
from workbook.checks.framework.diagnosis.fuel import fuel
from workbook.checks.framework.diagnosis.kind import kind
from workbook.checks.framework.diagnosis.relation import relation
from workbook.checks.framework.limit import NoEnd
from workbook.checks.framework.mistake import changed
from workbook.checks.framework.source import raised_by_hand


def a_cell(source: str, name: str = "/tmp/ipykernel_1/77.py") -> Any:
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    return list(names.values())[-1]


def a_cell_with_lines(source: str) -> Any:
    linecache.cache["<lines>"] = (len(source), None, source.splitlines(keepends=True), "<lines>")
    return a_cell(source, "<lines>")


def area(a: int, b: int) -> int:
    return a * b


@pytest.fixture
def book() -> tuple[Checks, Exercise]:
    registry = Registry()
    exercise = registry.exercise(
        "area", label="ex-99-1", title="A", stub="area", takes="function", hints=("", "")
    )
    exercise.example("3 by 5", 3, 5, right=15, why="Law one.")
    exercise.example("2 by 2", 2, 2, right=4, why="Law two.")
    exercise.example("0 by 9", 0, 9, right=0, why="Law three.")
    exercise.finished = area
    exercise.mistake("Added.", ("a * b", "a + b"))
    exercise.mistake("Squared.", ("a * b", "a * a if a else 9"))
    exercise.mistake("Eight by chance, then subtracted.", ("a * b", "8 if a == 3 else a - b"))
    return Checks(registry), exercise


def why(checks: Checks, source: str) -> str:
    report = checks.area(a_cell(source))
    assert report.failure, repr(report)
    return report.failure.why


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return a + b", "Added."),  # 8, 4, 9: two mistakes give 8 in the first case
        ("return 8 if a == 3 else a - b", "Eight by chance, then subtracted."),
        (
            "return a * a",
            "Law one. Perhaps it is this, though in the case “0 by 9” yours ends otherwise: Squ",
        ),
        ("a * b", "Your function returned nothing (None)"),
        ("return a * b / 1", "A count is an int, this is a float"),
        ("return [a * b]", "An int is wanted, this is a list."),
        ("return ValueError('no')", "ValueError was returned as an answer"),
        ("return KeyError", "KeyError was returned as an answer"),
        ("return a * b - 1", "In every case that is one less than the right answer. Law one."),
        ("return 2 * a * b", "In every case that is 2 times the right answer. Law one."),
        ("return a * b - 1 if a == 3 else 7", "Off by one: 14 is one too few. Law one."),
        ("return a * b * 2 if a == 3 else 7", "That is 2 times the right number. Law one."),
        ("return (a + 1) * b", "That is the right answer for a `a` that is one more. Law one."),
        ("return undefined", "Nothing is called undefined here."),
        ("return 1000 + a", "Law one."),
        ("while a == 2: pass\n  return 8 if a == 3 else 77", "Law one."),  # never ends in case 2
    ],
)
def test_the_cause_is_named(book: tuple[Checks, Exercise], body: str, words: str) -> None:
    assert why(book[0], f"def area(a, b):\n  {body}").startswith(words)


def test_mistakes_that_nothing_tells_apart_are_named_together(
    book: tuple[Checks, Exercise],
) -> None:
    checks, exercise = book
    for said, zero in ("Negated.", "-a * b"), ("Turned.", "a * -b"), ("Lost.", "-b * a"):
        exercise.mistake(said, ("a * b", zero))
    cell = "def area(a, b):\n  return -(a * b)"
    assert why(checks, cell) == "Either: Negated. Or: Turned. Or: Lost."


def test_a_probe_tells_mistakes_apart(book: tuple[Checks, Exercise]) -> None:
    checks, exercise = book
    exercise.mistake("Doubled.", ("a * b", "2 * a * b"))
    exercise.mistake("Doubled, but not beyond 99.", ("a * b", "(a + (a < 99) * a) * b"))
    exercise.probes.append((100, 1))
    assert why(checks, "def area(a, b):\n  return a * b * 2") == "Doubled."


def test_a_law_is_said_when_too_many_mistakes_are_alike(book: tuple[Checks, Exercise]) -> None:
    checks, exercise = book
    for factor in "2345":
        exercise.mistake(f"Factor {factor}.", ("a * b", "a * b * 7 + 0 * " + factor))
    said = why(checks, "def area(a, b):\n  return 7 * a * b")
    assert said == "That is 7 times the right number. Law one."


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "return round((xs[0] - xs[-1]) / n)",
            "In every case that is the right answer, rounded to",
        ),
        (
            "return (xs[-1] - xs[0]) / n",
            "Either: That is the right answer for `xs` in reverse. Or:",
        ),
        ("return (xs[0] - xs[-2]) / n", "That is the right answer for `xs` without its last item."),
        (
            "return (xs[0] - xs[-1]) / (n - 1)",
            "That is the right answer for a `n` that is one less.",
        ),
        ("return (xs[0] - xs[-1]) / n if n == 2 else 0.5", "Law."),
    ],
)
def test_a_misread_question_is_named(body: str, words: str) -> None:
    registry = Registry()
    falls = registry.exercise(
        "falls", label="ex-99-7", title="F", stub="falls", takes="function", hints=("", "")
    )
    for xs, n in ([9, 1, 2], 2), ([7, 5, 1, 3], 3), ([8, 2, 6, 4, 1], 8):
        falls.example(str(n), xs, n, right=(xs[0] - xs[-1]) / n, why="Law.")
    falls.finished = lambda xs, n: (xs[0] - xs[-1]) / n
    report = Checks(registry).falls(a_cell(f"def falls(xs, n):\n  {body}"))
    assert report.failure
    assert report.failure.why.startswith(words)


def test_a_stub_that_takes_other_arguments_is_told_so(book: tuple[Checks, Exercise]) -> None:
    assert "takes 1 arguments, and 2 were given" in why(book[0], "def area(a): return a")


def test_what_readers_print_is_printed_once(
    book: tuple[Checks, Exercise], capsys: pytest.CaptureFixture[str]
) -> None:
    why(book[0], "def area(a, b):\n  print('hello')\n  return 7")
    assert capsys.readouterr().out == "hello\n"


def test_none_that_may_be_an_answer_is_not_called_a_missing_return() -> None:
    registry = Registry()
    first = registry.exercise(
        "first", label="ex-99-2", title="F", stub="first", takes="function", hints=("", "")
    )
    first.example("some", [4, 5], right=4, why="The first.")
    first.example("none", [], right=None, why="There is none.")
    first.finished = lambda xs: xs[0] if xs else None
    report = Checks(registry).first(lambda _xs: None)
    assert report.failure
    assert report.failure.why == "The first."


class Stack:
    def __init__(self) -> None:
        self.items: list[int] = []

    def push(self, item: int) -> int:
        self.items.append(item)
        return self.size()

    def size(self) -> int:
        return len(self.items)


def test_a_method_that_returns_nothing_is_named() -> None:
    registry = Registry()
    stack = registry.exercise(
        "stack", label="ex-99-3", title="S", stub="MyStack", takes="class", hints=("", "")
    )

    @stack.case("two", tried="push(7); push(8)", right="1, 2", why="It counts.")
    def _two(cls: Any) -> None:
        mine = cls()
        got = [mine.push(7), mine.push(8)]
        expect(got == [1, 2], got=shown(got))

    stack.finished = Stack
    checks = Checks(registry)
    assert checks.stack(Stack).ok

    class Silent(Stack):
        def push(self, item: int) -> Any:
            super().push(item)

    report = checks.stack(Silent)
    assert report.failure
    assert report.failure.why.startswith("Your `push` returned nothing (None)")


def test_what_passed_is_looked_at_once_more() -> None:
    registry = Registry()
    ends = registry.exercise(
        "ends", label="ex-99-4", title="E", stub="ends", takes="function", hints=("", "")
    )

    @ends.case("of 4", tried="ends([1, 2, 3, 4])", right="(1, 4)", why="Both.")
    def _four(function: Any) -> None:
        expect(tuple(function([1, 2, 3, 4])) == (1, 4), got="others")

    ends.finished = lambda xs: (xs[0], xs[-1]) if xs else ()
    ends.probes.append(([],))
    checks = Checks(registry)
    assert checks.ends(lambda xs: (xs[0], xs[-1]) if xs else ()).ok
    as_list = checks.ends(lambda xs: [xs[0], xs[-1]])
    assert as_list.failure
    assert "A tuple is wanted, this is a list" in as_list.failure.why
    crash = checks.ends(lambda xs: (xs[0], xs[-1]))
    assert crash.failure
    assert crash.failure.tried == "ends([])"
    assert "IndexError" in crash.failure.got
    ends.mistake("An empty list has no ends.")(lambda xs: (xs[0], xs[-1]))
    named = checks.ends(lambda xs: (xs[0], xs[len(xs) - 1]))
    assert named.failure
    assert named.failure.why == "An empty list has no ends."


def test_a_probe_may_ask_for_a_refusal() -> None:
    registry = Registry()
    half = registry.exercise(
        "half", label="ex-99-6", title="H", stub="half", takes="function", hints=("", "")
    )
    half.example("of 4", 4, right=2.0, why="Half.")

    def right(n: int) -> float:
        if n < 0:
            raise ValueError(n)
        return n / 2

    half.finished = right
    half.probes.append((-1,))
    checks = Checks(registry)
    assert checks.half(lambda n: right(n) + 1e-13).ok
    bold = checks.half(lambda n: n / 2)
    assert bold.failure
    assert (bold.failure.got, bold.failure.right) == ("no error, -0.5 returned", "ValueError")


def test_a_refusal_of_a_probe_is_known_again_whatever_its_words() -> None:
    registry = Registry()
    third = registry.exercise(
        "third", label="ex-99-7", title="T", stub="third", takes="function", hints=("", "")
    )
    third.example("of 3", 3, right=1.0, why="A third.")
    third.finished = lambda n: n / 3
    third.probes.append((0,))

    def refusing(words: str) -> Any:
        def wrong(n: int) -> float:
            if n == 0:
                raise ValueError(words)
            return n / 2

        return wrong

    third.mistake("Half, and none of nothing.")(refusing("nothing can be shared"))
    third.mistake("Half.")(lambda n: n / 2)
    named = Checks(registry).third(refusing("no"))
    assert named.failure
    assert named.failure.why == "Half, and none of nothing."


def test_a_case_that_the_machine_cannot_run_is_skipped_and_said() -> None:
    registry = Registry()
    far = registry.exercise(
        "far", label="ex-99-5", title="F", stub="far", takes="function", hints=("", "")
    )

    @far.case("large", tried="x", right="x", why="x")
    def _large(_function: Any) -> None:
        raise Skipped("There is no room for it here.")

    far.example("small", 1, right=1, why="One.")
    report = Checks(registry).far(lambda n: n)
    assert report.ok
    assert repr(report).splitlines()[1:] == [
        "  skipped 1  large",
        "          There is no room for it here.",
        "  passed  2  small",
        "  2 of 2 passed, 1 of them skipped.",
    ]


def test_fuel_ends_what_never_ends_and_leaves_the_tracer_as_it_was() -> None:
    endless = a_cell("def f():\n  while True:\n    pass")
    before = sys.gettrace()
    with pytest.raises(NoEnd), fuel({"/tmp/ipykernel_1/77.py"}, 1000):
        endless()
    assert sys.gettrace() is before
    helper = a_cell("def f():\n  while True:\n    pass", "/tmp/ipykernel_1/78.py")
    with pytest.raises(NoEnd), fuel({"/tmp/ipykernel_1/77.py"}, 1000):
        helper()  # another cell of the same notebook
    with fuel(set(), 10):
        sum(i for i in range(1000))


T = torch.zeros


@pytest.mark.parametrize(
    ("got", "right", "words"),
    [
        ([1, 2], (1, 2), "A tuple is wanted, this is a list"),
        ((1, 2), [1, 2], "A list is wanted, this is a tuple"),
        (3, (1, 2), "A tuple of 2 is wanted, this is an int"),
        ((1, 2, 3), (1, 2), "2 items are wanted, here are 3"),
        ((1.0, 2), (1, 2), "Item by item: A count is an int"),
        (True, 1, "An int is wanted, this is a bool"),
        (1, True, "True or False is wanted, this is an int"),
        ("1", 1, "An int is wanted, this is a str"),
        ([], {}, "A dict is wanted, this is a list"),
        (T(2, 3), T(3, 2), "the axes are right, their order isn't"),
        (T(6), T(2, 3), "1 axes, and 2 are wanted"),
        (T(2, 4), T(2, 3), "axis 1 has 1 too many"),
        (T(1, 3), T(2, 3), "axis 0 has 1 too few"),
        (T(4, 3), T(2, 6), "cut at other places"),
        (T(2), T(2, dtype=torch.bfloat16), "The numbers are float32, and bfloat16 is wanted"),
        (np.zeros(2), T(2), "A tensor is wanted, this is"),
        ([0.0], T(1), "A tensor is wanted, this is a list"),
        (1, 1.0, None),
        (np.float64(1), 1.0, None),
        (T(2), T(2), None),
        (None, 3, None),
        ([1], [1, 2], None),
    ],
)
def test_kinds(got: Any, right: Any, words: str | None) -> None:
    found = kind(got, right)
    assert (found is None) if words is None else (found and words in found)


@pytest.mark.parametrize(
    ("got", "right", "words"),
    [
        (4, 5, "one too few"),
        (10, 5, "2 times the right number"),
        (2, 10, "divided by 5"),
        (-7, 7, "wrong sign"),
        ([2, 1, 0], [0, 1, 2], "in reverse"),
        ([1, 0, 2], [0, 1, 2], "in another order"),
        ([0, 1, 2], [1, 0, 2], "The right items sorted."),
        ([1, 3, 6], [1, 2, 3], "The right items added up"),
        ([1, 2, 3], [1, 3, 6], "The differences of the right items."),
        ((7, [2, 4]), (7, [4, 2]), "Only item 1 is wrong, counted from 0. The right items in rev"),
        ([0, 1], [0, 1, 2], "The last item is missing"),
        ([1, 2], [0, 1, 2], "The first item is missing"),
        ([0, 1, 2, 9], [0, 1, 2], "One item too many"),
        ((0, 7, 2), (0, 1, 2), "Only item 1 is wrong, counted from 0: 7 for 1"),
        (torch.tensor([[1, 2]]), torch.tensor([[2, 1]]), "reversed along axis 1"),
        (torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 3], [2, 4]]), "in other places"),
        (torch.tensor([[1, 2], [8, 9]]), torch.tensor([[1, 2], [3, 4]]), "Only place 1 of axis 0"),
        (
            (torch.tensor([1, 2]), torch.tensor([4, 3])),
            (torch.tensor([1, 2]), torch.tensor([3, 4])),
            "Item 1, counted from 0: The right numbers, reversed along axis 0",
        ),
        ((torch.ones(2), torch.ones(3)), (torch.ones(2), torch.ones(3)), None),
        ([torch.ones(2)], [torch.ones(3)], None),
        (17, 5, None),
        (3, 1, None),
        (0, 5, None),
        ([3], [3], None),
        (torch.ones(2), torch.ones(2), None),
        (True, 2, None),
        ("a", "b", None),
    ],
)
def test_relations(got: Any, right: Any, words: str | None) -> None:
    found = relation(got, right)
    assert (found is None) if words is None else (found and words in found)


def raised(call: Any) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return f"{caught.type.__name__}: {str(caught.value).splitlines()[0]}"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch.zeros(3) + torch.zeros(4), "Two shapes don't fit: 3 and 4"),
        (lambda: np.zeros(3) + np.zeros(4), "Two shapes don't fit: (3,) and (4,)"),
        (lambda: torch.zeros(2, 3) @ torch.zeros(2, 3), "Two shapes don't fit: 2x3 and 2x3"),
        (lambda: torch.zeros(6).reshape(4, 2), "Two shapes don't fit: [4, 2] for 6 numbers"),
        (lambda: None + 1, "Something is None"),  # type: ignore[operator]
        (lambda: None.sort(), "Something is None"),  # type: ignore[attr-defined]
        (lambda: area(1), "b' came too short"),  # type: ignore[call-arg]
        (lambda: area(1, 2, 3), "takes 2 arguments, and 3 were given"),  # type: ignore[call-arg]
        (lambda: area(1, c=2), "no argument called c"),  # type: ignore[call-arg]
        (a_cell("def f():\n  return x\n  x = 1"), "x is given a value only later"),
        (lambda: torch.zeros(2, 3)[:, 5], "Axis 1 has 3 places, counted from 0, and number 5"),
        (lambda: torch.zeros(3)[torch.tensor([0.5])], "divide with `//`"),
        (lambda: torch.zeros(2, 3).T.view(6), "`view` can't join"),
        (lambda: torch.stack([torch.zeros(2), torch.zeros(3)]), "Tensors of different length"),
        (lambda: torch.cat([torch.zeros(1, 2), torch.zeros(1, 3)]), "Tensors of different length"),
        (lambda: np.zeros(3)[4], "Axis 0 has 3 places, counted from 0, and number 4"),
        (lambda: {[1]: 2}, "A list can't be a key"),
        (a_cell("def f(x=3): return x[0]"), "One value of type int"),
        (lambda: range(4 / 2), "divide with `//`"),  # type: ignore[arg-type]
        (a_cell("def f(i=1.0): return [1, 2][i]"), "divide with `//`"),
        (a_cell("def f(): (1, 2)[0] = 3"), "can't be changed in place"),
        (a_cell("def f(): return f()"), "calls itself without an end"),
        (a_cell("def f(d={1: 2}):\n  for k in d: d[k + 1] = 3"), "can't change while a loop"),
    ],
)
def test_errors_of_libraries_are_said_for_a_reader(call: Any, words: str) -> None:
    assert words in (error_words(raised(call)) or "")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("arange's range must be a power of 2", "A tile has a power of 2 of places"),
        ("Cannot make_shape_compatible: incompatible dimensions at index 0: 8 and 4", "8 entries"),
        ("Both operands must be same dtype. Got fp32 and bf16", "got fp32 and bf16"),
        ("input and other must have equal reduction dimensions", "`tl.trans`"),
        ("axis 1 out of bounds for shape ['constexpr[8]']", "goes along axis 1"),
    ],
)
def test_errors_of_triton_are_said_for_a_reader(error: str, words: str) -> None:
    assert words in (error_words(f"ValueError: {error}") or "")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("sum([(1, 2)])", "The `+` stands between a value of type int and one of type tuple."),
        ("(1, 2)[key]", "A tuple is read by number, and a str stands in the [ ]."),
        ("[1].add(2)", "Nothing of type list has a `add`."),
    ],
)
def test_errors_of_python_are_said_for_a_reader(source: str, words: str) -> None:
    call = a_cell(f"def f(key='a'): return {source}")
    assert words in (error_words(raised(call)) or "")


def test_an_error_of_ones_own_has_no_other_words() -> None:
    assert error_words("KeyError: 4") is None


def test_only_what_a_cell_raises_itself_was_raised_by_hand() -> None:
    for body, by_hand in (
        ("raise ValueError(7)", True),
        ("assert False", True),
        ("[][0]", False),
        ("__import__('torch').zeros(2).reshape(3)", False),
        ("__import__('statistics').mean([])", False),
    ):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            a_cell_with_lines(f"def f():\n    {body}\n")()
        assert raised_by_hand(caught.value) == by_hand, body


def test_a_mistake_from_source_sees_what_the_right_one_sees() -> None:
    assert changed(Stack, [("len(self.items)", "len(self.items) + 1")])().push(4) == 2
    assert changed(area, [("a * b", "np.hypot(a, b)")])(3, 4) == 5.0
    with pytest.raises(ValueError, match="has no 'a / b'"):
        changed(area, [("a / b", "a")])


@pytest.mark.parametrize(
    "error", ['BlockNotHeld("nobody has it; ask refs")', "BlockNotHeld", 'BlockNotHeld("b")']
)
def test_a_refusal_is_known_whatever_words_the_reader_gave_it(error: str) -> None:
    registry = Registry()
    exercise = registry.exercise(
        "pool", label="ex-99-2", title="P", stub="Pool", takes="class", hints=("", "")
    )

    @exercise.case("refused, and nothing changed", tried="t", right="r", why="The law.")
    def _body(cls: Any) -> None:
        pool = cls()
        outcome = attempt(pool.release)
        expect(pool.refs == [0], got=f"{outcome}; refs is {shown(pool.refs)}")

    cell = """
from paged_attention.errors import BlockNotHeld
class Pool:
    def __init__(self): self.refs = [0]
    def release(self):
        self.refs[0] -= 1
        raise {}
"""
    exercise.mistake("Written before it was tested.")(a_cell(cell.format("BlockNotHeld")))
    report = Checks(registry).pool(a_cell(cell.format(error)))
    assert report.failure
    assert report.failure.why == "Written before it was tested."


def test_who_answers_where_nothing_is_asked_is_told_so() -> None:
    registry = Registry()
    put = registry.exercise(
        "put",
        label="ex-99-4",
        title="P",
        stub="put",
        takes="function",
        hints=("", ""),
        answers=False,
    )

    @put.case("one", tried="put([], 1)", right="[1]", why="Law.")
    def _case(function: Any) -> None:
        box: list[int] = []
        function(box, 1)
        expect(box == [1], got=shown(box))

    put.finished = lambda box, n: box.append(n)
    assert Checks(registry).put(lambda box, n: box.append(n)).ok
    report = Checks(registry).put(lambda box, n: box.append(n) or box)
    assert report.failure
    assert report.failure.why.startswith("An answer came back, and nothing is asked for")


def test_the_words_of_a_readers_own_error_are_not_compared(book: tuple[Checks, Exercise]) -> None:
    checks, exercise = book

    @exercise.mistake("Everything was refused.")
    def refuses(a: int, b: int) -> int:
        raise ValueError("no")

    cell = "def area(a, b):\n  raise ValueError(f'{a} by {b} is no good')"
    linecache.cache["/tmp/ipykernel_1/77.py"] = (9, None, cell.splitlines(True), "")
    assert why(checks, cell) == "Everything was refused."
