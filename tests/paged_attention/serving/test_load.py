"""Arrivals, clocks and figures; a load on the cost clock."""

from itertools import pairwise
from random import Random

import pytest

from paged_attention.serving import Arrival, Clock, CostModel, Simulation, poisson, serve, summary
from paged_attention.serving.stats import RequestStats, percentile
from workbook.toy import ToyEngine, toy_memory

COST = CostModel(step=1.0, token=0.01, context=0.001, says=0.1)


def test_a_poisson_process_has_its_rate_and_its_bursts() -> None:
    times = poisson(4000, 2.0, seed=3)
    assert times == sorted(times) == poisson(4000, 2.0, seed=3)
    assert times[-1] == pytest.approx(2000, rel=0.05)
    gaps = [after - before for before, after in pairwise(times)]
    assert sum(gap < 0.5 for gap in gaps) / len(gaps) == pytest.approx(
        1 - 1 / 2.718281828, abs=0.03
    )
    for rate in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="rate"):
            poisson(3, rate)


def test_the_first_token_is_no_gap() -> None:
    """vllm-project/vllm#7242, sgl-project/sglang#1005."""
    stats = RequestStats(arrived=0.0, admitted=4.0, tokens_at=[5.0, 5.5, 7.5])
    assert (stats.queued, stats.ttft, stats.gaps) == (4.0, 5.0, [0.5, 2.0])


def test_what_was_never_measured_is_left_out() -> None:
    """sgl-project/sglang#36047, vllm-project/vllm#6064: it was averaged as 0.0."""
    runs = [RequestStats(arrived=1.0, tokens_at=[3.0, 4.0]), RequestStats(arrived=1.0)]
    found = summary(runs, 10.0)
    assert (found.requests, found.unanswered, found.ttft_p50, found.tokens) == (2, 1, 2.0, 2)
    assert (found.tokens_per_second, found.gap_p99, found.longest_gap) == (0.2, 1.0, 1.0)
    nothing = summary([RequestStats()], 0.0)
    assert (nothing.ttft_p50, nothing.gap_p50, nothing.longest_gap) == (None, None, None)
    assert nothing.tokens_per_second == 0.0


@pytest.mark.parametrize(
    ("count", "share", "right"),
    [
        *((10, 0.99, 10), (100, 0.99, 99), (101, 0.99, 100), (1, 0.5, 1), (4, 0.5, 2)),
        *((5, 0.5, 3), (100, 0.07, 7), (10, 0.0, 1), (10, 1.0, 10)),
    ],
)
def test_a_percentile_is_a_value_that_came(count: int, share: float, right: int) -> None:
    assert percentile(range(count, 0, -1), share) == right


def test_percentiles_of_nothing_and_of_nonsense() -> None:
    assert percentile([], 0.5) is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        percentile([1.0], 99)


def test_a_load_generator_does_not_wait_for_the_server() -> None:
    """gravitational/teleport#4601: with each request sent late, waiting looked short."""
    memory = toy_memory(20)
    simulation = Simulation(memory, COST, max_running=1, budget=8)
    load = [Arrival(0.5 * nth, (1, 2, 3), 4, 4) for nth in range(6)]
    simulation.serve(load)
    waits = [request.stats.ttft for request in simulation.requests.values()]
    assert waits == sorted(waits)  # type: ignore[type-var]
    assert waits[-1] is not None
    assert waits[-1] > 5 * (4 * 1.0 - 0.5)


def test_a_clock_skips_what_is_idle() -> None:
    now = [10.0]
    clock = Clock(lambda: now[0])
    assert clock() == 0.0
    clock.skip_to(5.0)
    now[0] += 1
    assert clock() == 6.0
    clock.skip_to(2.0)
    assert clock() == 6.0


def test_progress_is_told() -> None:
    e = ToyEngine(toy_memory(20), max_running=3, budget=12)
    load = [Arrival(3.0 * nth, (1, 2), 2, 2) for nth in range(4)]
    clock = Clock(lambda: float(e.ticks))
    told: list[tuple[int, int]] = []
    e.draws = {nth: Random(nth) for nth in range(len(load))}
    serve(e, load, clock, tell=lambda ended, of: told.append((ended, of)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_simulated_step_costs_what_it_runs() -> None:
    simulation = Simulation(toy_memory(20), COST, max_running=2, budget=8)
    simulation.submit([1] * 5, 2)
    simulation.step()
    assert simulation.seconds == pytest.approx(1.0 + 0.05 + 0.005 + 0.1)
    simulation.step()
    assert simulation.seconds == pytest.approx(1.155 + 1.0 + 0.01 + 0.006 + 0.1)
    assert not len(simulation)


def test_samples_are_simulated_too() -> None:
    simulation = Simulation(toy_memory(20), COST, max_running=3, budget=8)
    simulation.submit([1] * 5, 3, samples=3)
    news = list(simulation.drain())
    assert [new.nth for new in news] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert simulation.memory.cache.allocator.num_held == 0
