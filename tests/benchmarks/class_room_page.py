"""Write the newest result of ``benchmarks.class_room`` into results/class_room.md, and its table
into the page for instructors.

in tests/:  python -m benchmarks.class_room_page
"""

import re
from collections.abc import Iterator
from datetime import date
from statistics import median

from benchmarks.page_parts import FOLDER, Result, newest, table, where

from bookbuild.book import ROOT

INSTRUCTORS = ROOT / "chapters" / "pages" / "instructors.md"
ANCHOR = "each runs chapters 2 and 3 as fast as answers come.\n"  # the table stands behind it
TABLE = re.compile(
    rf"(?<={re.escape(ANCHOR)})(?:\n\| a simulated room .*?\n\n\*Measured [^\n]*\n)?", re.S
)


def page(result: Result) -> Iterator[str]:
    """The lines of the page."""
    learners, most = result["learners"], result["most"]
    yield "# A class on one server, measured\n"
    yield "Written by `benchmarks.class_room_page` from the JSON file beside it.\n"
    yield where(result)
    yield ""
    yield (
        f"A JupyterHub on a machine with {result['memory_gb']:.0f} GB. {learners} simulated "
        f"learners came {result['stagger_seconds']:g} s after one another, opened JupyterLab and "
        "ran every cell of the student edition of chapters 2 and 3, each as fast as answers came. "
        "A third solved the exercises, a third made a slip in each, a third left them.\n"
    )
    if result["stopped_by"]:
        yield f"**It was stopped by {result['stopped_by']}.**\n"
    yield from table(["", ""], totals(result))
    yield from table(
        ["chapter", "finished", "median", "slowest", "kernel's own memory"], rows(result)
    )
    yield (
        "A kernel's own memory is what it alone holds at the chapter's end; while chapter 3 "
        f"measures, one had {most['one_kernel']:,} MB. The model is mapped from one file and is "
        "everybody's: 540 MB once.\n"
    )


def totals(result: Result) -> Iterator[list[str]]:
    """What happened to the room, and what the machine gave at most."""
    learners, most = result["learners"], result["most"]
    came = [each["server_seconds"] for each in result["each"] if each["server_seconds"]]
    yield ["finished both chapters", f"{result['finished']} of {learners}"]
    yield ["refused, and asked again", f"{result['refused']}"]
    yield ["websockets lost", f"{result['lost']}"]
    yield ["cells that failed", f"{result['failed_cells']}"]
    yield ["all done after", f"{result['seconds']} s"]
    if came:
        yield ["until Lab's page was there", f"median {median(came):.0f} s, most {max(came):.0f} s"]
    yield ["memory of servers and kernels, most at once", f"{most['together'] / 1e3:.1f} GB"]
    yield ["memory still available, least", f"{most['available'] / 1e3:.1f} GB"]
    yield ["computed", f"{most['cpu_seconds'] / learners:.0f} s a learner"]
    yield ["load average, most", f"{most['load']}"]


def rows(result: Result) -> Iterator[list[str]]:
    """A line for each chapter."""
    for number in result["chapters"]:
        done = [each["chapters"][number] for each in result["each"] if number in each["chapters"]]
        if not done:
            yield [number, "0", "–", "–", "–"]
            continue
        seconds = [each["seconds"] for each in done]
        own = [each["private_mb"] for each in done]
        yield [
            number,
            f"{len(done)} of {result['learners']}",
            f"{median(seconds):.0f} s",
            f"{max(seconds):.0f} s",
            f"{median(own):.0f} MB, most {max(own):,} MB",
        ]


def for_instructors(text: str, result: Result) -> str:
    """The page for instructors with this result's table, in the place of an older one."""
    day = date.fromisoformat(result["date"])
    stopped = f" It was stopped by {result['stopped_by']}." if result["stopped_by"] else ""
    lines = [
        f"| a simulated room of {result['learners']} | |",
        "|---|---|",
        *(f"| {what} | {came} |" for what, came in totals(result)),
        "",
        f"*Measured on {day.day} {day:%B %Y} on {result['memory_gb']:.0f} GB "
        f"({result['machine']}); one came every {result['stagger_seconds']:g} s.{stopped}*",
    ]
    written, found = TABLE.subn(lambda _: "\n" + "\n".join(lines) + "\n", text)
    assert found == 1, "the page has lost the sentence before the table"
    return written


def main() -> None:
    """Write both."""
    result = newest("class-room")
    assert result is not None, "run benchmarks.class_room first"
    (FOLDER / "class_room.md").write_text("\n".join(page(result)))
    text = for_instructors(INSTRUCTORS.read_text(encoding="utf-8"), result)
    INSTRUCTORS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
