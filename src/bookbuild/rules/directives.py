"""MyST directives in a markdown cell: ``:::{hint} Title`` with options and a body."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

OPENING = re.compile(r"^\s*(?P<fence>:{3,}|`{3,})\{(?P<name>[\w-]+)\}\s*(?P<title>.*?)\s*$")
OPTION = re.compile(r"^\s*:(?P<key>[\w-]+):\s*(?P<value>.*?)\s*$")


@dataclass
class Directive:
    """One directive. ``closed`` is false when its closing fence is missing."""

    name: str
    title: str
    options: dict[str, str] = field(default_factory=dict)
    body: str = ""
    closed: bool = False


def directives(markdown: str) -> Iterator[Directive]:
    """The directives of a cell in order, those inside others too."""
    lines = markdown.splitlines()
    for at, line in enumerate(lines):
        if opening := OPENING.match(line):
            yield _read(opening, lines[at + 1 :])


def _read(opening: re.Match[str], rest: list[str]) -> Directive:
    found = Directive(opening["name"], opening["title"])
    closing = re.compile(rf"^\s*{opening['fence'][0]}{{{len(opening['fence'])},}}\s*$")
    body: list[str] = []
    for line in rest:
        if closing.match(line):
            found.closed = True
            break
        option = OPTION.match(line) if not body else None
        if option:
            found.options[option["key"]] = option["value"]
        elif body or line.strip():
            body.append(line)
    found.body = "\n".join(body).strip()
    return found
