"""Tokens are drawn by their probability, from a stream of their own; bad settings are refused."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from paged_attention.sampling import (
    GREEDY,
    Sampling,
    draw,
    greedy,
    keep_top_k,
    keep_top_p,
    sample,
    shape,
    with_temperature,
)

PROBABILITIES = torch.tensor([[0.5, 0.25, 0.15, 0.1]])
LOGITS = PROBABILITIES.log()


def kept(logits: Tensor) -> list[list[int]]:
    return [row.isfinite().nonzero().flatten().tolist() for row in logits]


def generators(*seeds: int) -> list[torch.Generator]:
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def test_greedy_takes_the_largest_and_of_equals_the_first() -> None:
    assert greedy(torch.tensor([[0.0, 3.0, 1.0], [2.0, 1.0, 2.0]])).tolist() == [1, 0]


def test_temperature_sharpens_and_flattens() -> None:
    cold = with_temperature(LOGITS, 0.5).softmax(-1)
    hot = with_temperature(LOGITS, 2.0).softmax(-1)
    assert cold[0, 0] > PROBABILITIES[0, 0] > hot[0, 0]
    torch.testing.assert_close(with_temperature(LOGITS, 1.0), LOGITS)


@pytest.mark.parametrize(
    ("k", "left"), [(1, [0]), (2, [0, 1]), (4, [0, 1, 2, 3]), (9, [0, 1, 2, 3])]
)
def test_top_k(k: int, left: list[int]) -> None:
    assert kept(keep_top_k(LOGITS, k)) == [left]


def test_top_k_keeps_exactly_k_of_equals() -> None:
    assert len(kept(keep_top_k(torch.zeros(1, 8), 3))[0]) == 3


@pytest.mark.parametrize(
    ("p", "left"),
    [
        (1e-9, [0]),
        (0.49, [0]),
        (0.51, [0, 1]),
        (0.74, [0, 1]),
        (0.89, [0, 1, 2]),
        (1, [0, 1, 2, 3]),
    ],
)
def test_top_p_keeps_the_token_that_carries_the_sum_over_p(p: float, left: list[int]) -> None:
    assert kept(keep_top_p(LOGITS, p)) == [left]
    mixed = LOGITS[:, [2, 0, 3, 1]]
    assert sorted(torch.tensor([2, 0, 3, 1])[kept(keep_top_p(mixed, p))[0]].tolist()) == left


def test_top_p_of_one_keeps_even_what_rounding_would_drop() -> None:
    logits = torch.cat([torch.tensor([50.0]), torch.zeros(9)])[None]
    assert kept(keep_top_p(logits, 1)) == [list(range(10))]


def test_rows_are_cut_each_by_its_own_probabilities() -> None:
    logits = torch.stack([LOGITS[0], torch.zeros(4)])
    assert [len(row) for row in kept(keep_top_p(logits, 0.45))] == [1, 2]


def test_nothing_is_changed_in_place() -> None:
    logits = LOGITS.clone()
    for out in (with_temperature(logits, 2.0), keep_top_k(logits, 2), keep_top_p(logits, 0.5),
                keep_top_p(logits, 1)):  # fmt: skip
        out.zero_()
    assert torch.equal(logits, LOGITS)


def test_top_p_counts_what_top_k_left() -> None:
    # Of the two left, the first holds 0.5 / 0.75 = 0.67: more than 0.6, so it stays alone.
    assert kept(shape(LOGITS, Sampling(1.0, top_k=2, top_p=0.6))) == [[0]]


def chi_square(counts: Tensor, probabilities: Tensor) -> float:
    wanted = probabilities * counts.sum()
    return float(((counts - wanted) ** 2 / wanted).sum())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_tokens_come_as_often_as_their_probability_says(seed: int) -> None:
    (generator,) = generators(seed)
    drawn = [int(draw(LOGITS, [generator])) for _ in range(4000)]
    counts = torch.bincount(torch.tensor(drawn), minlength=4).double()
    assert chi_square(counts, PROBABILITIES[0].double()) < 16.27  # 3 degrees, 1 in 1,000


def test_a_token_ruled_out_never_comes() -> None:
    logits = keep_top_k(LOGITS, 2)
    (generator,) = generators(0)
    assert {int(draw(logits, [generator])) for _ in range(500)} == {0, 1}


def test_one_seed_one_stream() -> None:
    def stream(seed: int) -> list[int]:
        chosen = Sampling(temperature=1.0, seed=seed)
        generator = chosen.generator()
        return [int(sample(LOGITS, [chosen], [generator])) for _ in range(30)]

    assert stream(3) == stream(3)
    assert stream(3) != stream(4)


@given(st.permutations(range(4)), st.integers(0, 3))
def test_a_row_s_tokens_do_not_depend_on_its_neighbours(order: list[int], alone: int) -> None:
    logits = torch.randn(4, 12, generator=torch.Generator().manual_seed(9))
    settings = [
        Sampling(1.0, seed=1),
        Sampling(0.7, top_k=5, seed=2),
        GREEDY,
        Sampling(2.0, seed=1),
    ]

    def run(rows: list[int], steps: int = 6) -> dict[int, list[int]]:
        states = [settings[row].generator() for row in rows]
        outs: dict[int, list[int]] = {row: [] for row in rows}
        for _ in range(steps):
            picks = sample(logits[rows], [settings[row] for row in rows], states)
            for row, token in zip(rows, picks.tolist(), strict=True):
                outs[row].append(token)
        return outs

    together = run(list(order))
    assert together[alone] == run([alone])[alone]


def test_greedy_rows_leave_their_generator_alone() -> None:
    (generator,) = generators(0)
    before = generator.get_state()
    sample(LOGITS, [GREEDY], [generator])
    assert torch.equal(before, generator.get_state())


def test_half_precision_logits_are_shaped_in_float32() -> None:
    assert shape(LOGITS.bfloat16(), Sampling(0.5)).dtype == torch.float32


@pytest.mark.parametrize("temperature", [-1.0, math.nan, math.inf, "0.5", None, 1j, 10**400])
def test_a_bad_temperature_is_refused(temperature: Any) -> None:
    with pytest.raises(ValueError, match="temperature must be a positive number"):
        Sampling(temperature)


def test_dividing_by_zero_is_refused_and_greedy_named() -> None:
    with pytest.raises(ValueError, match="greedy"):
        with_temperature(LOGITS, 0)


@pytest.mark.parametrize("k", [0, -1, 2.0, True])
def test_a_bad_top_k_is_refused(k: int) -> None:
    with pytest.raises(ValueError, match="top_k must be an integer of at least 1"):
        Sampling(1.0, top_k=k)
    with pytest.raises(ValueError, match="top_k"):
        keep_top_k(LOGITS, k)


@pytest.mark.parametrize("p", [0.0, -0.1, 1.1, math.nan, "0.5", [1], 10**400])
def test_a_bad_top_p_is_refused(p: Any) -> None:
    with pytest.raises(ValueError, match="top_p must be above 0 and at most 1"):
        Sampling(1.0, top_p=p)
    with pytest.raises(ValueError, match="top_p"):
        keep_top_p(LOGITS, p)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5])
def test_a_bad_seed_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="seed must be an integer"):
        Sampling(seed=seed)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("chosen", [GREEDY, Sampling(1.0)])
def test_logits_that_are_no_numbers_are_refused_by_their_row(bad: float, chosen: Sampling) -> None:
    logits = torch.zeros(2, 4)
    logits[1, 2] = bad
    with pytest.raises(ValueError, match="no finite maximum"):
        sample(logits, [chosen, chosen], generators(0, 0))
    with pytest.raises(ValueError, match="row 1"):
        greedy(logits)


def test_a_row_with_every_token_ruled_out_is_refused() -> None:
    with pytest.raises(ValueError, match="row 0"):
        draw(torch.full((1, 4), -torch.inf), generators(0))


def test_settings_and_generators_must_match_the_rows() -> None:
    with pytest.raises(ValueError, match="1 rows of logits"):
        sample(LOGITS, [GREEDY, GREEDY], generators(0, 0))
    with pytest.raises(ValueError, match="zip"):
        draw(LOGITS, generators(0, 1))


@pytest.mark.parametrize("temperature", [9e-31, 1e-38, 1e-40, 5e-324])
def test_a_temperature_that_overflows_is_refused_at_once(temperature: float) -> None:
    # vllm-project/vllm#22180, #1623, microsoft/aici#19.
    with pytest.raises(ValueError, match="is so low that divided logits overflow"):
        Sampling(temperature=temperature)
    with pytest.raises(ValueError, match="is so low that divided logits overflow"):
        with_temperature(torch.zeros(1, 3), temperature)


def test_the_lowest_temperature_draws_the_likeliest() -> None:
    logits = torch.tensor([[1e4, 1e4 + 1, -1e4]])
    assert draw(shape(logits, Sampling(temperature=1e-30)), [Sampling().generator()]).item() == 1


def test_the_seed_after_the_highest_is_0() -> None:
    highest = Sampling(temperature=1.0, seed=2**63 - 1)
    assert [highest.next_seed(i).seed for i in range(3)] == [2**63 - 1, 0, 1]
    assert highest.next_seed(1).temperature == 1.0
