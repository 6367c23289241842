"""Parameters of a test: all that go together, of which a few are tried in every run."""

from collections.abc import Collection, Sequence
from itertools import product
from typing import Any

import pytest


def grid(always: Collection[tuple[Any, ...]], *values: Sequence[Any]) -> list[Any]:
    """Each combination of ``values``; those that aren't in ``always`` are marked slow.

    ``always`` should have each value at least once. The whole grid is for ``make soak``.
    """
    combinations = list(product(*values))
    strangers = set(always) - set(combinations)
    assert not strangers, strangers
    return [
        pytest.param(*each, marks=() if each in always else pytest.mark.slow)
        for each in combinations
    ]


def thinned(*values: Sequence[Any]) -> list[Any]:
    """All combinations, of which each third is tried in every run: each value meets some others."""
    counted = product(*(range(len(one)) for one in values))
    always = {
        tuple(one[at] for one, at in zip(values, places, strict=True))
        for places in counted
        if sum(places) % 3 == 0
    }
    return grid(always, *values)
