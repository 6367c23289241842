"""Mistakes with `Paged.grow`, as readers make them."""

from collections.abc import Callable
from typing import Any

from paged_attention.tables import ceil_div
from workbook.checks.ch01.mistakes.blocks import Right, room, wrong


def grow_when(due: Callable[[Any, str, int], bool]) -> Callable[[Any, str, int], None]:
    """A ``grow`` that takes one block on this condition."""

    def grow(self: Any, name: str, tokens: int) -> None:
        if due(self, name, tokens):
            self.tables[name].append(self.blocks.allocate())

    return grow


def grow_until_ahead(self: Any, name: str, tokens: int) -> None:
    while tokens > room(self, name) - 1:
        self.tables[name].append(self.blocks.allocate())


wrong(
    "`grow` took nothing. Blocks aren't promised, so somebody must take them.",
    grow=lambda self, name, tokens: None,
)
wrong(
    "`grow` took a block for every token. Take one only when `tokens` are more than the table's "
    "slots, and a table of n blocks has n · block_size of them.",
    grow=grow_when(lambda self, name, tokens: True),
)
wrong(
    "`grow` took the block one token too early: with room for 3, token 3 still fits (`>`, not "
    "`>=`).",
    grow=grow_when(lambda self, name, tokens: tokens >= room(self, name)),
)
wrong(
    "`grow` took the block one token too late: the token before had no slot.",
    grow=grow_when(lambda self, name, tokens: tokens > room(self, name) + 1),
)
wrong(
    "`grow` took a block at multiples of block_size. That token is the last that fits; the next "
    "one needs a block.",
    grow=grow_when(lambda self, name, tokens: tokens % self.block_size == 0),
)
wrong(
    "`tokens % block_size == 1` finds the first token of a block, except where blocks have one "
    "slot: there the remainder is always 0. Compare with the table's slots.",
    grow=grow_when(lambda self, name, tokens: tokens % self.block_size == 1),
)
wrong(
    "`grow` compared with one block's size: from the second block on, every token got another.",
    grow=grow_when(lambda self, name, tokens: tokens > self.block_size),
)
wrong(
    "`grow` multiplies by 4. The size of a block is `self.block_size`.",
    grow=grow_when(lambda self, name, tokens: tokens > 4 * len(self.tables[name])),
)
wrong(
    "`grow` took the block when its tokens fill the table. They still fit; the next one doesn't.",
    grow=grow_when(lambda self, name, tokens: tokens == room(self, name)),
)
wrong(
    "`grow` took a block for every token but the last of a block. Compare with the table's slots.",
    grow=grow_when(lambda self, name, tokens: bool(tokens % self.block_size)),
)
wrong(
    "`grow` compared with the slots less one, again and again: blocks came ahead of their tokens.",
    grow=grow_until_ahead,
)
wrong(
    "`grow` rounded down: a block came when the next one was full, not when it was begun.",
    grow=grow_when(lambda self, name, tokens: tokens // self.block_size > len(self.tables[name])),
)
wrong(
    "`grow` compares the wrong way round: it took blocks while there was room, and none when it "
    "ran out.",
    grow=grow_when(lambda self, name, tokens: tokens < room(self, name)),
)


def grow_at_the_front(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].insert(0, self.blocks.allocate())


def grow_anew(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        need = ceil_div(tokens, self.block_size)
        self.tables[name] = self.blocks.allocate_many(need)


def grow_by_moving(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.free(name)
        self.admit(name, tokens)


def grow_quietly(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name) and self.blocks.num_free:
        self.tables[name].append(self.blocks.allocate())


def grow_by_all(self: Any, name: str, tokens: int) -> None:
    self.tables[name] += self.blocks.allocate_many(ceil_div(tokens, self.block_size))


def grow_by_all_when_due(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name] += self.blocks.allocate_many(ceil_div(tokens, self.block_size))


def grow_replaces(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name] = [self.blocks.allocate()]


def grow_a_list(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].append(self.blocks.allocate_many(1))


def grow_forgets(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.blocks.allocate()


def grow_neighbour(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].append(self.tables[name][-1] + 1)


def grow_logical(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].append(len(self.tables[name]))


def grow_one_ahead(self: Any, name: str, tokens: int) -> None:
    while len(self.tables[name]) <= ceil_div(tokens, self.block_size):
        self.tables[name].append(self.blocks.allocate())


def grow_by_admitting(self: Any, name: str, tokens: int) -> None:
    self.admit(name, tokens)


def grow_into_a_placeholder(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].append(None)
        self.tables[name][-1] = self.blocks.allocate()


def grow_value_error(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        if not self.blocks.num_free:
            raise ValueError
        self.tables[name].append(self.blocks.allocate())


def grow_by_one_a_table(self: Any, name: str, tokens: int) -> None:
    if tokens > self.block_size * len(self.tables):
        self.tables[name].append(self.blocks.allocate())


wrong(
    "`len(self.tables)` counts requests. The blocks of this one are `len(self.tables[name])`.",
    grow=grow_by_one_a_table,
)
wrong(
    "`grow` wrote the block's number in the request into the table. Its id is what `allocate` "
    "returns.",
    grow=grow_logical,
)
wrong(
    "`grow` keeps a block ahead, empty. Nothing is taken before a token needs it.",
    grow=grow_one_ahead,
)
wrong(
    "`grow` took the block two tokens too early: compare with all the slots of the table.",
    grow=grow_when(lambda self, name, tokens: tokens >= room(self, name) - 1),
)
wrong(
    "`grow` took all blocks anew at every token, as `admit` does: the old ones are lost.",
    grow=grow_by_admitting,
)
wrong(
    "The table was changed before `allocate` could refuse: append what it returns.",
    grow=grow_into_a_placeholder,
)
wrong(
    "`grow` raised another error. Its caller waits for a MemoryError.",
    grow=grow_value_error,
)


def grow_by_two(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name] += self.blocks.allocate_many(2)


def grow_everybody(self: Any, name: str, tokens: int) -> None:
    for table in self.tables.values():
        if tokens > self.block_size * len(table):
            table.append(self.blocks.allocate())


def grow_gives_up(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        if not self.blocks.num_free:
            self.free(name)
            raise MemoryError
        self.tables[name].append(self.blocks.allocate())


def grow_and_release(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].append(self.blocks.allocate())
        self.blocks.release(self.tables[name][0])


def grow_and_drop(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].append(self.blocks.allocate())
        self.blocks.release(self.tables[name].pop(0))


def grow_into_a_number(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name] = self.blocks.allocate()


def grow_extends_by_a_number(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name] += self.blocks.allocate()


wrong("`grow` took two blocks. One token more needs one at the most.", grow=grow_by_two)
wrong(
    "`grow` looked at every table. Only the request that is named has a new token.",
    grow=grow_everybody,
)
wrong(
    "When the pool was dry, `grow` ended the request. A refused call changes nothing; its caller "
    "decides.",
    grow=grow_gives_up,
)
wrong(
    "`grow` released the first block, which is still in the table: all tokens stay.",
    grow=grow_and_release,
)
wrong("`grow` gave the first block away. Its tokens are read at every step.", grow=grow_and_drop)
wrong(
    "`allocate` returns a number, and it took the table's place: append it.",
    grow=grow_into_a_number,
)
wrong(
    "`allocate` returns a number, and a list can't be extended by one: append it.",
    grow=grow_extends_by_a_number,
)


def grow_needs_a_free_block(self: Any, name: str, tokens: int) -> None:
    if not self.blocks.num_free:
        raise MemoryError
    Right.grow(self, name, tokens)


def grow_always_a(self: Any, name: str, tokens: int) -> None:
    Right.grow(self, "A", tokens)


def grow_before_the_last(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].insert(-1, self.blocks.allocate())


def grow_a_block_a_slot(self: Any, name: str, tokens: int) -> None:
    missing = tokens - room(self, name)
    if missing > 0:
        self.tables[name] += self.blocks.allocate_many(missing * self.block_size)


def grow_by_a_count(self: Any, name: str, tokens: int) -> None:
    if tokens > room(self, name):
        self.tables[name].append(self.blocks.num_free)


wrong(
    "`grow` refused a token that has a slot, because no block was free: it needs none.",
    grow=grow_needs_a_free_block,
)
wrong("`grow` gave to A, whoever was named.", grow=grow_always_a)
wrong(
    "The new block was put before the last one. It goes to the end of the table.",
    grow=grow_before_the_last,
)
wrong(
    "`grow` took a block for every slot of a block. One token more needs one block at the most.",
    grow=grow_a_block_a_slot,
)
wrong(
    "`grow` wrote down how many blocks are free. The id of one is what `allocate` returns.",
    grow=grow_by_a_count,
)
wrong(
    "The new block was put in front. The table is in the order of the tokens, so it goes to the "
    "end.",
    grow=grow_at_the_front,
)
wrong(
    "`grow` took all blocks anew: the old ones are lost, and what was written lies in them.",
    grow=grow_anew,
)
wrong(
    "`grow` gave the blocks back and took others. What was written lies in the old ones; and when "
    "the pool is dry, the request has none.",
    grow=grow_by_moving,
)
wrong(
    "The pool was empty and `grow` kept silent: the next token has no slot, and nobody knows.",
    grow=grow_quietly,
)
wrong(
    "`tokens` are the tokens in all, not the new ones: `grow` took blocks for all of them again, "
    "at every token.",
    grow=grow_by_all,
)
wrong(
    "When a block was due, `grow` took blocks for all the tokens again. One is missing.",
    grow=grow_by_all_when_due,
)
wrong("`grow` put a new table in the place of the old one: append.", grow=grow_replaces)
wrong(
    "`allocate_many` returns a list, and a list now stands in the table as if it were a block: "
    "use `allocate`, or `+=`.",
    grow=grow_a_list,
)
wrong("`grow` took a block and wrote it down nowhere: nobody has it now.", grow=grow_forgets)
wrong(
    "`grow` went on into the next block without asking: that is a neighbour's, or free and soon "
    "will be.",
    grow=grow_neighbour,
)
