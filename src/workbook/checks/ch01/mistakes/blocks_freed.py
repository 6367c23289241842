"""Mistakes with `Paged.free`, as readers make them."""

from typing import Any

from paged_attention import BlockAllocator
from workbook.checks.ch01.mistakes.blocks import wrong


def free_keeps(self: Any, name: str) -> None:
    self.blocks.release_many(self.tables[name])


def free_empties(self: Any, name: str) -> None:
    self.blocks.release_many(self.tables[name])
    self.tables[name] = []


def free_none(self: Any, name: str) -> None:
    del self.tables[name]


def free_last(self: Any, name: str) -> None:
    self.blocks.release(self.tables.pop(name)[-1])


def free_first(self: Any, name: str) -> None:
    self.blocks.release(self.tables.pop(name)[0])


def free_all_but_the_last(self: Any, name: str) -> None:
    self.blocks.release_many(self.tables.pop(name)[:-1])


def free_everybody(self: Any, name: str) -> None:
    for table in self.tables.values():
        self.blocks.release_many(table)
    self.tables.clear()


def free_slots(self: Any, name: str) -> None:
    slots = self.slots(name)
    del self.tables[name]
    self.blocks.release_many(slots)


def free_while_looping(self: Any, name: str) -> None:
    table = self.tables[name]
    for block in table:
        self.blocks.release(block)
        table.remove(block)
    del self.tables[name]


def free_all_tables(self: Any, name: str) -> None:
    self.blocks.release_many(self.tables[name])
    self.tables.clear()


def free_a_new_pool(self: Any, name: str) -> None:
    self.blocks = BlockAllocator(self.blocks.num_blocks)
    del self.tables[name]


def free_the_list_as_a_block(self: Any, name: str) -> None:
    self.blocks.release(self.tables.pop(name))


def free_the_name(self: Any, name: str) -> None:
    self.blocks.release_many(name)
    del self.tables[name]


def free_none_table(self: Any, name: str) -> None:
    self.blocks.release_many(self.tables[name])
    self.tables[name] = None


def free_after_del(self: Any, name: str) -> None:
    del self.tables[name]
    self.blocks.release_many(self.tables[name])


wrong(
    "Blocks were removed from the table while the loop went through it, which skips every other "
    "one.",
    free=free_while_looping,
)
wrong("`free` cleared all tables. The others are still running.", free=free_all_tables)
wrong(
    "`free` made a new allocator, which thinks that everything is free; others hold blocks.",
    free=free_a_new_pool,
)
wrong(
    "`release` takes one block, and got the table: `release_many` takes a list.",
    free=free_the_list_as_a_block,
)
wrong(
    "The allocator got the name. It knows blocks: the table's entries.",
    free=free_the_name,
)
wrong(
    "The name is still there, with None for a table: `pop` or `del` takes it out.",
    free=free_none_table,
)
wrong(
    "The table was deleted before its blocks went back: `pop` gives it and takes it out.",
    free=free_after_del,
)


def free_the_first_ids(self: Any, name: str) -> None:
    self.blocks.release_many(range(len(self.tables.pop(name))))


def free_names(self: Any, name: str) -> None:
    for block in self.tables:
        self.blocks.release(block)


def free_all_blocks(self: Any, name: str) -> None:
    self.blocks.release_many([block for table in self.tables.values() for block in table])
    del self.tables[name]


wrong(
    "The loop went over `self.tables`, which are names. Blocks are in one table.", free=free_names
)
wrong("Everybody's blocks went back, and one table was deleted.", free=free_all_blocks)


def free_twice(self: Any, name: str) -> None:
    table = self.tables.pop(name)
    self.blocks.release_many(table)
    self.blocks.release_many(table)


wrong(
    "Blocks 0, 1, 2 … went back, as many as the request has. Which are its own says its table.",
    free=free_the_first_ids,
)
wrong("Each block was released twice; once it was held.", free=free_twice)
wrong(
    "The blocks went back, and the table stayed: it names blocks that are somebody else's by now.",
    free=free_keeps,
)
wrong("The table was emptied, but it is still there: the request looks alive.", free=free_empties)
wrong("No block went back: `release_many`, before the table is gone.", free=free_none)
wrong("Only the last block went back.", free=free_last)
wrong("Only the first block went back.", free=free_first)
wrong("The last block of the table stays behind.", free=free_all_but_the_last)
wrong("Everybody's blocks went back, not only those of the one that ended.", free=free_everybody)
wrong("`free` gave back slots. The allocator knows blocks: the table's entries.", free=free_slots)
