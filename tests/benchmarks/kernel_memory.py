"""What one learner's kernel takes of a machine that a class shares, chapter by chapter.

    in tests/:  python -m benchmarks.kernel_memory [--out FILE.json] [NN …]

Each chapter is executed once, as ``test_memory.py`` does it. ``kernel_memory_page`` writes the
newest result into the page for instructors. Megabytes hardly depend on who else works on the
machine; seconds of CPU do a little.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import nbformat
from benchmarks import machine
from helpers.memory import SMAPS, kept

from bookbuild.book import ROOT, chapters


def main() -> int:
    """Measure, print, and write where ``--out`` says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", metavar="NN")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if not SMAPS.exists():
        sys.exit("only Linux tells what a process holds alone")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a learner has one core, not all
    figures = {}
    for chapter in chapters(ROOT, arguments.numbers):
        told = kept(nbformat.read(chapter.notebook, as_version=4), chapter)
        figures[chapter.number] = {name: round(value) for name, value in told.items()}
        print(
            f"chapter {chapter.number}: {told['end']:>4.0f} MB at its end, "
            f"{told['most']:>4.0f} at most, {told['cpu']:>4.0f} s of CPU",
            flush=True,
        )
    if arguments.out:
        result = machine.described() | {"threads": 1, "chapters": figures}
        arguments.out.write_text(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
