"""A measurement lasts 20 ticks of its clock, so that none is zero and ratios mean something."""

from itertools import count

import pytest

from workbook.clock import ENOUGH, seconds_of, tick


class Machine:
    """Its clock shows multiples of ``step`` µs; reading it takes 1 µs, the work ``cost`` µs."""

    def __init__(self, step: int, cost: int) -> None:
        self.now, self.step, self.cost, self.calls = 0, step, cost, 0

    def clock(self) -> float:
        self.now += 1
        return self.now // self.step * self.step

    def work(self) -> None:
        self.now += self.cost
        self.calls += 1


@pytest.mark.parametrize("step", [1, 7, 100, 1000])
def test_the_tick_is_watched(step: int) -> None:
    assert tick(Machine(step, 0).clock) == step


@pytest.mark.parametrize("step", [1, 100, 1000])
@pytest.mark.parametrize("cost", [1, 39, 250])
def test_it_repeats_until_the_clock_can_tell(step: int, cost: int) -> None:
    machine = Machine(step, cost)
    assert seconds_of(machine.work, machine.clock) * machine.calls > 0
    machine = Machine(step, cost)
    found = seconds_of(machine.work, machine.clock)
    assert found == pytest.approx(cost, rel=1 / ENOUGH, abs=1 if cost == 1 else 0.1)


def test_what_lasts_long_enough_is_called_once() -> None:
    machine = Machine(100, 5000)
    assert seconds_of(machine.work, machine.clock) == pytest.approx(5000, rel=1 / ENOUGH)
    assert machine.calls == 1


def test_one_hitch_while_watching_does_not_make_the_tick_long() -> None:
    readings = count()
    assert tick(lambda: 1000.0 + n if (n := next(readings)) else 0.0) == 1
