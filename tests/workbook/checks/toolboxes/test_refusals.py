"""What a refused call may not change is compared, the order of the free ids too."""

import linecache
from typing import Any

import pytest

from paged_attention.allocator import BlockAllocator
from paged_attention.errors import BlockPoolExhausted
from workbook.checks.framework import CheckFailed, attempt
from workbook.checks.toolboxes.known_tokens import written
from workbook.checks.toolboxes.refusals import Snapshot, expect_refused, next_blocks


def test_a_copy_is_asked_for_the_next_blocks() -> None:
    pool = BlockAllocator(3)
    assert next_blocks(pool) == [0, 1, 2]
    assert pool.num_free == 3


def spoil_order(cache: Any) -> None:
    taken = cache.allocator.allocate_many(2)
    for block in taken:
        cache.allocator.release(block)


def spoil_count(cache: Any) -> None:
    cache.allocator.share(cache.tables["a"][0])


def spoil_table(cache: Any) -> None:
    cache.tables["a"].append(7)


def spoil_length(cache: Any) -> None:
    cache.lengths["a"] += 1


def spoil_pool(cache: Any) -> None:
    cache.v_pool[0][6, 0, 0, 0] = 1.0  # NaN before


@pytest.mark.parametrize(
    ("spoil", "part"),
    [
        (spoil_order, "the ids that come out next: [3, 2, 4"),
        (spoil_count, "refs: "),
        (spoil_table, "tables: "),
        (spoil_length, "lengths: "),
        (spoil_pool, "other numbers in v_pool[0]"),
    ],
)
def test_whatever_changes_is_named(spoil: Any, part: str) -> None:
    def call() -> None:
        spoil(cache)
        raise BlockPoolExhausted(5, 0)

    cache = written(6)
    before = Snapshot.of(cache)
    with pytest.raises(CheckFailed) as failed:
        expect_refused(cache, attempt(call), before, BlockPoolExhausted)
    assert part in failed.value.got
    assert "still changed something" in str(failed.value.why)


def test_no_error_or_another_is_no_refusal() -> None:
    cache = written(6)
    before = Snapshot.of(cache)
    for call in (lambda: None, lambda: [][0]):
        with pytest.raises(CheckFailed) as failed:
            expect_refused(cache, attempt(call), before, MemoryError, why="Too late.")
        assert failed.value.right == "MemoryError, nothing changed"
        assert failed.value.why == "Too late."


def test_a_refusal_that_changed_nothing_is_right() -> None:
    cache = written(6)
    before = Snapshot.of(cache)
    expect_refused(cache, attempt(cache.allocator.allocate_many, 99), before, BlockPoolExhausted)


@pytest.mark.parametrize(
    ("raises", "words"),
    [
        ("raise ValueError('full')", "under another name"),
        ("if True: raise ValueError('full')", "under another name"),
        ("assert False", "under another name"),
        ("[][0]", "the case's own"),
        ("BlockAllocator(3).release(2)", "the case's own"),
    ],
)
def test_a_refusal_by_another_name_is_told_from_a_crash(raises: str, words: str) -> None:
    file = f"<cell {raises}>"
    source = f"def call():\n    {raises}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"BlockAllocator": BlockAllocator}
    exec(compile(source, file, "exec"), names)
    pool = BlockAllocator(3)
    with pytest.raises(CheckFailed) as failed:
        expect_refused(
            pool,
            attempt(names["call"]),
            Snapshot.of(pool),
            BlockPoolExhausted,
            why="the case's own",
        )
    assert words in str(failed.value.why)
