"""Beam search through forks equals beam search that runs every beam from scratch."""

import math
from collections.abc import Collection
from typing import Any

import pytest
import torch

from paged_attention.beam import Beam, beam_search, choose
from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.errors import BlockPoolExhausted
from paged_attention.generate import generate, run
from paged_attention.model import Model, tiny_model


@pytest.fixture(scope="module")
def tiny() -> Model:
    torch.set_num_threads(1)
    return tiny_model()


def paged(model: Model, num_blocks: int = 60, block_size: int = 4) -> PagedKVCache:
    config = model.config
    return PagedKVCache(config.layers, num_blocks, block_size, config.kv_heads, config.head_dim)


def naive_beam_search(
    model: Model,
    prompt: list[int],
    width: int,
    tokens: int,
    length_penalty: float,
    eos_ids: Collection[int],
) -> list[list[int]]:
    """Every beam run whole at every step on a contiguous cache; no early end."""
    config = model.config
    running, ended = [([], 0.0)], []
    for _ in range(tokens):
        found = []
        for text, total in running:
            cache = ContiguousKVCache(config.layers, 100, config.kv_heads, config.head_dim)
            cache.create("beam", 100)
            logits = run(model.decoder, cache, ["beam"], [prompt + text], [0])[0]
            for token, log_p in enumerate(logits.log_softmax(-1).double().tolist()):
                found.append(([*text, token], total + log_p))
        found.sort(key=lambda beam: -beam[1])
        running = []
        for beam in found:
            if len(running) == width:
                break
            (ended if beam[0][-1] in eos_ids else running).append(beam)
    ended += running
    ended.sort(key=lambda beam: -beam[1] / len(beam[0]) ** length_penalty)
    return [text for text, _ in ended[:width]]


@pytest.mark.parametrize("length", [1, 4, 6])
@pytest.mark.parametrize("penalty", [0.0, 1.0, -0.5])
def test_equals_beams_run_from_scratch(tiny: Model, length: int, penalty: float) -> None:
    # vllm-project/vllm#344 and #644: beams came out garbled.
    prompt = tiny.tokenizer.encode("Beams")[:length] + [7] * max(0, length - 5)
    cache = paged(tiny)
    cache.create("neighbour")
    got = beam_search(tiny.decoder, cache, prompt, 3, 12, length_penalty=penalty)
    want = naive_beam_search(tiny, prompt, 3, 12, penalty, ())
    assert [beam.tokens for beam in got] == want
    assert cache.lengths == {"neighbour": 0}
    assert cache.allocator.num_free == cache.allocator.num_blocks


@pytest.mark.parametrize("penalty", [0.0, 1.0, 3.0, -1.0])
def test_the_early_end_changes_nothing(tiny: Model, penalty: float) -> None:
    prompt = tiny.tokenizer.encode("The end")
    eos_ids = set(range(0, tiny.config.vocab_size, 3))  # a third of all tokens end a beam
    got = beam_search(
        tiny.decoder, paged(tiny), prompt, 3, 6, length_penalty=penalty, eos_ids=eos_ids
    )
    want = naive_beam_search(tiny, prompt, 3, 6, penalty, eos_ids)
    assert [beam.tokens for beam in got] == want


def test_an_early_end_saves_steps(tiny: Model) -> None:
    steps = 0

    class Counting(PagedKVCache):
        def set_batch(self, seqs: object) -> None:
            nonlocal steps
            steps += 1
            super().set_batch(seqs)  # type: ignore[arg-type]

    config = tiny.config
    cache = Counting(config.layers, 60, 4, config.kv_heads, config.head_dim)
    everything = range(tiny.config.vocab_size)
    beams = beam_search(tiny.decoder, cache, [5, 6], 2, 50, eos_ids=everything)
    assert steps == 1
    assert [len(beam.tokens) for beam in beams] == [1, 1]


def test_survivors_are_forked_before_the_old_are_freed() -> None:
    # Two beams go on from one parent, one from another, one dies: one copy, and a peak of four.
    cache = PagedKVCache(1, 8, 4, 1, 2)
    cache.create("a")
    cache.reserve("a", 6)
    cache.set_batch(["a"])
    cache.update(0, torch.zeros(1, 1, 6, 2), torch.zeros(1, 1, 6, 2), torch.arange(6))
    for name in "bc":
        cache.fork("a", name)
    cache.reserve_many(dict.fromkeys("abc", 1))
    cache.set_batch(list("abc"))
    cache.update(0, torch.zeros(3, 1, 1, 2), torch.zeros(3, 1, 1, 2), torch.tensor([6]))
    assert cache.allocator.num_held == 4
    for parent, child in ("ad", "ae", "cf"):
        cache.fork(parent, child)
    for old in "abc":
        cache.free(old)
    assert cache.allocator.num_held == 3
    cache.reserve_many(dict.fromkeys("def", 1))
    assert cache.allocator.num_held == 4
    cache.check_invariants()


def test_no_room_leaves_nothing_behind(tiny: Model) -> None:
    cache = paged(tiny, num_blocks=4)
    with pytest.raises(BlockPoolExhausted):
        beam_search(tiny.decoder, cache, [1, 2, 3, 4, 5], 3, 12)
    assert cache.allocator.num_free == 4
    assert not cache.lengths


def test_choose_keeps_width_beams_beside_those_that_end() -> None:
    logits = torch.log(torch.tensor([[0.4, 0.3, 0.2, 0.1], [0.1, 0.1, 0.1, 0.7]]))
    beams = [Beam([8], math.log(0.6)), Beam([9], math.log(0.4))]
    step = choose(beams, logits, 2, eos_ids=[3])
    assert [(b.tokens, round(math.exp(b.log_probability), 2)) for b in step.beams] == [
        ([8, 0], 0.24),
        ([8, 1], 0.18),
    ]
    assert step.parents == [0, 0]
    assert [(b.tokens, round(math.exp(b.log_probability), 2)) for b in step.ended] == [
        ([9, 3], 0.28)
    ]


def test_bad_arguments(tiny: Model) -> None:
    for width, tokens, wrong in ((0, 1, "width"), (1, 0, "max_new_tokens")):
        with pytest.raises(ValueError, match=f"{wrong} must be at least 1"):
            beam_search(tiny.decoder, paged(tiny), [1], width, tokens)
    for sizes, wrong in (((1.5, 2), "width"), ((2, "2"), "max_new_tokens")):
        with pytest.raises(TypeError, match=f"{wrong} must be a whole number"):
            beam_search(tiny.decoder, paged(tiny), [1], *sizes)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="empty prompt"):
        beam_search(tiny.decoder, paged(tiny), [], 1, 1)


@pytest.mark.parametrize("penalty", [math.nan, math.inf, -math.inf, 1e308, -1e4, "1", None])
def test_a_length_penalty_that_no_score_survives_is_refused(tiny: Model, penalty: Any) -> None:
    cache = paged(tiny)
    with pytest.raises(ValueError, match="length_penalty must be a number, and 3 to its power"):
        beam_search(tiny.decoder, cache, [1], 2, 3, length_penalty=penalty)
    assert not cache.tables


def test_an_impossible_continuation_is_no_beam() -> None:
    # allenai/allennlp#2557, OpenNMT/OpenNMT-py#1844.
    logits = torch.tensor(
        [[0.0, -math.inf, -math.inf, 0.0], [-math.inf, 0.0, -math.inf, -math.inf]]
    )
    beams = [Beam([8], math.log(0.6)), Beam([9], math.log(0.4))]
    step = choose(beams, logits, 5, eos_ids=[3])
    assert [b.tokens for b in step.beams] == [[9, 1], [8, 0]]
    assert [b.tokens for b in step.ended] == [[8, 3]]
    assert step.parents == [1, 0]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_logits_that_are_no_numbers_are_refused(bad: float) -> None:
    logits = torch.zeros(2, 4)
    logits[1, 2] = bad
    with pytest.raises(ValueError, match="row 1 of the logits"):
        choose([Beam([], 0.0), Beam([], 0.0)], logits, 2, ())
    with pytest.raises(ValueError, match="row 0 of the logits"):
        choose([Beam([], 0.0)], torch.full((1, 4), -math.inf), 2, ())


def test_fewer_possible_continuations_than_beams(tiny: Model) -> None:
    honest = tiny.decoder.next_logits

    class Narrow:
        config, device = tiny.config, tiny.decoder.device

        def next_logits(self, *args: Any) -> torch.Tensor:
            logits = honest(*args)
            logits[:, 2:] = -math.inf
            return logits

    cache = paged(tiny)
    found = beam_search(Narrow(), cache, [5, 6], 5, 2)  # type: ignore[arg-type]
    assert sorted(beam.tokens for beam in found) == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert cache.allocator.num_free == cache.allocator.num_blocks


@pytest.mark.parametrize(
    ("prompt", "tokens", "error", "fragment"),
    [
        ([5, 999], 2, ValueError, "holds token 999"),  # vllm-project/vllm#340
        ([5, -1], 2, ValueError, "holds token -1"),
        ([1] * 8190, 4, ValueError, r"may reach 8190 \+ 4 tokens"),  # vllm-project/vllm#16445
        ([5, 6.0], 2, TypeError, "holds 6.0 where a token id"),
        ("text", 2, TypeError, "encode it first"),
        (7, 2, TypeError, "put it in brackets"),
    ],
)
def test_beam_search_checks_its_prompt_as_generate_does(
    tiny: Model, prompt: Any, tokens: int, error: type[Exception], fragment: str
) -> None:
    cache = paged(tiny)
    with pytest.raises(error, match=fragment):
        beam_search(tiny.decoder, cache, prompt, 2, tokens)
    with pytest.raises(error, match=fragment):
        generate(tiny.decoder, cache, [prompt], tokens)
    assert not cache.lengths


@pytest.mark.parametrize("failing", [2, 3, 5])
def test_an_interrupted_fork_frees_every_beam(
    tiny: Model, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    # vllm-project/vllm#17738.
    honest, calls = PagedKVCache.fork, 0

    def interrupted(self: PagedKVCache, parent: Any, child: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise KeyboardInterrupt
        honest(self, parent, child)

    monkeypatch.setattr(PagedKVCache, "fork", interrupted)
    cache = paged(tiny)
    with pytest.raises(KeyboardInterrupt):
        beam_search(tiny.decoder, cache, [5, 6, 7], 2, 6)
    assert not cache.lengths
    cache.check_invariants()
