"""Many requests and too little memory: the same load served in five ways."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from paged_attention.serving.load import Arrival
from workbook.demos.base import Demo, Result, positive
from workbook.demos.implementation import BadImplementation, Implementation
from workbook.loads import POLICIES, Outcome, Policy, conversations, outcome, simulate

LONGEST = 512  # tokens of the longest request


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--requests", type=positive, default=150)
    parser.add_argument("--rate", type=float, default=1.2, help="requests a second")
    parser.add_argument("--num-blocks", type=positive, default=64)
    parser.add_argument("--block-size", type=positive, default=16, help="tokens in a block")
    parser.add_argument("--budget", type=positive, default=64, help="tokens run in one step")
    parser.add_argument("--spare", type=float, default=1, help="blocks left free for each request")
    parser.add_argument("--shared", type=int, default=32, help="tokens that all prompts begin with")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--measure", action="store_true", help="run the model and a stopwatch; takes minutes"
    )
    parser.add_argument("--tiny", action="store_true", help="with --measure: the tiny random model")


def _run(args: argparse.Namespace, impl: Implementation) -> Result:
    if impl.file is not None:
        raise BadImplementation("the load demo runs the finished engine; leave --impl out")
    load = conversations(
        args.requests,
        args.rate,
        seed=args.seed,
        shared=args.shared,
        longest_prompt=LONGEST - 128 - args.shared,
    )
    serve = _measured(args) if args.measure else _reckoned(args)
    rows = []
    for policy in POLICIES:
        tell = _progress(policy.name)
        rows.append(_row(policy, serve(policy, load, tell)))
        _clear()
    return {
        "demo": "load",
        "clock": "measured" if args.measure else "reckoned",
        "requests": len(load),
        "rate": args.rate,
        "prompt_tokens": sum(len(arrival.prompt) for arrival in load),
        "answer_tokens": sum(arrival.says for arrival in load),
        "num_blocks": args.num_blocks,
        "block_size": args.block_size,
        "policies": rows,
    }


Serve = Callable[[Policy, Sequence[Arrival], Callable[[int, int], None]], Outcome]


def _reckoned(args: argparse.Namespace) -> Serve:
    def serve(policy: Policy, load: Sequence[Arrival], tell: Callable[[int, int], None]) -> Outcome:
        return simulate(
            policy,
            load,
            args.num_blocks,
            block_size=args.block_size,
            longest=LONGEST,
            budget=args.budget,
            spare=args.spare,
            tell=tell,
        )

    return serve


def _measured(args: argparse.Namespace) -> Serve:
    import time

    from paged_attention.cache import PagedKVCache
    from paged_attention.model import load_model, tiny_model
    from paged_attention.serving import Clock, Engine, serve

    model = tiny_model() if args.tiny else load_model()
    c = model.config

    def run(policy: Policy, load: Sequence[Arrival], tell: Callable[[int, int], None]) -> Outcome:
        cache = PagedKVCache(c.layers, args.num_blocks, args.block_size, c.kv_heads, c.head_dim)
        clock = Clock(time.perf_counter)
        memory = policy.memory(cache, LONGEST)
        engine = Engine(model.decoder, memory, clock=clock, budget=args.budget, spare=args.spare)
        serve(engine, load, clock, tell)
        return outcome(engine, clock())

    return run


def _row(policy: Policy, found: Outcome) -> dict[str, Any]:
    s = found.summary
    return {
        "name": policy.name,
        "seconds": round(s.seconds, 1),
        "tokens_per_second": round(s.tokens_per_second, 1),
        "batch": round(found.batch, 1),
        "peak": found.peak,
        "ttft_p50": _rounded(s.ttft_p50),
        "ttft_p99": _rounded(s.ttft_p99),
        "gap_p50": _rounded(s.gap_p50, 3),
        "gap_p99": _rounded(s.gap_p99, 3),
        "longest_gap": _rounded(s.longest_gap),
        "preemptions": s.preemptions,
        "run_tokens": s.run_tokens,
    }


def _rounded(value: float | None, digits: int = 1) -> float | None:
    return None if value is None else round(value, digits)


def _progress(name: str) -> Callable[[int, int], None]:
    """On a terminal one line that is written over; nothing where it would be kept."""

    def tell(ended: int, of: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{name}: {ended} of {of} requests", end="", file=sys.stderr, flush=True)

    return tell


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _text(result: Result) -> str:
    heads = ("tokens/s", "batch", "TTFT p50, p99 s", "gap p50, p99, longest s", "preempted", "run")
    lines = [
        f"{result['requests']} requests, {result['rate']:g} a second, "
        f"{result['prompt_tokens']:,} prompt and {result['answer_tokens']:,} answer tokens; "
        f"{result['num_blocks']} blocks of {result['block_size']} for each way.",
        f"Time is {result['clock']}.",
        "",
        f"{'':<24}{heads[0]:>9}{heads[1]:>7}{heads[2]:>17}{heads[3]:>25}{heads[4]:>11}{heads[5]:>9}",
    ]
    for row in result["policies"]:
        waits = f"{_said(row['ttft_p50'])}, {_said(row['ttft_p99'])}"
        gaps = ", ".join(_said(row[key]) for key in ("gap_p50", "gap_p99", "longest_gap"))
        lines.append(
            f"{row['name']:<24}{row['tokens_per_second']:>9.1f}{row['batch']:>7.1f}{waits:>17}"
            f"{gaps:>25}{row['preemptions']:>11}{row['run_tokens']:>9,}"
        )
    return "\n".join(lines)


def _said(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


DEMO = Demo("one load, served in five ways from the same memory", _add_options, _run, _text)
