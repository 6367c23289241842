"""Each rule on a chapter's text is broken once, in an otherwise good chapter."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from bookbuild.book import Chapter
from bookbuild.rules import SOURCE_RULES, Page, registered
from bookbuild.rules.signatures import definitions, mismatches, solution_name, unfinished
from bookbuild.text import read_text
from workbook.checks.framework import Exercise

GOOD = (Path(__file__).parent / "good_chapter.md").read_text(encoding="utf-8")
GOOD = GOOD.replace("FILLER", "word " * 1_400)
REGISTERED = (
    Exercise(
        "double",
        "ex-99-1",
        "Double it",
        "double",
        "function",
        ("What is `n + n` in other words?", "Multiply."),
    ),
    Exercise("holder", "ex-99-2", "Hold it", "MyHolder", "class", ("Look.", "Return it.")),
    Exercise("half", "ex-99-3", "Halve it", "half", "function", ("Divide.", "By two.")),
)


@pytest.fixture(autouse=True)
def _register(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = SimpleNamespace(
        exercises=lambda: REGISTERED, check=SimpleNamespace(double=1, holder=1, half=1)
    )
    monkeypatch.setattr(registered, "checks", checks)


def problems(write: Callable[..., Chapter], text: str) -> list[str]:
    chapter = write(text, "99_good")
    page = Page(chapter.name, chapter.number, read_text(chapter).cells)
    return [str(problem) for rule in SOURCE_RULES for problem in rule(page)]


def test_folded_stories_do_not_count_as_reading(write: Callable[..., Chapter]) -> None:
    story = ":::{dropdown} It happened: long ago\n" + "word " * 2_600 + "\n:::"
    assert problems(write, GOOD.replace("## Break it", f"{story}\n\n## Break it", 1)) == []


def test_a_good_chapter_has_no_problems(write: Callable[..., Chapter]) -> None:
    assert problems(write, GOOD) == []


CELL = "```{code-cell} ipython3\n%s\n```\n\n## Break it"
BROKEN = {
    "no label": ("(ch-99)=\n", "", "starts with the label (ch-99)="),
    "label of another chapter": ("(ch-99)=", "(ch-98)=", "starts with the label (ch-99)="),
    "title": ("# 99 · A", "# A", "after the label comes the title"),
    "claim": ("> One table", "One table", "after the title comes the claim"),
    "minutes line": ("*About 50", "*Some 50", "needs the line `*About 67 minutes"),
    "minutes do not add up": ("About 50", "About 51", "30 + 20 minutes are not 51"),
    "minutes of exercises": (
        "10 minutes · difficulty 2",
        "12 minutes · difficulty 2",
        "the exercises that are not optional say 22 together",
    ),
    "too short": ("word " * 900, "", "words of prose; a chapter has 1,400 to 3,000"),
    "too long": ("word " * 900, "word " * 2_600, "words of prose; a chapter has 1,400 to 3,000"),
    "too long with its parts": (
        "## Break it",
        "## More\n\n*A part: a first reading may skip it.*\n\n"
        + "word " * 3_400
        + "\n\n+++\n\n## Break it",
        "a chapter has 4,200 at most with its parts that a first reading may skip",
    ),
    "section missing": ("## Measure it", "## Measured", "without the section `## Measure it`"),
    "sections swapped": (
        "## What to take away\n\nWords.\n\n## Check your understanding",
        "## Check your understanding\n\nWords.\n\n## What to take away",
        "closing sections come as",
    ),
    "picture in prose": ("Words.", "![pool](a.png)", "a picture whose alt text is 'pool'"),
    "long cell": (
        "## Break it",
        CELL % "\n".join(["a = 1"] * 26),
        "26 lines of code; split it, 25 are the most",
    ),
    "unknown tag": ("[stub]", "[stub, stubb]", "nothing knows the tag 'stubb'"),
    "tag without reason": (
        "## Break it",
        CELL % ":tags: [nbval-skip]\n\na = 1",
        "the tag 'nbval-skip' needs its reason",
    ),
    "error without reason": (
        "## Break it",
        CELL % ":tags: [raises-exception]\n\n1 / 0",
        "the tag 'raises-exception' needs its reason",
    ),
    "comment marker": (
        "## Break it",
        CELL % "# NBVAL_IGNORE_OUTPUT\na = 1",
        "use the tag 'nbval-ignore-output' with a reason",
    ),
    "absolute path": ("## Break it", CELL % "open('/data/a.txt')", "absolute path '/data/'"),
    "windows path": ("## Break it", CELL % r"open('C:\a.txt')", "absolute path 'C:"),
    "fetching": ("## Break it", CELL % "u = 'https://a.b/c'", "the book works offline"),
    "two exercises": (
        ":::{exercise} Halve it\n:label: ex-99-3\n",
        ":::{note} Halve it\n",
        "2 exercises; a chapter has 3 or more",
    ),
    "exercise label": (":label: ex-99-2", ":label: ex-2", "needs `:label: ex-99-K`"),
    "same label twice": (":label: ex-99-2", ":label: ex-99-1", "a second exercise has the label"),
    "exercise not closed": (
        "Write `half(n)`.\n:::",
        "Write `half(n)`.",
        "closing `:::` is missing",
    ),
    "exercise without title": ("{exercise} Halve it", "{exercise}", "needs a title"),
    "effort": ("difficulty 1 of 3", "easy", "needs the line `10 minutes · difficulty 2 of 3`"),
    "no stub": (":tags: [stub]\n\ndef half", "\ndef half", "no code cell tagged `stub`"),
    "no check": (":tags: [check]\n\ncheck.half", "\ncheck.half", "no code cell tagged `check`"),
    "cell before the stub": (
        "Write `half(n)`.\n:::",
        "Write `half(n)`.\n:::\n\n```{code-cell} ipython3\na = 1\n```",
        "the stub isn't the next cell after its exercise",
    ),
    "cell before the check": (
        "```{code-cell} ipython3\n:tags: [check]\n\ncheck.half",
        "Now check.\n\n```{code-cell} ipython3\n:tags: [check]\n\ncheck.half",
        "the check isn't the next cell after its stub",
    ),
    "one hint": (
        ":::{hint} Hint 2\n:class: dropdown\nBy two.\n:::",
        "",
        "before its solution the exercise has the hints ['Hint 1']",
    ),
    "hint not folded": (
        ":class: dropdown\nDivide.",
        "Divide.",
        "'Hint 1' needs `:class: dropdown`",
    ),
    "solution not folded": (
        ":jupyter: {source_hidden: true}\n\ndef half",
        "\ndef half",
        "a cell tagged `solution` is folded by",
    ),
    "answer not folded": (
        "## Break it\n\nWords.",
        "## Break it\n\nWords.\n\n```{code-cell} ipython3\n:tags: [answer]\n\n1\n```",
        "a cell tagged `answer` is folded by",
    ),
    "stub that is finished": (
        "def half(n):\n    raise NotImplementedError",
        "def half(n):\n    return 0",
        "the stub never raises NotImplementedError",
    ),
    "solution overwrites": (
        "def half_solution(n)",
        "def half(n)",
        "overwrites the reader's half; call it half_solution",
    ),
    "solution's name": (
        "class HolderSolution",
        "class Holder",
        "the solution of MyHolder must be HolderSolution",
    ),
    "other signature": (
        "def double_solution(n: int) -> int",
        "def double_solution(n: int, m: int) -> int",
        "double_solution: (n: int, m: int) -> int where the stub has (n: int) -> int",
    ),
    "method missing": (
        "    def take(self):\n        return self.n",
        "    def give(self):\n        return self.n",
        "HolderSolution has no take(self), which the stub asks for",
    ),
    "solution unchecked": (
        "check.half(half_solution)",
        "half_solution(4)",
        "the solution must end with check.half(…)",
    ),
    "check cell": ("check.half(half)", "half(3)", "a check cell is one line, `check.name(…)`"),
    "one question": (
        ":::{dropdown} Answer\n(b).",
        ":::{dropdown} Why?\n(b).",
        "1 multiple-choice questions; a chapter has 2 or more",
    ),
    "no right letter": ("(b). Not (a)", "1, since", "doesn't begin with a letter of its list"),
    "a letter that isn't there": ("(b). Not (a)", "(c). Not (a)", "doesn't begin with a letter"),
    "a list without letters": ("- (a) 1.5\n- (b) 1", "- 1.5\n- 1", "items begin `- (a) …`"),
    "guess without a question": ("How many halves has one?", "halves", "as a question"),
    "guess without words": ("  # How many halves has one?", "", "as a question"),
    "registered and not written": (
        ":label: ex-99-3",
        ":label: ex-99-2",
        "workbook.checks has 'Halve it' (ex-99-3), which isn't here",
    ),
    "unregistered": (":label: ex-99-2", ":label: ex-99-7", "knows no exercise ex-99-7"),
    "other title": ("{exercise} Hold it", "{exercise} Keep it", "calls this exercise 'Hold it'"),
    "other hint": ("Look.\n", "Look again.\n", "hint 1 differs from the one in"),
    "other stub": ("class MyHolder", "class MyKeeper", "expects a stub called MyHolder"),
    "other check": ("check.half(", "check.halve(", "there is no check.halve in"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_told(name: str, write: Callable[..., Chapter]) -> None:
    old, new, message = BROKEN[name]
    assert old in GOOD
    told = problems(write, GOOD.replace(old, new))
    assert any(message in problem for problem in told), told
    assert all(problem.startswith("99_good") for problem in told)


def test_a_problem_names_chapter_cell_and_its_first_line(write: Callable[..., Chapter]) -> None:
    told = problems(write, GOOD.replace("## Break it", CELL % "# why\nopen('/data/a.txt')"))
    assert told == [
        "99_good, cell 18 (# why): absolute path '/data/'; write it relative to chapters/"
    ]


def test_a_stub_may_be_a_text_and_its_solution_another() -> None:
    stub = 'WALK = r"""\n{ NOT_IMPLEMENTED; }\n"""'
    asked = unfinished(stub)
    assert list(asked) == ["WALK"]
    assert solution_name(asked["WALK"]) == "WALK_SOLUTION"
    given = definitions('WALK_SOLUTION = r"""\n{ out = 0; }\n"""\ncheck.walk(WALK_SOLUTION)')
    assert list(mismatches(asked["WALK"], given["WALK_SOLUTION"])) == []
    assert unfinished('WALK = r"""{ }"""') == {}
