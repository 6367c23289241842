"""Draw a prefix index as a tree, and a pool whose blocks are free, held, shared or cached."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from paged_attention.pictures.figure import canvas
from paged_attention.pictures.states import INK, LINE, MUTED, STATES

MONO = "DejaVu Sans Mono"
TEXT, SMALL = 11.0, 9.5
WIDE, DEEP, HIGH = 1.5, 4.3, 1.75  # a node's width, a level's, a row's
BLOCK, APART = 1.0, 0.16


class PrefixNode(NamedTuple):
    """A node of the index: the place of its parent in the list (``None``: the root), the tokens of
    its block as text, the block, and that block's holders, the index included.
    """

    parent: int | None
    tokens: str
    block: int
    refs: int
    note: str = ""


class PoolState(NamedTuple):
    """A pool after a call: ``refs[b]`` holders of block b, and the blocks that the index names."""

    call: str
    refs: Sequence[int]
    indexed: Sequence[int]


def draw_prefix_tree(nodes: Sequence[PrefixNode], *, root: str = "root") -> Figure:
    """The root at the left, a node's continuations at its right, in the order of the list."""
    rows = _rows(nodes)
    depths = [_depth(nodes, at) for at in range(len(nodes))]
    height = max(rows) + 1
    figure, axes = canvas(7.2, 0.62 * height + 0.5)
    axes.set_axis_off()
    middle = -sum(rows[at] for at, node in enumerate(nodes) if node.parent is None) / max(
        1, sum(node.parent is None for node in nodes)
    )
    _write(axes, 0.0, middle * HIGH, root, ha="right", color=MUTED)
    for at, node in enumerate(nodes):
        x, y = _place(depths[at], rows[at])
        start = (0.25, middle * HIGH)
        if node.parent is not None:
            left, level = _place(depths[node.parent], rows[node.parent])
            start = (left + WIDE, level)
        elbow = x - 2.15
        axes.plot(
            [start[0], elbow, elbow, x], [start[1], start[1], y, y], color=INK, lw=1.1, marker=""
        )
        _write(axes, x - 1.05, y + 0.42, node.tokens, family=MONO, fontsize=SMALL)
        _draw_node(axes, x, y, node)
    axes.set_xlim(-1.6, max(depths) * DEEP + 4.6 + 3.2)
    axes.set_ylim(-(height - 1) * HIGH - 1.0, 1.0)
    return figure


def draw_pool_states(steps: Sequence[PoolState]) -> Figure:
    """A row a step: the call, every block in its state, and how many are in each."""
    blocks = len(steps[0].refs)
    figure, axes = canvas(7.2, 0.52 * len(steps) + 0.45)
    axes.set_axis_off()
    end = blocks * (BLOCK + APART)
    _write(axes, 0.0, 0.3, "pool", ha="left", color=MUTED, fontsize=SMALL)
    _write(axes, end + 0.3, 0.3, "free + held + cached", ha="left", color=MUTED, fontsize=SMALL)
    for row, step in enumerate(steps):
        y = -(row + 1) * 1.3
        _write(axes, -0.4, y + 0.48, step.call, ha="right", family=MONO, fontsize=SMALL)
        states = [_state(refs, block in step.indexed) for block, refs in enumerate(step.refs)]
        for block, (state, refs) in enumerate(zip(states, step.refs, strict=True)):
            x = block * (BLOCK + APART)
            mark = "c" if state == "cached" else f"×{refs}" if refs else ""
            _cell(axes, x, y, BLOCK, state)
            label = f"{block}\n{mark}" if mark else str(block)
            look = STATES[state]
            _write(axes, x + 0.5, y + 0.48, label, color=look.text, fontsize=9, linespacing=1.05)
        free, cached = states.count("free"), states.count("cached")
        total = f"{free} + {blocks - free - cached} + {cached} = {blocks}"
        _write(axes, end + 0.3, y + 0.48, total, ha="left", fontsize=SMALL)
    axes.set_xlim(-7.6, end + 5.4)
    axes.set_ylim(-len(steps) * 1.3 - 0.15, 0.7)
    return figure


def _state(refs: int, indexed: bool) -> str:
    """Free, cached (the index alone holds it), held, or shared by several sequences."""
    if not refs:
        return "free"
    if indexed and refs == 1:
        return "cached"
    return "shared" if refs - indexed > 1 else "held"


def _rows(nodes: Sequence[PrefixNode]) -> list[float]:
    """A row for each leaf, in the order of the list; a parent in the middle of its children."""
    children = [
        [child for child, node in enumerate(nodes) if node.parent == at] for at in range(len(nodes))
    ]
    rows = [0.0] * len(nodes)
    free = 0

    def settle(at: int) -> None:
        nonlocal free
        for child in children[at]:
            settle(child)
        if children[at]:
            rows[at] = sum(rows[child] for child in children[at]) / len(children[at])
        else:
            rows[at], free = float(free), free + 1

    for at, node in enumerate(nodes):
        if node.parent is None:
            settle(at)
    return rows


def _depth(nodes: Sequence[PrefixNode], at: int) -> int:
    parent = nodes[at].parent
    return 0 if parent is None else 1 + _depth(nodes, parent)


def _place(depth: int, row: float) -> tuple[float, float]:
    return 2.6 + depth * DEEP, -row * HIGH


def _draw_node(axes: Axes, x: float, y: float, node: PrefixNode) -> None:
    state = _state(node.refs, True)
    _cell(axes, x, y - 0.5, WIDE, state)
    mark = "c" if state == "cached" else f"×{node.refs}"
    _write(axes, x + WIDE / 2, y - 0.03, f"{node.block} {mark}", color=STATES[state].text)
    if node.note:
        _write(axes, x + WIDE + 0.25, y, node.note, ha="left", color=MUTED, fontsize=SMALL)


def _cell(axes: Axes, x: float, y: float, width: float, state: str) -> None:
    look = STATES[state]
    axes.add_patch(
        Rectangle(
            (x, y),
            width,
            1.0,
            facecolor=look.fill or "none",
            edgecolor=INK if look.fill else LINE,
            linestyle="--" if look.border == "dashed" else "-",
            linewidth=1.1,
        )
    )
    if look.border == "double":
        inset = 0.08
        axes.add_patch(
            Rectangle(
                (x + inset, y + inset),
                width - 2 * inset,
                1 - 2 * inset,
                facecolor="none",
                edgecolor=look.text,
                linewidth=1.0,
            )
        )
    if look.hatch:  # dots along the foot, so that they don't run through the text
        dots = [x + width * (i + 0.5) / 6 for i in range(6)]
        axes.plot(dots, [y + 0.1] * 6, color=look.text, ls="", marker=".", markersize=2.2)


def _write(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    axes.text(x, y, text, **{"ha": "center", "va": "center", "fontsize": TEXT, **look})
