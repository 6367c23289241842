"""The load client and our own server: what one counts is what the other counted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.api import served
from helpers.loads import load_at

from paged_attention.model import tiny_model
from paged_attention.server.background import BackgroundServer
from workbook.live.reading import Reading, fetch


@pytest.fixture(scope="module")
def server() -> Iterator[BackgroundServer]:
    with served(tiny_model()) as running:
        yield running


def counted(before: Reading, after: Reading) -> dict[str, int]:
    names = ("prompt", "cached", "said")
    return {name: getattr(after, name) - getattr(before, name) for name in names}


@pytest.mark.parametrize("api", ["completions", "chat"])
def test_both_count_the_same(server: BackgroundServer, api: str, tmp_path: Path) -> None:
    more = ["--api", api, "--max-tokens", "6", "--ignore-eos", "--warmup", "0"]
    before = fetch(server.url)
    found = load_at(server.url, tmp_path, *more, "--prompt-words", "20", "--shared-words", "16")
    after = fetch(server.url)
    assert (found["answered"], found["failed"], found["without_usage"]) == (4, 0, 0)
    assert counted(before, after) == {
        "prompt": found["prompt_tokens"],
        "cached": found["cached_tokens"],
        "said": found["answer_tokens"],
    }
    assert found["answer_tokens"] == 24
    assert (after.running, after.waiting, after.held) == (0, 0, 0)


def test_a_context_that_is_too_short_is_told(server: BackgroundServer, tmp_path: Path) -> None:
    found = load_at(server.url, tmp_path, "--prompt-words", "2000", code=1)
    errors: dict[str, Any] = found["errors"]
    assert all("this model's context is" in error for error in errors)
