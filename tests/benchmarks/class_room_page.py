"""Write results/class_room.md from the newest result of ``benchmarks.class_room``.

in tests/:  python -m benchmarks.class_room_page
"""

from collections.abc import Iterator
from statistics import median

from benchmarks.page_parts import FOLDER, Result, newest, table, where


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


def main() -> None:
    """Write the page."""
    result = newest("class-room")
    assert result is not None, "run benchmarks.class_room first"
    (FOLDER / "class_room.md").write_text("\n".join(page(result)))


if __name__ == "__main__":
    main()
