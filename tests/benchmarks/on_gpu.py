"""All that a machine with an NVIDIA GPU can add, in the minutes there are: tests, times, the page.

    in tests/:  python -m benchmarks.on_gpu [--minutes 8] [--rehearse]

Runs the tests of the kernels on the GPU, then the benchmarks of decode and prefill (beside other
engines' kernels where PAGED_ATTENTION_PEERS names their files), each into a dated JSON file, and
draws its page of results anew. Each step gets what the steps before it left of the time, and the
end says what was done and what was skipped, and why. ``--rehearse`` runs the same steps on a CPU,
with the benchmarks in Triton's interpreter and their results in a folder that is thrown away.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import monotonic

RESULTS = Path(__file__).with_name("results")
TESTS = ("paged_attention/kernels/test_gpu.py", "paged_attention/kernels/test_prefill_gpu.py")
NOTHING_RAN = 5  # pytest's word for: every test was skipped, or there was none
LEAST = 20.0  # seconds; with fewer, a step isn't begun
FOR_THE_PAGE = 20.0  # seconds that a benchmark leaves
FOR_PREFILL = 140.0  # seconds that decode leaves to its page and to prefill


@dataclass(frozen=True)
class Step:
    """One command: ``words(seconds)`` for Python, told how long it may take."""

    name: str
    words: Callable[[float], Sequence[str]]
    most: float  # seconds, at the very most
    leaves: float = 0.0  # seconds that it leaves to those after it
    makes: Path | None = None  # without this file, the steps after it have nothing to show


@dataclass(frozen=True)
class Outcome:
    """What became of a step, in words; ``failed`` is neither done nor skipped."""

    name: str
    said: str
    failed: bool = False


def steps(results: Path, rehearse: bool) -> list[Step]:
    """The tests, then the benchmarks, each with its page."""
    how = ["--rehearse"] if rehearse else []
    decoded, prefilled = (
        results / f"{date.today().isoformat()}-{kind}-gpu.json" for kind in ("decode", "prefill")
    )

    def benchmark(name: str, file: Path) -> Callable[[float], list[str]]:
        # It looks at the clock between two shapes; a shape takes some seconds.
        words = ["-m", f"benchmarks.{name}", "--out", str(file), *how, "--seconds"]
        return lambda seconds: [*words, f"{seconds:.0f}"]

    def page(name: str) -> Callable[[float], list[str]]:
        return lambda _: ["-m", f"benchmarks.{name}", "--results", str(results)]

    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    decode, prefill = benchmark("decode_gpu", decoded), benchmark("prefill_gpu", prefilled)
    return [
        Step("tests on the GPU", lambda _: tests, most=180),
        Step("decode benchmark", decode, most=600, leaves=FOR_PREFILL, makes=decoded),
        Step("decode's page", page("decode_page"), most=60),
        Step("prefill benchmark", prefill, most=600, leaves=FOR_THE_PAGE, makes=prefilled),
        Step("prefill's page", page("prefill_page"), most=60),
    ]


def run_all(
    todo: Sequence[Step],
    seconds: float,
    run: Callable[[Sequence[str], float], int | None],
    clock: Callable[[], float] = monotonic,
) -> list[Outcome]:
    """Each step within what is left of ``seconds``. ``run(words, limit)`` gives the exit code, or
    ``None`` when the limit stopped it.
    """
    end, outcomes, nothing_new = clock() + seconds, [], ""
    for step in todo:
        left = end - clock()
        limit = min(step.most, left - step.leaves)
        if nothing_new and step.makes is None:
            outcomes.append(Outcome(step.name, f"skipped: {nothing_new}"))
            continue
        if limit < LEAST:
            outcomes.append(Outcome(step.name, f"skipped: {max(left, 0):.0f} s are left"))
            nothing_new = f"there is no new {step.makes.name}" if step.makes else ""
            continue
        begin, nothing_new = clock(), ""
        code = run(step.words(limit), limit + step.leaves)
        outcomes.append(_outcome(step, code, clock() - begin, limit))
        if step.makes is not None and not step.makes.exists():
            nothing_new = f"there is no new {step.makes.name}"
    return outcomes


def _outcome(step: Step, code: int | None, spent: float, limit: float) -> Outcome:
    if code is None:
        return Outcome(step.name, f"FAILED: stopped after {limit:.0f} s", failed=True)
    if code == NOTHING_RAN:
        return Outcome(step.name, "skipped: no test could run here")
    word = "done" if code == 0 else f"FAILED with exit code {code}"
    return Outcome(step.name, f"{word} in {spent:.0f} s", failed=code != 0)


def missing_here() -> str:
    """Why nothing can be measured on this machine, or nothing."""
    import torch

    if not torch.cuda.is_available():
        return "there is no NVIDIA GPU here, or this PyTorch was built without CUDA"
    try:
        import triton  # noqa: F401
    except ImportError:
        return "Triton is not installed"
    return ""


def left_out() -> list[str]:
    """Other engines' kernels that can't take part, and why."""
    from benchmarks import peer_kernels

    found = " ".join(peer_kernels.present())
    where = os.environ.get("PAGED_ATTENTION_PEERS")
    why = f"not in {where}" if where else "PAGED_ATTENTION_PEERS names no folder"
    return [f"{name}'s kernel: skipped: {why}" for name in ("vLLM", "SGLang") if name not in found]


def run_python(words: Sequence[str], limit: float) -> int | None:
    """Run Python with ``words`` in tests/, its output on ours; ``None`` when it took too long."""
    print(f"\n==== python {' '.join(words)}", flush=True)
    try:
        return subprocess.run(
            [sys.executable, *words], cwd=RESULTS.parents[1], timeout=limit, check=False
        ).returncode
    except subprocess.TimeoutExpired:
        return None


def main(argv: Sequence[str] | None = None) -> int:
    """Run what can run here; 1 when a step failed, 0 when all were done or skipped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=8.0, help="for all of it (default: 8)")
    parser.add_argument("--rehearse", action="store_true", help="on a CPU, leaving nothing behind")
    options = parser.parse_args(argv)
    missing = "" if options.rehearse else missing_here()
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch) if options.rehearse else RESULTS
        todo = steps(results, options.rehearse)
        if missing:
            outcomes = [Outcome(step.name, f"skipped: {missing}") for step in todo]
        else:
            outcomes = run_all(todo, options.minutes * 60, run_python)
    print("\n==== summary")
    for outcome in outcomes:
        print(f"{outcome.name}: {outcome.said}")
    for line in left_out():
        print(line)
    return int(any(outcome.failed for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
