"""Mistakes with pop and close_up, as readers make them."""

from collections.abc import Sequence

from paged_attention.idle import IdleQueue
from paged_attention.journal import Journal
from workbook.checks.ch05.queueing import idle_queue
from workbook.checks.toolboxes.run_world import LazyQueue


class Queue(LazyQueue):
    """The chapter's solution."""

    def pop(self, n: int) -> list[int]:
        taken: list[int] = []
        while len(taken) < n and self.head < len(self.queue):
            block = self.queue[self.head]
            if self.place[block] == self.head:
                taken.append(block)
                self.place[block] = None
            self.head += 1
        self.length -= len(taken)
        return taken

    def close_up(self) -> None:
        queue = [block for at, block in enumerate(self.queue) if self.place[block] == at]
        for at, block in enumerate(queue):
            self.place[block] = at
        self.queue, self.head = queue, 0


class Finished:
    """The engine's, whose entries are void when the counts say so."""

    def __init__(self, num_blocks: int) -> None:
        self.refs = [2] * num_blocks
        self.idle = IdleQueue(self.refs, Journal())

    @property
    def queue(self) -> list[int]:
        return self.idle._queue

    @property
    def length(self) -> int:
        return len(self.idle)

    def add(self, blocks: Sequence[int]) -> None:
        for block in blocks:
            self.refs[block] = 1
        self.idle.add(blocks)

    def use(self, block: int) -> None:
        self.idle.taken_up(1)
        self.refs[block] = 2

    def pop(self, n: int) -> list[int]:
        taken = self.idle.pop(n)
        for block in taken:
            self.refs[block] = 2
        return taken


class FromTheFront(Queue):
    """Closed up at each pop, too: slow, and right."""

    def pop(self, n: int) -> list[int]:
        self.close_up()
        return super().pop(n)


idle_queue.finished = Finished
idle_queue.also_right += [Queue, FromTheFront]

for says, *changes in (
    (
        "Void entries were handed out: their blocks are held, or were left again later.",
        ("if self.place[block] == self.head:", "if True:"),
    ),
    (
        "The old entry of a block that came back was handed out. It is void: the block has been "
        "of use since, and waits in another place.",
        ("if self.place[block] == self.head:", "if self.place[block] is not None:"),
    ),
    (
        "It stopped at the first void entry. Behind it stand others that count.",
        ("            self.head += 1\n        self", "            else:\n                break\n"
         "            self.head += 1\n        self"),
    ),
    (
        "A void entry was counted as one of the n.",
        ("while len(taken) < n and self.head < len(self.queue):",
         "for _ in range(min(n, len(self.queue) - self.head)):"),
    ),
    (
        "One more than n came out.",
        ("while len(taken) < n and", "while len(taken) <= n and"),
    ),
    (
        "One less than n came out.",
        ("while len(taken) < n and", "while len(taken) < n - 1 and"),
    ),
    (
        "n is the most, not the least: when the queue is at its end, return what there is.",
        ("while len(taken) < n and self.head < len(self.queue):", "while len(taken) < n:"),
    ),
    (
        "All came out, however many were asked for.",
        ("while len(taken) < n and self.head", "while self.head"),
    ),
    (
        "What was left last came out first.",
        ("        return taken", "        return taken[::-1]"),
    ),
    (
        "A popped block kept its place, and after closing up it is handed out a second time.",
        ("                self.place[block] = None\n", ""),
    ),
    (
        "The length stayed as it was: room is counted that is given away.",
        ("        self.length -= len(taken)\n", ""),
    ),
    (
        "The length fell by n, also when fewer came out.",
        ("self.length -= len(taken)", "self.length -= n"),
    ),
    (
        "The length fell for void entries, too. `use` has counted those already.",
        ("            self.head += 1\n", "            else:\n                self.length -= 1\n"
         "            self.head += 1\n"),
    ),
    (
        "The length fell twice for each block.",
        ("self.length -= len(taken)", "self.length -= 2 * len(taken)"),
    ),
    (
        "The block that was handed out was taken out of the queue, and all places behind it are "
        "wrong by one.",
        ("                self.place[block] = None\n            self.head += 1\n",
         "                self.place[block] = None\n                self.queue.pop(self.head)\n"
         "            else:\n                self.head += 1\n"),
    ),
    (
        "It never closes up: void entries are kept for ever.",
        ("        queue = [block for at, block in enumerate(self.queue) "
         "if self.place[block] == at]\n"
         "        for at, block in enumerate(queue):\n            self.place[block] = at\n"
         "        self.queue, self.head = queue, 0\n", "        return\n"),
    ),
    (
        "`head` still points into the old queue: what stands before it is never seen again.",
        ("self.queue, self.head = queue, 0", "self.queue = queue"),
    ),
    (
        "`place` still points into the old queue: after closing up no entry counts.",
        ("        for at, block in enumerate(queue):\n            self.place[block] = at\n", ""),
    ),
    (
        "Void entries stayed, and closing up made them count again.",
        ("if self.place[block] == at]", "if at >= self.head]"),
    ),
    (
        "One entry a block was kept, and of blocks that are held, too.",
        ("[block for at, block in enumerate(self.queue) if self.place[block] == at]",
         "list(dict.fromkeys(self.queue[self.head :]))"),
    ),
    (
        "The blocks were sorted by their numbers. The order of the queue is the order of use.",
        ("[block for at, block in enumerate(self.queue) if self.place[block] == at]",
         "[block for block, place in enumerate(self.place) if place is not None]"),
    ),
    (
        "The queue was turned round when it closed up.",
        ("        for at, block in enumerate(queue):", "        queue.reverse()\n"
         "        for at, block in enumerate(queue):"),
    ),
    (
        "Everything was thrown away: what waited in the queue is lost.",
        ("        for at, block in enumerate(queue):", "        queue = []\n"
         "        for at, block in enumerate(queue):"),
    ),
    (
        "The length was counted anew, with the void entries.",
        ("        self.queue, self.head = queue, 0", "        self.length = len(self.queue)\n"
         "        self.queue, self.head = queue, 0"),
    ),
    (
        "One entry a block was kept, the first: the last one is the entry that counts.",
        ("[block for at, block in enumerate(self.queue) if self.place[block] == at]",
         "list(dict.fromkeys(b for b in self.queue if self.place[b] is not None))"),
    ),
    (
        "The length was counted from the queue, which has void entries: take off what was handed "
        "out.",
        ("self.length -= len(taken)", "self.length = len(self.queue) - self.head"),
    ),
    (
        "The number of blocks came back, not the blocks.",
        ("        return taken", "        return len(taken)"),
    ),
):  # fmt: skip
    idle_queue.mistake(says, *changes, of=Queue)


@idle_queue.mistake(
    "The search began at the front again. With a million void entries there, each pop passes them "
    "all: go on from `head`, and move it."
)
class FromTheFrontAgain(Queue):
    def pop(self, n: int) -> list[int]:
        taken: list[int] = []
        for at in range(len(self.queue)):
            if len(taken) == n:
                break
            block = self.queue[at]
            if self.place[block] == at:
                taken.append(block)
                self.place[block] = None
        self.length -= len(taken)
        return taken


@idle_queue.mistake("The end of the queue was handed out: who was left first stands at its front.")
class FromTheBack(Queue):
    def pop(self, n: int) -> list[int]:
        taken: list[int] = []
        while len(taken) < n and self.queue:
            block = self.queue.pop()
            if self.place[block] == len(self.queue):
                taken.append(block)
                self.place[block] = None
        self.length -= len(taken)
        return taken
