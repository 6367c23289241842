"""Runs of known blocks as chapter 05 has them, and queues of idle blocks, for the checks there."""

from collections.abc import Iterator, Sequence
from typing import Any


class Run:
    """Full blocks in a row; ``blocks[i]`` is block number ``first + i`` of its prefix."""

    def __init__(
        self, parent: Any, first: int, tokens: bytes = b"", blocks: Sequence[int] = ()
    ) -> None:
        self.parent, self.first = parent, first
        self.tokens, self.blocks = tokens, list(blocks)
        self.children: dict[bytes, Any] = {}  # by the tokens of their first block


def below(parent: Any, text: str, blocks: Sequence[int], width: int) -> Any:
    """A new run with these tokens and blocks, a child of ``parent``."""
    tokens = text.encode()
    run = Run(parent, parent.first + len(parent.blocks), tokens, blocks)
    parent.children[tokens[:width]] = run
    return run


def all_below(run: Any) -> Iterator[Any]:
    """Every run under ``run``, each once; a tree that leads back to itself ends."""
    seen = {id(run)}
    stack = [run]
    while stack:
        for child in stack.pop().children.values():
            if id(child) not in seen:
                seen.add(id(child))
                stack.append(child)
                yield child


def find(top: Any, prompt: str, width: int) -> list[int]:
    """The blocks that hold the longest known beginning of ``prompt``, found block by block."""
    packed, at, run = prompt.encode(), 0, top
    blocks: list[int] = []
    while True:
        run = run.children.get(packed[at : at + width])
        if run is None:
            return blocks
        for i, block in enumerate(run.blocks):
            part = packed[at : at + width]
            if len(part) < width or run.tokens[i * width : (i + 1) * width] != part:
                return blocks
            blocks.append(block)
            at += width


class LazyQueue:
    """The queue of chapter 05, without the two verbs that take something out."""

    def __init__(self, num_blocks: int) -> None:
        self.queue: list[int] = []
        self.head = 0  # what stands before is done with
        self.place: list[int | None] = [None] * num_blocks  # where a block's entry is
        self.length = 0  # blocks that could be evicted

    def add(self, blocks: Sequence[int]) -> None:
        """``blocks``, which nobody holds any more, wait behind all others."""
        for block in blocks:
            self.place[block] = len(self.queue)
            self.queue.append(block)
        self.length += len(blocks)
        if len(self.queue) > 2 * len(self.place):
            self.close_up()

    def use(self, block: int) -> None:
        """Somebody holds ``block``, which waited."""
        self.place[block] = None  # its entry is void
        self.length -= 1

    def pop(self, n: int) -> list[int]:
        """The reader's."""
        raise NotImplementedError

    def close_up(self) -> None:
        """The reader's."""
        raise NotImplementedError
