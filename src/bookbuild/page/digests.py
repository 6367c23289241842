"""What outputs say, and short fingerprints of it: a page's run compared with the stored one."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def _masks() -> list[tuple[re.Pattern[str], str]]:
    config = RawConfigParser()
    config.read(Path(__file__).parents[1] / "measured.cfg", encoding="utf-8")
    section = config["measured"]
    return [(re.compile(section["regex"]), section["replace"])]


_MASKS = _masks()


def plain(text: str) -> str:
    """``text`` as two runs can be compared: no colours or empty lines, measured numbers masked."""
    text = _COLOUR.sub("", text)
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def digest(text: str) -> str:
    """The first 12 hex digits of SHA-256 over ``plain(text)``."""
    return hashlib.sha256(plain(text).encode()).hexdigest()[:12]


def text_of(output: Mapping[str, Any]) -> str:
    """What an output of a notebook says, as a page's kernel counts it for its cell."""
    if output["output_type"] == "stream":
        return str(output["text"])
    if output["output_type"] == "error":
        return f"\n{output['ename']}: {output['evalue']}\n"
    return f"\n{output['data'].get('text/plain', '')}\n"


def digest_of(outputs: Iterable[Mapping[str, Any]]) -> str:
    """The digest of all that a cell of a notebook said."""
    return digest("".join(map(text_of, outputs)))
