"""The look of a block: one function says it, and a replayed state agrees with the counts."""

import pytest
from helpers.traffic import random_trace

from workbook.trace import states
from workbook.trace.look import look_of
from workbook.trace.schema import NONE


@pytest.mark.parametrize(
    ("refs", "more", "look"),
    [
        (0, {}, "free"),
        (0, {"copied": True}, "free"),
        (1, {}, "held"),
        (1, {"written": False}, "reserved"),
        (1, {"indexed": True}, "cached"),
        (2, {"indexed": True}, "held"),
        (2, {}, "shared"),
        (3, {"indexed": True}, "shared"),
        (1, {"copied": True}, "copied"),
        (2, {"copied": True}, "copied"),
    ],
)
def test_a_block_looks_like_what_holds_it(refs: int, more: dict[str, bool], look: str) -> None:
    assert look_of(refs, **more) == look


@pytest.mark.parametrize("seed", range(4))
def test_looks_of_a_state_count_what_its_sums_count(seed: int) -> None:
    """Free and cached looks are the free and cached blocks; nothing else is held by nobody."""
    trace = random_trace(400, num_blocks=9, seed=seed)
    for state in states(trace):
        looks = [state.look(block) for block in range(trace.num_blocks)]
        assert looks.count("free") == state.num_free
        assert looks.count("cached") == len(state.cached)
        for block, look in enumerate(looks):
            holders = sum(table.count(block) for table in state.tables.values())
            assert state.refs[block] == holders + (block in state.nodes)
            assert (look == "shared") == (holders > 1 and block not in state.copied)
            seq, filled = state.held.get(block, (NONE, 0))
            assert (seq == NONE) == (holders == 0)
            assert not holders or filled == max(
                state.filled[seq][table.index(block)]
                for seq, table in state.tables.items()
                if block in table
            )
