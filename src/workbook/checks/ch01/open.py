"""Chapter 01, open task: a memory that promises less than the longest answer and never runs dry."""

import random
from typing import Any

from workbook.checks.framework import Rejected, attempt, open_task

SLOTS, BLOCK, LIMIT = 4_096, 16, 512
PATIENCE = 20_000  # steps

# fmt: off
FINALS = [188, 227, 481, 284, 298, 479, 422, 255, 220, 251, 470, 261, 499, 255, 425, 163,
          339, 307, 46, 200, 240, 392, 153, 91, 471, 410, 120, 254, 479, 423, 475, 346]
# fmt: on


def _load() -> list[tuple[int, int]]:
    """``(prompt, final)`` of the chapter's 32 requests. The memory never learns a final."""
    draw = random.Random(1)
    return [(draw.randint(4, final // 2), final) for final in FINALS]


@open_task(
    "memory",
    label="open-01",
    title="Promise less",
    asks="a class Memory(slots, block, limit) with admit(name, tokens), grow(name, tokens), "
    "free(name) and slots(name), as Paged has; no request has more than limit tokens at its end. "
    "admit may raise MemoryError and let the queue wait; grow never may",
    unit="steps",
    better="less",
    today=(1_154, "a reservation of 512 for each"),
    book=(901, "let in whom the worst future of all has room for"),
    bound=(727, "who knows every answer's length"),
)
def memory(answer: Any) -> int:
    """Steps until the 32 requests have ended, first come first served."""
    room, load = answer(SLOTS, BLOCK, LIMIT), _load()
    waiting, tokens, lies = list(range(len(load))), dict[int, int](), dict[int, list[int]]()
    step = 0
    while waiting or tokens:
        for name in tokens:
            tokens[name] += 1
            _grow(room, name, tokens[name], step)
        while waiting and _admitted(room, waiting[0], load[waiting[0]][0]):
            name = waiting.pop(0)
            tokens[name] = load[name][0]
        if not tokens:
            raise Rejected(f"In step {step} nobody runs, and the next request is not let in.")
        _look(room, tokens, lies, step)
        for name in [name for name, now in tokens.items() if now == load[name][1]]:
            room.free(name)
            del tokens[name], lies[name]
        step += 1
        if step > PATIENCE:
            raise Rejected(f"After {PATIENCE:,} steps the queue isn't empty.")
    return step


def _admitted(room: Any, name: int, prompt: int) -> bool:
    outcome = attempt(room.admit, name, prompt)
    if outcome.error is None:
        return True
    if outcome.raised(MemoryError):
        return False
    raise outcome.error


def _grow(room: Any, name: int, tokens: int, step: int) -> None:
    outcome = attempt(room.grow, name, tokens)
    if outcome.raised(MemoryError):
        raise Rejected(
            f"In step {step} it ran dry: request {name} wants room for token {tokens}, and there "
            "is none. All that run are stuck in the middle of a step."
        )
    if outcome.error is not None:
        raise outcome.error


def _look(room: Any, tokens: dict[int, int], lies: dict[int, list[int]], step: int) -> None:
    """Does every token that is there have a slot of its own, and the one it had before?"""
    owner: dict[int, int] = {}
    for name, now in tokens.items():
        slots = list(room.slots(name))[:now]
        where = f"In step {step}, request {name}"
        if len(slots) < now:
            raise Rejected(f"{where} has {now} tokens and {len(slots)} slots.")
        if slots[: len(lies.get(name, []))] != lies.get(name, []):
            raise Rejected(f"{where} has other slots than before: what was written isn't there.")
        for slot in slots:
            if type(slot) is not int or not 0 <= slot < SLOTS:
                raise Rejected(f"{where} has slot {slot!r}, and the pool has 0 to {SLOTS - 1}.")
            if owner.setdefault(slot, name) != name:
                raise Rejected(f"{where} and request {owner[slot]} both have slot {slot}.")
        if len(set(slots)) < now:
            raise Rejected(f"{where} has a slot for two of its tokens.")
        lies[name] = slots
