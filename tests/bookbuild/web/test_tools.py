"""The theme's packages are installed once, however many processes ask for them."""

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bookbuild.book import BookError
from bookbuild.web import tools


def test_only_one_of_several_installs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package-lock.json").write_text("{}")
    runs = []

    def slow_npm(*args: Any, **options: Any) -> subprocess.CompletedProcess[str]:
        runs.append(args)
        time.sleep(0.2)
        (tmp_path / "node_modules").mkdir()
        return subprocess.CompletedProcess(args, 0, "", "")

    monkeypatch.setattr(tools.subprocess, "run", slow_npm)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tools.install, [tmp_path] * 4))
    assert len(runs) == 1


def test_a_failed_install_says_what_npm_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "package-lock.json").write_text("{}")
    monkeypatch.setattr(
        tools.subprocess,
        "run",
        lambda *args, **options: subprocess.CompletedProcess(args, 1, "", "no network"),
    )
    with pytest.raises(BookError, match="no network"):
        tools.install(tmp_path)
