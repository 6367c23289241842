"""What an output may hold."""

import re
from collections.abc import Iterator

from nbformat import NotebookNode

from bookbuild.outputs import masks
from bookbuild.rules.page import Page, Problem, tags

SHORTEST_ALT = 20
IMAGES = {"image/png", "image/jpeg", "image/svg+xml", "image/gif"}
STOPWATCH = "⏱"
MACHINE = re.compile(
    r"(?<![\w.])((/root|/home|/Users|/tmp|/var|/usr|/opt|/work|/private|/mnt)/[\w.-]+|[A-Za-z]:\\\w+)"
    r"|\b(0x[0-9a-f]{8,})\b"
)
EMBEDDED = re.compile(r"data:[\w/+-]+;base64,[A-Za-z0-9+/=]+")


def alt_text(page: Page) -> Iterator[Problem]:
    """Every picture says in words what it shows."""
    for at, cell in page.code():
        for output in cell.outputs:
            data = output.get("data", {})
            said = data.get("text/plain", "").strip().strip("'\"")
            if IMAGES & set(data) and (said.startswith("<") or len(said) < SHORTEST_ALT):
                yield page.problem(f"a picture without alt text (it has {said!r}); {SHOW}", at)
            for alt in _image_alts(data.get("text/html", "")):
                if len(alt) < SHORTEST_ALT:
                    yield page.problem(f"an <img> without alt text (it has {alt!r}); {SHOW}", at)


SHOW = f'use show(fig, alt="…") with {SHORTEST_ALT} characters or more that tell what it shows'


def _image_alts(html: str) -> Iterator[str]:
    for tag in re.findall(r"<img\b[^>]*>", html):
        alt = re.search(r"""\balt=("([^"]*)"|'([^']*)')""", tag)
        yield (alt[2] or alt[3] or "") if alt else ""


def no_machine_in_outputs(page: Page) -> Iterator[Problem]:
    """An output is the same on every reader's machine."""
    for at, cell in page.code():
        for output in cell.outputs:
            if found := MACHINE.search(EMBEDDED.sub("", _text(output))):
                yield page.problem(
                    f"the output holds {found[0]!r}, which belongs to one machine or run; "
                    "print something that stays the same",
                    at,
                )


def measurements(page: Page) -> Iterator[Problem]:
    """Only times that are marked as measured are masked, and only in cells that say so."""
    for at, cell in page.code():
        printed = "\n".join(_text(output) for output in cell.outputs)
        tagged = "measured" in tags(cell)
        if STOPWATCH in printed and not tagged:
            yield page.problem(f"prints {STOPWATCH} without the tag `measured`; add it", at)
        elif tagged and STOPWATCH not in printed:
            yield page.problem(
                f"is tagged `measured` but prints no {STOPWATCH}; "
                f"print times as `{STOPWATCH} 12.3 ms`, or take the tag away",
                at,
            )
        for pattern, _ in masks():
            printed = pattern.sub("", printed)
        if STOPWATCH in printed:
            rest = printed[printed.index(STOPWATCH) :].split("\n", 1)[0][:30]
            yield page.problem(
                f"{rest!r} isn't masked: write {STOPWATCH}, a number, a space and a unit that "
                "src/bookbuild/measured.cfg lists",
                at,
            )


def promised_errors(page: Page) -> Iterator[Problem]:
    """A cell that is said to raise does raise, so that the lesson is there."""
    for at, cell in page.code():
        raised = any(output.output_type == "error" for output in cell.outputs)
        promised = bool({"raises-exception", "nbval-raises-exception"} & set(tags(cell)))
        if promised and not raised:
            yield page.problem("is tagged `raises-exception` but nothing was raised", at)


def _text(output: NotebookNode) -> str:
    """Everything readable in an output; pictures' bytes aren't."""
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return "\n".join([output.ename, output.evalue, *output.traceback])
    readable = (
        value for key, value in output.data.items() if key not in IMAGES - {"image/svg+xml"}
    )
    return "\n".join(str(value) for value in readable)
