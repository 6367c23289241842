"""More mistakes with prefix_cache: the chapter's own solution, changed in a line."""

from typing import Any

from workbook.checks.ch05.attaching import prefix_cache


class Written:
    """The chapter's solution."""

    def __init__(self, cache: Any, index: Any) -> None:
        self.cache, self.index = cache, index

    def attach(self, seq: Any, prompt: list[int]) -> int:
        self.cache.create(seq)
        size, table, node = self.cache.block_size, self.cache.tables[seq], None
        for start in range(0, len(prompt) - size, size):
            hit = self.index.find(node, tuple(prompt[start : start + size]))
            if hit is None:
                break
            node, block = hit
            self.cache.allocator.share(block)
            table.append(block)
        self.cache.lengths[seq] = len(table) * size
        return self.cache.lengths[seq]

    def remember(self, seq: Any, tokens: list[int]) -> None:
        size, node = self.cache.block_size, None
        for i, block in enumerate(self.cache.tables[seq][: self.cache.lengths[seq] // size]):
            node, new = self.index.publish(node, tuple(tokens[i * size : (i + 1) * size]), block)
            if new:
                self.cache.allocator.share(block)


prefix_cache.also_right += [Written]


def line(says: str, *changes: tuple[str, str]) -> None:
    prefix_cache.mistake(says, *changes, of=Written)


line(
    "In `attach` every block is looked up under the root: go on from the node that was found.",
    ("self.index.find(node,", "self.index.find(None,"),
)
line(
    "In `remember` every block is published under the root: each stands after the node of the "
    "block before it, which `publish` returns.",
    ("self.index.publish(node,", "self.index.publish(None,"),
)
line(
    "The blocks found are in no table: they are shared, and the sequence doesn't have them.",
    ("            table.append(block)\n", ""),
)
line(
    "The blocks went into a list of your own. The sequence's table is `cache.tables[seq]`.",
    ("table, node = self.cache.block_size, self.cache.tables[seq]", "table, node = 4, []"),
    ("size, table, node = 4", "size, table, node = self.cache.block_size"),
)
line(
    "What is left to run was returned. attach says how many tokens are reused.",
    ("return self.cache.lengths[seq]", "return len(prompt) - len(table) * size"),
)
line(
    "The index was asked for the whole prompt so far. The node stands for what came before; ask "
    "for the tokens of one block.",
    ("prompt[start : start + size]", "prompt[: start + size]"),
)
line(
    "The pair was taken the wrong way round: find returns the node, then the block.",
    ("node, block = hit", "block, node = hit"),
)
line(
    "The walk went on one token at a time. The next block begins `size` tokens later.",
    ("len(prompt) - size, size)", "len(prompt) - size)"),
)
line(
    "A size is written into the code. How long a block is says `cache.block_size`.",
    ("size, table, node = self.cache.block_size", "size, table, node = 16"),
)
line(
    "A new block was taken, and nobody has written it. The one found holds the keys: share it.",
    (
        "            self.cache.allocator.share(block)\n            table",
        "            block = self.cache.allocator.allocate()\n            table",
    ),
)
line(
    "`attach` took room for the rest of the prompt, too. It only begins the sequence; whoever "
    "runs the rest reserves it.",
    (
        "        return self.cache.lengths[seq]",
        "        self.cache.reserve(seq, len(prompt) - len(table) * size)\n"
        "        return self.cache.lengths[seq]",
    ),
)
line(
    "The sequence was never created: the stub's first line in `attach` does it.",
    ("        self.cache.create(seq)\n", ""),
)
line(
    "The first block was left out of `remember`, and the second filed as if it were the first.",
    ("self.cache.tables[seq][: self", "self.cache.tables[seq][1 : self"),
)
line(
    "The last full block isn't published. `lengths[seq] // size` blocks are full, and all go.",
    ("lengths[seq] // size]", "lengths[seq] // size - 1]"),
)
line(
    "The index took a hold on blocks that it had already, and none on new ones.",
    ("if new:", "if not new:"),
)
line(
    "A block that is new to the index was released, and the index names what nobody holds: share "
    "it.",
    (
        "                self.cache.allocator.share(block)",
        "                self.cache.allocator.release(block)",
    ),
)
line(
    "`remember` stopped at the first block that the index has already. Those behind it may be "
    "new: go on.",
    (
        "            if new:\n                self.cache.allocator.share(block)",
        "            if not new:\n                break\n"
        "            self.cache.allocator.share(block)",
    ),
)
line(
    "The walk began at the second block. The first one begins at token 0.",
    ("range(0, len(prompt) - size", "range(size, len(prompt) - size"),
)
line(
    "The new length is that of the prompt. What is left to run isn't in the cache yet.",
    ("self.cache.lengths[seq] = len(table) * size", "self.cache.lengths[seq] = len(prompt)"),
)
line(
    "The node went into the table. A table holds blocks; the node is for the next question.",
    ("table.append(block)", "table.append(node)"),
)
line(
    "A block that was found was released: b joins its holders, so share it.",
    (
        "            self.cache.allocator.share(block)\n            table",
        "            self.cache.allocator.release(block)\n            table",
    ),
)
line(
    "The walk ended after its first block: does the `return` stand inside the loop?",
    (
        "            table.append(block)\n",
        "            table.append(block)\n"
        "            self.cache.lengths[seq] = len(table) * size\n"
        "            return self.cache.lengths[seq]\n",
    ),
)
line(
    "The index got the whole prompt so far, and always from the root. A node stands for what came "
    "before: go on from it, with the tokens of one block.",
    ("self.index.find(node, tuple(prompt[start :", "self.index.find(None, tuple(prompt[:"),
    ("self.index.publish(node, tuple(tokens[i * size :", "self.index.publish(None, tuple(tokens[:"),
)
line(
    "The index got the whole prompt so far. The node stands for what came before: hand over the "
    "tokens of one block.",
    ("tuple(prompt[start :", "tuple(prompt[:"),
    ("tuple(tokens[i * size :", "tuple(tokens[:"),
)
line(
    "The walk stopped one block early where one token would be left over: one is enough.",
    ("len(prompt) - size, size", "len(prompt) - size - 1, size"),
)
line(
    "`publish` got the number of the block in the table, not the block: `table[i]`.",
    (": (i + 1) * size]), block)", ": (i + 1) * size]), i)"),
)
