"""Pools of a prefix cache are drawn in the states that the counts tell."""

from helpers.drawn import looks, texts

from workbook.stills.prefix import PoolState, draw_pool_states


def test_a_pool_is_counted_by_state() -> None:
    sheet = draw_pool_states([PoolState("run", [3, 2, 1, 1, 0, 0], [0, 1, 3])])
    assert "2 + 3 + 1 = 6" in texts(sheet)
    assert looks(sheet) == ["shared", "held", "held", "cached", "free", "free"]
