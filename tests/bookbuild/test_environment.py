"""pyproject.toml, constraints.txt and environment.yml name one and the same set of packages."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from paged_attention.model import smollm2

ROOT = Path(__file__).parents[2]
EXECUTE_AGAIN = ["jupytext", "nbval"]  # what a notebook needs to be compared with its text and run
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PLATFORMS = {
    "linux": {"sys_platform": "linux", "platform_machine": "x86_64", "os_name": "posix"},
    "linux-arm": {"sys_platform": "linux", "platform_machine": "aarch64", "os_name": "posix"},
    "macos": {"sys_platform": "darwin", "platform_machine": "arm64", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_machine": "AMD64", "os_name": "nt"},
}
CASES = [(name, python) for name in PLATFORMS for python in ("3.11", "3.12", "3.13")]


def pins(platform: str, python: str) -> dict[str, str]:
    """The versions that constraints.txt gives to one platform and Python."""
    full = {**default_environment(), **PLATFORMS[platform]}
    full |= {"python_version": python, "python_full_version": f"{python}.9"}
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    found: dict[str, str] = {}
    for pin in wanted:
        if pin.marker is None or pin.marker.evaluate(full):
            name = canonicalize_name(pin.name)
            assert name not in found, f"{name} is pinned twice for {platform}, Python {python}"
            found[name] = str(pin.specifier).removeprefix("==")
    return found


@pytest.mark.parametrize(("platform", "python"), CASES)
def test_every_dependency_is_pinned_to_a_version_it_allows(platform: str, python: str) -> None:
    pinned = pins(platform, python)
    extras = PROJECT["optional-dependencies"].values()
    full = {**default_environment(), **PLATFORMS[platform], "python_version": python}
    for line in [*PROJECT["dependencies"], *(line for extra in extras for line in extra)]:
        need = Requirement(line)
        if need.marker is None or need.marker.evaluate(full):
            assert need.specifier.contains(pinned[canonicalize_name(need.name)]), line


def test_dependencies_are_lower_bounds() -> None:
    for need in map(Requirement, PROJECT["dependencies"]):
        operators = {part.operator for part in need.specifier}
        assert not operators & {"==", "~="}, f"{need}: the exact version is for constraints.txt"


def test_constraints_hold_for_any_build_and_registry() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert not re.search(r"://|\+|--", text)


def test_conda_environment_takes_the_same_set() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, pip = environment["dependencies"]
    python = next(line.partition("=")[2] for line in conda if line.startswith("python="))
    assert SpecifierSet(PROJECT["requires-python"]).contains(f"{python}.9")
    torch = pins("linux", python)["torch"]
    assert conda == [f"python={python}", "pip", f"pytorch-cpu={torch}"], "the rest is pip's set"
    assert pip == {"pip": ["--constraint hub/constraints.txt", "--editable .", *EXECUTE_AGAIN]}
    development = {Requirement(line).name for line in PROJECT["optional-dependencies"]["dev"]}
    assert development.issuperset(EXECUTE_AGAIN), "constraints.txt pins what pyproject.toml names"


def test_beside_conda_s_torch_pip_keeps_to_the_same_set() -> None:
    """Conda's version may end in ``.post1``, which no ``==`` allows: pip would bring CUDA's."""
    kept = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    lines = [line for line in kept if not line.startswith("torch==")]
    assert (ROOT / "hub" / "constraints.txt").read_text(encoding="utf-8").splitlines() == lines


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_the_scripts_of_an_image_can_be_run(name: str) -> None:
    script = ROOT / name
    assert os.access(script, os.X_OK), f"chmod +x {name}"
    assert subprocess.run(["sh", "-n", script], check=False).returncode == 0


def test_a_server_of_an_image_reads_its_model(tmp_path: Path) -> None:
    model = tmp_path / ".model" / smollm2._FOLDER
    model.mkdir(parents=True)
    (tmp_path / ".model" / "kernels").mkdir()
    printed = subprocess.run(
        [ROOT / "start", "sh", "-c", "echo $PAGED_ATTENTION_MODEL"],
        env={"REPO_DIR": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout.strip() == str(model)


def test_what_hubs_are_told_is_what_the_book_has() -> None:
    told = (ROOT / "hub" / "tljh.md").read_text(encoding="utf-8")
    assert f"/srv/paged-attention/{smollm2._FOLDER}" in told
    values = yaml.safe_load((ROOT / "hub" / "values.yaml").read_text(encoding="utf-8"))
    assert values["singleuser"]["memory"] == {"guarantee": "700M", "limit": "2G"}
    assert values["hub"]["concurrentSpawnLimit"] > 30


CONDA_ALONE = """
import importlib.abc, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"conda has no {{name}}", name=name)

sys.meta_path.insert(0, Missing())
sys.argv[1:] = {words}
import runpy
runpy.run_module({module!r}, run_name="__main__", alter_sys=True)
"""
# What `make dev` adds besides, by the names they are imported by.
ONLY_FOR_DEVELOPMENT = (
    *("accelerate", "filelock", "hypothesis", "mypy", "mystmd", "playwright", "pytest_cov"),
    *("xdist", "ruff", "transformers", "uv"),
)


def with_conda_alone(module: str, *words: str) -> subprocess.CompletedProcess[str]:
    """``python -m module words`` where only what environment.yml brings can be imported."""
    code = CONDA_ALONE.format(blocked=set(ONLY_FOR_DEVELOPMENT), words=list(words), module=module)
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_conda_alone_executes_notebooks_again(tmp_path: Path) -> None:
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for name, printed in (("right", "4"), ("wrong", "5")):
        cell = nbformat.v4.new_code_cell("print(2 + 2)", execution_count=1)
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=f"{printed}\n")]
        notebook = nbformat.v4.new_notebook(cells=[cell], metadata=kernel)
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    done = with_conda_alone(
        *("pytest", "-q", "-p", "nbval.plugin", "-p", "no:cacheprovider"),
        *("--nbval", "--nbval-current-env"),
        *("--nbval-sanitize-with=src/bookbuild/measured.cfg", str(tmp_path)),
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "wrong.ipynb::Cell 0" in done.stdout


def test_conda_alone_compares_texts_and_notebooks() -> None:
    done = with_conda_alone("bookbuild", "check", "01")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 problems" in done.stdout + done.stderr
