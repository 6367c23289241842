"""Mistakes with prefix_cache, as readers make them."""

from typing import Any

from paged_attention.prefix import PrefixCache
from workbook.checks.ch05.attaching import prefix_cache


class Right:
    """The prefix cache of chapter 05, to be spoilt in one place by each class below."""

    def __init__(self, cache: Any, index: Any) -> None:
        self.cache, self.index = cache, index

    def root(self) -> Any:
        return None

    def most(self, prompt: list[int]) -> int:
        return len(prompt) - 1

    def step(self, root: Any, node: Any) -> Any:
        return node

    def attach(self, seq: Any, prompt: list[int]) -> int:
        self.cache.create(seq)
        size, table = self.cache.block_size, self.cache.tables[seq]
        root = parent = self.root()
        for end in range(size, self.most(prompt) + 1, size):
            hit = self.index.find(self.step(root, parent), tuple(prompt[end - size : end]))
            if hit is None:
                break
            parent, block = hit
            self.share(block)
            table.append(block)
        self.cache.lengths[seq] = len(table) * size
        return self.cache.lengths[seq]

    def remember(self, seq: Any, tokens: list[int]) -> None:
        size, table = self.cache.block_size, self.cache.tables[seq]
        root = parent = self.root()
        for i in range(self.written(seq, tokens) // size):
            part = tuple(tokens[i * size : (i + 1) * size])
            parent, new = self.index.publish(self.step(root, parent), part, table[i])
            if self.to_hold(new):
                self.cache.allocator.share(table[i])

    def share(self, block: int) -> None:
        self.cache.allocator.share(block)

    def written(self, seq: Any, tokens: list[int]) -> int:
        return self.cache.lengths[seq]

    def to_hold(self, new: bool) -> bool:
        return new


@prefix_cache.mistake(
    "Each block was looked up under the root. 5678 after 9999 has other keys and values than 5678"
    " after 1234: go on from the node that was found."
)
class OwnTokens(Right):
    def step(self, root: Any, node: Any) -> Any:
        return root


@prefix_cache.mistake(
    "The walk took the last token's block, too. The first answer token is drawn from the logits "
    "after the prompt's last token, and those are in no cache. (A full hit left nothing to run: "
    "GeeeekExplorer/nano-vllm#144)"
)
class NoCap(Right):
    def most(self, prompt: list[int]) -> int:
        return len(prompt)


@prefix_cache.mistake(
    "The new length is 3, in the middle of a block that a and the index hold: the next write "
    "would need a copy of it. Whole blocks only."
)
class CapMidBlock(NoCap):
    def attach(self, seq: Any, prompt: list[int]) -> int:
        super().attach(seq, prompt)
        self.cache.lengths[seq] = min(self.cache.lengths[seq], len(prompt) - 1)
        return self.cache.lengths[seq]


@prefix_cache.mistake(
    "The index is a holder. When a leaves, these blocks would be free, given to anyone, and still"
    " found."
)
class IndexHoldsNothing(Right):
    def to_hold(self, new: bool) -> bool:
        return False


@prefix_cache.mistake(
    "The index took a hold each time it was told. It is one holder, however often: publish says "
    "whether a block is new."
)
class HoldsEachTime(Right):
    def to_hold(self, new: bool) -> bool:
        return True


@prefix_cache.mistake(
    "b uses these blocks and isn't counted. When the others leave, they are given away while b "
    "reads them."
)
class SequenceHoldsNothing(Right):
    def share(self, block: int) -> None:
        pass


@prefix_cache.mistake(
    "The blocks were published when they were taken, and b would read slots that nobody has "
    "written. (This happened: ROCm/ATOM#902)"
)
class PublishedInAttach(Right):
    def attach(self, seq: Any, prompt: list[int]) -> int:
        reused = super().attach(seq, prompt)
        self.cache.reserve(seq, len(prompt) - reused)
        self.cache.lengths[seq] = len(prompt)
        self.remember(seq, prompt)
        self.cache.lengths[seq] = reused
        return reused


@prefix_cache.mistake(
    "Reserved is not written. lengths[seq] counts the tokens whose keys and values exist; the "
    "prompt may be longer."
)
class TrustsThePrompt(Right):
    def written(self, seq: Any, tokens: list[int]) -> int:
        return min(len(tokens), len(self.cache.tables[seq]) * self.cache.block_size)


@prefix_cache.mistake(
    "1234 was computed at positions 0 to 3, and here it stands at 4 to 7. Nothing behind the "
    "first miss can be a hit: stop there."
)
class PastAMiss(Right):
    def attach(self, seq: Any, prompt: list[int]) -> int:
        self.cache.create(seq)
        size, table = self.cache.block_size, self.cache.tables[seq]
        parent = self.root()
        for start in range(0, len(prompt) - size, size):
            hit = self.index.find(parent, tuple(prompt[start : start + size]))
            if hit is None:
                continue
            parent, block = hit
            self.share(block)
            table.append(block)
        self.cache.lengths[seq] = len(table) * size
        return self.cache.lengths[seq]


@prefix_cache.mistake(
    "An answer fills blocks, too, and the next turn of a conversation sends it back: remember is "
    "called again as a grows."
)
class PromptsOnly(Right):
    def __init__(self, cache: Any, index: Any) -> None:
        super().__init__(cache, index)
        self.done: set[Any] = set()

    def remember(self, seq: Any, tokens: list[int]) -> None:
        if seq not in self.done:
            super().remember(seq, tokens)
        if self.cache.lengths[seq] >= len(tokens):
            self.done.add(seq)


@prefix_cache.mistake(
    "The eight keys are there, and the next token goes to position 8. The cache writes where the "
    "length says."
)
class LengthForgotten(Right):
    def attach(self, seq: Any, prompt: list[int]) -> int:
        reused = super().attach(seq, prompt)
        self.cache.lengths[seq] = 0
        return reused


@prefix_cache.mistake("attach answers in tokens: the caller runs what is left of the prompt.")
class CountsBlocks(Right):
    def attach(self, seq: Any, prompt: list[int]) -> int:
        return super().attach(seq, prompt) // self.cache.block_size


@prefix_cache.mistake(
    "Only the root is a parent that no `find` or `publish` has returned, and it is None."
)
class EmptyTupleForARoot(Right):
    def root(self) -> Any:
        return ()


@prefix_cache.mistake(
    "The index files tokens in a dict, whose keys must not change: a tuple doesn't."
)
class ListsForTuples(Right):
    def remember(self, seq: Any, tokens: list[int]) -> None:
        self.index.publish(None, list(tokens[: self.cache.block_size]), self.cache.tables[seq][0])


@prefix_cache.mistake(
    "The walk stopped one block early: one token left over is enough, also when it is the first "
    "of a new block."
)
class OneBlockShort(Right):
    def most(self, prompt: list[int]) -> int:
        return len(prompt) - 1 - self.cache.block_size


@prefix_cache.mistake(
    "The walk goes to the middle of the prompt: all full blocks but the last are hits."
)
class HalfWay(Right):
    def most(self, prompt: list[int]) -> int:
        return len(prompt) // 2


@prefix_cache.mistake("The blocks found were put before each other: the table is turned round.")
class TurnedRound(Right):
    def attach(self, seq: Any, prompt: list[int]) -> int:
        reused = super().attach(seq, prompt)
        self.cache.tables[seq].reverse()
        return reused


@prefix_cache.mistake("Each block found got two more holders, and this sequence owes one release.")
class SharedTwice(Right):
    def share(self, block: int) -> None:
        self.cache.allocator.share(block)
        self.cache.allocator.share(block)


@prefix_cache.mistake("The part-filled last block was published: its next token would change it.")
class PublishesPartFilled(Right):
    def written(self, seq: Any, tokens: list[int]) -> int:
        length, size = self.cache.lengths[seq], self.cache.block_size
        return -(-length // size) * size if length >= size else length


class FinishedPrefixCache(PrefixCache):
    """The engine's, which brings its own index."""

    def __init__(self, cache: Any, index: Any) -> None:
        super().__init__(cache)


prefix_cache.finished = FinishedPrefixCache
