"""Publish an edition where learners get it from, so that what they have never changes under them.

nbgitpuller and its kind keep a learner's file where both sides changed it, and say nothing: the
correction never comes. After a file was deleted or renamed they stop altogether, or move somebody's
work. So a published file stays as it is, and a correction is a new one.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bookbuild.book import BookError
from bookbuild.editions.corrected import newest_first, renamed, version
from bookbuild.editions.folder import ORIGINALS, SOLUTIONS, Files
from bookbuild.editions.marking import marked, unmarked

NOTEBOOK = re.compile(r"(?P<number>\d\d)_[^/]*\.ipynb")
SOLUTION = re.compile(rf"{SOLUTIONS}/[^/]*\.py")
STAYS = re.compile(r"README\.md|pages/.*")  # nobody's work; the published one will do
PASSING = {".ipynb_checkpoints", "__pycache__", ".DS_Store", ".git"}


def read(folder: Path) -> Files:
    """An edition from its folder. Raises ``BookError`` where there is none."""
    if not (folder / "README.md").is_file() or not list(folder.glob("[0-9][0-9]_*.ipynb")):
        raise BookError(
            f"{folder} is no edition; make one: python -m bookbuild edition student --out {folder}"
        )
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    named = [(path.relative_to(folder), path) for path in files]
    return {name.as_posix(): path.read_bytes() for name, path in named
            if not PASSING & set(name.parts) and path.suffix != ".part"}  # fmt: skip


def additions(published: Mapping[str, bytes], edition: Files, correction: str | None) -> Files:
    """What to add to the published files; none of them changes or goes.

    Raises ``BookError`` where the edition says something else than was published last, unless there
    is a ``correction``, ``"corrected 14.30"``: then what changed is added under its name. What the
    edition doesn't have stays published.
    """
    _refuse_renames(published, edition)
    new: Files = {}
    moved: dict[str, str] = {}
    changed = []
    for name, content in _solutions_first(edition):
        for old, solution in moved.items() if NOTEBOOK.fullmatch(name) else ():
            content = content.replace(old.encode(), solution.encode())
        target = _target(published, name, content, correction or "")
        if SOLUTION.fullmatch(name):
            moved[name] = target
        if target in published:
            continue
        if target != name:
            changed.append(name)
        if NOTEBOOK.fullmatch(name):
            content = content if target == name else marked(content, correction or "")
            new[f"{ORIGINALS}/{target}"] = content
        new[target] = content
    if changed and correction is None:
        raise BookError(
            f"published already, and with other words: {', '.join(changed[:5])}. A published file "
            "never changes, since nobody who works in it would hear of it. Add --correct, and the "
            "new ones are published beside the old"
        )
    return new


def _solutions_first(edition: Files) -> Iterator[tuple[str, bytes]]:
    """What notebooks run comes before them; originals go with their notebooks."""
    for name in sorted(edition, key=lambda name: (not SOLUTION.fullmatch(name), name)):
        if not name.startswith(f"{ORIGINALS}/"):
            yield name, edition[name]


def _target(published: Mapping[str, bytes], name: str, content: bytes, correction: str) -> str:
    """Where the content is published, or will be. ``BookError`` where there is no place for it."""
    versions = newest_first(other for other in published if version(other).of == name)
    if not versions:
        return name
    if STAYS.fullmatch(name) or content == unmarked(published[versions[0]]):
        return versions[0]
    if SOLUTION.fullmatch(name):
        for other in versions:
            if published[other] == content:
                return other
    elif not NOTEBOOK.fullmatch(name):
        raise BookError(f"{name} is published with other words; give yours another name")
    target = renamed(name, correction)
    if target in published:
        raise BookError(f"{target} is published already, with other words; wait for a minute")
    return target


def _refuse_renames(published: Mapping[str, bytes], edition: Files) -> None:
    """Under a new name, a chapter would be there twice, or somebody's work would move."""
    there = {found["number"]: version(name).of for name in published
             if (found := NOTEBOOK.fullmatch(name))}  # fmt: skip
    for name in edition:
        found = NOTEBOOK.fullmatch(name)
        if found and there.get(found["number"], name) != name:
            raise BookError(
                f"chapter {found['number']} is published as {there[found['number']]}, and the "
                f"edition calls it {name}. A published file keeps its name: give it back in the "
                "book, or publish a new workshop"
            )
