"""A page without a kernel that has every picture on it, and the sentences that they should say."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from helpers.traffic import random_trace

from workbook.stills.output import image
from workbook.trace import RecordingPagedKVCache, Trace
from workbook.widgets import Picture, engine_picture, pool_picture
from workbook.widgets.block_size import numbers as sizes
from workbook.widgets.block_size import picture as block_size
from workbook.widgets.bundle import write_to
from workbook.widgets.contiguous import picture as contiguous
from workbook.widgets.fork import picture as fork
from workbook.widgets.line.picture import line_picture
from workbook.widgets.pages import picture as pages
from workbook.widgets.prefix import picture as prefix
from workbook.widgets.reading import picture as reading
from workbook.widgets.tiles import picture as tiles
from workbook.words.story import steps
from workbook.workloads import CONVERSATION

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'"
)
HOSTILE = [
    "<img src=x onerror='window.caught=1'>",
    "</script><script>window.caught=1</script>",
    "a\u202eb\x00\n",
    "",
    "  ",
    "same",
    "שלום",
    "👩\u200d👩\u200d👧 and a name that goes on and on",
]

HARD = ("long", "hostile", "large")  # pictures that no chapter has


@dataclass(frozen=True)
class Shown:
    """A picture of the gallery, and what it should say at each of its steps."""

    picture: Picture
    sentences: list[str]

    @property
    def start(self) -> int:
        """The step shown first."""
        data = self.picture.data
        return data["start"] if "start" in data else data["sizes"].split().index(str(data["size"]))


def hostile_trace() -> Trace:
    """A pool whose sequences have names that a page must not believe."""
    cache = RecordingPagedKVCache(1, 12, 2, 1, 1)
    for name in [*HOSTILE, b"same"]:
        cache.create(name if isinstance(name, str) else ("same",))
        cache.reserve(name if isinstance(name, str) else ("same",), 2)
    return cache.trace


def _story(trace: Trace) -> list[str]:
    return [f"{call} {said}" for call, said in steps(trace)]


def _line(picture: Picture) -> Shown:
    told = (picture.data[key].split("\n") for key in ("calls", "said"))
    return Shown(picture, [f"{call} {said}" for call, said in zip(*told, strict=True)])


def gallery() -> dict[str, Shown]:
    """Each, as chapters show them, and three that are hard: many look-ups, names, blocks."""
    pool = pool_picture()
    scene = contiguous.scene_of(contiguous.LENGTHS)
    walk = reading.reading_through_table()
    reads = reading.look_ups(Trace.from_json(walk.data["trace"]))
    short = [(k % 4, k // 4) for k in range(len(reading.SCORES))]
    forks, (desk, start) = fork.forked(), prefix.served(None, block_size=4, num_blocks=16)
    hostile, large = hostile_trace(), random_trace(3000, num_blocks=10_000, block_size=16)
    prefixes = prefix.prefix_picture()
    assert prefixes.data["start"] == start
    rows = sizes.rows(CONVERSATION)
    batch, split = tiles.batch_of(), pages.Split((5, 2), 16, 4)
    scores = [k * 7 % 5 for k in range(77)]
    long = reading.reading_through_table(range(20)[::-1], scores, start=12)
    values = [(k % 4, k // 4) for k in range(77)]
    long_reads = reading.look_ups(Trace.from_json(long.data["trace"]))
    return {
        "pool": Shown(pool, _story(Trace.from_json(pool.data["trace"]))),
        "contiguous": Shown(
            contiguous.contiguous_vs_paged(), [contiguous.sentence(scene, k) for k in range(11)]
        ),
        "reading": Shown(
            walk, [reading.sentence(reads, k, reading.SCORES, short, 4) for k in range(7)]
        ),
        "fork": Shown(fork.fork_and_copy(), [fork.sentence(forks, k) for k in range(11)]),
        "prefix": Shown(prefixes, [prefix.sentence(desk.grouped, k) for k in range(9)]),
        "block_size": Shown(
            block_size.block_size_picture(), [block_size.sentence(row) for row in rows]
        ),
        "times": Shown(
            block_size.block_size_picture(times=True),
            [block_size.sentence(row, times=True) for row in rows[:-1]],  # no time of 512
        ),
        "line": _line(line_picture()),
        "engine": _line(engine_picture()),
        "tiles": Shown(
            tiles.tiles_picture(), [tiles.sentence(batch, k) for k in range(batch.last + 1)]
        ),
        "pages": Shown(
            pages.pages_picture((5, 2), block=16, page=4, start=25),
            [pages.sentence(split, k) for k in range(32)],
        ),
        "crowd": _line(line_picture(dict.fromkeys(HOSTILE, 9), num_blocks=8, host=9, budget=12)),
        "long": Shown(
            long, [reading.sentence(long_reads, k, scores, values, 4) for k in range(21)]
        ),
        "hostile": Shown(pool_picture(hostile), _story(hostile)),
        "large": Shown(pool_picture(large, start=1200), _story(large)),
    }


def write_gallery(folder: Path, pictures: Mapping[str, Picture]) -> None:
    """A page with all pictures, one for each, their module, a policy that forbids all else."""
    write_to(folder)
    boot = "import { mountAll } from './pictures.js';\nwindow.unmount = mountAll(document);\n"
    (folder / "boot.js").write_text(boot, encoding="utf-8")
    (folder / "page.css").write_text(
        "body { margin: 8px; } .pa-host { margin-bottom: 24px; } h1 { font: 20px sans-serif; }"
        ":root { color-scheme: light dark; }"
        "@media (prefers-color-scheme: dark) { body { background: #101316; color: #ececec; } }",
        encoding="utf-8",
    )
    _write_page(folder, pictures, ".")
    for name, picture in pictures.items():
        _write_page(folder / name, {name: picture}, "..")


def _write_page(folder: Path, pictures: Mapping[str, Picture], root: str) -> None:
    folder.mkdir(exist_ok=True)
    hosts = []
    for name, picture in pictures.items():
        data = json.dumps(picture.data).replace("<", "\\u003c")
        hosts.append(
            f'<div class="pa-host" id="{escape(name)}">{image(picture.svg, picture.alt)}'
            f'<script type="application/json">{data}</script></div>'
        )
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pictures</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><link rel="stylesheet" href="{root}/page.css">'
        f'<link rel="stylesheet" href="{root}/pictures.css"></head>'
        f"<body><main><h1>Pictures</h1>{''.join(hosts)}</main>"
        f'<script type="module" src="{root}/boot.js"></script></body></html>',
        encoding="utf-8",
    )
