"""What the checks of chapter 05 play on: a small cache, an index, and requests that run."""

from typing import Any

from paged_attention.paged_sequences import PagedSequences
from workbook.checks.framework import expect, shown
from workbook.checks.toolboxes.known_tokens import write

ROOT = None


class Index:
    """An index as chapter 05 means it, right and slow: a node is the whole path to it."""

    def __init__(self) -> None:
        self.copies: dict[Any, list[int]] = {}
        self.nodes: dict[int, Any] = {}
        self.asked: list[str] = []  # each walk's blocks, as find was asked for them

    def find(self, parent: Any, tokens: Any) -> Any:
        """The node after ``tokens`` and a block that holds them, or ``None``."""
        node = self._after(parent, tokens)
        self.asked.append(_path(node))
        return (node, self.copies[node][0]) if node in self.copies else None

    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        """The node after ``tokens``, and whether ``block`` is new to the index."""
        node = self._after(parent, tokens)
        if block in self.nodes:
            return node, False
        self.nodes[block] = node
        self.copies.setdefault(node, []).append(block)
        return node, True

    def _after(self, parent: Any, tokens: Any) -> Any:
        node = isinstance(parent, tuple) and len(parent) == 2 and isinstance(parent[1], tuple)
        expect(
            parent is ROOT or node,
            got=f"a walk that begins at {shown(parent)}",
            right="a walk that begins at None",
            why="Only the root is a parent that no `find` or `publish` has returned, and it is "
            "None.",
        )
        expect(
            isinstance(tokens, tuple),
            got=f"the index was given {shown(tokens)}",
            right="the tokens of one block, as a tuple",
            why="The index files tokens in a dict, whose keys must not change: a tuple doesn't.",
        )
        return parent, tokens

    def forget(self, block: int) -> None:
        """``block`` holds these tokens no longer."""
        node = self.nodes.pop(block)
        self.copies[node].remove(block)
        if not self.copies[node]:
            del self.copies[node]


def _path(node: Any) -> str:
    """A node as the chapter writes it: ``1234·5678``."""
    parent, tokens = node
    own = "".join(map(str, tokens))
    return own if parent is ROOT else f"{_path(parent)}·{own}"


def told(index: Index) -> list[str]:
    """What has been published, in that order; a cache that brings its own index tells nothing."""
    return [_path(node) for node in index.nodes.values()]


def world(prefix_cache: Any, num_blocks: int = 16) -> tuple[Any, Any, Index]:
    """Sequences in blocks of 4, the reader's prefix cache on them, and the index it was given."""
    cache, index = PagedSequences(num_blocks, 4), Index()
    return cache, prefix_cache(cache, index), index


def serve(cache: Any, prefix: Any, seq: Any, prompt: list[int]) -> int:
    """Attach, run the rest, remember. Returns the tokens that were reused."""
    reused: int = prefix.attach(seq, list(prompt))
    write(cache, {seq: prompt[cache.lengths[seq] :]})
    prefix.remember(seq, list(prompt))
    return reused


def probe(cache: Any, prefix: Any, prompt: list[int]) -> int:
    """What a new request with this prompt would reuse; it runs nothing and leaves at once."""
    seq = f"probe {len(cache.lengths)}"
    reused: int = prefix.attach(seq, list(prompt))
    cache.free(seq)
    return reused
