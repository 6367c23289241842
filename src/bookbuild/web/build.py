"""Build the web book in a folder of its own, and put it in place only when it is right."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from bookbuild.book import BookError
from bookbuild.web.browser import write_pack
from bookbuild.web.site import check_site
from bookbuild.web.tools import install, missing_tool, theme_folder

WARNING = re.compile(r"^.*(?:⚠|⛔).*$", re.M)
# What no page needs: the build stays quick, and nothing is published by accident.
LEFT_OUT = shutil.ignore_patterns(
    *("source", ".ipynb_checkpoints", "axe-core", "pyodide", ".*", "styles", "__pycache__")
)


def build(root: Path, out: Path, base: str = "") -> int:
    """Build the pages of ``root`` into ``out``, for a server that has them below ``base``.

    Returns the number of pages. Raises ``BookError`` with everything that is wrong, a line each
    with its page; ``out`` is then as it was.
    """
    base = _base_path(base)
    if missing := missing_tool():
        raise BookError(missing)
    install(theme_folder(root))
    with tempfile.TemporaryDirectory(prefix="book-") as folder:
        stage = Path(folder) / "book"
        _gather(root, stage)
        packed = Path(folder) / "packed"
        _pack(root, stage, packed)
        _draw(stage, base)
        made = stage / "_build" / "html"
        shutil.copytree(packed, made, dirs_exist_ok=True)
        problems = check_site(made, base)
        if problems:
            raise BookError("The pages have problems:\n" + "\n".join(problems))
        if out.exists():
            shutil.rmtree(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, out)
    return sum(1 for _ in out.rglob("index.html"))


def _base_path(base: str) -> str:
    base = base.rstrip("/")
    if base and not re.fullmatch(r"(/[\w.~-]+)+", base):
        raise BookError(f"a base path looks like /name, got {base!r}")
    return base


def _gather(root: Path, stage: Path) -> None:
    """Copy what the pages are made of, and write the module that draws live pictures."""
    for name in ("chapters", "assets"):
        shutil.copytree(root / name, stage / name, ignore=LEFT_OUT)
    shutil.copy(root / "myst.yml", stage)
    generated = theme_folder(stage) / "generated"
    subprocess.run([sys.executable, "-m", "workbook.widgets", str(generated)], check=True)


def _pack(root: Path, stage: Path, packed: Path) -> None:
    """Write what pages need to run their chapters, and tell the theme where it will be."""
    packed.mkdir()
    pack = write_pack(root, packed)
    if pack is not None:
        said = json.dumps(asdict(pack))
        (theme_folder(stage) / "generated" / "run.json").write_text(said, encoding="utf-8")


def _draw(stage: Path, base: str) -> None:
    """Run MyST, which runs the theme. A warning counts as an error."""
    # MyST would ask a registry whether there is a newer one; this address answers nobody.
    nobody = {"npm_config_registry": "http://127.0.0.1:9/"}
    environment = os.environ | {"BASE_URL": base, "NO_COLOR": "1"} | nobody
    made = subprocess.run(
        [sys.executable, "-m", "mystmd_py.main", "build", "--html", "--strict"],
        cwd=stage,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        check=False,
    )
    warnings = WARNING.findall(made.stdout)
    if made.returncode or warnings:
        raise BookError(_what_is_wrong(made.stdout, warnings))
    if not (stage / "_build" / "html" / "index.html").exists():
        raise BookError(f"MyST wrote no pages:\n{made.stdout}")


def _what_is_wrong(log: str, warnings: Iterable[str]) -> str:
    """The theme's own list if there is one, MyST's warnings, or the whole log."""
    lines = list(dict.fromkeys(line.strip() for line in warnings))
    found = re.search(r"^The theme found problems in the book:\n(?:.+\n)+", log, re.M)
    if found:
        lines.insert(0, found[0].strip())
    return "\n".join(lines) if lines else f"MyST stopped:\n{log}"
