"""Mistakes with exact_index, as readers make them."""

from itertools import count
from typing import Any

from workbook.checks.ch05.index import exact_index


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


@exact_index.mistake(
    "Block 1 was computed after 1234. It was filed under its parent's block, and that block has "
    "become 9999's."
)
class BlockIsTheNode(RightIndex):
    def name(self, block: int) -> Any:
        return block


@exact_index.mistake(
    "The new node got a number that another node had or has. Numbers are never used twice."
)
class NumbersReused(RightIndex):
    def name(self, block: int) -> Any:
        return len(self.nodes)


@exact_index.mistake(
    "The first node's number was put aside and given out again, while 5678 still hangs on it."
)
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


@exact_index.mistake(
    "9999 was given the keys and values of 1234. Whoever can make hashes collide can read and "
    "write in strangers' prompts. (CVE-2025-25183)"
)
class HashAlone(RightIndex):
    def key(self, parent: Any, tokens: Any) -> Any:
        return (parent, hash(tokens))


@exact_index.mistake("Another root is another prefix, also when their hashes are equal.")
class OneRoot(RightIndex):
    def key(self, parent: Any, tokens: Any) -> Any:
        return (parent if isinstance(parent, int) else None, tokens)


@exact_index.mistake(
    "The node is a hash of parent and tokens, and two prefixes may share one, as -1 and -2 do. "
    "A fresh number is nobody else's."
)
class HashIsTheNode(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        key = self.key(parent, tokens)
        self.nodes.setdefault(key, (hash(key), []))
        return super().publish(parent, tokens, block)


@exact_index.mistake(
    "Only the last copy was kept: when it is forgotten, the older ones are there and not found."
)
class LastCopyOnly(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        node, new = super().publish(parent, tokens, block)
        if new:
            self.nodes[self.key(parent, tokens)][1].insert(0, block)
        return node, new

    def forget(self, block: int) -> None:
        key = self.keys.pop(block)
        blocks = self.nodes[key][1]
        first = blocks[0]
        blocks[:] = [b for b in blocks if b != block]
        if first == block or not blocks:
            del self.nodes[key]


@exact_index.mistake("The parent belongs to the key: 5678 was computed after 1234.")
class NoParent(RightIndex):
    def key(self, parent: Any, tokens: Any) -> Any:
        return tokens


@exact_index.mistake(
    "Block 0 will hold other tokens in a moment. A key that outlives its block is a wrong hit "
    "that waits. (GeeeekExplorer/nano-vllm#163)"
)
class KeyOutlivesBlock(RightIndex):
    def forget(self, block: int) -> None:
        self.keys.pop(block)


@exact_index.mistake("The index has lost sight of one of the copies. (vllm-project/vllm#55092)")
class TwinOverwrites(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        node, new = super().publish(parent, tokens, block)
        self.nodes[self.key(parent, tokens)] = node, [block]
        return node, new


@exact_index.mistake("The other copy is there, and the index doesn't know it.")
class TwinIgnored(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        key = self.key(parent, tokens)
        if key in self.nodes:
            return self.nodes[key][0], False
        return super().publish(parent, tokens, block)

    def forget(self, block: int) -> None:
        if block in self.keys:
            super().forget(block)


@exact_index.mistake("They are one prefix, and whatever continues it continues both.")
class TwinGetsItsOwnNode(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        key = self.key(parent, tokens)
        if block not in self.keys and key in self.nodes:
            self.nodes[key] = next(self.fresh), self.nodes[key][1]
        return super().publish(parent, tokens, block)


@exact_index.mistake(
    "remember takes a hold on each block that is new. Told so twice, it takes two and gives one "
    "back."
)
class AlwaysNew(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        return super().publish(parent, tokens, block)[0], True


@exact_index.mistake(
    "The pair is the wrong way round: publish returns the node, then whether it is new."
)
class PairReversed(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        return super().publish(parent, tokens, block)[::-1]


@exact_index.mistake("find returned all copies; one block is wanted: `(node, block)`.")
class AllCopies(RightIndex):
    def find(self, parent: Any, tokens: Any) -> Any:
        key = self.key(parent, tokens)
        return self.nodes.get(key)


@exact_index.mistake(
    "The key stays when its last block is forgotten: its list is empty, and `find` reads the first."
)
class EmptyListStays(RightIndex):
    def forget(self, block: int) -> None:
        self.nodes[self.keys.pop(block)][1].remove(block)


@exact_index.mistake("A miss raised a KeyError. It is an everyday answer: return None.")
class MissRaises(RightIndex):
    def find(self, parent: Any, tokens: Any) -> Any:
        node, blocks = self.nodes[self.key(parent, tokens)]
        return node, blocks[0]


@exact_index.mistake("publish never says that a block is new, so nobody takes a hold on it.")
class NeverNew(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        return super().publish(parent, tokens, block)[0], False


@exact_index.mistake("The pair is the wrong way round: find returns the node, then the block.")
class FindReversed(RightIndex):
    def find(self, parent: Any, tokens: Any) -> Any:
        hit = super().find(parent, tokens)
        return hit and hit[::-1]


@exact_index.mistake(
    "The block's key stayed in `keys`, so its next content counts as known and is not filed."
)
class KeyStays(RightIndex):
    def forget(self, block: int) -> None:
        key = self.keys[block]
        super().forget(block)
        self.keys[block] = key

    def find(self, parent: Any, tokens: Any) -> Any:
        node, blocks = self.nodes.get((parent, tokens), (None, None))
        return (node, blocks[0]) if blocks else None


@exact_index.mistake("Of several copies the wrong one was taken out: remove the block named.")
class WrongCopyForgotten(RightIndex):
    def forget(self, block: int) -> None:
        key = self.keys.pop(block)
        self.nodes[key][1].pop()
        if not self.nodes[key][1]:
            del self.nodes[key]


@exact_index.mistake("One list serves all nodes: each needs its own, made when it is new.")
class OneListForAll(RightIndex):
    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[int] = []

    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        self.nodes.setdefault(self.key(parent, tokens), (next(self.fresh), self.blocks))
        return super().publish(parent, tokens, block)


@exact_index.mistake("Node 0 was taken for none: 0 is false in Python, and the first node is 0.")
class ZeroIsNothing(RightIndex):
    def find(self, parent: Any, tokens: Any) -> Any:
        hit = super().find(parent, tokens)
        return hit if hit and hit[0] else None


@exact_index.mistake(
    "What continues a forgotten block was forgotten with it. Its blocks are held and will be "
    "named: they stay, though no walk comes to them."
)
class ChildrenForgotten(RightIndex):
    def forget(self, block: int) -> None:
        key = self.keys[block]
        node = self.nodes[key][0]
        super().forget(block)
        if key not in self.nodes:
            for child in [child for child in self.nodes if child[0] == node]:
                for other in self.nodes.pop(child)[1]:
                    del self.keys[other]


@exact_index.mistake("The same tokens in another order are another prefix.")
class Sorted(RightIndex):
    def key(self, parent: Any, tokens: Any) -> Any:
        return (parent, tuple(sorted(tokens)))


@exact_index.mistake(
    "`forget` looked for the tokens alone, and took the block out of the first place that has "
    "them: the parent belongs to the key."
)
class ForgetsByTokens(RightIndex):
    def forget(self, block: int) -> None:
        tokens = self.keys.pop(block)[1]
        key = next(key for key in self.nodes if key[1] == tokens)
        self.nodes[key][1].remove(block)
        if not self.nodes[key][1]:
            del self.nodes[key]


@exact_index.mistake(
    "No key was noted for the block: `publish` can't tell that it is known, nor `forget` find it."
)
class KeyNeverNoted(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        answer = super().publish(parent, tokens, block)
        del self.keys[block]
        return answer


@exact_index.mistake("publish returned the block, which the caller knows; the node is wanted.")
class BlockReturned(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        return block, super().publish(parent, tokens, block)[1]


@exact_index.mistake(
    "A number was drawn for a prefix that has its node. Return the one under which it is filed."
)
class DrawsEachTime(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        new = super().publish(parent, tokens, block)[1]
        return next(self.fresh), new


@exact_index.mistake("Of several copies the oldest was taken out, whichever was named.")
class OldestForgotten(RightIndex):
    def forget(self, block: int) -> None:
        key = self.keys.pop(block)
        self.nodes[key][1].pop(0)
        if not self.nodes[key][1]:
            del self.nodes[key]


@exact_index.mistake(
    "Nodes were counted under each parent, from 0: two prefixes have one number. One count for all "
    "of the index, as in `self.fresh`."
)
class CountedUnderEachParent(RightIndex):
    def publish(self, parent: Any, tokens: Any, block: int) -> Any:
        key = self.key(parent, tokens)
        if key not in self.nodes:
            self.nodes[key] = sum(1 for other, _ in self.nodes if other == parent), []
        return super().publish(parent, tokens, block)


exact_index.finished = RightIndex
