"""Python for browsers, lighter and quicker to start than npm's ``pyodide`` has it.

Half of the standard library is left out; what each start loads is compiled, which Pyodide itself
does under Node; and what is large is packed, since not every host packs WebAssembly.
"""

import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookbuild.book import BookError

WHEN = (2020, 1, 1, 0, 0, 0)  # of every file in an archive: the same bytes for the same content
# What a page has no use for: networks, windows, other processes, databases, debuggers.
LEFT_OUT = re.compile(
    r"""(_aix_support|_osx_support|_pyio|_pyrepl|antigravity|bdb|cProfile|cmd|code|codeop|compileall
    |curses|dbm|doctest|email|ensurepip|ftplib|getopt|getpass|http|idlelib|imaplib|lib2to3|mailbox
    |mimetypes|modulefinder|multiprocessing|netrc|optparse|pdb|pickletools|plistlib|poplib|profile
    |pstats|pyclbr|pydoc|pydoc_data|quopri|rlcompleter|sched|smtplib|socketserver|sqlite3|ssl
    |symtable|tabnanny|tarfile|this|tkinter|trace|turtle|turtledemo|unittest|venv|webbrowser|wsgiref
    |xml|xmlrpc|zoneinfo)(\.py|/.*)
    |encodings/(?!(__init__|aliases|ascii|cp437|hex_codec|idna|latin_1|punycode|raw_unicode_escape
    |rot_13|unicode_escape|utf_(7|8|16|16_be|16_le|32|8_sig))\.py).*""",
    re.VERBOSE,
)
# What a chapter's first cell loads besides.
SOON = "configparser hashlib html pprint random shutil textwrap zipfile"
NOTICE = """\
Pyodide {version}, Mozilla Public License 2.0, https://github.com/pyodide/pyodide
with CPython and its standard library, PSF License Agreement, https://www.python.org
Of the standard library some modules were left out, and some are compiled.
"""


def python_files(theme: Path) -> dict[str, bytes]:
    """By name: Pyodide's scripts, its packed parts, and what their authors want said.

    Made once for a version and kept beside the packages of ``theme``. Raises ``BookError`` when
    Node can't do its part.
    """
    tool = theme / "tools" / "compile-library.mjs"
    package = theme / "node_modules" / "pyodide"
    key = hashlib.sha256(tool.read_bytes() + Path(__file__).read_bytes())
    key.update((package / "package.json").read_bytes())
    kept = theme / "node_modules" / ".cache" / f"python-{key.hexdigest()[:16]}"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            made = Path(folder) / "python"
            made.mkdir()
            for name, content in _made(package, tool).items():
                (made / name).write_bytes(content)
            if not kept.exists():  # another build may have been quicker
                made.rename(kept)
    return {path.name: path.read_bytes() for path in sorted(kept.iterdir())}


def without_packages(theme: Path) -> dict[str, Any]:
    """Pyodide's list of packages, empty: a page has what it was given."""
    listed = theme / "node_modules" / "pyodide" / "pyodide-lock.json"
    return {"info": json.loads(listed.read_text(encoding="utf-8"))["info"], "packages": {}}


def archive(files: Mapping[str, bytes]) -> bytes:
    """A zip archive that packs nothing by itself: packed as a whole it is a fifth smaller."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out:
        for name in sorted(files):
            out.writestr(zipfile.ZipInfo(name, WHEN), files[name])
    return made.getvalue()


def packed(content: bytes) -> bytes:
    """``content`` as gzip packs it, the same on every day."""
    return gzip.compress(content, 9, mtime=0)


def _made(package: Path, tool: Path) -> dict[str, bytes]:
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    library = _compiled(archive(_wanted(package / "python_stdlib.zip")), tool)
    return {
        # Not every host knows that .mjs is JavaScript.
        "pyodide.js": (package / "pyodide.mjs").read_bytes(),
        "pyodide.asm.js": (package / "pyodide.asm.js").read_bytes(),
        "pyodide.asm.wasm.gz": packed((package / "pyodide.asm.wasm").read_bytes()),
        "python_stdlib.zip.gz": packed(library),
        "NOTICE.txt": NOTICE.format(version=version).encode(),
    }


def _wanted(library: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(library) as found:
        names = [name for name in found.namelist() if not name.endswith("/")]
        return {name: found.read(name) for name in names if not LEFT_OUT.fullmatch(name)}


def _compiled(library: bytes, tool: Path) -> bytes:
    """The library as ``tool`` leaves it."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.zip", Path(folder) / "after.zip"
        before.write_bytes(library)
        command = [shutil.which("node") or "node", str(tool), str(before), str(after)]
        made = subprocess.run(
            [*command, *SOON.split()], capture_output=True, encoding="utf-8", check=False
        )
        if made.returncode:
            raise BookError(f"Python for browsers could not be compiled:\n{made.stderr[-2000:]}")
        return after.read_bytes()
