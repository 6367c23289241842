"""A reader's walk as C++: put into its frame and built, once for each text.

Two builds. The *checked* one is a program of its own with the compiler's sanitizers in it: it ends
at the first address that no array has. The *fast* one is a library with the flags of the finished
kernel. Nothing of the reader's is ever loaded into the notebook's process.
"""

import hashlib
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels.cpu import EXTRA_FLAGS, FLAGS, find_compiler
from paged_attention.user_cache import cache_root

HERE = Path(__file__).parent
SIGNATURE = (
    "static void walk(const float q[G][D], const float* k_pool, const float* v_pool,\n"
    "                 const int64_t* table, int64_t length, int64_t block_size,\n"
    "                 int64_t block_stride, float out[G][D])"
)
CELL = "your_cell"  # what the compiler and the sanitizers call the reader's lines
TAIL = "frame_tail.h"
_ALONE = ("-std=c++17", "-O0", "-g", "-DALONE")  # every variable is memory: see frame_tail.h
_SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize=shift,float-cast-overflow",  # power_of_two shifts a negative number on purpose
    "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer",
)
# The best that this compiler can do comes first; the last is a program without sanitizers.
CHECKED = ((*_ALONE, *_SANITIZERS), _ALONE)
FAST = tuple((*FLAGS, *extra) for extra in EXTRA_FLAGS)


class DoesNotCompile(Exception):
    """The compiler's first error in the reader's lines."""


class Built(NamedTuple):
    """A file that was built, and with which flags."""

    path: Path
    flags: tuple[str, ...]

    @property
    def sanitized(self) -> bool:
        """Whether an address outside every array ends the program, and says so."""
        return any(flag.startswith("-fsanitize") for flag in self.flags)


def source(body: str) -> str:
    """The whole text: the frame, ``body`` as the function's, and the rest of the frame."""
    if SIGNATURE.split("(")[0] not in body:
        body = f'{SIGNATURE}\n#line 1 "{CELL}"\n{body}'
    else:  # a cell may hold helpers and the whole function
        body = f'#line 1 "{CELL}"\n{body}'
    return "\n".join(
        [(HERE / "frame.h").read_text(), body, f'#line 1 "{TAIL}"', (HERE / TAIL).read_text()]
    )


def build(
    body: str, ways: Sequence[tuple[str, ...]], head_dim: int, group: int, suffix: str
) -> Built:
    """The first of ``ways`` that the compiler takes; the file is kept and found again by its text.

    Raises ``DoesNotCompile`` when the reader's lines are at fault, ``KernelNotBuilt`` when there is
    no compiler or it can do none of the ways.
    """
    compiler = find_compiler()
    if compiler is None:
        raise KernelNotBuilt("no C++ compiler was found: none of $CXX, c++, g++ and clang++")
    text = source(body)
    constants = (f"-DHEAD_DIM={head_dim}", f"-DGROUP={group}")
    folder = cache_root() / "walks"
    try:
        return _build(text, compiler, ways, constants, folder, suffix)
    except OSError as error:
        raise KernelNotBuilt(
            f"your walk can't be built in {folder}: {error}; set PAGED_ATTENTION_CACHE to a folder "
            "of your own with room"
        ) from error


def _build(
    text: str,
    compiler: str,
    ways: Sequence[tuple[str, ...]],
    constants: tuple[str, ...],
    folder: Path,
    suffix: str,
) -> Built:
    folder.mkdir(parents=True, exist_ok=True)
    said = ""
    for flags in ways:
        key = hashlib.sha256(repr((compiler, text, flags, constants)).encode()).hexdigest()[:16]
        place = folder / f"{key}{suffix}"
        if place.is_file():
            return Built(place, flags)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=folder) as scratch:
            cpp, made = Path(scratch) / "walk.cpp", Path(scratch) / place.name
            cpp.write_text(text, encoding="utf-8")
            command = [compiler, *flags, *constants, str(cpp), "-o", str(made)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            if done.returncode == 0:
                return Built(made.replace(place), flags)
        said = done.stderr
        if f"{CELL}:" in said and " error: " in said:
            raise DoesNotCompile(_first_error(said))
    raise KernelNotBuilt(f"{compiler} builds no walk: {(said.strip() or 'nothing said')[:200]}")


def _first_error(said: str) -> str:
    """``line 3: expected ';' …`` out of all that the compiler said."""
    found = re.search(rf"{CELL}:(\d+):\d+: (?:fatal )?error: (.*)", said)
    if found:
        return f"line {found[1]} of your cell: {found[2]}"
    return next(line for line in said.splitlines() if " error: " in line)
