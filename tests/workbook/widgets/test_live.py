"""The engine behind a live picture's buttons."""

from typing import Any

import pytest

from workbook.trace import RecordingPagedKVCache, Trace, replay
from workbook.widgets import line_picture, pool_picture, prefix_picture
from workbook.widgets.common.live import LivePicture
from workbook.widgets.pool.scene import pool_scene
from workbook.words.story import steps


def press(live: LivePicture, **message: Any) -> str:
    """Send what a button sends; returns the last step's call and sentence, or what went wrong."""
    live._hear(live, message, [])
    if live.fault:
        return str(live.fault)
    return " ".join(list(steps(Trace.from_json(live.data["trace"])))[-1])


def test_each_button_is_one_call_of_the_engine() -> None:
    prefix = pool_scene()
    live = pool_picture(prefix).live()
    assert live.live == [
        *("create", "reserve", "write", "fork", "free"),
        *("attach", "remember", "evict"),
    ]
    assert press(live, call="free", seq=0).startswith("free(A) Back in the pool: ")
    assert press(live, call="create").startswith("create(D) D begins")
    assert press(live, call="reserve", seq=3, n=5).startswith("reserve(D, 5) D takes ")
    assert press(live, call="write", seq=3, n=5).startswith("write(D, 5) 5 tokens of D written")
    assert press(live, call="fork", seq=3).startswith("fork(D, E) E shares")
    assert press(live, call="remember", seq=3).startswith("remember(D, 5) Published")
    assert press(live, call="evict").startswith("evict(1) Nothing to evict")
    assert press(live, call="attach", prompt="one two three").startswith(
        "attach(F, 3) No block hit"
    )
    prefix.check_invariants()
    assert replay(prefix.cache.trace).refs == prefix.cache.allocator.refs
    assert live.data["start"] == prefix.cache.trace.last


def test_a_full_pool_is_a_step_and_any_other_error_is_told() -> None:
    live = pool_picture(pool_scene()).live()
    refused = press(live, call="reserve", seq=2, n=99)
    assert "refused whole, nothing changed" in refused
    assert press(live, call="write", seq=2, n=1).startswith("PositionNotReserved: sequence 'C'")
    assert press(live, call="write", seq=1, n=1).startswith("UnknownSequence: no sequence 'B'")
    assert press(live, call="attach", prompt=" ").startswith("ValueError: type a prompt")
    assert press(live, call="rm -rf").startswith("ValueError: there is no button")
    assert press(live, call="reserve", seq=99, n=1).startswith("IndexError")
    assert press(live, call="create").startswith("create(D)")


def test_what_was_published_is_found_by_a_later_prompt() -> None:
    live = pool_picture(pool_scene()).live()
    press(live, call="free", seq=0)
    prompt = "you are a careful assistant"
    press(live, call="attach", prompt=prompt)
    press(live, call="reserve", seq=3, n=5)
    press(live, call="write", seq=3, n=5)
    press(live, call="remember", seq=3)
    assert "1 block hit, 4 tokens reused, 1 to run" in press(live, call="attach", prompt=prompt)


def test_a_cache_without_an_index_has_fewer_buttons() -> None:
    cache = RecordingPagedKVCache(2, 4, 2, 1, 1)
    live = pool_picture(cache).live()
    assert live.live == ["create", "reserve", "write", "fork", "free"]
    assert press(live, call="evict").startswith("ValueError: there is no button")
    press(live, call="create")
    press(live, call="reserve", seq=0, n=3)
    assert "write(A, 3)" in press(live, call="write", seq=0, n=3)
    assert cache.lengths == {"A": 3}


def test_a_replayed_trace_has_no_buttons() -> None:
    live = pool_picture(pool_scene().cache.trace).live()
    assert live.live == []
    before = live.data
    live._hear(live, {"call": "create"}, [])
    assert live.data == before


def test_the_prefix_picture_runs_prompts_and_evicts() -> None:
    live = prefix_picture().live()
    assert live.live == ["run", "evict"]
    live._hear(live, {"call": "run", "prompt": "you are a careful assistant who answers x y"}, [])
    trace = Trace.from_json(live.data["trace"])
    assert trace.seqs[-1] == "D"
    assert trace.call(trace.last) == "remember"
    assert live.data["start"] == len(live.data["calls"]) - 1
    live._hear(live, {"call": "run", "prompt": "x", "salt": "s"}, [])
    assert live.data["calls"][-3] == [["free", "D"]]
    live._hear(live, {"call": "run", "prompt": " "}, [])
    assert live.fault.startswith("ValueError: Type a prompt first")
    live._hear(live, {"call": "evict"}, [])
    assert live.fault == ""
    assert live.data["calls"][-1] == [["evict", 1]]


@pytest.mark.parametrize("name", ["_esm", "_css"])
def test_the_widget_carries_the_module_once(name: str) -> None:
    live = pool_picture(pool_scene().cache.trace).live()
    assert len(getattr(live, name)) > 1000


def test_the_line_is_served_by_buttons() -> None:
    live = line_picture().live()

    def told(**message: Any) -> str:
        live._hear(live, message, [])
        if live.fault:
            return str(live.fault)
        return " ".join(live.data[key].split("\n")[-1] for key in ("calls", "said"))

    assert live.live == ["submit", "step", "abort"]
    assert told(call="step") == "step() Nobody is here: nothing to run."
    assert told(call="submit", tokens=5, most=2).startswith("submit(D, 5 tokens, 2 new) D joins")
    assert told(call="step") == "step() D begins: the line moves back. D says a token."
    assert told(call="submit", tokens=90, most=9).startswith("submit(E, 90 tokens, 9 new) E is ref")
    assert told(call="abort", seq=3).startswith("abort(D) D is ended by its caller")
    assert told(call="submit", tokens=0, most=2) == "ValueError: Both numbers go from 1 to 99."
    assert told(call="dance").startswith("ValueError: there is no button 'dance'")
    state = replay(Trace.from_json(live.data["trace"]))
    assert (state.num_free, state.tables, state.waiting) == (6, {}, [])
