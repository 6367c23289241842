"""Run a walk on every case, where nothing that it does can reach the notebook.

C++ runs in the checked program; a Python function (for machines without a compiler) runs here,
where NumPy looks at every index. A function compiled by Numba is judged by the Python it was made
from, which has the same answers and is checked.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbook.walk.cases import GROUP, HEAD_DIM, Case, pack
from workbook.walk.program import CELL, CHECKED, HERE, TAIL, Built, build

SECONDS = 10
_ASAN = (
    "detect_leaks=0:malloc_fill_byte=255:max_malloc_fill_size=1000000:"
    "detect_stack_use_after_return=0"  # a frame stands where forget_nothing wrote its NaN
)


class Outcome(NamedTuple):
    """What one case gave: an answer [rows, heads, D], or the fault that ended the walk."""

    case: Case
    answer: NDArray[np.float32] | None
    fault: str = ""

    @property
    def wrong(self) -> tuple[int, int, int] | None:
        """Row, head and number of the first place that is not right; ``None`` if all are."""
        if self.answer is None:
            return 0, 0, 0
        bad = ~np.isclose(self.answer, self.case.right(), atol=1e-4)
        for row, head, number in np.argwhere(bad):
            return int(row), int(head), int(number)
        return None


def run_text(body: str, cases: Sequence[Case]) -> list[Outcome]:
    """The outcomes of C++ ``body``, up to and with the first case that ends the program."""
    built = build(body, CHECKED, HEAD_DIM, GROUP, ".bin")
    answers, fault = _run_program(built, pack(cases))
    outcomes, at = [], 0
    for case in cases:
        if len(answers) < at + case.q.size:
            outcomes.append(Outcome(case, None, fault or "the program ended without an answer"))
            break
        outcomes.append(Outcome(case, answers[at : at + case.q.size].reshape(case.q.shape)))
        at += case.q.size
    return outcomes


def _run_program(built: Built, packed: bytes) -> tuple[NDArray[np.float32], str]:
    """All numbers that the program wrote before it ended, and what ended it (empty: nothing)."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "given", Path(folder) / "found"
        given.write_bytes(packed)
        try:
            done = subprocess.run(
                [str(built.path), str(given), str(found)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
                env={**os.environ, "ASAN_OPTIONS": _ASAN},
            )
            fault = in_words(done.stderr, done.returncode) if done.returncode else ""
        except subprocess.TimeoutExpired:
            fault = f"it didn't end within {SECONDS} seconds"
        raw = found.read_bytes() if found.is_file() else b""
    return np.frombuffer(raw[: len(raw) // 4 * 4], np.float32), fault


def in_words(stderr: str, returncode: int) -> str:
    """A sanitizer's report as one clause: what was touched, how large it is, which line did it."""
    line = re.search(rf"{CELL}:(\d+)", stderr)
    where = f" (line {line[1]} of your cell)" if line else ""
    undefined = re.search(r"runtime error: (.*)", stderr)
    verb = "writes" if "WRITE of size" in stderr or "store to" in stderr else "reads"
    if undefined and "insufficient space" in undefined[1]:
        return f"it {verb} past the end of an array{where}"
    if undefined:
        return undefined[1] + where
    array = _array(stderr)
    if array:
        return f"it {verb} {array}{where}"
    if "stack-buffer" in stderr:
        return f"it {verb} past the end of an array{where}"
    if "SEGV" in stderr or returncode == -11:
        return f"it {verb} at an address that no array has{where}"
    ended = re.search(r"ERROR: AddressSanitizer: ([\w-]+)", stderr)
    return (ended[1] if ended else f"the program ended with code {returncode}") + where


def _array(stderr: str) -> str | None:
    """``table[2], and table has 2 numbers``, when the address lies beside one of the arrays."""
    region = re.search(
        r"located (\d+) bytes (after|before|inside of|to the right of|to the left of) "
        r"(\d+)-byte region",
        stderr,
    )
    name = _name_of_array(stderr)
    if region is None or name is None:
        return None
    size = 8 if name == "table" else 4
    numbers, away = int(region[3]) // size, int(region[1]) // size
    if region[2] in ("after", "to the right of"):
        away += numbers
    elif region[2] in ("before", "to the left of"):
        away = -away
    return f"{name}[{away}], and {name} has {numbers} numbers"


def _name_of_array(stderr: str) -> str | None:
    """The array whose line in the frame is the first of main's in the allocation's stack."""
    made = stderr.partition("allocated by")[2]
    for number in re.findall(rf"{re.escape(TAIL)}:(\d+)", made):
        named = re.search(r"// array: (\w+)", _tail()[int(number) - 1])
        if named:
            return named[1]
    return None


@cache
def _tail() -> list[str]:
    return (HERE / TAIL).read_text().splitlines()


def run_function(walk: Callable[..., Any], cases: Sequence[Case]) -> list[Outcome]:
    """The outcomes of a Python ``walk(q, k_pool, v_pool, table, length, block_size) -> out``.

    ``q`` and ``out`` [G, D], the scale already in q; pools [blocks, slots, D] of one KV head, which
    can't be written to. An exception is the case's fault, and the last outcome.
    """
    walk = getattr(walk, "py_func", walk)  # Numba's: the Python it was compiled from
    outcomes = []
    for case in cases:
        try:
            outcomes.append(Outcome(case, _by_rows(walk, case)))
        except Exception as error:
            outcomes.append(Outcome(case, None, f"{type(error).__name__}: {error}"))
            break
    return outcomes


def _by_rows(walk: Callable[..., Any], case: Case) -> NDArray[np.float32]:
    out = np.full(case.q.shape, np.nan, np.float32)
    pools = case.k_pool.copy(), case.v_pool.copy()
    for pool in pools:
        pool.flags.writeable = False
    kv_heads = case.k_pool.shape[1]
    for row, length in enumerate(case.lengths):
        used = -(-int(length) // case.block_size)
        table = case.tables[row, :used].copy()
        for head in range(kv_heads):
            mine = slice(head * GROUP, (head + 1) * GROUP)
            query = case.q[row, mine] * np.float32(case.scale)
            keys, values = (pool[:, head] for pool in pools)
            out[row, mine] = walk(query, keys, values, table, int(length), case.block_size)
    return out
