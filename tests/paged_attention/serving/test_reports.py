"""Schedulers that went wrong in public: each report as a small input, with the right answer.

Blocks of 4 tokens unless said.
"""

from typing import Any

import pytest

from paged_attention.errors import NoProgress, RequestTooLarge
from paged_attention.serving.request import NewToken
from workbook.toy import ToyEngine, alone, toy_memory

THREE = {"A": [1] * 8, "B": [2] * 8, "C": [3] * 8}


def engine(
    num_blocks: int,
    *,
    block_size: int = 4,
    prefix: bool = False,
    host: int = 0,
    reserve: bool = False,
    **scheduling: Any,
) -> ToyEngine:
    memory = toy_memory(num_blocks, block_size, prefix=prefix, host=host, reserve=reserve)
    return ToyEngine(memory, **({"max_running": 3, "budget": 24, "spare": 0} | scheduling))


def drain(e: ToyEngine, limit: int = 400) -> list[NewToken]:
    """Step until all are done; every law holds after every step."""
    news: list[NewToken] = []
    while len(e):
        news += e.step()
        e.check()
        assert len(e.plans) < limit, "endless"
    assert e.memory.cache.allocator.num_held == 0
    return news


def texts(news: list[NewToken]) -> dict[Any, list[int | None]]:
    """Each caller's stream; a gap or a repetition is an error."""
    streams: dict[Any, list[int | None]] = {}
    for new in news:
        stream = streams.setdefault(new.request, [])
        assert new.nth == len(stream)
        stream.append(new.token)
    return streams


def play_three(e: ToyEngine, new: int = 6) -> dict[Any, list[int | None]]:
    for name, prompt in THREE.items():
        e.ask(name, prompt, new, ord(name))
    streams = texts(drain(e))
    assert streams == {name: alone(prompt, new, ord(name)) for name, prompt in THREE.items()}
    return streams


def ran(e: ToyEngine) -> int:
    return sum(request.stats.run_tokens for request in e.requests.values())


def preemptions(e: ToyEngine) -> dict[Any, int]:
    return {name: r.stats.preemptions for name, r in e.requests.items()}


@pytest.mark.parametrize("chunk", [0, 1, 3, 4, None])
def test_whether_a_row_speaks_is_not_asked_of_the_prompt(chunk: int | None) -> None:
    """GeeeekExplorer/nano-vllm#144: after a preemption the answer was taken for read."""
    play_three(engine(6, chunk=chunk))


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [({}, 59), ({"prefix": True}, 51), ({"host": 6}, 39), ({"reserve": True}, 39)],
)
def test_three_that_do_not_fit_together(kind: dict[str, Any], tokens: int) -> None:
    """byungsoo-oh/inference-sim#1091 counted said tokens again after a preemption."""
    e = engine(6, **kind)
    streams = play_three(e)
    assert ran(e) == tokens
    assert sum(map(len, streams.values())) == 18
    assert len(e.steps) == (18 if "reserve" in kind else 12)
    back = {"A": 0, "B": 1, "C": 1}
    assert preemptions(e) == (back if "reserve" not in kind else dict.fromkeys("ABC", 0))


@pytest.mark.parametrize("said", [1, 2, 3, 5])
@pytest.mark.parametrize("host", [0, 1, 8])
def test_nothing_said_is_lost_or_said_twice(said: int, host: int) -> None:
    """vllm-project/vllm#16832, #3032, #5349; sgl-project/sglang#39645: output lost, repeated or
    spliced after a preemption. vllm-project/vllm#787, #154: a full host is no reason to fail.
    """
    e = engine(12, host=host)
    e.ask("A", [1] * 8, 12, 1)
    e.ask("B", [2] * 8, 12, 2)
    news: list[NewToken] = []
    while len(e.requests["B"].answer) < said:
        news += e.step()
    e.memory.preempt(e.requests["B"])  # as a step would that needs its blocks
    e.check()
    assert len(e.requests["B"].answer) == said
    plans = len(e.plans)
    news += drain(e)
    assert texts(news) == {"A": alone([1] * 8, 12, 1), "B": alone([2] * 8, 12, 2)}
    back = next(row for row in e.plans[plans].rows if row.request.name == "B")
    assert (back.start, back.says) == ((7 + said if host == 8 else 0), True)


def test_two_that_do_not_fit_together_both_end() -> None:
    """vllm-project/vllm#28018, #25538; vllm-project/vllm-ascend#16315: in, out, in, out."""
    e = engine(8, max_running=2, budget=16)
    e.ask("A", [1] * 9, 20)
    e.ask("B", [2] * 9, 20)
    drain(e)
    assert max(preemptions(e).values()) <= 1


def test_spare_blocks_are_asked_of_newcomers_only() -> None:
    """vllm-project/vllm#255: does the watermark stop those who run?"""
    e = engine(4, spare=2)
    e.ask("A", [1] * 8, 4)
    e.step()
    assert e.memory.room() == 2
    e.ask("B", [2] * 3, 2)
    e.step()
    assert list(e.scheduler.waiting) == ["B"]
    assert e.memory.room() == 1  # A took one of the two
    drain(e)


def test_spare_blocks_do_not_stop_the_first() -> None:
    """vllm-project/vllm-ascend#12128: with a watermark nobody was ever admitted."""
    e = engine(4, spare=2)
    e.ask("A", [1] * 13, 4)
    e.step()
    assert list(e.scheduler.running) == ["A"]
    drain(e)


def test_more_spare_means_fewer_preemptions() -> None:
    """vllm-project/vllm#44594: 1,065 preemptions without head-room, 187 with 5 %."""
    counts = []
    for spare in (0, 1, 2, 4):
        e = engine(24, max_running=12, budget=32, spare=spare)
        for nth in range(30):
            e.ask(nth, [nth % 5] * (1 + nth % 7), 10 + nth % 9, nth)
        drain(e)
        counts.append(sum(preemptions(e).values()))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 2 * counts[-1]


def test_who_can_never_fit_is_refused_at_once() -> None:
    """vllm-project/vllm#39734, byungsoo-oh/inference-sim#568: it waited for ever; the guard forgot
    the answer. torch-spyre/sendnn-inference#332: the last token was counted, and is never run.
    """
    e = engine(4)
    with pytest.raises(RequestTooLarge, match=r"13 \+ 5 tokens, which takes 5 blocks.* has 4"):
        e.ask("X", [1] * 13, 5)
    assert not len(e)
    assert not e.requests
    e.ask("Y", [1] * 12, 5)
    e.ask("Z", [1] * 16, 1)
    assert {name: len(text) for name, text in texts(drain(e)).items()} == {"Y": 5, "Z": 1}


def test_who_can_never_fit_harms_nobody_else() -> None:
    """m87-labs/kestrel#135: one request that could not be placed ended the engine for all."""
    e = engine(4)
    e.ask("A", [1] * 5, 5, 1)
    news = e.step()
    with pytest.raises(RequestTooLarge):
        e.ask("X", [1] * 40, 1)
    e.ask("B", [2] * 5, 5, 2)
    streams = texts(news + drain(e))
    assert streams["A"] == alone([1] * 5, 5, 1)
    assert streams["B"] == alone([2] * 5, 5, 2)


@pytest.mark.parametrize("chunk", [1, 2, 4])
def test_half_read_prompts_do_not_hold_each_other(chunk: int) -> None:
    """vllm-project/vllm#45388, #57104; gty111/gLLM#290."""
    e = engine(4, max_running=2, budget=8, chunk=chunk)
    e.ask("A", [1] * 12, 1)
    e.ask("B", [2] * 12, 1)
    e.step()
    assert list(e.scheduler.waiting) == ["B"]
    drain(e)
    assert ran(e) == 24
    assert set(preemptions(e).values()) == {0}


@pytest.mark.parametrize("chunk", [None, 0, 1])
def test_a_prompt_longer_than_the_budget_is_served(chunk: int | None) -> None:
    """vllm-project/vllm-metal#199, #200; vllm-project/vllm#328: it was never scheduled."""
    e = engine(10, max_running=2, budget=4, chunk=chunk)
    e.ask("A", [1] * 30, 2, 1)
    assert texts(drain(e)) == {"A": alone([1] * 30, 2, 1)}


def test_nobody_overtakes_one_that_is_too_big_for_now() -> None:
    """vllm-project/vllm#31731, #33499, #35852: whoever skips the head of the queue starves it."""
    e = engine(10, max_running=4)
    e.ask("runs", [0] * 17, 8)
    e.step()
    e.ask("big", [1] * 33, 4)
    e.ask("small", [2] * 3, 2)
    order = [name for _ in iter(lambda: len(e), 0) for name in (e.step(), e.plans[-1].admitted)[1]]
    assert order == ["big", "small"]


def test_the_preempted_one_is_the_next_to_return() -> None:
    """vllm-project/vllm#41951: it lost its place to others. guoqingbao/xinfer#69: to nobody, it was
    in no queue any more.
    """
    for host in (0, 8):
        e = engine(6, host=host)
        for name, prompt in THREE.items():
            e.ask(name, prompt, 6)
        while not e.requests["C"].stats.preemptions:
            e.step()
        e.ask("D", [4] * 2, 2)
        assert list(e.scheduler.waiting) == ["C", "D"]
        plans = len(e.plans)
        drain(e)
        admitted = [name for step in e.plans[plans:] for name in step.admitted]
        assert [name for name in admitted if name != "B"][:2] == ["C", "D"]


def test_tokens_are_counted_after_the_prefix_is_attached() -> None:
    """GeeeekExplorer/nano-vllm#207, #210, #211."""
    e = engine(20, prefix=True, budget=40)
    e.ask("A", [1] * 29, 3)
    e.step()
    e.step()
    e.ask("B", [1] * 29, 3)
    e.step()
    row = e.plans[-1].rows[-1]
    assert (row.request.name, row.start, len(row.tokens)) == ("B", 28, 1)
    assert len(e.memory.cache.tables["B"]) == 8
    assert e.requests["B"].stats.cached_tokens == 28
    drain(e)


def test_a_return_is_no_hit() -> None:
    """vllm-project/vllm#25780, #25787: 30 % hit rate where 0.2 % were shared."""
    e = engine(6, prefix=True)
    play_three(e)
    prefix = e.memory.prefix
    assert prefix is not None
    assert prefix.stats.hit_tokens == 0
    assert {r.stats.cached_tokens for r in e.requests.values()} == {0}


def test_who_is_refused_after_a_match_holds_nothing() -> None:
    """jundot/omlx#1450: references of the match were never given back."""
    e = engine(6, prefix=True)
    e.ask("A", [1] * 12, 4)
    e.step()
    e.ask("B", [1] * 8 + [2] * 14, 2)
    for _ in range(3):
        before = list(e.memory.cache.allocator.refs)
        assert not e.memory.can_begin(e.requests["B"], 0)
        assert e.memory.cache.allocator.refs == before
        e.step()
    drain(e)


def test_hits_that_nobody_holds_are_room_only_once() -> None:
    """vllm-project/vllm#37076: they were counted as room for the very request that takes them."""
    e = engine(6, prefix=True)
    e.ask("old", [1] * 8, 1)
    drain(e)
    assert e.memory.cache.allocator.num_cached == 2
    e.ask("runs", [2] * 5, 3)
    e.step()
    assert e.memory.room() == 4
    e.ask("new", [1] * 8 + [3] * 12, 1)  # two hits and three more blocks
    assert not e.memory.can_begin(e.requests["new"], 0)
    drain(e)


@pytest.mark.parametrize("prefix", [False, True])
def test_each_sharer_of_a_block_copies_it(prefix: bool) -> None:
    """vllm-project/vllm#5578 asks for one copy; here each has its own, a limit that is told."""
    e = engine(12, host=30, prefix=prefix, max_running=4)
    e.ask("A", [1] * 38, 2, samples=3)
    e.step()
    e.step()
    for name in ("A", ("A", 1), ("A", 2)):
        e.memory.preempt(e.requests[name])
    host = e.memory.host
    assert host is not None
    assert host.allocator.num_held == 30
    drain(e)
    assert host.allocator.num_held == 0


@pytest.mark.parametrize("state", ["waiting", "reading", "speaking", "preempted"])
@pytest.mark.parametrize("samples", [1, 2])
def test_an_abort_leaves_nothing_behind(state: str, samples: int) -> None:
    """vllm-project/vllm#46283, #32255; vllm-project/vllm-ascend#16662: blocks and copies leaked.
    sgl-project/sglang#21173, vllm-project/vllm#25067: aborting twice, or nobody, was an error.
    """
    e = engine(8, host=8, budget=6)
    e.ask("A", [1] * 10, 5, samples=samples)
    if state != "waiting":
        for _ in range({"reading": 1, "speaking": 3, "preempted": 3}[state]):
            e.step()
    if state == "preempted":
        e.memory.preempt(list(e.scheduler.running.values())[-1])
    assert e.abort("A")
    assert not e.abort("A")
    assert not e.abort("nobody")
    assert not len(e)
    e.check()
    allocator, host = e.memory.cache.allocator, e.memory.host
    assert host is not None
    assert (allocator.num_free, host.allocator.num_free) == (8, 8)
    assert {r.finish for r in e.requests.values()} == {"abort"}
    e.ask("A", [1] * 3, 2, 7)
    assert texts(drain(e)) == {"A": alone([1] * 3, 2, 7)}


def test_blocks_run_out_for_one_not_for_the_batch() -> None:
    """Avarok-Cybersecurity/atlas#375: a missing block was an error for all; the others go on."""
    e = engine(6)
    play_three(e)
    step = next(step for step in e.plans if step.preempted)
    assert [row.request.name for row in step.rows] == ["A", "B"]


def test_all_who_are_stalled_are_helped_in_one_plan() -> None:
    """huggingface/transformers#43150, #46587: one eviction a step, and the others stalled."""
    e = engine(4, max_running=4)
    for nth in range(4):
        e.ask(nth, [nth] * 4, 4, nth)
    e.step()
    assert e.memory.room() == 0  # and all four need a block now
    e.step()
    assert [row.request.name for row in e.plans[-1].rows] == [0, 1]
    assert e.plans[-1].preempted == [3, 2]
    drain(e)


def test_a_copy_is_whole_before_its_blocks_go_to_others() -> None:
    """ddh0/DingoCache#76, sgl-project/sglang#33547: they were written to while being copied."""
    e = engine(6, host=6)
    play_three(e)
    assert sum(r.stats.swaps for r in e.requests.values()) == 2


@pytest.mark.parametrize(("salt", "found"), [(None, 8), ("x", 0)])
def test_salts_never_meet(salt: str | None, found: int) -> None:
    """vllm-project/vllm#16016 (CVE-2025-46570): a neighbour's prompt showed in the time."""
    e = engine(12, prefix=True)
    e.ask("A", [1] * 9, 2)
    drain(e)
    e.ask("B", [1] * 9, 2, salt=salt)
    drain(e)
    assert e.requests["B"].stats.cached_tokens == found


def test_one_prompt_twice_in_one_step_shares_nothing_unwritten() -> None:
    """Avarok-Cybersecurity/atlas#902: found before it was computed."""
    e = engine(12, prefix=True)
    e.ask("A", [1] * 9, 3, 1)
    e.ask("B", [1] * 9, 3, 1)
    assert texts(drain(e)) == {"A": alone([1] * 9, 3, 1), "B": alone([1] * 9, 3, 1)}
    assert e.requests["B"].stats.cached_tokens == 0


def test_blocks_held_outside_are_named() -> None:
    """Nobody waits for ever without being told why, and nothing changes."""
    e = engine(6)
    e.memory.cache.create("outsider")
    e.memory.cache.reserve("outsider", 20)
    e.ask("A", [1] * 4, 4)
    e.step()  # one block is left, A fills it
    before = e.requests["A"].tokens.copy(), list(e.memory.cache.allocator.refs)
    with pytest.raises(NoProgress, match="Somebody outside this scheduler"):
        e.step()
    assert (e.requests["A"].tokens, e.memory.cache.allocator.refs) == before
    e.memory.cache.free("outsider")
    assert len(drain(e)) == 3
