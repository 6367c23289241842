"""Run the tests of the pictures' module under Node."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1] / "workbook" / "widgets" / "js"


def node() -> str:
    """Node's command; skips the test where there is none that imports JSON (20.10 or newer)."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js isn't installed: the pictures' module is tested with 20.10 or newer")
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    version = tuple(int(part) for part in told.stdout.strip().lstrip("v").split(".")[:2])
    if version < (20, 10):
        pytest.skip(f"Node.js 20.10 or newer is needed, this one is {told.stdout.strip()}")
    return found


def run_node_tests(name: str, environment: Mapping[str, str] | None = None) -> None:
    """Run one file of tests; what failed is the message."""
    done = subprocess.run(
        [node(), "--test", "--no-warnings", str(TESTS / name)],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
