"""``python -m paged_attention load``: send requests to a server and say how it did."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paged_attention.load_client.plan import Planned
    from paged_attention.load_client.run import Run

HELP = "send a load to any server of the OpenAI protocol and measure it"
ENDINGS = (".png", ".svg", ".pdf")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where to, which requests, how they are asked, and what is written."""
    to = parser.add_argument_group("where to")
    to.add_argument("--base-url", required=True, metavar="URL", help="http://HOST:PORT, or …/v1")
    to.add_argument("--model", default="", help="by default the only one that is served")
    to.add_argument("--api", choices=("completions", "chat"), default="completions")
    to.add_argument("--api-key", metavar="KEY", help="by default $OPENAI_API_KEY, if it is set")

    load = parser.add_argument_group("which requests")
    load.add_argument(
        "--recorded",
        type=Path,
        metavar="FILE",
        help="JSON lines: time, prompt or tokens, max_tokens",
    )
    load.add_argument("--requests", type=_positive, default=100, metavar="N")
    load.add_argument(
        "--rate", type=_rate, metavar="R", help="requests a second, 1 by default; inf: all at once"
    )
    load.add_argument("--prompt-words", type=_positive, default=64, metavar="N")
    load.add_argument(
        "--shared-words", type=_count, default=0, metavar="N", help="that all prompts begin with"
    )
    load.add_argument("--max-tokens", type=_positive, default=64, metavar="N")
    load.add_argument("--seed", type=int, default=0)

    ask = parser.add_argument_group("how they are asked")
    ask.add_argument(
        "--ignore-eos", action="store_true", help="answers of full length, where that is known"
    )
    ask.add_argument("--no-usage", action="store_true", help="for servers without stream_options")
    ask.add_argument("--temperature", type=float, default=0.0)
    ask.add_argument(
        "--retry",
        type=_count,
        default=0,
        metavar="N",
        help="tries after a 429, as Retry-After says",
    )
    ask.add_argument("--timeout", type=_seconds, default=600.0, metavar="S", help="a request")
    ask.add_argument("--warmup", type=_count, default=1, metavar="N", help="unmeasured requests")

    out = parser.add_argument_group("what is written")
    out.add_argument("--out", type=Path, metavar="FILE.json", help="figures and every request")
    out.add_argument("--plot", type=_picture, metavar="FILE.png", help="also .svg, .pdf")


def run(args: argparse.Namespace) -> int:
    """Send the load and print the table; 0 if nothing failed (a 429 is no failure).

    Interrupted, it reports on the requests that have ended, and returns 130.
    """
    from paged_attention.load_client.plan import BadLoad
    from paged_attention.load_client.report import summarize, table
    from paged_attention.load_client.target import TargetError

    try:
        plan = _plan(args)
        done = _send(args, plan)
    except (BadLoad, TargetError) as error:
        print(f"load stopped: {error}", file=sys.stderr)
        return 1
    found = summarize(done)
    print(table(found))
    _write(args, done)
    if len(done.outcomes) < len(plan):
        print(f"\nstopped: {len(done.outcomes)} of {len(plan)} requests had ended", file=sys.stderr)
        return 130
    return 0 if found["answered"] and not found["failed"] else 1


def _write(args: argparse.Namespace, done: "Run") -> None:
    """The files that were asked for."""
    if args.out is not None:
        from paged_attention.load_client.report import full_report

        args.out.write_text(json.dumps(full_report(done), ensure_ascii=False, indent=1) + "\n")
    if args.plot is not None:
        from paged_attention.load_client.plot import plot

        plot(done, args.plot)


def _plan(args: argparse.Namespace) -> "list[Planned]":
    from paged_attention.load_client.plan import drawn, recorded

    if args.recorded is not None:
        return recorded(args.recorded, max_tokens=args.max_tokens, rate=args.rate, seed=args.seed)
    return drawn(
        args.requests,
        args.rate or 1.0,
        words=args.prompt_words,
        shared=args.shared_words,
        max_tokens=args.max_tokens,
        seed=args.seed,
    )


def _send(args: argparse.Namespace, plan: "list[Planned]") -> "Run":
    """The run; of one that is interrupted, what had ended."""
    import asyncio
    from dataclasses import replace

    from paged_attention.load_client.answer import Outcome
    from paged_attention.load_client.run import Run, send
    from paged_attention.load_client.target import Target, base_of

    target = Target(
        base_of(args.base_url),
        model=args.model,
        api=args.api,
        key=args.api_key or os.environ.get("OPENAI_API_KEY"),
        ignore_eos=args.ignore_eos,
        usage=not args.no_usage,
        temperature=args.temperature,
        timeout=args.timeout,
    )
    outcomes: list[Outcome] = []

    def ended(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if sys.stderr.isatty():
            end = "\n" if len(outcomes) == len(plan) else ""
            print(f"\r{len(outcomes)} of {len(plan)} ended ", end=end, file=sys.stderr, flush=True)

    try:
        return asyncio.run(send(target, plan, warmup=args.warmup, retries=args.retry, ended=ended))
    except KeyboardInterrupt:
        if not outcomes:
            raise
        return Run(replace(target, model=target.model or "the only model"), outcomes)


def _count(text: str) -> int:
    return _whole(text, 0)


def _positive(text: str) -> int:
    return _whole(text, 1)


def _whole(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"a whole number from {least} on, got {text!r}")
    return value


def _above_zero(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{what} is a number above 0, got {text!r}")
    return value


def _rate(text: str) -> float:
    return _above_zero(text, "a rate")


def _seconds(text: str) -> float:
    return _above_zero(text, "a time")


def _picture(text: str) -> Path:
    file = Path(text)
    if file.suffix not in ENDINGS:
        raise argparse.ArgumentTypeError(f"a picture ends in {', '.join(ENDINGS)}, got {text!r}")
    return file
