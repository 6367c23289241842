"""An error in a page: its lines, its places, its own words last."""


def lines(page, source, **where):
    *_, message = page.run(source, **where)
    assert message["kind"] == "error"
    assert not page.result["ok"]
    return message["lines"]


def test_each_frame_says_its_line_and_shows_it(page):
    page.run("def take(pool):\n    return pool.pop()", cell="above")
    found = lines(page, "pool = []\ntake(pool)", cell="here")
    assert found == [
        {"text": "line 2", "where": {"id": "here", "line": 2}},
        {"text": "    take(pool)"},
        {"text": "line 2, in take", "where": {"id": "above", "line": 2}},
        {"text": "    return pool.pop()"},
        {"text": "IndexError: pop from empty list"},
    ]


def test_lines_count_from_where_the_page_says(page):
    assert lines(page, "x = 1\n1 / 0", line=40)[0]["where"] == {"id": "c", "line": 41}


def test_a_syntax_error_has_its_place(page):
    found = lines(page, "x = 1\ndef f(:\n    pass", cell="here")
    assert found[0]["where"] == {"id": "here", "line": 2}
    assert found[-1]["text"].startswith("SyntaxError: ")
    assert "    def f(:" in [line["text"] for line in found]


def test_frames_of_the_book_are_named_by_their_package(page):
    source = "from paged_attention import BlockAllocator\nBlockAllocator(1).release(0)"
    texts = [line["text"] for line in lines(page, source)]
    assert any(text.startswith("paged_attention/allocator.py, line ") for text in texts)
    assert not any("kernel.py" in text for text in texts)


def test_what_an_error_came_from_stands_before_it(page):
    source = "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('b') from e"
    texts = [line["text"] for line in lines(page, source)]
    at = texts.index("That error was the direct cause of this one:")
    assert texts[at - 1] == "ZeroDivisionError: division by zero"
    assert texts[-1] == "KeyError: 'b'"


def test_a_thousand_calls_are_not_listed(page):
    found = lines(page, "def f(n):\n    return f(n - 1) if n else 1 / 0\nf(300)")
    assert len(found) < 40
    assert any(line["text"].endswith("more calls …") for line in found)


def test_an_error_without_words_of_its_own(page):
    source = "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\nraise Odd"
    *_, message = page.run(source)
    assert message["evalue"] == "(its words can't be had: ZeroDivisionError)"


def test_leaving_is_an_error_like_any_other(page):
    assert lines(page, "raise SystemExit('bye')")[-1]["text"] == "SystemExit: bye"
