"""Names are shown as text, short, and never two alike."""

import pytest

from workbook.words.names import graphemes, isolated, shown_names
from workbook.words.wording import counted, listed, number, say

FAMILY = "👩‍👩‍👧"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("A", "A"),
        ("<img src=x onerror=alert(1)>", "<img src=x oner…"),
        ("a\nb\x00", "a␊b␀"),
        ("a\u202eb", "a⟨202E⟩b"),
        ("\x7f\x85", "␡⟨0085⟩"),
        ("0123456789abcdef", "0123456789abcdef"),
        ("0123456789abcdefg", "0123456789abcde…"),
        (FAMILY * 16, FAMILY * 16),
        ("é" * 17, "é" * 15 + "…"),
    ],
)
def test_a_name_is_shown(name: str, shown: str) -> None:
    assert shown_names([name]) == [shown]


def test_empty_and_equal_names_get_their_number() -> None:
    assert shown_names(["", "A", " ", "A", "B"]) == ["#0", "A#1", " #2", "A#3", "B"]
    assert shown_names(["x" * 20, "x" * 21]) == ["x" * 15 + "…#0", "x" * 15 + "…#1"]


def test_graphemes() -> None:
    assert graphemes("🇩🇪🇫🇷") == ["🇩🇪", "🇫🇷"]
    assert graphemes(f"a{FAMILY}👍🏽e\u0301") == ["a", FAMILY, "👍🏽", "e\u0301"]


def test_names_from_right_to_left_are_kept_apart() -> None:
    assert isolated("א1") == "\u2068א1\u2069"
    assert isolated("A") == "A"


def test_numbers() -> None:
    assert [number(x) for x in (22844, -3, 0.13534, -float("inf"))] == [
        "22,844",
        "−3",
        "0.1353",
        "−∞",
    ]
    assert [counted(n, "block") for n in (0, 1, 6000)] == ["no block", "1 block", "6,000 blocks"]
    assert listed([]) == ""
    assert listed([7]) == "7"
    assert listed([7, 2, 11]) == "7, 2 and 11"
    assert listed(range(1000, 1010)) == "1,000, 1,001, 1,002, 1,003, 1,004, 1,005 … (10 in all)"


def test_clauses_are_said_when_their_fact_is_there() -> None:
    ids = say(["{@ids} of {n}, {@one}"], {"ids": [1024, 7], "n": 1024, "one": 2048})
    assert ids == "1024 and 7 of 1,024, 2048"
    clauses = ["never? said", "hits? {hits#block} hit.", "hits! None hit.", "{left} left"]
    assert say(clauses, {"hits": 0, "left": [1, 2]}) == "None hit. 1 and 2 left"
    assert say(clauses, {"hits": 2, "left": "x{hits}"}) == "2 blocks hit. x{hits} left"
