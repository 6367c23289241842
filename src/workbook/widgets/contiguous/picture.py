"""Why do D and E wait? The same requests in one pool, reserved in runs and in blocks."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from workbook.stills.sheet import MARGIN, Sheet
from workbook.trace import Event, State, Trace, replay
from workbook.widgets.common.picture import Picture, Still
from workbook.widgets.contiguous.arrivals import ContiguousSide, PagedSide, serve
from workbook.words.names import isolated, shown_names
from workbook.words.wording import say, words_beside

WORDS = words_beside(__file__)
LENGTHS = (7, 12, 5, 9, 14)
SIDES = ("contiguous", "paged")
SLOT = 18


class Account(NamedTuple):
    """How many slots of a side are written, reserved and empty, free, and all of them."""

    written: int
    empty: int
    free: int
    total: int


class Scene(NamedTuple):
    """Both traces of the same requests, and what they were made from."""

    lengths: Sequence[int]
    most: int
    slots: int
    block_size: int
    traces: dict[str, Trace]


def contiguous_vs_paged(
    lengths: Sequence[int] = LENGTHS,
    *,
    most: int = 20,
    slots: int = 64,
    block_size: int = 4,
    names: Sequence[str] | None = None,
) -> Picture:
    """The same requests on both memory managers; the reader may change their lengths.

    ``lengths``: tokens of each request, at most ``most``, which is what the contiguous side
    reserves. Requests arrive one a step, then end in the same order.
    """
    scene = scene_of(lengths, most=most, slots=slots, block_size=block_size, names=names)
    return _picture(scene, start=len(lengths))


def scene_of(
    lengths: Sequence[int],
    *,
    most: int = 20,
    slots: int = 64,
    block_size: int = 4,
    names: Sequence[str] | None = None,
) -> Scene:
    """Run the requests on both sides."""
    names = names or [chr(ord("A") + k) for k in range(len(lengths))]
    if not lengths or not all(1 <= n <= most for n in lengths) or len(names) != len(lengths):
        raise ValueError(
            f"lengths must be one or more numbers from 1 to most={most}, one for each name, "
            f"got {list(lengths)}"
        )
    if most > slots or slots % block_size:
        raise ValueError(
            f"{slots} slots must hold a run of {most} and whole blocks of {block_size}"
        )
    sides = {
        "contiguous": serve(ContiguousSide(slots, most), lengths, names),
        "paged": serve(PagedSide(slots, block_size), lengths, names),
    }
    return Scene(lengths, most, slots, block_size, sides)


def _picture(scene: Scene, start: int) -> Picture:
    data = {
        "v": 1,
        "picture": "contiguous",
        "start": start,
        "most": scene.most,
        "lengths": " ".join(map(str, scene.lengths)),
        **{side: trace.to_json() for side, trace in scene.traces.items()},
    }
    shown = sorted({min(2, start), start, start + 1})
    stills = [
        Still(sentence(scene, step), partial(_draw, scene=scene, step=step), _laws(scene, step))
        for step in shown
    ]
    return Picture(WORDS["name"], data, _facts(scene, start), stills)


def sentence(scene: Scene, step: int) -> str:
    """What happened in a step, on either side."""
    trace = scene.traces["paged"]
    if trace.call(step) == "start":
        return say(WORDS["start"], {"slots": scene.slots})
    seq = trace.args[step][0]
    facts = {
        "name": isolated(shown_names(trace.seqs)[seq]),
        "tokens": scene.lengths[seq],
        "most": scene.most,
    }
    return " ".join(_side_sentence(scene.traces[side], side, step, facts) for side in SIDES)


def _side_sentence(trace: Trace, side: str, step: int, facts: dict[str, Any]) -> str:
    events = list(trace.by_step())[step]
    names, words = [isolated(n) for n in shown_names(trace.seqs)], WORDS["says"][side]
    by_op = {op: [event for event in events if event.op == op] for op in ("admit", "release")}
    if trace.call(step) == "end":
        entered = [names[event.seq] for event in by_op["admit"]]
        return say(words["ended"], facts | {"back": len(by_op["release"]), "entered": entered})
    refused = [event for event in events if event.op == "refuse"]
    if refused:
        return say(words["refused"], facts | _refusal(trace, refused[0], step, names))
    admitted = by_op["admit"][0]
    first = next(event.block for event in events if event.op == "allocate")
    return say(
        words["admitted"],
        facts
        | {
            "wanted": admitted.n,
            "room": admitted.i,
            "first": first,
            "last": first + admitted.n - 1,
        },
    )


def _refusal(trace: Trace, refused: Event, step: int, names: Sequence[str]) -> dict[str, Any]:
    waiting = replay(trace, step).waiting
    before = [names[seq] for seq in waiting[: waiting.index(refused.seq)]]
    return {"wanted": refused.n, "room": refused.i, "before": before}


def slots_of(scene: Scene, side: str, state: State) -> list[tuple[int, str]]:
    """Every slot's holder (-1: none) and state: held, reserved or free."""
    slots = [(-1, "free")] * scene.slots
    runs: list[tuple[int, int, int, int]] = []  # first slot, slots, written, seq
    if side == "contiguous":
        runs += [(*run, state.filled[seq][0], seq) for seq, run in state.runs.items()]
    for seq, table in state.tables.items():
        for block, filled in zip(table, state.filled[seq], strict=True):
            runs.append((block * scene.block_size, scene.block_size, filled, seq))
    for first, length, written, seq in runs:
        looks = ["held"] * written + ["reserved"] * (length - written)
        slots[first : first + length] = [(seq, look) for look in looks]
    return slots


def account(slots: Sequence[tuple[int, str]]) -> Account:
    """Count a side's slots."""
    looks = [look for _, look in slots]
    return Account(looks.count("held"), looks.count("reserved"), looks.count("free"), len(looks))


def _facts(scene: Scene, step: int) -> list[str]:
    names = shown_names(scene.traces["paged"].seqs)
    kinds = f"{scene.slots} slots, runs of {scene.most}, blocks of {scene.block_size}"
    lines = [f"{kinds}, step {step}/{scene.traces['paged'].last}"]
    for side in SIDES:
        state = replay(scene.traces[side], step)
        slots = slots_of(scene, side, state)
        for seq, name in enumerate(names):
            mine = [slot for slot in slots if slot[0] == seq]
            count = account(mine)
            note = " waits" if seq in state.waiting else ""
            slots_said = f"reserved {len(mine)} written {count.written} empty {count.empty}"
            lines.append(f"{side} {name}: {slots_said}{note}")
    return [*lines, _laws(scene, step)]


def _laws(scene: Scene, step: int) -> str:
    """Written, empty and free slots of either side, and their sums."""
    counts = {
        side: account(slots_of(scene, side, replay(scene.traces[side], step))) for side in SIDES
    }
    return "; ".join(f"{side} {say(WORDS['law'], n._asdict())}" for side, n in counts.items())


def _draw(sheet: Sheet, *, scene: Scene, step: int) -> None:
    names = shown_names(scene.traces["paged"].seqs)
    top = sheet.y
    for at, side in enumerate(SIDES):
        state = replay(scene.traces[side], step)
        left = MARGIN + at * (16 * SLOT + 30)
        sheet.text(left, top + 14, WORDS["sides"][side], bold=True)
        for slot, (seq, look) in enumerate(slots_of(scene, side, state)):
            x = left + slot % 16 * SLOT + (slot % 16 // scene.block_size * 3 if at else 0)
            y = top + 20 + slot // 16 * SLOT
            mark = names[seq][:2] if look == "held" else ""
            sheet.cell(x, y, look, width=SLOT - 1, height=SLOT - 1, mark=mark)
        waits = [names[seq] for seq in state.waiting]
        y = top + 20 + -(-scene.slots // 16) * SLOT + 16
        sheet.text(left, y, say(WORDS["waits"], {"names": waits}), colour="muted")
    sheet.y = y + 6
