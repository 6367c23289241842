"""``python -m paged_attention serve``."""

import argparse
import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paged_attention.errors import PagedAttentionError

if TYPE_CHECKING:
    from paged_attention.server.settings import Settings

HELP = "serve a model on this machine over the OpenAI protocol"
KEY_VARIABLE = "PAGED_ATTENTION_API_KEY"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to ``parser``."""
    where = parser.add_argument_group("where")
    where.add_argument("--host", default="127.0.0.1", help="address; %(default)s unless given")
    where.add_argument("--port", type=int, default=8000, help="0 takes a free one (%(default)s)")
    where.add_argument(
        "--api-key",
        metavar="KEY",
        help="key that callers must send; needed for a host that other machines reach. The "
        f"variable {KEY_VARIABLE} does the same, and no list of processes shows it",
    )
    what = parser.add_argument_group("what")
    which = what.add_mutually_exclusive_group()
    which.add_argument(
        "--model", type=Path, metavar="FOLDER", help="a local checkpoint (SmolLM2-135M-Instruct)"
    )
    which.add_argument("--tiny", action="store_true", help="the tiny random model, for a try")
    what.add_argument("--served-model-name", metavar="NAME", help="what clients call it")
    memory = parser.add_argument_group("memory")
    _number(memory, "--num-blocks", 512, "blocks of the pool")
    _number(memory, "--block-size", 16, "tokens of a block")
    _number(memory, "--host-blocks", 0, "blocks of host memory, for those who are preempted")
    memory.add_argument("--no-prefix-cache", action="store_true", help="run every prompt whole")
    steps = parser.add_argument_group("steps")
    _number(steps, "--max-running", 16, "answers that run at once")
    _number(steps, "--max-queue", 256, "answers that may wait; others hear 429")
    _number(steps, "--budget", 64, "tokens of a step")
    _number(steps, "--chunk", None, "those of one prompt at most, 0 never cuts one (the budget)")
    limits = parser.add_argument_group("limits, in seconds")
    limits.add_argument("--time-limit", type=float, metavar="S", help="of an answer (none)")
    limits.add_argument(
        "--drain-limit", type=float, default=30.0, metavar="S", help="of a stop (%(default)g)"
    )


def _number(group: "argparse._ArgumentGroup", name: str, default: int | None, what: str) -> None:
    given = "" if default is None else " (%(default)s)"
    group.add_argument(name, type=int, default=default, metavar="N", help=what + given)


def run(args: argparse.Namespace) -> int:
    """Serve until a signal comes; 0 after a graceful stop, 1 if it could not begin."""
    from paged_attention.server.settings import Settings
    from paged_attention.server.sockets import AddressTaken, bound

    try:
        settings = Settings(
            host=args.host,
            port=args.port,
            api_key=os.environ.get(KEY_VARIABLE) if args.api_key is None else args.api_key,
            model_name=args.served_model_name,
            max_queue=args.max_queue,
            time_limit=args.time_limit,
            drain_limit=args.drain_limit,
        )
        sockets = bound(settings.host, settings.port)
        return asyncio.run(_serve(settings, sockets, lambda: _load(args)))
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


async def _serve(
    settings: "Settings", sockets: Sequence[socket.socket], load: Callable[[], Any]
) -> int:
    from paged_attention.server.server import Server

    server = Server(settings, sockets)
    server.open()
    _say(f"listening on {server.url}; loading the model …")
    signals: asyncio.Queue[None] = asyncio.Queue()
    _on_signals(lambda: signals.put_nowait(None))
    loading = asyncio.ensure_future(server.load_and_serve(load))
    stopping = asyncio.ensure_future(signals.get())
    await asyncio.wait({loading, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if loading.done():
        loading.result()
        backend = server.service.ready()
        _say(f"{backend.name} is ready at {server.url}/v1: {backend.pool} (Ctrl-C stops)")
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
