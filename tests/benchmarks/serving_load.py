"""Serve SmolLM2 under load: this engine's ways beside transformers', equal memory, one run.

    in tests/:  python -m benchmarks.serving_load [--requests N] [--threads N] [--out FILE.json]

Two parts. *poisson*: requests arrive by chance, and each way of this engine serves them. *at once*:
all are there from the beginning, and transformers takes part, with ``generate`` in fixed batches
and with its continuous batching. Everybody has the same bytes of keys and values, and must say the
same texts. With ``--out`` a part that is in the file already is not run again.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import torch
from benchmarks import machine, serving_peers

from paged_attention.cache import PagedKVCache
from paged_attention.model import Model, load_model
from paged_attention.serving import Arrival, Clock, Engine, poisson, serve
from workbook.loads import POLICIES, Policy, outcome
from workbook.workloads import CONVERSATION, length_at

CHAPTERS = Path(__file__).parents[2] / "chapters" / "source"
BLOCK_SIZE = 16
AT_ONCE = ("reserve what was asked", "paged", "paged + prefix cache")


@dataclass(frozen=True)
class Setting:
    """Prompts have ``shared`` tokens in common; everybody asks for ``cap`` tokens."""

    requests: int = 16
    rate: float = 0.8
    num_blocks: int = 48
    cap: int = 48
    shared: int = 64
    longest: int = 304
    budget: int = 64
    spare: float = 0.5


def make_load(model: Model, setting: Setting) -> list[Arrival]:
    """The book's own words as prompts, their lengths the conversation trace's divided by 12."""
    text = model.tokenizer.encode("".join(p.read_text() for p in sorted(CHAPTERS.glob("0[1-5]*"))))
    draw = random.Random(0)
    load = []
    for time in poisson(setting.requests, setting.rate):
        length = min(192, max(4, length_at(CONVERSATION.prompt, draw.random()) // 12))
        says = min(setting.cap, max(2, length_at(CONVERSATION.answer, draw.random()) // 6))
        start = draw.randrange(len(text) - 400)
        prompt = (*text[: setting.shared], *text[start : start + length])
        load.append(Arrival(time, prompt, setting.cap, says))
    return load


def engine_for(model: Model, setting: Setting, policy: Policy, clock: Clock) -> Engine:
    c = model.config
    cache = PagedKVCache(c.layers, setting.num_blocks, BLOCK_SIZE, c.kv_heads, c.head_dim)
    memory = policy.memory(cache, setting.longest)
    return Engine(model.decoder, memory, clock=clock, budget=setting.budget, spare=setting.spare)


def ours(
    model: Model,
    setting: Setting,
    policy: Policy,
    load: Sequence[Arrival],
    read: Callable[[], float],
) -> tuple[dict[str, Any], list[list[int]]]:
    """Figures and texts of this engine."""
    clock = Clock(read)
    engine = engine_for(model, setting, policy, clock)
    serve(engine, load, clock)
    found = outcome(engine, clock())
    figures = {
        key: round(value, 4) if isinstance(value, float) else value
        for key, value in found.summary._asdict().items()
    }
    figures |= {"batch": round(found.batch, 2), "peak": found.peak, "steps": len(engine.steps)}
    return figures, [request.answer for request in engine.requests.values()]


class Report:
    """What has been measured so far, written after each contestant."""

    def __init__(self, out: Path | None, setting: Setting, kv_bytes: int) -> None:
        self.out = out
        self.found: dict[str, Any] = machine.described() | {
            "setting": setting.__dict__,
            "KV bytes for each": kv_bytes,
            "results": {},
            "texts": {},  # token ids of the first contestant's answers
        }
        if out is not None and out.exists():
            before = json.loads(out.read_text())
            if before["setting"] != setting.__dict__:
                raise SystemExit(f"{out} holds another setting; name another file")
            self.found = before

    def measure(
        self, part: str, name: str, run: Callable[[], tuple[dict[str, Any], list[list[int]]]]
    ) -> None:
        """Run unless it is there; the first contestant's texts are the measure of all."""
        results = self.found["results"].setdefault(part, {})
        if name in results:
            return
        figures, answers = run()
        texts = [" ".join(map(str, answer)) for answer in answers]
        right = self.found["texts"].setdefault("all", texts)
        figures["texts that differ"] = sum(a != b for a, b in zip(texts, right, strict=True))
        results[name] = figures
        print(part, name, figures, file=sys.stderr, flush=True)
        if self.out is not None:
            self.out.write_text(json.dumps(self.found, indent=2) + "\n")


def main() -> None:
    """Run what is missing and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=Setting.requests)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu", action="store_true", help="count CPU seconds: a shared machine")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    setting = replace(Setting(), requests=options.requests)
    model = load_model()
    load = make_load(model, setting)
    read = process_time if options.cpu else perf_counter
    tokens = setting.num_blocks * BLOCK_SIZE
    report = Report(options.out, setting, tokens * model.config.kv_bytes_per_token())
    report.found["clock"] = "CPU seconds" if options.cpu else "seconds"
    for policy in POLICIES:
        report.measure("poisson", policy.name, lambda p=policy: ours(model, setting, p, load, read))
    at_once = [replace(arrival, time=0.0) for arrival in load]
    for policy in POLICIES:
        if policy.name not in AT_ONCE:
            continue
        report.measure(
            "at once", policy.name, lambda p=policy: ours(model, setting, p, at_once, read)
        )
    peers = serving_peers.Peers(at_once, tokens, BLOCK_SIZE, setting.longest, setting.budget, read)
    for name, run in peers.present().items():
        report.measure("at once", name, run)
    if options.out is None:
        print(json.dumps(report.found, indent=2))


if __name__ == "__main__":
    main()
