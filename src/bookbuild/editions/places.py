"""Where an edition is published: a folder, or a branch of a git repository."""

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Protocol

from bookbuild.book import BookError
from bookbuild.editions.folder import Files, lay

BRANCH = re.compile(r"workshop-(\d{4}-\d\d-\d\d)[a-z0-9-]*")


class Place(Protocol):
    """What publishing needs of a place; nothing in it can take a file away.

    ``next_step`` is a sentence for whoever published, with a blank before it, or nothing.
    """

    next_step: str

    def published(self) -> Files:
        """Every file that is there, by its path."""

    def add(self, files: Files, message: str) -> None:
        """Add files, all or none; raises ``BookError`` where one is there."""


class Folder:
    """A folder that learners see, or copy from."""

    next_step = ""

    def __init__(self, path: Path) -> None:
        self.path = path

    def published(self) -> Files:
        """Every file below the folder."""
        files = sorted(path for path in self.path.rglob("*") if path.is_file())
        return {path.relative_to(self.path).as_posix(): path.read_bytes() for path in files}

    def add(self, files: Files, message: str) -> None:
        """Write them, each whole; a folder keeps no messages."""
        del message
        lay(files, self.path)


class Branch:
    """A branch ``workshop-YYYY-MM-DD`` that holds an edition and nothing else.

    It grows by commits that only add, made beside the work tree: nothing that is checked out in the
    repository is touched. To send it on, ``git push origin`` and its name.
    """

    def __init__(self, repository: Path, name: str) -> None:
        if not BRANCH.fullmatch(name):
            raise BookError(f"the branch of an edition is called workshop-YYYY-MM-DD, not {name}")
        self.repository, self.name = repository, name
        self.ref = f"refs/heads/{name}"
        self.next_step = f" To send them on: git push origin {name}"
        if self._git("rev-parse", "--git-dir", fails=True) is None:
            raise BookError(f"{repository} is no git repository; git init {repository}")
        if f"branch {self.ref}\n" in (self._git("worktree", "list", "--porcelain") or ""):
            raise BookError(f"{name} is checked out in {repository}; check out another one there")

    def published(self) -> Files:
        """The files at the tip; none where the branch isn't there yet."""
        if self._tip() is None:
            return {}
        listed = self._git("ls-tree", "-r", "-z", "--name-only", self.ref) or ""
        return {name: self._bytes("cat-file", "blob", f"{self.ref}:{name}")
                for name in listed.split("\0") if name}  # fmt: skip

    def add(self, files: Files, message: str) -> None:
        """Commit them. Where somebody else has published meanwhile, ``BookError`` and no change."""
        tip = self._tip()
        if not files:
            return
        there = files.keys() & self.published().keys()
        if there:
            raise BookError(f"published already: {', '.join(sorted(there))}")
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            if tip:
                self._bytes("read-tree", tip, more=index)
            lines = "".join(f"100644 {self._blob(files[name])}\t{name}\0" for name in files)
            self._bytes("update-index", "--add", "-z", "--index-info", data=lines, more=index)
            tree = self._bytes("write-tree", more=index).decode().strip()
        parents = ["-p", tip] if tip else []
        commit = self._bytes("commit-tree", tree, *parents, "-m", message).decode().strip()
        self._bytes("update-ref", self.ref, commit, tip or "0" * len(commit))

    def _tip(self) -> str | None:
        found = self._git("rev-parse", "--verify", "--quiet", self.ref, fails=True)
        return found.strip() if found else None

    def _blob(self, content: bytes) -> str:
        return self._bytes("hash-object", "-w", "--stdin", data=content).decode().strip()

    def _git(self, *words: str, fails: bool = False) -> str | None:
        try:
            return self._bytes(*words).decode()
        except BookError:
            if fails:
                return None
            raise

    def _bytes(
        self, *words: str, data: bytes | str = b"", more: dict[str, str] | None = None
    ) -> bytes:
        line = ["git", "-C", str(self.repository), *words]
        given = data.encode() if isinstance(data, str) else data
        done = subprocess.run(
            line, input=given, capture_output=True, env=os.environ | (more or {}), check=False
        )
        if done.returncode:
            raise BookError(f"{' '.join(line[3:])}: {done.stderr.decode().strip()}")
        return done.stdout


def place(where: Path, branch: str) -> Place:
    """A repository's branch where ``where`` is a repository's own folder, else the folder."""
    if (where / ".git").exists() or (where / "HEAD").is_file():
        return Branch(where, branch)
    return Folder(where)
