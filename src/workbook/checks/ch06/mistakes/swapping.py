"""Mistakes with host, as readers make them."""

from typing import Any

import torch

from workbook.checks.ch06.swapping import host


class Right:
    """The host memory of chapter 06; the engine's counts its blocks with an allocator."""

    def __init__(self, cache: Any, num_blocks: int) -> None:
        self.cache, self.free = cache, list(range(num_blocks))
        shape = (cache.layers, num_blocks, *cache.k_pool.shape[2:])
        self.k, self.v = torch.zeros(shape), torch.zeros(shape)
        self.kept: dict[Any, tuple[list[int], int]] = {}

    def swap_out(self, name: Any) -> bool:
        length = self.cache.lengths[name]
        table = self.cache.tables[name][: self.cache.blocks_needed(length)]
        if len(table) > len(self.free):
            return False
        blocks = [self.free.pop() for _ in table]
        self.k[:, blocks] = self.cache.k_pool[:, table]
        self.v[:, blocks] = self.cache.v_pool[:, table]
        self.kept[name] = blocks, length
        self.cache.free(name)
        return True

    def swap_in(self, name: Any) -> None:
        blocks, length = self.kept[name]
        self.cache.create(name)
        self.cache.reserve(name, length)
        table = self.cache.tables[name]
        self.cache.k_pool[:, table] = self.k[:, blocks]
        self.cache.v_pool[:, table] = self.v[:, blocks]
        self.cache.advance({name: length})
        del self.kept[name]
        self.free += blocks


host.finished = Right

host.mistake(
    "The values stayed behind: a token leaves keys and values.",
    ("        self.v[:, blocks] = self.cache.v_pool[:, table]\n", ""),
)
host.mistake(
    "The keys stayed behind: a token leaves keys and values.",
    ("        self.k[:, blocks] = self.cache.k_pool[:, table]\n", ""),
)
host.mistake(
    "Only full blocks were copied. The last one holds tokens, too.",
    ("self.cache.blocks_needed(length)]", "length // self.cache.block_size]"),
)
host.mistake(
    "Only full blocks were copied. The last one holds tokens, too.",
    ("self.cache.blocks_needed(length)]", "length // self.cache.block_size]"),
    (
        "        table = self.cache.tables[name]\n",
        "        table = self.cache.tables[name][: len(blocks)]\n",
    ),
)
host.mistake(
    "The length came back as blocks times their size: slots that A never wrote count as tokens.",
    (
        "self.kept[name] = blocks, length",
        "self.kept[name] = blocks, len(blocks) * self.cache.block_size",
    ),
)
host.mistake(
    "The sequence stayed in the cache: nothing was gained.",
    ("        self.cache.free(name)\n", ""),
)
host.mistake(
    "The sequence stayed in the cache: nothing was gained.",
    ("        self.cache.free(name)\n", ""),
    ("        self.cache.create(name)\n        self.cache.reserve(name, length)\n", ""),
)
host.mistake(
    "The host's blocks were not given back.",
    ("        self.free += blocks\n", ""),
)
host.mistake(
    "The copy is still kept after it came back.",
    ("        del self.kept[name]\n", ""),
)
host.mistake(
    "The table was sorted on the way. Its order is the history's order.",
    ("self.cache.k_pool[:, table]\n", "self.cache.k_pool[:, sorted(table)]\n"),
    ("self.cache.v_pool[:, table]\n", "self.cache.v_pool[:, sorted(table)]\n"),
)
host.mistake(
    "The table was reversed on the way, or the host's blocks: what went out first comes first.",
    (
        "        table = self.cache.tables[name]\n        self.cache.k_pool",
        "        table = self.cache.tables[name][::-1]\n        self.cache.k_pool",
    ),
)
host.mistake(
    "The length became the number of blocks; it counts tokens.",
    ("self.kept[name] = blocks, length", "self.kept[name] = blocks, len(blocks)"),
)
host.mistake(
    "A full host is an error here. Say False, and do nothing.",
    ("            return False\n", "            raise MemoryError('the host is full')\n"),
)
host.mistake(
    "Nothing was asked about room: blocks were taken that aren't there.",
    ("        if len(table) > len(self.free):\n            return False\n", ""),
)
host.mistake(
    "The whole table was copied, room that nobody has written included.",
    ("[: self.cache.blocks_needed(length)]", ""),
    (
        "        table = self.cache.tables[name]\n",
        "        table, blocks = self.cache.tables[name], blocks[: len(self.cache.tables[name])]\n",
    ),
)
host.mistake(
    "A copy that fits exactly was refused: the last block is there to be used.",
    ("> len(self.free)", ">= len(self.free)"),
)
host.mistake(
    "Every copy went into the same blocks of the host: the second wrote over the first.",
    ("blocks = [self.free.pop() for _ in table]", "blocks = list(range(len(table)))"),
    ("        self.free += blocks\n", ""),
)
host.mistake(
    "The sequence was freed before the copy was made: its blocks may be somebody's by then.",
    ("        self.cache.free(name)\n", ""),
    (
        "        blocks = [self.free.pop() for _ in table]\n",
        "        blocks = [self.free.pop() for _ in table]\n        self.cache.free(name)\n",
    ),
)
host.mistake(
    "Only the first layer was copied: each layer has keys and values of its own.",
    (
        "self.k[:, blocks] = self.cache.k_pool[:, table]",
        "self.k[0, blocks] = self.cache.k_pool[0, table]",
    ),
    (
        "self.v[:, blocks] = self.cache.v_pool[:, table]",
        "self.v[0, blocks] = self.cache.v_pool[0, table]",
    ),
)
host.mistake(
    "Only the first layer was copied: each layer has keys and values of its own.",
    ("self.k[:, blocks] = self.cache.k_pool[:", "self.k[0, blocks] = self.cache.k_pool[0"),
    ("self.v[:, blocks] = self.cache.v_pool[:", "self.v[0, blocks] = self.cache.v_pool[0"),
    ("self.cache.k_pool[:, table] = self.k[:", "self.cache.k_pool[0, table] = self.k[0"),
    ("self.cache.v_pool[:, table] = self.v[:", "self.cache.v_pool[0, table] = self.v[0"),
)
host.mistake(
    "Room was reserved, and the length never followed: the tokens are there and don't count.",
    ("        self.cache.advance({name: length})\n", ""),
)
host.mistake(
    "A full host was noticed when A had gone already: ask first.",
    (
        "        if len(table) > len(self.free):\n            return False\n",
        "        if len(table) > len(self.free):\n"
        "            self.cache.free(name)\n"
        "            return False\n",
    ),
)
host.mistake(
    "Host blocks were taken one by one, and kept when there were too few: count them first.",
    (
        "        if len(table) > len(self.free):\n            return False\n",
        "        if len(table) > len(self.free):\n"
        "            self.free.clear()\n"
        "            return False\n",
    ),
)
host.mistake(
    "The host's memory was read or written by the cache's block ids. It has ids of its own, those "
    "from `free`.",
    ("self.k[:, blocks] = ", "self.k[:, [b % self.k.shape[1] for b in table]] = "),
    ("self.v[:, blocks] = ", "self.v[:, [b % self.k.shape[1] for b in table]] = "),
)
host.mistake(
    "No room was reserved before the copy back: the new table is still empty.",
    ("        self.cache.reserve(name, length)\n", ""),
)
host.mistake(
    "The copy went back into the blocks of before. They are others' by now: ask the new table.",
    (
        "self.kept[name] = blocks, length",
        "self.kept[name] = blocks, length\n        self.k.old = table",
    ),
    (
        "        table = self.cache.tables[name]\n        self.cache.k_pool",
        "        table = self.k.old\n        self.cache.k_pool",
    ),
)
host.mistake(
    "The values stayed behind on the way back: a token leaves keys and values.",
    ("        self.cache.v_pool[:, table] = self.v[:, blocks]\n", ""),
)
host.mistake(
    "The keys stayed behind on the way back: a token leaves keys and values.",
    ("        self.cache.k_pool[:, table] = self.k[:, blocks]\n", ""),
)
host.mistake(
    "Keys and values changed places on the way back.",
    ("= self.k[:, blocks]", "= self.v[:, blocks].clone()"),
    ("v_pool[:, table] = self.v[:, blocks]", "v_pool[:, table] = self.k[:, blocks]"),
)
host.mistake(
    "The whole table was copied, reserved blocks included, and refused where the host has too few.",
    ("[: self.cache.blocks_needed(length)]", ""),
    (
        "        table = self.cache.tables[name]\n        self.cache.k_pool",
        "        blocks = blocks[: len(self.cache.tables[name])]\n"
        "        table = self.cache.tables[name]\n        self.cache.k_pool",
    ),
    ("        self.free += blocks\n", "        self.free = list(range(self.k.shape[1]))\n"),
)
host.mistake(
    "`kept` has the length first and the blocks second: it is the pair (blocks, length).",
    ("self.kept[name] = blocks, length", "self.kept[name] = length, blocks"),
    ("blocks, length = self.kept[name]", "length, blocks = self.kept[name]"),
)
host.mistake(
    "The length was asked for when the sequence was freed: note it before.",
    (
        "        self.kept[name] = blocks, length\n        self.cache.free(name)\n",
        "        self.cache.free(name)\n"
        "        self.kept[name] = blocks, self.cache.lengths[name]\n",
    ),
)
host.mistake(
    "The length became the number of blocks; it counts tokens.",
    ("advance({name: length})", "advance({name: len(blocks)})"),
)
host.mistake(
    "Keys went into the memory of the values: `v` is copied from `v_pool`.",
    ("self.v[:, blocks] = self.cache.v_pool", "self.v[:, blocks] = self.cache.k_pool"),
)
host.mistake(
    "The values went into the memory of the keys: `k` is copied from `k_pool`.",
    ("self.k[:, blocks] = self.cache.k_pool", "self.k[:, blocks] = self.cache.v_pool"),
)
host.mistake(
    "The host's blocks were given back twice: the next two copies will share them.",
    ("        self.free += blocks\n", "        self.free += blocks + blocks\n"),
)
host.mistake(
    "More room was reserved than the copy needs: as many tokens as were written, `length`.",
    ("reserve(name, length)", "reserve(name, length + 4)"),
    (
        "        table = self.cache.tables[name]\n        self.cache.k_pool",
        "        table = self.cache.tables[name][: len(blocks)]\n        self.cache.k_pool",
    ),
)
