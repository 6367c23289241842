"""Chapter 05, third part: the queue that nothing is taken out of."""

from typing import Any

from workbook.checks.framework import exercise, expect, shown

idle_queue = exercise(
    "idle_queue",
    label="ex-05-7",
    title="Pop n",
    stub="MyQueue",
    takes="class",
    hints=(
        "An entry counts if it is the one that `place` names for its block. Whether it counts or "
        "not, `head` goes past it, and never back.",
        "`close_up` keeps, in order, each block at whose entry `place` points; then `head` is 0, "
        "and `place` says where each entry is now. A block that was popped has no place.",
    ),
)


def _filled(cls: Any, num_blocks: int, blocks: list[int]) -> Any:
    queue = cls(num_blocks)
    queue.add(blocks)
    return queue


@idle_queue.case(
    "first left, first out",
    tried="5, 2 and 7 are left in this order; pop(2), pop(1)",
    right="[5, 2], then [7]",
    why="Who was left first has been of no use for the longest time.",
)
def _order(cls: Any) -> None:
    queue = _filled(cls, 9, [5, 2, 7])
    first, second = queue.pop(2), queue.pop(1)
    expect(
        (first, second) == ([5, 2], [7]),
        got=f"{shown(first)}, then {shown(second)}",
    )


@idle_queue.case(
    "a void entry is passed over",
    tried="0, 1 and 2 are left; 1 is used; 1 is left; pop(2), pop(1)",
    right="[0, 2], then [1]",
    why="The queue is 0, 1, 2, 1, and only the second 1 counts: after the first, block 1 was used.",
)
def _void(cls: Any) -> None:
    queue = _filled(cls, 6, [0, 1, 2])
    queue.use(1)
    queue.add([1])
    first, second = queue.pop(2), queue.pop(1)
    expect(
        (first, second) == ([0, 2], [1]),
        got=f"{shown(first)}, then {shown(second)}",
    )
    queue = _filled(cls, 6, [0, 1, 2])
    queue.use(0)
    queue.use(2)
    found = queue.pop(3)
    expect(
        found == [1],
        tried="0, 1 and 2 are left; 0 and 2 are used; pop(3)",
        got=shown(found),
        right="[1]",
        why="Two of the three are held. Whoever holds them would read another's tokens.",
    )
    _expect_passed_once(cls)


class _Watched(list[int]):
    """A list that counts how often its first entry is read."""

    reads = 0

    def __getitem__(self, at: Any) -> Any:
        places = range(len(self))[at]
        self.reads += 0 in places if isinstance(at, slice) else places == 0
        return super().__getitem__(at)

    def __iter__(self) -> Any:
        self.reads += 1
        return super().__iter__()


def _expect_passed_once(cls: Any) -> None:
    queue = _filled(cls, 6, [0, 1, 2, 3])
    queue.use(0)
    watched = _Watched(queue.queue)
    try:
        queue.queue = watched
    except AttributeError:  # the engine's is not to be replaced
        return
    queue.pop(1)
    before = watched.reads
    queue.pop(1)
    expect(
        watched.reads == before,
        tried="0, 1, 2 and 3 are left; 0 is used; pop(1), pop(1)",
        got="the void entry of 0 was looked at by both",
        right="by the first alone: `head` has gone past it",
        why="The search began at the front again. With a million void entries there, each pop "
        "passes them all: go on from `head`, and move it.",
    )


@idle_queue.case(
    "as many as there are",
    tried="4 and 1 are left; pop(0), pop(5), pop(1)",
    right="[], [4, 1], []",
    why="Up to n: fewer are no error, and what was handed out once is gone.",
)
def _as_many(cls: Any) -> None:
    queue = _filled(cls, 6, [4, 1])
    found = [queue.pop(0), queue.pop(5), queue.pop(1)]
    expect(found == [[], [4, 1], []], got=", ".join(map(shown, found)))
    queue.add([4, 3])
    again = queue.pop(9)
    expect(
        again == [4, 3],
        tried="then 4 and 3 are left; pop(9)",
        got=shown(again),
        right="[4, 3]",
        why="A block that was evicted holds other tokens now, and may be left like any other.",
    )


@idle_queue.case(
    "the length is what could be popped",
    tried="5 blocks are left, 2 of them used, one pops 1 and then 9",
    right="length 5, 3, 2, 0",
    why="Admission counts these blocks as room.",
)
def _length(cls: Any) -> None:
    queue = _filled(cls, 8, [3, 6, 1, 0, 7])
    lengths = [queue.length]
    for block in (6, 0):
        queue.use(block)
    lengths.append(queue.length)
    for n in (1, 9):
        queue.pop(n)
        lengths.append(queue.length)
    expect(lengths == [5, 3, 2, 0], got=f"length {', '.join(map(shown, lengths))}")


@idle_queue.case(
    "it doesn't grow for ever",
    tried="a pool of 5; blocks 3, 0, 4 are left; 100 times 0 is used and left",
    right="10 entries at most, and pop(9) says [3, 4, 0]",
    why="One prompt that is asked for a million times would leave a million void entries.",
)
def _bounded(cls: Any) -> None:
    queue = _filled(cls, 5, [3, 0, 4])
    longest = 0
    for _ in range(100):
        queue.use(0)
        queue.add([0])
        longest = max(longest, len(queue.queue))
    expect(longest <= 10, got=f"{longest} entries")
    found = queue.pop(9)
    expect(found == [3, 4, 0], got=shown(found))


@idle_queue.case(
    "closing up changes no order",
    tried="blocks of a pool of 7 are left, used and popped, 400 times, in an order that repeats "
    "itself late",
    right="each time what a list says from which blocks are taken out",
    why="Void entries go, and what was popped; all others stay where they were, in order.",
)
def _like_a_list(cls: Any) -> None:
    queue, plain = cls(7), []
    state = 1
    for step in range(400):
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        block, what = (state >> 8) % 7, (state >> 16) % 5
        if block not in plain:
            queue.add([block])
            plain.append(block)
        elif what:
            queue.use(block)
            plain.remove(block)
        else:
            got, right = queue.pop(2), plain[:2]
            del plain[:2]
            expect(
                got == right and queue.length == len(plain),
                tried=f"step {step}: pop(2)",
                got=f"{shown(got)}, length {shown(queue.length)}",
                right=f"{right}, length {len(plain)}",
            )
        expect(len(queue.queue) <= 14, tried=f"step {step}", got=f"{len(queue.queue)} entries")
