"""The forks demo runs a cache and prints the book's numbers, or says what the cache did wrong."""

import json
from pathlib import Path

import pytest

from paged_attention.__main__ import main

NEVER_COPIES = """
from paged_attention.cache import PagedKVCache as Finished

class MyPagedKVCache(Finished):
    def _shared_tail(self, seq, new_tokens):
        return []

    def check_writable(self, seq, start, end):
        pass
"""
CHAPTER_3 = """
from paged_attention.cache import PagedKVCache as Finished

class MyPagedKVCache:
    def __init__(self, *sizes):
        self.inner = Finished(*sizes)
"""


def test_the_demo_is_the_book_s_to_the_digit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "forks", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "demo": "forks",
        "block_size": 16,
        "prompt_tokens": 40,
        "parent_blocks": 3,
        "forks": 4,
        "new_blocks_after_4_forks": 0,
        "new_blocks_after_each_sample_writes_a_token": 4,
    }


def test_the_demo_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "forks"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "A prompt of 40 tokens holds 3 blocks of 16.",
        "  4 forks of it              0 new",
        "  each fork writes 1 token   4 new",
        "Each fork reads the prompt and its own token.",
    ]


@pytest.mark.parametrize("prompt", [1, 15, 16, 17, 32])
def test_prompts_of_other_lengths(capsys: pytest.CaptureFixture[str], prompt: int) -> None:
    # The parent stays, so each fork needs a block of its own, by copying one or by a new one.
    assert main(["demo", "forks", "--json", "--prompt-tokens", str(prompt), "--forks", "7"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["new_blocks_after_7_forks"] == 0
    assert found["new_blocks_after_each_sample_writes_a_token"] == 7


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (NEVER_COPIES, "fork 1 reads [0, 1, 2"),
        (CHAPTER_3, "a MyPagedKVCache can't fork yet"),
    ],
    ids=["never copies", "can't fork"],
)
def test_a_reader_s_cache_that_is_not_ready(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, code: str, message: str
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(code)
    assert main(["demo", "forks", "--impl", str(file)]) == 1
    assert f"demo forks stopped: {message}" in capsys.readouterr().err
