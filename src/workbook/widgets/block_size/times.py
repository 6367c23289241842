"""What the kernels take at each block size, as a committed benchmark measured it.

``times.json`` is written by ``benchmarks.block_size_page`` from the newest result: ratios of one
run, each time against that of blocks of ``BASE``.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

MEASURED = Path(__file__).with_name("times.json")
BASE = 16


class KernelTimes(NamedTuple):
    """Time ÷ that of blocks of 16, by block size; and the machine and the day."""

    decode: Mapping[int, float]
    prefill: Mapping[int, float]
    where: str


@cache
def kernel_times() -> KernelTimes:
    """The committed measurement."""
    read = json.loads(MEASURED.read_text(encoding="utf-8"))
    decode, prefill = (
        {int(size): ratio for size, ratio in read[name].items()} for name in ("decode", "prefill")
    )
    return KernelTimes(decode, prefill, f"{read['machine']}, {read['date']}")
