"""Traces: what they record, how they read, and what a replay refuses."""

import json
import subprocess
import sys

import pytest
import torch
from helpers.traffic import random_trace, write

from workbook.trace import (
    Contradiction,
    Recorder,
    RecordingPagedKVCache,
    RecordingPrefixCache,
    Trace,
    replay,
)
from workbook.words.story import story


def ops(trace: Trace, step: int) -> list[str]:
    return [event.op for event in trace.events() if event.step == step]


@pytest.fixture
def cache() -> RecordingPagedKVCache:
    return RecordingPagedKVCache(1, 8, 4, 1, 1)


def test_a_batch_is_one_step(cache: RecordingPagedKVCache) -> None:
    for seq in "ab":
        cache.create(seq)
    cache.reserve_many({"a": 5, "b": 1})
    cache.set_batch(["a", "b"])
    kv = torch.zeros(2, 1, 1, 1)
    cache.update(0, kv, kv, torch.tensor([0]))
    assert story(cache.trace).splitlines()[-2:] == [
        "3 reserve(a, 5, b, 1): a takes 0 and 1. b takes 2. 5 free.",
        "4 write(a, 1, b, 1): 1 token of a written; block 0 holds 1 of 4 now. "
        "1 token of b written; block 2 holds 1 of 4 now.",
    ]


def test_a_call_that_fails_leaves_no_step(cache: RecordingPagedKVCache) -> None:
    cache.create("a")
    for wrong in (
        lambda: cache.create("a"),
        lambda: cache.fork("nobody", "b"),
        lambda: cache.truncate("a", 3),
        lambda: cache.free("nobody"),
        lambda: cache.reserve("a", -1),
    ):
        with pytest.raises((ValueError, KeyError)):
            wrong()
    assert cache.trace.last == 1


def test_an_update_that_only_rewrites_is_no_step(cache: RecordingPagedKVCache) -> None:
    cache.create("a")
    cache.reserve("a", 2)
    write(cache, "a", 2)
    cache.set_batch(["a"])
    kv = torch.ones(1, 1, 1, 1)
    cache.update(0, kv, kv, torch.tensor([1]))
    assert cache.trace.last == 3


def test_only_the_last_layer_counts_as_written() -> None:
    cache = RecordingPagedKVCache(2, 2, 4, 1, 1)
    cache.create("a")
    cache.reserve("a", 1)
    cache.set_batch(["a"])
    kv = torch.zeros(1, 1, 1, 1)
    cache.update(0, kv, kv, torch.tensor([0]))
    assert cache.trace.last == 2
    cache.update(1, kv, kv, torch.tensor([0]))
    assert ops(cache.trace, 3) == ["write"]


def test_names_that_look_alike_are_two_sequences(cache: RecordingPagedKVCache) -> None:
    cache.create(1)
    cache.create("1")
    assert cache.trace.seqs == ["1", "1"]
    assert "create(1#0): 1#0 begins" in story(cache.trace)
    assert "create(1#1): 1#1 begins" in story(cache.trace)


def test_hits_and_evictions_are_told_apart_from_what_they_count() -> None:
    cache = RecordingPagedKVCache(1, 3, 2, 1, 1)
    prefix = RecordingPrefixCache(cache, spell="abcdef".__getitem__)
    cache.create("x")
    cache.reserve("x", 4)
    write(cache, "x", 4)
    prefix.remember("x", [0, 1, 2, 3], salt="s")
    cache.free("x")
    prefix.attach("y", [0, 1, 2, 4], salt="s")
    cache.reserve("y", 4)
    assert cache.trace.keys == ["salt s", "a b", "c d"]
    assert ops(cache.trace, 4) == ["publish", "share", "publish", "share"]
    assert ops(cache.trace, 6) == ["create", "hit", "share"]
    assert ops(cache.trace, 7) == ["allocate", "evict", "release", "allocate"]
    assert story(cache.trace).splitlines()[-2:] == [
        "6 attach(y, 4): 1 block hit, 2 tokens reused, 2 to run.",
        "7 reserve(y, 4): Out of the index, to make room: 1. y takes 2 and 1. 0 free.",
    ]
    index = replay(cache.trace).snapshot()["index"]
    assert index == [[-2, [[1, [0], []]]]]  # the root is keys[0], the node keys[1]


def test_a_trace_can_begin_in_the_middle() -> None:
    cache = RecordingPagedKVCache(1, 6, 2, 1, 1)
    prefix = RecordingPrefixCache(cache)
    for seq in "ab":
        cache.create(seq)
        cache.reserve(seq, 4)
        write(cache, seq, 4)
        prefix.remember(seq, [1, 2, 3, ord(seq)])
    cache.fork("b", "c")
    cache.free("a")
    with pytest.raises(ValueError, match="RecordingPrefixCache"):
        cache.start_trace()
    prefix.start_trace()
    state = replay(cache.trace)
    assert cache.trace.last == 0
    assert state.refs == cache.allocator.refs == [1, 1, 3, 3, 0, 0]
    assert list(state.cached) == cache.allocator.cached_order() == [1, 0]
    assert sorted(state.tables.values()) == [[2, 3], [2, 3]]


def test_contiguous_reservations() -> None:
    recorder = Recorder("contiguous", 10, 1)
    seq, other = recorder.seq("a"), recorder.seq("b")
    with recorder.step("arrive", seq, 3):
        recorder.add("create", seq)
        recorder.add("allocate", seq, 0, n=6)
        recorder.add("write", seq, 0, n=3)
    with recorder.step("arrive", other, 5):
        recorder.add("refuse", other, n=5, i=4)
    state = replay(recorder.trace)
    assert state.runs == {0: (0, 6)}
    assert state.filled == {0: [3]}
    assert sum(state.refs) == 6
    assert state.waiting == [other]
    with recorder.step("end", seq):
        recorder.add("release", seq, 0)
    assert not any(replay(recorder.trace).refs)


def test_events_of_neighbouring_steps_are_those_of_the_whole() -> None:
    trace = random_trace(300)
    steps = list(trace.by_step())
    for first, stop in [(0, 1), (0, trace.last + 1), (7, 12), (9, 9), (trace.last, trace.last + 1)]:
        wanted = [event for events in steps[first:stop] for event in events]
        assert list(trace.events(range(first, stop))) == wanted


def test_ten_thousand_random_events_are_small_and_always_the_same() -> None:
    trace = random_trace(10_000)
    text = json.dumps(trace.to_json(), separators=(",", ":"))
    assert len(text) < 240_000
    assert trace.digest == random_trace(10_000).digest
    assert Trace.from_json(json.loads(text)) == trace
    replay(trace)


def lies() -> dict[str, tuple[str, list[tuple[str, dict[str, int]]]]]:
    """Events that no engine could cause, after ``create(a)``, ``reserve(a, 6)``: blocks 0, 1."""
    return {
        "a held block handed out": ("holders", [("allocate", {"seq": 0, "block": 1, "i": 2})]),
        "not the top of the stack": ("free stack", [("allocate", {"seq": 0, "block": 3, "i": 2})]),
        "a hole in a table": ("entry 5", [("allocate", {"seq": 0, "block": 2, "i": 5})]),
        "a free block shared": ("nobody holds", [("share", {"seq": 0, "block": 2, "i": 2})]),
        "a free block released": ("nobody holds", [("release", {"seq": 0, "block": 2, "i": 2})]),
        "a table left with a hole": ("hole", [("release", {"seq": 0, "block": 0, "i": 0})]),
        "more tokens than slots": ("5 tokens", [("write", {"seq": 0, "block": 1, "n": 5})]),
        "a write to another's block": ("can't have", [("write", {"seq": 0, "block": 2, "n": 1})]),
        "a write to a shared block": (
            "written while",
            [("share", {"block": 1}), ("write", {"seq": 0, "block": 1, "n": 1})],
        ),
        "a copy to nowhere": (
            "place",
            [("copy", {"seq": 0, "block": 3, "src": 1, "i": 1, "n": 1})],
        ),
        "a hit outside the index": ("not in the index", [("hit", {"seq": 0, "block": 1, "i": 0})]),
        "a second publishing": ("already", [("publish", {"block": 1, "n": 0})] * 2),
        "a parent that is unknown": ("parent", [("publish", {"block": 1, "n": 0, "src": 0})]),
        "an eviction of a held block": ("oldest", [("evict", {"block": 1})]),
        "a second beginning": ("lives already", [("create", {"seq": 0})]),
        "a read of another entry": ("entry 0 is 0", [("read", {"seq": 0, "block": 1, "i": 0})]),
        "an unknown sequence": ("KeyError", [("write", {"seq": 7, "block": 1, "n": 1})]),
        "an unknown preemption": ("doesn't live", [("preempt", {"seq": 7, "n": 0})]),
    }


@pytest.mark.parametrize("lie", lies())
def test_what_no_engine_does_is_a_contradiction(lie: str) -> None:
    message, events = lies()[lie]
    recorder = Recorder("paged", 4, 4, [0, 1, 2, 3])
    with recorder.step("create", recorder.seq("a")):
        recorder.add("create", 0)
    with recorder.step("reserve", 0, 6):
        recorder.add("allocate", 0, 0, 0)
        recorder.add("allocate", 0, 1, 1)
    replay(recorder.trace)
    with recorder.step("reserve", 0, 1):
        for op, fields in events:
            recorder.add(op, **fields)
    with pytest.raises(Contradiction, match=message):
        replay(recorder.trace)


def test_a_sequence_that_ends_with_memory_is_a_contradiction() -> None:
    recorder = Recorder("paged", 4, 4, [0, 1, 2, 3])
    with recorder.step("create", recorder.seq("a")):
        recorder.add("create", 0)
        recorder.add("allocate", 0, 0, 0)
    with recorder.step("free", 0):
        pass
    with pytest.raises(Contradiction, match="still holds memory"):
        replay(recorder.trace)


def test_overlapping_runs_are_a_contradiction() -> None:
    recorder = Recorder("contiguous", 8, 1)
    for name, start in (("a", 0), ("b", 3)):
        with recorder.step("create", recorder.seq(name)):
            recorder.add("create", recorder.seq(name))
            recorder.add("allocate", recorder.seq(name), start, n=4)
    with pytest.raises(Contradiction, match="not all free"):
        replay(recorder.trace)


def test_steps_outside_the_trace_are_refused(cache: RecordingPagedKVCache) -> None:
    with pytest.raises(IndexError, match="steps 0 to 0"):
        replay(cache.trace, 1)


def test_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="version 1"):
        Trace.from_json({"v": 2})


def test_traces_need_no_torch() -> None:
    code = (
        "import sys, workbook.trace as t; r = t.Recorder('paged', 2, 4, [0, 1]);"
        "t.replay(r.trace); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
