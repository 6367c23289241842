"""Prefix caches, indexes and evictions as chapter 05's reader might build them, wrong in one place
each.
"""

from collections import OrderedDict
from itertools import count
from typing import Any

from paged_attention.prefix import PrefixCache


class Right:
    """The prefix cache of chapter 05, to be spoilt in one place by each class below."""

    def __init__(self, cache: Any, index: Any) -> None:
        self.cache, self.index = cache, index

    def root(self, salt: str | None, adapter: str | None) -> Any:
        return (salt, adapter)

    def most(self, prompt: list[int]) -> int:
        return len(prompt) - 1

    def step(self, root: Any, node: Any) -> Any:
        return node

    def attach(
        self, seq: Any, prompt: list[int], *, salt: str | None = None, adapter: str | None = None
    ) -> int:
        size, table = self.cache.block_size, self.cache.tables[seq]
        root = parent = self.root(salt, adapter)
        for end in range(size, self.most(prompt) + 1, size):
            hit = self.index.find(self.step(root, parent), tuple(prompt[end - size : end]))
            if hit is None:
                break
            parent, block = hit
            self.share(block)
            table.append(block)
        self.cache.lengths[seq] = len(table) * size
        return self.cache.lengths[seq]

    def remember(
        self, seq: Any, tokens: list[int], *, salt: str | None = None, adapter: str | None = None
    ) -> None:
        size, table = self.cache.block_size, self.cache.tables[seq]
        root = parent = self.root(salt, adapter)
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


class OwnTokens(Right):
    def step(self, root: Any, node: Any) -> Any:
        return root


class NoCap(Right):
    def most(self, prompt: list[int]) -> int:
        return len(prompt)


class CapMidBlock(NoCap):
    def attach(self, seq: Any, prompt: list[int], **key: Any) -> int:
        super().attach(seq, prompt, **key)
        self.cache.lengths[seq] = min(self.cache.lengths[seq], len(prompt) - 1)
        return self.cache.lengths[seq]


class IndexHoldsNothing(Right):
    def to_hold(self, new: bool) -> bool:
        return False


class HoldsEachTime(Right):
    def to_hold(self, new: bool) -> bool:
        return True


class SequenceHoldsNothing(Right):
    def share(self, block: int) -> None:
        pass


class PublishedInAttach(Right):
    def attach(self, seq: Any, prompt: list[int], **key: Any) -> int:
        reused = super().attach(seq, prompt, **key)
        self.cache.reserve(seq, len(prompt) - reused)
        self.cache.lengths[seq] = len(prompt)
        self.remember(seq, prompt, **key)
        self.cache.lengths[seq] = reused
        return reused


class TrustsThePrompt(Right):
    def written(self, seq: Any, tokens: list[int]) -> int:
        return min(len(tokens), len(self.cache.tables[seq]) * self.cache.block_size)


class PastAMiss(Right):
    def attach(
        self, seq: Any, prompt: list[int], *, salt: str | None = None, adapter: str | None = None
    ) -> int:
        size, table = self.cache.block_size, self.cache.tables[seq]
        parent = self.root(salt, adapter)
        for start in range(0, len(prompt) - size, size):
            hit = self.index.find(parent, tuple(prompt[start : start + size]))
            if hit is None:
                continue
            parent, block = hit
            self.share(block)
            table.append(block)
        self.cache.lengths[seq] = len(table) * size
        return self.cache.lengths[seq]


class Untagged(Right):
    def root(self, salt: str | None, adapter: str | None) -> Any:
        return (salt or adapter,)


class NoSalt(Right):
    def root(self, salt: str | None, adapter: str | None) -> Any:
        return (None, adapter)


class PromptsOnly(Right):
    def __init__(self, cache: Any, index: Any) -> None:
        super().__init__(cache, index)
        self.done: set[Any] = set()

    def remember(self, seq: Any, tokens: list[int], **key: Any) -> None:
        if seq not in self.done:
            super().remember(seq, tokens, **key)
        if self.cache.lengths[seq] >= len(tokens):
            self.done.add(seq)


class SaltHidesAdapter(Right):
    def root(self, salt: str | None, adapter: str | None) -> Any:
        return (salt, None) if salt else (None, adapter)


class Glued(Right):
    def root(self, salt: str | None, adapter: str | None) -> Any:
        return f"{salt}{adapter}"


class LengthForgotten(Right):
    def attach(self, seq: Any, prompt: list[int], **key: Any) -> int:
        reused = super().attach(seq, prompt, **key)
        self.cache.lengths[seq] = 0
        return reused


class CountsBlocks(Right):
    def attach(self, seq: Any, prompt: list[int], **key: Any) -> int:
        return super().attach(seq, prompt, **key) // self.cache.block_size


class RightIndex:
    """The exact index of chapter 05."""

    def __init__(self) -> None:
        self.nodes: dict[Any, tuple[Any, list[int]]] = {}
        self.keys: dict[int, Any] = {}
        self.fresh = count()

    def key(self, parent: Any, tokens: Any) -> Any:
        return (parent, tokens)

    def name(self, block: int) -> Any:
        return next(self.fresh)

    def find(self, parent: Any, tokens: Any) -> Any:
        key = self.key(parent, tokens)
        if key not in self.nodes:
            return None
        node, blocks = self.nodes[key]
        return node, blocks[0]

    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        key = self.key(parent, tokens)
        if key not in self.nodes:
            self.nodes[key] = self.name(block), []
        node, blocks = self.nodes[key]
        if block in self.keys:
            return node, False
        self.keys[block] = key
        blocks.append(block)
        return node, True

    def forget(self, block: int) -> None:
        key = self.keys.pop(block)
        blocks = self.nodes[key][1]
        blocks.remove(block)
        if not blocks:
            del self.nodes[key]


class BlockIsTheNode(RightIndex):
    def name(self, block: int) -> Any:
        return block


class NumbersReused(RightIndex):
    def name(self, block: int) -> Any:
        return len(self.nodes)


class NumbersComeBack(RightIndex):
    """A number that was put aside is given out again, a few prompts later."""

    def __init__(self) -> None:
        super().__init__()
        self.aside: list[Any] = []

    def name(self, block: int) -> Any:
        return self.aside.pop(0) if len(self.aside) > 3 else super().name(block)

    def forget(self, block: int) -> None:
        key = self.keys[block]
        node = self.nodes[key][0]
        super().forget(block)
        if key not in self.nodes:
            self.aside.append(node)


class HashAlone(RightIndex):
    def key(self, parent: Any, tokens: Any) -> Any:
        return (parent, hash(tokens))


class OneRoot(RightIndex):
    def key(self, parent: Any, tokens: Any) -> Any:
        return (parent if isinstance(parent, int) else None, tokens)


class NoParent(RightIndex):
    def key(self, parent: Any, tokens: Any) -> Any:
        return tokens


class KeyOutlivesBlock(RightIndex):
    def forget(self, block: int) -> None:
        self.keys.pop(block)


class TwinOverwrites(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        node, new = super().publish(parent, tokens, block)
        self.nodes[self.key(parent, tokens)] = node, [block]
        return node, new


class TwinIgnored(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        key = self.key(parent, tokens)
        if key in self.nodes:
            return self.nodes[key][0], False
        return super().publish(parent, tokens, block)

    def forget(self, block: int) -> None:
        if block in self.keys:
            super().forget(block)


class TwinGetsItsOwnNode(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        key = self.key(parent, tokens)
        if block not in self.keys and key in self.nodes:
            self.nodes[key] = next(self.fresh), self.nodes[key][1]
        return super().publish(parent, tokens, block)


class AlwaysNew(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        return super().publish(parent, tokens, block)[0], True


class RightEviction(Right):
    """The evicting cache of chapter 05."""

    def __init__(self, cache: Any, index: Any) -> None:
        super().__init__(cache, index)
        self.recent: OrderedDict[int, None] = OrderedDict()

    def remember(self, seq: Any, tokens: list[int], **key: Any) -> None:
        super().remember(seq, tokens, **key)
        full = self.cache.lengths[seq] // self.cache.block_size
        self.touch(self.cache.tables[seq][:full])

    def touch(self, blocks: list[int]) -> None:
        for block in reversed(blocks):
            self.recent[block] = None
            self.recent.move_to_end(block)

    def idle(self) -> list[int]:
        return [b for b in self.recent if self.cache.allocator.refs[b] == 1]

    def evict(self, n: int) -> int:
        chosen = self.idle()[:n]
        for block in chosen:
            self.drop(block)
        return len(chosen)

    def drop(self, block: int) -> None:
        self.index.forget(block)
        del self.recent[block]
        self.cache.allocator.release(block)


class HeadFirst(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        super().touch(blocks[::-1])


class TakesWhatIsHeld(RightEviction):
    def idle(self) -> list[int]:
        return list(self.recent)


class KeyOnly(RightEviction):
    def drop(self, block: int) -> None:
        self.index.forget(block)
        del self.recent[block]


class StillNamed(RightEviction):
    def drop(self, block: int) -> None:
        del self.recent[block]
        self.cache.allocator.release(block)


class Target(RightEviction):
    """Reads ``n`` as the number that shall be free afterwards."""

    def evict(self, n: int) -> int:
        return super().evict(max(0, n - self.cache.allocator.num_free) if n > 1 else n)


class FirstInFirstOut(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        for block in reversed(blocks):
            self.recent.setdefault(block, None)


class MostRecentFirst(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        super().touch(blocks[::-1])

    def idle(self) -> list[int]:
        return super().idle()[::-1]


class LosesWhatIsBusy(RightEviction):
    def evict(self, n: int) -> int:
        freed = 0
        while self.recent and freed < n:
            block, _ = self.recent.popitem(last=False)
            if self.cache.allocator.refs[block] == 1:
                self.index.forget(block)
                self.cache.allocator.release(block)
                freed += 1
        return freed


class KnownOnesHeadFirst(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        known = [block for block in blocks if block in self.recent]
        super().touch([block for block in blocks if block not in self.recent])
        super().touch(known[::-1])


class MovesTheHeadOnly(RightEviction):
    def touch(self, blocks: list[int]) -> None:
        for block in reversed(blocks):
            self.recent.setdefault(block, None)
        for block in blocks[:1]:
            self.recent.move_to_end(block)


class SaysNothing(RightEviction):
    def evict(self, n: int) -> Any:
        super().evict(n)


class FinishedPrefixCache(PrefixCache):
    """The engine's, which brings its own index."""

    def __init__(self, cache: Any, index: Any) -> None:
        super().__init__(cache)


MUTANTS = [
    ("prefix_cache", "own tokens", OwnTokens, "got 8 tokens reused, table [3, 1]"),
    ("prefix_cache", "no cap", NoCap, "got 0 left to run"),
    ("prefix_cache", "cap in the middle", CapMidBlock, "in the middle of a block"),
    ("prefix_cache", "no own hold", IndexHoldsNothing, "three blocks are [1, 1, 1]"),
    ("prefix_cache", "holds each time", HoldsEachTime, "the three highest counts are [3, 3, 0]"),
    ("prefix_cache", "does not share", SequenceHoldsNothing, "b uses these blocks"),
    ("prefix_cache", "published in attach", PublishedInAttach, "published when they were taken"),
    ("prefix_cache", "trusts the prompt", TrustsThePrompt, "Reserved is not written"),
    ("prefix_cache", "past a miss", PastAMiss, "here it stands at 4 to 7"),
    ("prefix_cache", "untagged", Untagged, "An adapter called x and a tenant's salt x"),
    ("prefix_cache", "no salt", NoSalt, "These two users were to be kept apart"),
    ("prefix_cache", "prompts only", PromptsOnly, "An answer fills blocks, too"),
    ("prefix_cache", "salt hides adapter", SaltHidesAdapter, "the adapter counts beside a salt"),
    ("prefix_cache", "glued", Glued, "both pairs read abc"),
    ("prefix_cache", "length forgotten", LengthForgotten, "lengths['b'] is 0"),
    ("prefix_cache", "counts blocks", CountsBlocks, "2 tokens reused, table [0, 1]"),
    ("exact_index", "parent is a block", BlockIsTheNode, "filed under its parent's block"),
    ("exact_index", "numbers reused", NumbersReused, "a number that another node had"),
    ("exact_index", "numbers come back", NumbersComeBack, "was put aside and given out again"),
    ("exact_index", "hash alone", HashAlone, "9999 was given the keys and values of 1234"),
    ("exact_index", "one root", OneRoot, "Another root is another prefix"),
    ("exact_index", "no parent", NoParent, "The parent belongs to the key"),
    ("exact_index", "key outlives block", KeyOutlivesBlock, "A key that outlives its block"),
    ("exact_index", "twin overwrites", TwinOverwrites, "lost sight of one of the copies"),
    ("exact_index", "twin ignored", TwinIgnored, "The other copy is there"),
    ("exact_index", "twin gets a node", TwinGetsItsOwnNode, "whatever continues it continues both"),
    ("exact_index", "always new", AlwaysNew, "then [True, True]"),
    ("evict", "head first", HeadFirst, "got 0 found"),
    ("evict", "takes what is held", TakesWhatIsHeld, "r still reads these blocks"),
    ("evict", "key only", KeyOnly, "still held: by nobody who knows of it"),
    ("evict", "still named", StillNamed, "The index still names a block that is free"),
    ("evict", "n is a target", Target, "got no error, 0 returned; 0 more are free"),
    ("evict", "first in, first out", FirstInFirstOut, "A was the first to come"),
    ("evict", "most recent first", MostRecentFirst, "C was used last of all"),
    ("evict", "loses what is busy", LosesWhatIsBusy, "has dropped out of `recent`"),
    ("evict", "known ones head first", KnownOnesHeadFirst, "turned the order round"),
    ("evict", "moves the head only", MovesTheHeadOnly, "touch moves all its blocks"),
    ("evict", "says nothing", SaysNothing, "evict returns how many it freed"),
]
FINISHED = {
    "prefix_cache": FinishedPrefixCache,
    "exact_index": RightIndex,  # the engine's index is a tree inside its prefix cache
    "evict": FinishedPrefixCache,
}
