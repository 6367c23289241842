"""*From here to production* keeps its word: each flag and metric it names is there.

The page's tables are parsed, so a new row is tested by itself. Ours are looked up in our parser and
our ``/metrics``; vLLM's and SGLang's in their unpacked packages, as ``test_names.py`` does.
"""

import argparse
import ast
import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from paged_attention.load_client import command as load_command
from paged_attention.server import command as serve_command
from paged_attention.server.metrics import Metrics
from workbook.live.reading import SOURCES

PAGE = (Path(__file__).parents[1] / "chapters/pages/production.md").read_text(encoding="utf-8")
# Where flags and metrics are defined, below each package.
FLAGS = {
    "vllm": ("engine/arg_utils.py", "entrypoints/common/cli_args.py"),
    "sglang": ("srt/arg_groups/fields",),
}
METRICS = {"vllm": ("v1/metrics/loggers.py",), "sglang": ("srt/observability",)}
SPANS = re.compile(r"`(--[a-z][a-z-]+|(?:vllm|sglang):\w+|paged_\w+)`")


def rows(title: str) -> list[list[list[str]]]:
    """The flags and metrics in each cell of the table below a heading."""
    part = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[SPANS.findall(cell) for cell in line.strip("|").split("|")] for line in lines]


OPTIONS = rows("The same options, elsewhere")
WATCHED = rows("What to watch")
WIDER = rows("More than one GPU")
THEIRS = {("vllm", flag) for row in OPTIONS for flag in row[1]} | {
    ("sglang", flag) for row in OPTIONS for flag in row[2]
}
THEIRS |= {("vllm", flag) for row in WIDER for flag in row[1]}
THEIRS |= {("sglang", flag) for row in WIDER for flag in row[2]}
# Those that only the text names.
THEIRS |= {
    ("sglang", f"--enable-{name}") for name in ("hierarchical-cache", "mixed-chunk", "metrics")
}
THEIRS |= {(package, "--kv-events-config") for package in FLAGS}
OWN = {flag for row in OPTIONS for flag in row[0]}
NAMES = {("vllm", name) for row in WATCHED for name in row[1]}
NAMES |= {("sglang", name) for row in WATCHED for name in row[2]}


def home(package: str) -> Path:
    """The folder of a peer's package; the test is skipped where none is."""
    peers = os.environ.get("PAGED_ATTENTION_PEERS")
    for folder in [*([peers] if peers else []), *filter(None, sys.path)]:
        if (Path(folder) / package / "__init__.py").is_file():
            return Path(folder) / package
    pytest.skip(f"set PAGED_ATTENTION_PEERS to a folder with the unpacked package {package}")


@cache
def said(package: str, kind: str) -> frozenset[str]:
    """Texts and fields in the files where a peer defines its flags or metrics."""
    places = [
        home(package) / place for place in {"flags": FLAGS, "metrics": METRICS}[kind][package]
    ]
    files = [
        file for place in places for file in ([place] if place.is_file() else place.rglob("*.py"))
    ]
    found: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add("--" + node.target.id.replace("_", "-"))
    return frozenset(found)


def options(command: object) -> set[str]:
    """All options of one of our commands."""
    parser = argparse.ArgumentParser()
    command.add_options(parser)  # type: ignore[attr-defined]
    return {option for action in parser._actions for option in action.option_strings}


def ours() -> set[str]:
    """Every name that our ``/metrics`` says at once, and those that come with the first event."""
    metrics = Metrics("m")
    metrics.observe_rejection("full")
    text = metrics.render().decode()
    names = set(re.findall(r"^([a-z_:]+?)(?:_bucket|_count|_sum)?\{", text, flags=re.MULTILINE))
    return names | set(re.findall(r"^# TYPE (\S+)", text, flags=re.MULTILINE))


def test_the_page_is_read() -> None:
    assert len(OPTIONS) > 15
    assert len(WATCHED) > 10
    assert len(THEIRS) > 35
    listed = {flag for _, flag in THEIRS} | OWN | options(load_command)
    assert {span for span in SPANS.findall(PAGE) if span.startswith("--")} <= listed


def test_our_options_are_all_there_and_in_order() -> None:
    known = [flag for row in OPTIONS for flag in row[0]]
    order = [option for option in _in_order() if option in known]
    assert order == known
    plain = {"-h", "--help", "--host", "--port", "--tiny", "--time-limit"}
    assert set(_in_order()) - set(known) == plain


def _in_order() -> list[str]:
    parser = argparse.ArgumentParser()
    serve_command.add_options(parser)
    return [option for action in parser._actions for option in action.option_strings]


def test_the_command_on_the_page_would_run() -> None:
    fence = re.search(r"```bash\npython -m paged_attention load (.*?)```", PAGE, flags=re.DOTALL)
    assert fence
    parser = argparse.ArgumentParser()
    load_command.add_options(parser)
    parser.parse_args(fence[1].replace("\\\n", " ").split())


def test_our_metrics_are_there() -> None:
    own = set(re.findall(r"`(paged_\w+)`", PAGE)) - {"paged_attention"}
    assert len(own) >= 5
    assert {name for kind, name in NAMES if kind == "vllm"} | own <= ours()


def test_the_board_reads_what_the_page_names() -> None:
    known = {name for names in SOURCES.values() for name in names}
    first = [name for row in WATCHED[:6] for cell in row[1:] for name in cell]
    assert set(first) <= known


@pytest.mark.parametrize(("package", "flag"), sorted(THEIRS))
def test_their_flags_are_there(package: str, flag: str) -> None:
    known = said(package, "flags")
    assert flag in known or flag.replace("--no-", "--") in known


@pytest.mark.parametrize(("package", "name"), sorted(NAMES))
def test_their_metrics_are_there(package: str, name: str) -> None:
    known = said(package, "metrics")
    assert name in known or name.removesuffix("_total") in known


@pytest.mark.parametrize(("peer", "package"), [("vLLM", "vllm"), ("SGLang", "sglang")])
def test_the_page_names_the_version_that_was_looked_up(peer: str, package: str) -> None:
    stated = re.search(rf"{peer} (\d+\.\d+\.\d+)", PAGE)
    assert stated
    found = [path.name for path in home(package).parent.glob(f"{package}-*.dist-info")]
    if not found:
        pytest.skip(f"no metadata lies beside the package of {peer}")
    assert {re.split(r"-|\+|\.dist", name)[1] for name in found} == {stated[1]}
