"""Join the pictures' modules into one, as notebooks need it.

A widget in a notebook is one module without imports. The sources are small modules that import each
other by name; here each becomes a function that is called once, after those it needs, and hands
back what it exports. Two forms are known, ``import { a, b } from "./x.js"`` and ``export`` before a
declaration; anything else is an error.
"""

import json
import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).with_name("static")
ENTRY = "index.js"
STYLE = "pictures.css"
_IMPORT = re.compile(
    r'^import (?P<what>\{[^}]*\}|\w+) from "(?P<path>\.\.?/[^"]+)"'
    r'(?: with \{ type: "json" \})?;\n',
    re.MULTILINE,
)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function) (?P<name>\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(import|export) (?!default \{)", re.MULTILINE)
_COMMENT = re.compile(r"^[ ]*//.*\n|^[ ]*/\*\*(?:[^*]|\*(?!/))*\*/\n", re.MULTILINE)
_INDENT = re.compile(r"^[ ]+", re.MULTILINE)


@cache
def module() -> str:
    """The whole module as text; it exports what ``index.js`` exports."""
    parts: list[str] = []
    _add(STATIC / ENTRY, parts, set())
    return "".join(parts)


@cache
def style() -> str:
    """The style sheet as text."""
    text = (STATIC / STYLE).read_text(encoding="utf-8")
    return _INDENT.sub("", re.sub(r"/\*.*?\*/\n*", "", text, flags=re.DOTALL))


def write_to(folder: Path) -> None:
    """Write ``pictures.js`` and ``pictures.css`` into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pictures.js").write_text(module(), encoding="utf-8", newline="\n")
    (folder / "pictures.css").write_text(style(), encoding="utf-8", newline="\n")


def _add(path: Path, parts: list[str], seen: set[Path]) -> None:
    """Append ``path``'s part, after the parts it needs."""
    if path in seen:
        return
    seen.add(path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        compact = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
        parts.append(f"const {_home(path)} = {compact};\n")
        return
    for found in _IMPORT.finditer(text):
        _add((path.parent / found["path"]).resolve(), parts, seen)
    body = _INDENT.sub("", _COMMENT.sub("", _IMPORT.sub(_taken, text)))
    if path.name == ENTRY:
        parts.append(body)
        return
    names = [found["name"] for found in _EXPORT.finditer(body)]
    body = _EXPORT.sub("", body)
    if left := _LEFT.search(body):
        raise ValueError(f"{path.name} has an {left[1]} of a form that can't be joined")
    parts.append(
        f"const {_home(path)} = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();\n"
    )


def _home(path: Path) -> str:
    return f"${path.stem}"


def _taken(found: re.Match[str]) -> str:
    what = re.sub(r"(\w+) as (\w+)", r"\1: \2", found["what"])
    return f"const {what} = {_home(Path(found['path']))};\n"
