"""What a kernel is told of a step's positions."""

import torch

from paged_attention.seen import seen_by


def test_one_token_a_row_sees_itself_and_what_is_before() -> None:
    seen = seen_by(torch.tensor([[6], [0]]))
    assert seen is not None
    assert seen.numbers[0].tolist() == [7, 1]
    assert seen.asked is None


def test_whole_rows_are_all_asked() -> None:
    seen = seen_by(torch.tensor([[6, 7, 8], [0, 1, 2]]))
    assert seen is not None
    assert [number.tolist() for number in seen.numbers] == [[9, 3], [0, 3, 6]]
    assert seen.asked is None


def test_a_repeated_last_token_is_asked_once() -> None:
    seen = seen_by(torch.tensor([[6, 7, 8], [4, 4, 4], [0, 1, 1]]))
    assert seen is not None
    assert [number.tolist() for number in seen.numbers] == [[9, 5, 2], [0, 3, 4, 6]]
    places = torch.arange(9)
    assert seen.queries(places).tolist() == [0, 1, 2, 3, 6, 7]
    assert seen.spread(torch.arange(6)).tolist() == [0, 1, 2, 3, 3, 3, 4, 5, 5]


def test_another_order_is_nothing_for_a_kernel() -> None:
    for row in ([2, 1], [1, 1, 2], [0, 2]):
        assert seen_by(torch.tensor([row])) is None
