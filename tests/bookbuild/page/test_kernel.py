"""A page's kernel runs cells as a notebook does, and says everything in messages."""

import inspect
import json
import sys

import pytest

from bookbuild.page.digests import digest, plain
from bookbuild.page.kernel import MOST


def kinds(messages):
    return [message["kind"] for message in messages]


def test_cells_share_a_namespace_that_is_main(page):
    page.run("class Pool:\n    pass\nn = 41")
    assert page.text("print(n + 1, Pool.__module__)") == "42 __main__\n"
    assert sys.modules["__main__"].n == 41


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("1 + 1", "2"),
        ("1 + 1;", ""),
        ("None", ""),
        ("x = 1", ""),
        ("# only words", ""),
        ("", ""),
        ("'a'", "'a'"),
        ("if True:\n    1", ""),
        ("[1, 2]", "[1, 2]"),
        ("list(range(40, 70))", "[" + ",\n ".join(map(str, range(40, 70))) + "]"),
        ("{'b': 1, 'a': 2}", "{'b': 1, 'a': 2}"),
    ],
)
def test_the_last_expression_shows_as_in_a_notebook(page, source, text):
    assert page.text(source) == text
    assert page.result["ok"]


def test_what_is_printed_stands_before_what_is_shown_after_it(page):
    messages = page.run("import sys\nprint('a')\nprint('b', file=sys.stderr)\n'c'")
    assert [m.get("text") or m["data"]["text/plain"] for m in messages] == ["a\n", "b\n", "'c'"]
    assert [m.get("name") for m in messages] == ["stdout", "stderr", None]


def test_the_streams_are_given_back(page):
    before = sys.stdout
    page.run("raise SystemExit")
    assert sys.stdout is before


def test_a_cell_that_prints_for_ever_is_cut_and_says_so(page):
    messages = page.run(f"for _ in range(30):\n    print('x' * {MOST // 20})")
    text = "".join(message["text"] for message in messages)
    assert len(text) < MOST + 100
    assert text.endswith("characters: the rest isn't shown.\n")


def test_a_value_shows_all_its_forms_and_its_digest(page):
    source = """class Picture:
    def _repr_mimebundle_(self):
        return {"text/html": "<b>x</b>", "text/plain": "a picture"}
Picture()"""
    [message] = page.run(source)
    assert message["data"] == {"text/html": "<b>x</b>", "text/plain": "a picture"}
    assert message["metadata"]["digest"] == digest("a picture")
    assert "<class" in page.text("Picture")


def test_the_digest_of_a_cell_is_that_of_its_words_in_order(page):
    page.run("print('a'); print('b')\n[1]")
    assert page.result["digest"] == digest("a\nb\n\n[1]\n")
    page.run("print('b'); print('a')\n[1]")
    assert page.result["digest"] != digest("a\nb\n\n[1]\n")


def test_measured_numbers_and_colours_make_no_difference():
    assert plain("\x1b[32mpassed\x1b[0m ⏱ 12.3 ms") == plain("passed ⏱ 9 ms") == "passed ⏱ measured"


def test_a_function_of_a_cell_has_its_source_also_after_the_cell_ran_again(page):
    page.run("def first():\n    return 1")
    first = page.kernel.space["first"]
    page.run("def second():\n    return 2")
    assert inspect.getsource(first).strip() == "def first():\n    return 1"


def test_a_value_that_cannot_be_shown_is_an_error_of_its_cell(page):
    source = "class Bad:\n    def __repr__(self):\n        raise ValueError('no')\nBad()"
    [message] = page.run(source)
    assert (message["kind"], message["evalue"]) == ("error", "no")
    assert not page.result["ok"]


def test_a_page_cannot_ask(page):
    [message] = page.run("input('name? ')")
    assert "write the value into the cell" in message["evalue"]


def test_messages_are_plain_data(page):
    for source in ("print(1)", "{1: 2}", "1 / 0", "def f(:"):
        json.dumps(page.run(source))
