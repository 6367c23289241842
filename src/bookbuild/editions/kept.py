"""Tables of wrong answers, kept until a check, a mistake or the engine changes: making them takes
minutes.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bookbuild.editions.mistakes import Row, rows
from workbook.checks import check, exercises, load_mistakes

FOLDER = Path("_build") / "editions" / "mistakes"  # git ignores it, `make clean` removes it
SOURCES = (
    *("paged_attention", "workbook/checks"),
    *(f"bookbuild/editions/mistake{name}.py" for name in ("s", "_code", "_words")),
)


def known_rows(name: str, root: Path) -> list[Row]:
    """The rows of ``check.<name>``, from the folder of this machine or made anew."""
    (exercise,) = [each for each in exercises() if each.name == name]
    kept = root / FOLDER / f"{exercise.label}-{_digest()}.json"
    if kept.exists():
        return [Row(*row) for row in json.loads(kept.read_text(encoding="utf-8"))]
    load_mistakes(exercise.label)
    found = rows(exercise, getattr(check, name))
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(".part")
    part.write_text(json.dumps(found, ensure_ascii=False, indent=0), encoding="utf-8")
    part.replace(kept)
    for old in kept.parent.glob(f"{exercise.label}-*.json"):
        if old != kept:
            old.unlink()
    return found


@cache
def _digest() -> str:
    """Of every file that a check runs or says something from."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _sources() -> Iterator[Path]:
    src = Path(__file__).parents[2]
    for name in SOURCES:
        path = src / name
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))
        yield from sorted(path.rglob("*.cpp")) + sorted(path.rglob("*.h"))
