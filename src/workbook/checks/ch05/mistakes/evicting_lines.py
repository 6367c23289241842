"""More mistakes with evict: the chapter's own solution, changed in a line."""

from collections import OrderedDict
from typing import Any

from workbook.checks.ch05.evicting import evict
from workbook.checks.ch05.mistakes.attaching import Right


class Written(Right):
    """The chapter's solution."""

    def __init__(self, cache: Any, index: Any) -> None:
        super().__init__(cache, index)
        self.recent: OrderedDict[int, None] = OrderedDict()

    def remember(self, seq: Any, tokens: list[int]) -> None:
        super().remember(seq, tokens)
        full = self.cache.lengths[seq] // self.cache.block_size
        self.touch(self.cache.tables[seq][:full])

    def touch(self, blocks: list[int]) -> None:
        for block in reversed(blocks):
            self.recent[block] = None
            self.recent.move_to_end(block)

    def evict(self, n: int) -> int:
        refs = self.cache.allocator.refs
        chosen = [block for block in self.recent if refs[block] == 1][:n]
        for block in chosen:
            self.index.forget(block)
            del self.recent[block]
            self.cache.allocator.release(block)
        return len(chosen)


evict.also_right += [Written]


def line(says: str, *changes: tuple[str, str]) -> None:
    evict.mistake(says, *changes, of=Written)


line(
    "`touch` noted the first block alone. All of the blocks have been used.",
    ("in reversed(blocks)", "in blocks[:1]"),
)
line(
    "`touch` noted the last block alone. All of the blocks have been used.",
    ("in reversed(blocks)", "in blocks[-1:]"),
)
line(
    "A block that is new to `recent` can't be moved in it. First it must be there: "
    "`self.recent[block] = None`.",
    ("            self.recent[block] = None\n", ""),
)
line(
    "It looked for blocks that somebody else holds, too, with a count above 1. A count of 1 is "
    "the index alone.",
    ("refs[block] == 1", "refs[block] > 1"),
)
line(
    "`[-n:]` takes the n that were used last. Those used longest ago stand first in `recent`.",
    ("[:n]", "[-n:]"),
)
line(
    "What was used last went first, and of a prompt the head. A used block goes to the end of "
    "`recent`, and `evict` reads from its front.",
    ("in self.recent if", "in reversed(self.recent) if"),
)
line("n says how many are to go, also when more of them could.", ("[:n]", ""))
line(
    "One block less than n went: `[:n]` are n entries, from 0 to n − 1.",
    ("[:n]", "[: n - 1]"),
)
line(
    "What is free already was taken off n. It counts the blocks to free now.",
    ("[:n]", "[: max(0, n - self.cache.allocator.num_free)]"),
)
line(
    "The first n of `recent` were looked at, and those in use taken out afterwards. Take out "
    "first, then count to n.",
    (
        "[block for block in self.recent if refs[block] == 1][:n]",
        "[block for block in list(self.recent)[:n] if refs[block] == 1]",
    ),
)
line(
    "The loop ended in its first turn, with one block freed. Does the `return` stand inside it?",
    (
        "        return len(chosen)",
        "            return 1\n        return 0",
    ),
)
line(
    "Sorted by id: an id says nothing about where a block stands in a prompt. The order of "
    "`blocks` does.",
    ("in reversed(blocks)", "in sorted(blocks, reverse=True)"),
)
line(
    "`recent` was emptied by each `touch`. Blocks of other prompts are in the index, too.",
    (
        "        for block in reversed(blocks):",
        "        self.recent.clear()\n        for block in reversed(blocks):",
    ),
)
line(
    "At most one block goes, whatever n is, and one also when n is 0.",
    ("[:n]", "[:1]"),
)
line(
    "The block was released twice. The index owes one release, for the one hold that it has.",
    (
        "            self.cache.allocator.release(block)\n",
        "            self.cache.allocator.release(block)\n"
        "            self.cache.allocator.release(block)\n",
    ),
)
