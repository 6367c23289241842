"""The common language of all pictures: how each state of a block or slot looks, and the page's ink.

``looks.json`` is the only place that says it. From here Python draws, and the style sheet of the
moving pictures is made; their module reads the same file. Fills are Okabe and Ito's and stay in the
dark; every state has a second cue beside its colour (a border, a hatch, a mark), and every filled
cell a dark edge, since some fills are pale on paper.
"""

import json
from pathlib import Path
from typing import Literal, NamedTuple

LOOKS = Path(__file__).with_name("looks.json")
_READ = json.loads(LOOKS.read_text(encoding="utf-8"))


class Look(NamedTuple):
    """How a state is drawn, and called. ``text`` and ``edge``: a colour, or the name of one in
    ``COLOURS``; ``fill`` None: the page shows. ``word`` stands in sentences, ``legend`` below.
    """

    fill: str | None
    text: str
    edge: str
    border: Literal["solid", "dashed", "double"]
    hatch: Literal["dots", "stripes", "lattice", "cross"] | None
    mark: str
    word: str
    legend: str


STATES: dict[str, Look] = {name: Look(**look) for name, look in _READ["states"].items()}
COLOURS: dict[str, tuple[str, str]] = {  # in light, in the dark
    name: (light, dark) for name, (light, dark) in _READ["colours"].items()
}
LIGHT = {name: light for name, (light, _) in COLOURS.items()}
SERIES = ("blue", "orange", "green", "rose")  # lines of a chart; label them directly
READ_MARK = "▼"


def variables() -> str:
    """CSS for a drawing of its own: the colours as variables, in light and in a screen's dark."""
    light, dark = (
        ";".join(f"--{name}:{pair[theme]}" for name, pair in COLOURS.items()) for theme in (0, 1)
    )
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def paint(colour: str | None) -> str:
    """A colour as CSS writes it: itself, or the variable of that name, or none."""
    if colour is None:
        return "none"
    return f"var(--{colour})" if colour in COLOURS else colour
