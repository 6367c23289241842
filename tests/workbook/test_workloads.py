"""Lengths drawn from published percentiles come back with those percentiles."""

import subprocess
import sys

import pytest

from workbook.workloads import CODE, CONVERSATION, PERCENTS, Workload, length_at

BOTH = pytest.mark.parametrize("workload", [CONVERSATION, CODE], ids=lambda w: w.name)


@BOTH
def test_each_percentile_is_met(workload: Workload) -> None:
    for lengths in (workload.prompt, workload.answer):
        assert len(lengths) == len(PERCENTS)
        assert list(lengths) == sorted(lengths)
        assert [length_at(lengths, percent / 100) for percent in PERCENTS] == list(lengths)


def test_between_two_percentiles_lies_a_line() -> None:
    assert length_at(CONVERSATION.prompt, 0.15) == (207 + 387) // 2
    assert length_at(CONVERSATION.answer, 0.005) == 12  # halfway between 7 and 16, to even


@BOTH
def test_draws_have_the_means_of_the_trace(workload: Workload) -> None:
    drawn = workload.draw(20_000)
    prompts, answers = (sum(column) / len(drawn) for column in zip(*drawn, strict=True))
    assert prompts == pytest.approx(workload.mean_prompt, rel=0.06)
    assert answers == pytest.approx(workload.mean_answer, rel=0.12)


def test_one_seed_one_list() -> None:
    assert CONVERSATION.draw(50, seed=3) == CONVERSATION.draw(50, seed=3)
    assert CONVERSATION.draw(50, seed=3) != CONVERSATION.draw(50, seed=4)
    assert CONVERSATION.draw(10) == CONVERSATION.draw(50)[:10]


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1\.5"):
        length_at(CODE.prompt, 1.5)
    with pytest.raises(ValueError, match="16 percentiles are wanted, got 2"):
        length_at([1, 2], 0.5)


def test_no_torch_is_needed() -> None:
    code = "import sys, workbook.workloads; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
