"""Join the pictures' modules into one, and their style sheets, as notebooks need them.

A widget in a notebook is one module without imports. The sources are small modules that import each
other by path; here each becomes a function that is called once, after those it needs, and hands
back what it exports. Two forms are known, ``import { a, b } from "./x.js"`` and ``export`` before a
declaration; anything else is an error.
"""

import json
import re
from functools import cache
from pathlib import Path

from workbook.stills.looks import COLOURS, STATES, Look, paint

ROOT = Path(__file__).parent
ENTRY = ROOT / "index.js"
_SHEETS = ("frame", "controls", "stage", "tables", "foot", "room", "media")  # in this order
COMMON = tuple(ROOT / "common" / "style" / f"{name}.css" for name in _SHEETS)
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
def module(entry: Path | None = None) -> str:
    """The whole module as text; it exports what ``entry`` exports, by default ``index.js``."""
    parts: dict[Path, str] = {}
    entry = entry or ENTRY
    _add(entry, parts, entry)
    return "".join(parts.values())


@cache
def style(sheets: tuple[Path, ...] = ()) -> str:
    """The style sheet as text: the looks of all states, then each of ``sheets``, by default every
    folder's own.
    """
    if not sheets:
        sheets = (*COMMON, *sorted(ROOT.glob("*/style.css")))
    text = looks() + "".join(path.read_text(encoding="utf-8") for path in sheets)
    return _INDENT.sub("", re.sub(r"/\*.*?\*/\n*", "", text, flags=re.DOTALL))


def write_to(folder: Path) -> None:
    """Write ``pictures.js``, ``pictures.css``, and ``looks.css`` for the page around them."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"pictures.js": module(), "pictures.css": style(), "looks.css": colours(":root")}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def colours(selector: str) -> str:
    """The colours of ``looks.json`` as variables of what the selector names."""
    lines = [
        f"  --{name}: light-dark({light}, {dark});\n" for name, (light, dark) in COLOURS.items()
    ]
    lines += [f"  --{state}: {look.fill};\n" for state, look in STATES.items() if look.fill]
    return f"{selector} {{\n{''.join(lines)}}}\n"


def looks() -> str:
    """``looks.json`` as CSS: the colours, and a rule for each state of a cell."""
    rules = [
        f'.pa-cell[data-state="{state}"] {{\n{_rule(look)}}}\n' for state, look in STATES.items()
    ]
    return colours(".pa") + "".join(rules)


def _rule(look: Look) -> str:
    """What makes a state's cell: its colours, then its second cue."""
    ground = look.fill or ("transparent" if look.border == "dashed" else "var(--raised)")
    hatch = f"var(--hatch-{look.hatch}) " if look.hatch else ""
    style = "dashed" if look.border == "dashed" else "solid"
    lines = [
        f"background: {hatch}{ground}",
        f"color: {paint(look.text)}",
        f"border: 1px {style} {paint(look.edge)}",
    ]
    if look.border == "double":
        lines.append(f"box-shadow: inset 0 0 0 1px {ground}, inset 0 0 0 2px {paint(look.text)}")
    if look.hatch and not look.fill:
        lines += [f"--ground: {ground}", "--inset: 9px"]
    return "".join(f"  {line};\n" for line in lines)


def _add(path: Path, parts: dict[Path, str], entry: Path) -> None:
    """Add ``path``'s part, after the parts it needs."""
    if path in parts:
        return
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        compact = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
        parts[path] = f"const {_home(path)} = {compact};\n"
        return
    for found in _IMPORT.finditer(text):
        _add((path.parent / found["path"]).resolve(), parts, entry)
    body = _INDENT.sub("", _COMMENT.sub("", _IMPORT.sub(lambda f: _taken(f, path), text)))
    if path == entry:
        parts[path] = body
        return
    names = [found["name"] for found in _EXPORT.finditer(body)]
    body = _EXPORT.sub("", body)
    if left := _LEFT.search(body):
        raise ValueError(f"{path.name} has an {left[1]} of a form that can't be joined")
    parts[path] = (
        f"const {_home(path)} = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();\n"
    )


def _home(path: Path) -> str:
    """The name that a module has in the whole: its path's, for many folders have a ``view.js``."""
    return f"${path.parent.name}_{path.stem}"


def _taken(found: re.Match[str], path: Path) -> str:
    what = re.sub(r"(\w+) as (\w+)", r"\1: \2", found["what"])
    return f"const {what} = {_home((path.parent / found['path']).resolve())};\n"
