"""``python -m paged_attention serve``."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HELP = "serve a model on this machine over the OpenAI protocol"
KEY_VARIABLE = "PAGED_ATTENTION_API_KEY"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to ``parser``."""
    parser.formatter_class = argparse.ArgumentDefaultsHelpFormatter
    where = parser.add_argument_group("where")
    where.add_argument("--host", default="127.0.0.1", help="address; 0.0.0.0 is open to others")
    where.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    where.add_argument(
        "--api-key",
        metavar="KEY",
        default=argparse.SUPPRESS,
        help=f"key that callers must send; also from {KEY_VARIABLE}, which other users of this "
        "machine can't see",
    )
    what = parser.add_argument_group("what")
    what.add_argument(
        "--model", type=Path, metavar="FOLDER", help="a local checkpoint; SmolLM2 if not given"
    )
    what.add_argument("--tiny", action="store_true", help="the tiny random model")
    what.add_argument("--served-model-name", metavar="NAME", help="what clients call it")
    memory = parser.add_argument_group("memory")
    memory.add_argument("--num-blocks", type=_positive, default=1024, help="blocks of the pool")
    memory.add_argument("--block-size", type=_positive, default=16, help="tokens of a block")
    memory.add_argument("--host-blocks", type=_count, default=0, help="blocks for preempted ones")
    memory.add_argument("--no-prefix-cache", action="store_true", help="reuse no prompt's blocks")
    steps = parser.add_argument_group("steps")
    steps.add_argument("--max-running", type=_positive, default=16, help="answers run at once")
    steps.add_argument("--max-queue", type=_count, default=256, help="answers that may wait")
    steps.add_argument("--budget", type=_positive, default=64, help="tokens of a step")
    steps.add_argument("--chunk", type=_count, help="those of one prompt; 0 never cuts one")
    limits = parser.add_argument_group("limits")
    limits.add_argument("--time-limit", type=float, help="seconds after which an answer is ended")
    limits.add_argument("--drain-limit", type=float, default=30.0, help="seconds a stop waits")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"can't be negative, got {number}")
    return number


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes; 0 after a graceful stop, 1 if it could not begin."""
    from paged_attention.errors import PagedAttentionError
    from paged_attention.server.server import AddressTaken
    from paged_attention.server.settings import Settings

    try:
        settings = Settings(
            host=args.host,
            port=args.port,
            api_key=getattr(args, "api_key", os.environ.get(KEY_VARIABLE)),
            model_name=args.served_model_name,
            max_queue=args.max_queue,
            time_limit=args.time_limit,
            drain_limit=args.drain_limit,
        )
        return asyncio.run(_serve(settings, lambda: _load(args)))
    except (PagedAttentionError, OSError, ValueError) as error:
        print(error.args[-1] if isinstance(error, AddressTaken) else error, file=sys.stderr)
        return 1


def _load(args: argparse.Namespace) -> Any:
    from paged_attention.model import load_model, tiny_model
    from paged_attention.server.building import build_engine

    model = tiny_model() if args.tiny else load_model(args.model)
    engine = build_engine(
        model,
        num_blocks=args.num_blocks,
        block_size=args.block_size,
        host_blocks=args.host_blocks,
        prefix_cache=not args.no_prefix_cache,
        max_running=args.max_running,
        budget=args.budget,
        chunk=args.chunk,
    )
    return model, engine


async def _serve(settings: Any, load: Callable[[], Any]) -> int:
    from paged_attention.server.server import Server

    server = Server(settings)
    server.open()
    _say(f"listening on {server.url}; loading the model …")
    signals: asyncio.Queue[None] = asyncio.Queue()
    _on_signals(lambda: signals.put_nowait(None))
    loading = asyncio.ensure_future(server.load_and_serve(load))
    stopping = asyncio.ensure_future(signals.get())
    await asyncio.wait({loading, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if loading.done():
        loading.result()
        _say(f"{server.service.ready().name} is ready at {server.url}/v1 (Ctrl-C stops)")
        await stopping
    _say("stopping: answers under way are finished, new ones are refused; once more ends them now")
    hurry = asyncio.ensure_future(signals.get())
    hurry.add_done_callback(lambda done: None if done.cancelled() else server.hurry())
    await server.stop()
    hurry.cancel()
    return 0


def _on_signals(call: Callable[[], None]) -> None:
    """``call`` on the event loop for each SIGINT and SIGTERM."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, call)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(call))


def _say(line: str) -> None:
    print(line, flush=True)
