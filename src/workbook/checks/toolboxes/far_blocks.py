"""The case that hears a missing int64: blocks so far away that a product of int32 wraps around."""

import re
from collections.abc import Callable
from typing import Any

from workbook.checks.framework import CheckFailed
from workbook.checks.toolboxes.sparse_pool import FAR

TITLE = "a pool of 17 thousand million numbers"
TRIED = (
    f"11 tokens in blocks {', '.join(f'{block:,}' for block in FAR)} of a pool that is empty but "
    "for them"
)
WRAPPED = (
    "The id stayed an int32, or became an int64 too late. Times the numbers of a block it passes "
    "2 ** 31 in a large pool: `.to(tl.int64)` at the load of the id, before any multiplication. "
    "(This happened: vllm-project/vllm#47671)"
)


def steadily(run: Callable[..., Any], *args: Any, **more: Any) -> None:
    """Run it; an address outside is told in the same words wherever the pools happen to lie."""
    try:
        run(*args, **more)
    except CheckFailed as failed:
        line = re.search(r" \(line \d+ of your cell\)$", failed.got)
        if failed.got.startswith("OutsideMemory"):
            failed.got = f"an address that no tensor has{line[0] if line else ''}"
        raise
