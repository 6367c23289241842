"""Write the table of memory on the page for instructors from the newest result.

in tests/:  python -m benchmarks.kernel_memory_page
"""

import re
from collections.abc import Iterator
from datetime import date

from benchmarks.page_parts import Result, newest

from bookbuild.book import ROOT

PAGE = ROOT / "chapters" / "pages" / "instructors.md"
HEAD = "| chapter | MB at its end | MB at most, on the way | seconds of one core |"
TABLE = re.compile(
    rf"{re.escape(HEAD)}\n.*?\n\n\*Measured [^\n]*\n\nThirty learners[^\n]*\n", re.DOTALL
)
SERVER, WEIGHTS, ROOM = 115, 540, 30  # MB, MB, learners; as the page says above the table


def lines(result: Result) -> Iterator[str]:
    """Megabytes rounded up to tens, since they vary by some from run to run."""
    yield HEAD
    yield "|---|---|---|---|"
    for number, told in result["chapters"].items():
        end, most = (-(-told[name] // 10) * 10 for name in ("end", "most"))
        yield f"| {int(number)} | {end} | {most} | {told['cpu']} |"
    yield ""
    day = date.fromisoformat(result["date"])
    yield (
        f"*Measured on {day.day} {day:%B %Y}, each chapter run once from top to bottom on one "
        f"thread ({result['machine']}).*"
    )
    yield ""
    rest, all_at_once = (gigabytes(result, name) for name in ("end", "most"))
    yield (
        f"Thirty learners, each with one chapter open, come to {rest} GB with servers and "
        f"weights; if all of them run a chapter's dearest cell together, to {all_at_once} GB."
    )


def gigabytes(result: Result, name: str) -> int:
    """What a room takes, rounded up, in the chapter that takes most."""
    each = max(told[name] for told in result["chapters"].values()) + SERVER
    return -(-(ROOM * each + WEIGHTS) // 1000)


def written(text: str) -> str:
    """The page with the newest table in the place of the one that it has."""
    result = newest("kernel-memory")
    assert result, "run benchmarks.kernel_memory first"
    table = "\n".join(lines(result)) + "\n"
    text, found = TABLE.subn(lambda _: table, text)
    assert found == 1, "the page has lost its table"
    return text


def main() -> None:
    """Write it in place."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
