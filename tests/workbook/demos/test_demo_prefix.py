"""The prefix demo runs a cache and prints the book's numbers, or says what the cache did wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from paged_attention.__main__ import main

BOOK = {
    "demo": "prefix",
    "block_size": 16,
    "requests": 8,
    "shared_tokens": 96,
    "own_tokens": 8,
    "prompt_tokens": 832,
    "tokens_prefilled": 160,
    "blocks_in_use": 14,
    "blocks_without_sharing": 56,
}
FROM_CHAPTER_5 = """
class MyPrefixCache:
    def __init__(self, cache, index):
        self.cache, self.index = cache, index

    def attach(self, seq, prompt, *, salt=None, adapter=None):
        self.cache.create(seq)
        size, table, node = self.cache.block_size, self.cache.tables[seq], (salt, adapter)
        for start in range(0, len(prompt) - size, size):
            hit = self.index.find(node, tuple(prompt[start : start + size]))
            if hit is None:
                break
            node, block = hit
            self.cache.allocator.share(block)
            table.append(block)
        self.cache.lengths[seq] = len(table) * size
        return self.cache.lengths[seq]

    def remember(self, seq, tokens, *, salt=None, adapter=None):
        size, table, node = self.cache.block_size, self.cache.tables[seq], (salt, adapter)
        for i in range(self.cache.lengths[seq] // size):
            node, new = self.index.publish(node, tuple(tokens[i * size : (i + 1) * size]), table[i])
            if new:
                self.cache.allocator.share(table[i])
"""
WRONG_HITS = """
class PrefixCache:
    def __init__(self, cache):
        self.cache = cache

    def attach(self, seq, prompt, *, salt=None, adapter=None):
        self.cache.create(seq)
        self.cache.tables[seq] = self.cache.tables[0][-2::-1]
        self.cache.allocator.share_many(self.cache.tables[seq])
        self.cache.lengths[seq] = 16 * len(self.cache.tables[seq])
        return self.cache.lengths[seq]

    def remember(self, seq, tokens, *, salt=None, adapter=None):
        pass
"""
CHAPTER_3 = """
from paged_attention.cache import PagedKVCache as Finished

class MyPagedKVCache:
    def __init__(self, *sizes):
        inner = Finished(*sizes)
        self.tables, self.lengths, self.allocator = inner.tables, inner.lengths, inner.allocator
"""


def result(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    assert main(["demo", "prefix", "--json", *args]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def write(folder: Path, code: str) -> str:
    (folder / "mine.py").write_text(code)
    return str(folder / "mine.py")


def test_the_demo_is_the_book_s_to_the_digit(capsys: pytest.CaptureFixture[str]) -> None:
    assert result(capsys) == BOOK


def test_the_demo_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "prefix"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "8 requests, 96 shared and 8 own tokens each, blocks of 16.",
        "  prompt tokens     832",
        "  prefilled         160   19.2%",
        "  blocks in use      14   56 without sharing",
        "Each request reads its own prompt.",
    ]


@pytest.mark.parametrize(
    ("shared", "own", "prefilled", "in_use"),
    [
        (15, 8, 8 * 23, 16),  # no block is full before the prompts part
        (16, 8, 16 + 8 * 8, 9),
        (95, 8, 103 + 7 * 23, 5 + 8 * 2),  # the sixth block is everyone's own
    ],
)
def test_beginnings_of_other_lengths(
    capsys: pytest.CaptureFixture[str], shared: int, own: int, prefilled: int, in_use: int
) -> None:
    found = result(capsys, "--shared-tokens", str(shared), "--own-tokens", str(own))
    assert (found["tokens_prefilled"], found["blocks_in_use"]) == (prefilled, in_use)


def test_a_reader_s_prefix_cache_serves_the_demo(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert result(capsys, "--impl", write(tmp_path, FROM_CHAPTER_5)) == BOOK


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (WRONG_HITS, "request 1 reads the key of token 80 at position 0"),
        (CHAPTER_3, "the finished PrefixCache needs the finished allocator and cache"),
    ],
    ids=["wrong hits", "can't adopt"],
)
def test_a_reader_s_classes_that_are_not_ready(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, code: str, message: str
) -> None:
    assert main(["demo", "prefix", "--impl", write(tmp_path, code)]) == 1
    assert f"demo prefix stopped: {message}" in capsys.readouterr().err
