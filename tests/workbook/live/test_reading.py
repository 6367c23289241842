"""What ``/metrics`` says, from three engines, and a board that outlives its server."""

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.openai_stub import VLLM, Stub, serving

from workbook.live.reading import NoReading, Reading, fetch, read, root_of
from workbook.live.watch import KEPT, Watch

SGLANG = """sglang:num_running_reqs{model_name="m"} 5
sglang:num_queue_reqs{model_name="m"} 0
sglang:token_usage{model_name="m"} 0.25
sglang:generation_tokens_total{model_name="m"} 7
"""


def test_ours_and_vllms() -> None:
    assert read(VLLM) == Reading(3, 1, 0.453125, 64, 16, 900, 558, 1184, 2)
    assert read(VLLM).held == 29
    assert read(VLLM).hit_rate == 0.62


def test_sglangs() -> None:
    found = read(SGLANG)
    assert (found.running, found.waiting, found.usage, found.said) == (5, 0, 0.25, 7)
    assert found.held is found.hit_rate is found.preempted is None


def test_several_engines_behind_one_port_are_one() -> None:
    """Requests add up, shares don't."""
    found = read(VLLM + VLLM.replace('engine="0"', 'engine="1"').replace("0.453125", "0.546875"))
    assert (found.running, found.said, found.usage) == (6, 2368, 0.5)


@pytest.mark.parametrize("text", ["", "<html>hello</html>", "other_metric 1\n", "vllm:x{ 1\n"])
def test_no_figures(text: str) -> None:
    with pytest.raises(NoReading, match="/metrics"):
        read(text)


def test_a_look_over_http() -> None:
    with serving(Stub(metrics=VLLM)) as stub:
        assert fetch(f"{stub.url}/v1").running == 3
        stub.metrics = None
        with pytest.raises(NoReading, match="status 404"):
            fetch(stub.url)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(NoReading, match="nothing listens"):
            fetch(f"http://127.0.0.1:{unused.getsockname()[1]}")


def test_metrics_lie_at_the_root() -> None:
    assert root_of("http://a:1/v1/") == root_of("a:1") == "http://a:1"


class Looks:
    """Readings one by one, a second apart; ``None`` is a server that is away."""

    def __init__(self, *readings: Reading | None) -> None:
        self._readings: Iterator[Reading | None] = iter(readings)
        self.now = 0.0

    def __call__(self) -> Reading:
        self.now += 1.0
        reading = next(self._readings)
        if reading is None:
            raise NoReading("nothing listens there")
        return reading


def states(*readings: Reading | None) -> list[dict[str, Any]]:
    looks = Looks(*readings)
    watch = Watch(looks, lambda state: None, 1.0, clock=lambda: looks.now)
    return [watch.look() for _ in readings]


def test_rates_are_between_looks() -> None:
    first, second, restarted, last = states(
        Reading(said=10, usage=0.5), Reading(said=52), Reading(said=3), Reading(said=3)
    )
    assert (first["rate"], second["rate"]) == (None, 42.0)
    assert (restarted["rate"], last["rate"]) == (None, 0.0)  # its counts began anew
    assert last["rows"] == [
        (1.0, None, 0.5),
        (2.0, 42.0, None),
        (3.0, None, None),
        (4.0, 0.0, None),
    ]


def test_a_server_that_goes_away_is_told_and_found_again() -> None:
    before, away, back = states(Reading(said=10, running=2), None, Reading(said=30))
    assert before["away"] == back["away"] == ""
    assert away["away"] == "nothing listens there."
    assert (away["running"], away["rate"]) == (2, None)  # what was known last
    assert back["rate"] == 10.0
    assert states(None)[0]["rows"] == []


def test_only_the_latest_looks_are_kept() -> None:
    assert len(states(*[Reading(said=n) for n in range(KEPT + 30)])[-1]["rows"]) == KEPT


def test_a_watch_looks_from_start_to_stop() -> None:
    seen: list[dict[str, Any]] = []
    enough = threading.Event()

    def told(state: dict[str, Any]) -> None:
        seen.append(state)
        if len(seen) == 3:
            enough.set()

    watch = Watch(lambda: Reading(said=1), told, every=0.001)
    watch.start()
    watch.start()
    assert enough.wait(120)
    assert sum(thread.name == "board" for thread in threading.enumerate()) == 1
    watch.stop()
    watch.stop()
    assert not watch.running
