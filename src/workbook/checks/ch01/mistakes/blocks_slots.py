"""Mistakes with `Paged.slots`, as readers make them."""

from collections.abc import Callable
from typing import Any

from workbook.checks.ch01.mistakes.blocks import Right, room, wrong


def in_blocks(
    place: Callable[[int, int, int], Any],
) -> Callable[[Any, str], list[Any]]:
    """``slots`` made of ``place(size, block, offset)``, blocks in the table's order."""

    def slots(self: Any, name: str) -> list[Any]:
        size = self.block_size
        return [place(size, block, at) for block in self.tables[name] for at in range(size)]

    return slots


def slots_are_blocks(self: Any, name: str) -> list[int]:
    return list(self.tables[name])


def slots_are_starts(self: Any, name: str) -> list[int]:
    return [self.block_size * block for block in self.tables[name]]


def slots_in_a_run(self: Any, name: str) -> list[int]:
    start = self.block_size * self.tables[name][0]
    return list(range(start, start + room(self, name)))


def slots_sorted(self: Any, name: str) -> list[int]:
    return sorted(Right.slots(self, name))


def slots_in_reverse(self: Any, name: str) -> list[int]:
    return Right.slots(self, name)[::-1]


def slots_of_four(self: Any, name: str) -> list[int]:
    return [4 * block + offset for block in self.tables[name] for offset in range(4)]


def slots_by_four(self: Any, name: str) -> list[int]:
    size = self.block_size
    return [4 * block + offset for block in self.tables[name] for offset in range(size)]


def slots_four_each(self: Any, name: str) -> list[int]:
    size = self.block_size
    return [size * block + offset for block in self.tables[name] for offset in range(4)]


def slots_interleaved(self: Any, name: str) -> list[int]:
    size = self.block_size
    return [size * block + offset for offset in range(size) for block in self.tables[name]]


def slots_logical(self: Any, name: str) -> list[int]:
    return list(range(room(self, name)))


def slots_nested(self: Any, name: str) -> list[list[int]]:
    size = self.block_size
    return [list(range(size * block, size * block + size)) for block in self.tables[name]]


def slots_first_block(self: Any, name: str) -> list[int]:
    return Right.slots(self, name)[: self.block_size]


def slots_last_block(self: Any, name: str) -> list[int]:
    return Right.slots(self, name)[-self.block_size :]


def slots_returns_early(self: Any, name: str) -> list[int]:
    return Right.slots(self, name)[:1]


def slots_all_but_one(self: Any, name: str) -> list[int]:
    size = self.block_size
    return [size * block + at for block in self.tables[name] for at in range(size - 1)]


def slots_count(self: Any, name: str) -> int:
    return room(self, name)


def slots_none(self: Any, name: str) -> None:
    Right.slots(self, name)


wrong(
    "`slots` gave block ids. Block b has block_size slots, from b · block_size on.",
    slots=slots_are_blocks,
)
wrong(
    "`slots` gave one slot of each block. A block has block_size of them.", slots=slots_are_starts
)
wrong(
    "The slots run on from the first block. The second block lies where the table says.",
    slots=slots_in_a_run,
)
wrong(
    "The slots came sorted (a set does that, too). Their order is the order of the tokens, and the "
    "table has it.",
    slots=slots_sorted,
)


def slots_of_all(self: Any, name: str) -> list[int]:
    size = self.block_size
    return [size * block + at for block in self.tables for at in range(size)]


def slots_by_length(self: Any, name: str) -> list[int]:
    table = self.tables[name]
    return [len(table) * block + at for block in table for at in range(self.block_size)]


wrong(
    "`self.tables` has names in it. This request's blocks are `self.tables[name]`.",
    slots=slots_of_all,
)
wrong(
    "The block was multiplied by the table's length; it begins at block · block_size.",
    slots=slots_by_length,
)


def slots_one_more(self: Any, name: str) -> list[int]:
    size = self.block_size
    return [size * block + at for block in self.tables[name] for at in range(size + 1)]


def slots_repeated_blocks(self: Any, name: str) -> list[int]:
    return list(self.tables[name]) * int(self.block_size)


def slots_repeated_starts(self: Any, name: str) -> list[int]:
    return slots_are_starts(self, name) * int(self.block_size)


def slots_by_index(self: Any, name: str) -> list[int]:
    return [self.block_size * block + at for at, block in enumerate(self.tables[name])]


wrong(
    "One slot of each block came, with the block's place in the table for an offset.",
    slots=slots_by_index,
)


def slots_each_start(self: Any, name: str) -> list[int]:
    size = self.block_size
    return [size * block for block in self.tables[name] for _ in range(size)]


def slots_first_to_last(self: Any, name: str) -> list[int]:
    first, last = self.tables[name][0], self.tables[name][-1]
    return list(range(first * self.block_size, (last + 1) * self.block_size))


def slots_blocks_reversed(self: Any, name: str) -> list[int]:
    size = self.block_size
    return [size * block + at for block in self.tables[name][::-1] for at in range(size)]


wrong("One slot of the next block came with each block.", slots=slots_one_more)
wrong(
    "The list of blocks was repeated. A block has other slots at each offset.",
    slots=slots_repeated_blocks,
)
wrong(
    "The list of the blocks' first slots was repeated; the offset is missing.",
    slots=slots_repeated_starts,
)
wrong(
    "The offset is missing: each block came as its first slot, again and again.",
    slots=slots_each_start,
)
wrong(
    "The slots from the first block to the last came, as if all between were this request's.",
    slots=slots_first_to_last,
)
wrong(
    "The blocks are in reverse: the first token is in the table's first.",
    slots=slots_blocks_reversed,
)
wrong("The slots are in reverse: the first token is in the first block.", slots=slots_in_reverse)
wrong("`slots` takes blocks of 4. The size of a block is `self.block_size`.", slots=slots_of_four)
wrong(
    "`slots` multiplies the block by 4; it begins at `block * self.block_size`.",
    slots=slots_by_four,
)
wrong("`slots` gave 4 slots of every block, and it has `self.block_size`.", slots=slots_four_each)
wrong(
    "The two loops are swapped: first all slots of one block, then those of the next.",
    slots=slots_interleaved,
)
wrong(
    "`slots` counted from 0, as if every request began there. Its blocks are in its table.",
    slots=slots_logical,
)
wrong(
    "`slots` gave a list for each block. One flat list is wanted (`extend` rather than `append`).",
    slots=slots_nested,
)
wrong("Only the first block's slots came: a `return` inside the loop?", slots=slots_first_block)
wrong(
    "Only the last block's slots came: the list begins anew in each round.", slots=slots_last_block
)
wrong("Only one slot came: a `return` inside both loops?", slots=slots_returns_early)
wrong(
    "The last slot of every block is missing: `range(block_size)` has block_size numbers.",
    slots=slots_all_but_one,
)
wrong("`slots` gave how many there are; which ones is asked.", slots=slots_count)
wrong(
    "Your `slots` returned nothing (None): is a `return` missing, or inside an `if` that wasn't "
    "taken?",
    slots=slots_none,
)
wrong(
    "block + offset isn't a slot of the pool: block b begins at b · block_size.",
    slots=in_blocks(lambda size, block, at: block + at),
)
wrong(
    "Block and offset are swapped: block b begins at b · block_size.",
    slots=in_blocks(lambda size, block, at: size * at + block),
)
wrong(
    "Slots are counted from 0: the first slot of block b is b · block_size, without a + 1.",
    slots=in_blocks(lambda size, block, at: size * block + at + 1),
)
wrong(
    "Blocks are counted from 0: block b begins at b · block_size, not one block before.",
    slots=in_blocks(lambda size, block, at: size * (block - 1) + at),
)
wrong(
    "Blocks are counted from 0: block b begins at b · block_size, not one block later.",
    slots=in_blocks(lambda size, block, at: size * (block + 1) + at),
)
wrong(
    "`slots` gave pairs. A slot of the pool is one number, block · block_size + offset.",
    slots=in_blocks(lambda size, block, at: (block, at)),
)


def admit_counting(self: Any, name: str, tokens: int) -> None:
    Right.admit(self, name, tokens)
    self.written = {**getattr(self, "written", {}), name: tokens}


def grow_counting(self: Any, name: str, tokens: int) -> None:
    Right.grow(self, name, tokens)
    self.written[name] = tokens


wrong(
    "`slots` gave the slots of written tokens alone. It gives all slots of all blocks: what is not "
    "written yet is held, too.",
    admit=admit_counting,
    grow=grow_counting,
    slots=lambda self, name: Right.slots(self, name)[: self.written[name]],
)


def admit_into_one_list(self: Any, name: str, tokens: int) -> None:
    self.one = getattr(self, "one", [])
    self.one += self.blocks.allocate_many(-(-tokens // self.block_size))
    self.tables[name] = self.one


wrong(
    "All requests share one list of blocks: each name needs a list of its own.",
    admit=admit_into_one_list,
)
