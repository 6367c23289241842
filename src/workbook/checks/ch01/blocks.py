"""Chapter 01: room for a request in blocks, taken when its tokens need them."""

from typing import Any

from workbook.checks.framework import Outcome, attempt, exercise, expect, shown
from workbook.checks.toolboxes.refusals import next_blocks

paged = exercise(
    "paged",
    label="ex-01-4",
    title="Room in blocks",
    stub="Paged",
    takes="class",
    hints=(
        "Which of the four take blocks? Two. For each of them: how many blocks has the table got, "
        "and how many must it have?",
        "`admit`: one `allocate_many`, rounded up. `grow`: only when `tokens` are more than the "
        "table has slots. `free`: the whole table, and then no table. `slots`: for each block of "
        "the table, in its order, `block * block_size` and the slots after it.",
    ),
)


def _free(memory: Any) -> int:
    return int(memory.blocks.num_free)


def _slots(memory: Any, name: str) -> list[Any]:
    return list(memory.slots(name))


def _unknown(memory: Any, name: str, said: str = "") -> None:
    """Fail unless the memory knows nothing of ``name``; ``said`` is how the call before ended."""
    found = attempt(_slots, memory, name)
    entry = name in getattr(memory, "tables", ())
    slots = "in `tables`" if found.error else f"with the slots {shown(found.value)}"
    expect(
        found.error is not None and not entry,
        got=f"{said}{name} is still there, {slots}",
        right=f"nothing is known of {name}",
        why="A table that stays names blocks that are somebody else's by now.",
    )


@paged.case(
    "a prompt of 7 in blocks of 3",
    tried="Paged(30, 3); A comes with 7 tokens",
    right="9 slots, 7 of 10 blocks free",
    why="7 tokens take 3 blocks: rounded up.",
)
def _prompt(cls: Any) -> None:
    memory = cls(30, 3)
    memory.admit("A", 7)
    slots = _slots(memory, "A")
    expect(
        len(slots) == 9 and _free(memory) == 7,
        got=f"{len(slots)} slots, {_free(memory)} of 10 blocks free",
    )
    expect(
        sorted(slots) == slots == list(range(9)),
        got=f"slots {shown(slots)}",
        right="slots 0 to 8: blocks 0, 1 and 2",
        why="Slot o of block b is slot block_size · b + o of the pool.",
    )


@paged.case(
    "a prompt that fills its blocks",
    tried="Paged(30, 3); A comes with 6 tokens, then B with 5",
    right="A has 6 slots, B 6; 6 of 10 blocks free",
    why="6 tokens fill 2 blocks of 3; a third one would hold nothing.",
)
def _exact(cls: Any) -> None:
    memory = cls(30, 3)
    memory.admit("A", 6)
    memory.admit("B", 5)
    a, b = _slots(memory, "A"), _slots(memory, "B")
    expect(
        (len(a), len(b), _free(memory)) == (6, 6, 6),
        got=f"A has {len(a)} slots, B {len(b)}; {_free(memory)} of 10 blocks free",
    )
    expect(
        not set(a) & set(b),
        got=f"both hold {sorted(set(a) & set(b))}",
        why="A slot belongs to one request.",
    )


@paged.case(
    "growth, token by token",
    tried="Paged(30, 3); B and A come with 2 tokens each; A grows to 3, 4 … 8, then B to 3, 4",
    right="A has 3, 6, 6, 6, 9, 9 slots, then B 3, 6",
    why="A new block comes when the next token has no slot, not before and not after.",
)
def _growth(cls: Any) -> None:
    memory, seen = cls(30, 3), []
    memory.admit("B", 2)
    memory.admit("A", 2)
    for tokens in range(3, 9):
        memory.grow("A", tokens)
        seen.append(len(_slots(memory, "A")))
    for tokens in 3, 4:
        memory.grow("B", tokens)
        seen.append(len(_slots(memory, "B")))
    a, b = (", ".join(map(str, part)) for part in (seen[:6], seen[6:]))
    expect(seen == [3, 6, 6, 6, 9, 9, 3, 6], got=f"A has {a} slots, then B {b}")


@paged.case(
    "slots in the order of the tokens",
    tried="Paged(30, 3); B and A come with 6 each, A grows to 7, B ends, A grows to 8, 9, 10",
    right="A's first 6 slots as they were, then 3 of a new block, then 3 of B's old one",
    why="Token p of a request is in the p-th slot of its list, wherever the block lies.",
)
def _order(cls: Any) -> None:
    memory = cls(30, 3)
    memory.admit("B", 6)
    memory.admit("A", 6)
    before, b = _slots(memory, "A"), _slots(memory, "B")
    memory.grow("A", 7)
    memory.free("B")
    for tokens in 8, 9, 10:
        memory.grow("A", tokens)
    now = _slots(memory, "A")
    expect(len(now) == 12 and now[:6] == before, got=f"slots {shown(now)}; before, {shown(before)}")
    blocks = [now[at] // 3 for at in range(0, 12, 3)]
    whole = now == [3 * block + offset for block in blocks for offset in range(3)]
    expect(
        whole and set(now[9:]) < set(b) and not set(now[6:9]) & set(b),
        got=f"slots {shown(now)}; B had {shown(b)}",
    )


@paged.case(
    "everything comes back",
    tried="Paged(30, 3); B comes with 4, A with 11, A ends; then an A with 3 comes",
    right="8 of 10 blocks free, then 7; B keeps its slots; the new A has 3",
    why="Whoever ends gives all blocks of its table back, and only those.",
)
def _back(cls: Any) -> None:
    memory = cls(30, 3)
    memory.admit("B", 4)
    memory.admit("A", 11)
    b = _slots(memory, "B")
    memory.free("A")
    now = attempt(_slots, memory, "B").value
    free = sorted(next_blocks(memory.blocks))
    expect(
        free == sorted(set(range(10)) - {slot // 3 for slot in b}) and now == b,
        got=f"free are the {len(free)} blocks {free}; B has {shown(now)}, it had {shown(b)}",
    )
    _unknown(memory, "A")
    memory.admit("A", 3)
    again = _slots(memory, "A")
    expect(
        len(again) == 3 and _free(memory) == 7,
        got=f"the new A has {len(again)} slots; {_free(memory)} of 10 blocks free",
    )


@paged.case(
    "a prompt that takes the whole pool",
    tried="Paged(12, 3); A comes with 11 tokens",
    right="12 slots, no block free",
    why="4 blocks are free, and 11 tokens take 4: there is room.",
)
def _whole_pool(cls: Any) -> None:
    memory = cls(12, 3)
    outcome = attempt(memory.admit, "A", 11)
    expect(outcome.error is None, got=str(outcome))
    slots = _slots(memory, "A")
    expect(
        len(slots) == 12 and _free(memory) == 0,
        got=f"{len(slots)} slots, {_free(memory)} of 4 blocks free",
    )


@paged.case(
    "a pool that can't hold the prompt",
    tried="Paged(12, 3); A comes with 4 tokens, then B with 7",
    right="MemoryError; 2 blocks free, in the same order; nothing known of B",
    why="A refused call changes nothing: B waits, and its turn comes again.",
)
def _too_large(cls: Any) -> None:
    memory = cls(12, 3)
    memory.admit("A", 4)
    before = next_blocks(memory.blocks)
    outcome = attempt(memory.admit, "B", 7)
    _unknown(memory, "B", "no error; " if outcome.error is None else "")
    _refused(memory, outcome, before)


@paged.case(
    "a pool that runs dry",
    tried="Paged(6, 3); A comes with 2 tokens, B with 3, and A grows to 3, then to 4",
    right="A has a slot for 3; then MemoryError, and A keeps its 3 slots, B too",
    why="A block is asked for when a token has no slot. If none is there, the caller must hear of "
    "it, and nothing else may change.",
)
def _dry(cls: Any) -> None:
    memory = cls(6, 3)
    memory.admit("A", 2)
    memory.admit("B", 3)
    fits = attempt(memory.grow, "A", 3)
    expect(fits.error is None, got=f"A can't grow to 3: {fits}")
    before = _slots(memory, "A"), _slots(memory, "B")
    _refused(memory, attempt(memory.grow, "A", 4), [])
    now = _slots(memory, "A"), _slots(memory, "B")
    expect(now == before, got=f"A has {shown(now[0])}, B {shown(now[1])}")


def _refused(memory: Any, outcome: Outcome, before: list[Any]) -> None:
    now = next_blocks(memory.blocks)
    said = type(outcome.error).__name__ if outcome.error else "no error"
    refused = outcome.raised(MemoryError)
    said = "MemoryError" if refused else said
    expect(
        refused and now == before,
        got=f"{said}; the next blocks are {now}, before they were {before}",
    )


@paged.case(
    "blocks of one slot, and two memories",
    tried="one, two = Paged(5, 1), Paged(8, 4); A comes to both with 2 tokens and grows to 3",
    right="3 slots in one, 4 in two; 2 of 5 and 1 of 2 blocks free",
    why="Blocks of 1 need one for every token, and each memory has tables of its own.",
)
def _two_memories(cls: Any) -> None:
    memories = cls(5, 1), cls(8, 4)
    for memory in memories:
        memory.admit("A", 2)
    for memory in memories:
        memory.grow("A", 3)
    slots = [len(_slots(memory, "A")) for memory in memories]
    free = [_free(memory) for memory in memories]
    expect(
        (slots, free) == ([3, 4], [2, 1]),
        got=f"{slots[0]} slots in one, {slots[1]} in two; {free[0]} of 5 and {free[1]} of 2 free",
    )
