"""What a demo is made of."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbook.demos.implementation import Implementation

Result = dict[str, Any]


@dataclass(frozen=True)
class Demo:
    """``run`` makes a result that JSON can carry, ``text`` says it in words.

    ``run`` may print while it works only if ``args.json`` is false.
    """

    about: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Implementation], Result]
    text: Callable[[Result], str]


def positive(text: str) -> int:
    """An option's value that must be an integer of at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {value}")
    return value
