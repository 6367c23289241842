"""A whole serving run on a CPU copies no history together: every step reads through the tables."""

from collections import Counter
from collections.abc import Hashable
from typing import Any

import pytest
import torch

from paged_attention import attention, kernels
from paged_attention.batch_tables import BatchTables
from paged_attention.beam import beam_search
from paged_attention.cache import PagedKVCache
from paged_attention.generate import generate
from paged_attention.kernels import cpu, gather, prefill_gather
from paged_attention.model import Model, tiny_model
from paged_attention.prefix import PrefixCache
from paged_attention.sampling import Sampling
from paged_attention.serving import ragged
from paged_attention.serving.engine import Engine
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.swap import HostStore

COPIES = (
    (BatchTables, "gather"),
    (ragged.RaggedStep, "_gathered"),
    (gather, "decode"),
    (prefill_gather, "prefill"),
    (attention, "attend"),
)


@pytest.fixture(scope="module")
def tiny() -> Model:
    return tiny_model()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each kernel was called, and each way that copies a history."""
    found: Counter[str] = Counter()

    def counted(name: str, call: Any) -> Any:
        def counting(*args: Any, **kwargs: Any) -> Any:
            found[name] += 1
            return call(*args, **kwargs)

        return counting

    for owner, name in COPIES:
        monkeypatch.setattr(owner, name, counted(name, getattr(owner, name)))
    for kernel in (cpu, kernels.prefill_cpu):
        name = kernel.__name__.rpartition(".")[2]
        attend = "decode" if kernel is cpu else "prefill"
        monkeypatch.setattr(kernel, attend, counted(name, getattr(kernel, attend)))
    return found


def cache_of(model: Model, blocks: int, **kernel: Any) -> PagedKVCache:
    config = model.config
    return PagedKVCache(config.layers, blocks, 4, config.kv_heads, config.head_dim, **kernel)


def serve(model: Model, cache: PagedKVCache) -> dict[Hashable, list[int]]:
    """Hits, samples, chunks, a request that gives way to others and returns from host memory."""
    memory = PagedMemory(cache, PrefixCache(cache), HostStore(cache, 10))
    engine = Engine(model.decoder, memory, max_running=5, budget=9, chunk=6, spare=0)
    draw = torch.Generator().manual_seed(0)
    shared = torch.randint(3, 250, (9,), generator=draw).tolist()
    for at in range(5):
        own = torch.randint(3, 250, (at + 1,), generator=draw).tolist()
        sampling = Sampling(temperature=1.0, seed=at)
        engine.submit(shared + own, 12, samples=1 + at % 2, sampling=sampling, name=at)
    found: dict[Hashable, list[int]] = {}
    while len(engine):
        for news in engine.step():
            assert news.token is not None
            found.setdefault(news.request, []).append(news.token)
    assert sum(step.preempted for step in engine.steps)
    return found


@pytest.mark.skipif(cpu.find_compiler() is None, reason="without a compiler all is gathered")
def test_a_serving_run_gathers_nothing(tiny: Model, calls: Counter[str]) -> None:
    in_place = serve(tiny, cache_of(tiny, 14))
    assert not {name for _, name in COPIES} & set(calls), calls
    assert calls["cpu"] > 0
    assert calls["prefill_cpu"] > 0
    gathered = serve(tiny, cache_of(tiny, 14, decode=None, prefill=None))
    assert calls["_gathered"] > 0  # the counter counts
    assert gathered == in_place


@pytest.mark.skipif(cpu.find_compiler() is None, reason="without a compiler all is gathered")
def test_neither_do_samples_and_beams(tiny: Model, calls: Counter[str]) -> None:
    prompt = [5, 6, 7, 8, 9, 10, 11]
    cache = cache_of(tiny, 40)
    generate(tiny.decoder, cache, [prompt, prompt[:3]], 5, samples=3)
    beam_search(tiny.decoder, cache, prompt, 5, 3)
    assert not {name for _, name in COPIES} & set(calls), calls
    assert calls["cpu"] > 0
    assert calls["prefill_cpu"] > 0
