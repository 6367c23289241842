"""Mistakes with Paged as a whole and with its `admit`, as readers make them."""

from collections.abc import Callable
from typing import Any, ClassVar

from paged_attention import BlockAllocator
from paged_attention.tables import ceil_div
from workbook.checks.ch01.blocks import paged


class Right:
    def __init__(self, num_slots: int = 64, block_size: int = 4) -> None:
        self.block_size = block_size
        self.blocks = BlockAllocator(num_slots // block_size)
        self.tables: dict[str, list[int]] = {}

    def admit(self, name: str, tokens: int) -> None:
        self.tables[name] = self.blocks.allocate_many(ceil_div(tokens, self.block_size))

    def grow(self, name: str, tokens: int) -> None:
        if tokens > self.block_size * len(self.tables[name]):
            self.tables[name].append(self.blocks.allocate())

    def free(self, name: str) -> None:
        self.blocks.release_many(self.tables.pop(name))

    def slots(self, name: str) -> list[int]:
        size = self.block_size
        return [size * block + offset for block in self.tables[name] for offset in range(size)]


class StepByStep(Right):
    def admit(self, name: str, tokens: int) -> None:
        need = (tokens + self.block_size - 1) // self.block_size
        if need > self.blocks.num_free:
            raise MemoryError(f"{need} blocks wanted")
        self.tables[name] = [self.blocks.allocate() for _ in range(need)]

    def grow(self, name: str, tokens: int) -> None:
        while ceil_div(tokens, self.block_size) > len(self.tables[name]):
            self.tables[name].append(self.blocks.allocate())

    def free(self, name: str) -> None:
        for block in reversed(self.tables.pop(name)):
            self.blocks.release(block)

    def slots(self, name: str) -> list[int]:
        found: list[int] = []
        for block in self.tables[name]:
            found.extend(range(block * self.block_size, (block + 1) * self.block_size))
        return found


paged.finished = Right
paged.also_right += [StepByStep]


def wrong(says: str, **methods: Any) -> None:
    """A mistake: the right class with these methods in place of its own."""
    paged.mistake(says)(type("Paged", (Right,), methods))


def admit_with(count: Callable[[Any, int], int]) -> Callable[[Any, str, int], None]:
    """An ``admit`` that takes so many blocks."""

    def admit(self: Any, name: str, tokens: int) -> None:
        self.tables[name] = self.blocks.allocate_many(count(self, tokens))

    return admit


def room(self: Any, name: str) -> int:
    return int(self.block_size * len(self.tables[name]))


wrong(
    "`admit` rounded down: the last, part-filled block of the prompt is missing.",
    admit=admit_with(lambda self, tokens: tokens // self.block_size),
)
wrong(
    "`admit`: a prompt that fills its blocks got one more. `// + 1` is not rounding up.",
    admit=admit_with(lambda self, tokens: tokens // self.block_size + 1),
)
wrong(
    "`admit` took one block more than the prompt needs, ahead of any growth.",
    admit=admit_with(lambda self, tokens: ceil_div(tokens, self.block_size) + 1),
)
wrong(
    "`admit` took a block for every token of the prompt: a block has block_size slots.",
    admit=admit_with(lambda self, tokens: tokens),
)
wrong(
    "`admit` took one block, whatever the prompt.",
    admit=admit_with(lambda self, tokens: 1),
)
wrong(
    "`admit` took room for 20 tokens, whatever the prompt: that is a reservation, in blocks.",
    admit=admit_with(lambda self, tokens: ceil_div(20, self.block_size)),
)
wrong(
    "`admit` divides by 4. The size of a block is `self.block_size`.",
    admit=admit_with(lambda self, tokens: ceil_div(tokens, 4)),
)
wrong(
    "`admit` rounded to the nearest number of blocks: a prompt a little over a block's edge has "
    "tokens without a slot.",
    admit=admit_with(lambda self, tokens: round(tokens / self.block_size)),
)


wrong(
    "`admit` took one block less than the prompt needs.",
    admit=admit_with(lambda self, tokens: ceil_div(tokens, self.block_size) - 1),
)


def admit_a_float(self: Any, name: str, tokens: int) -> None:
    self.tables[name] = self.blocks.allocate_many(tokens / self.block_size)


wrong(
    "`tokens / block_size` is a float. A number of blocks is an int, rounded up: `ceil_div`.",
    admit=admit_a_float,
)


def admit_a_tuple(self: Any, name: str, tokens: int) -> None:
    self.tables[name] = tuple(self.blocks.allocate_many(ceil_div(tokens, self.block_size)))


wrong("The table is a tuple, which can't grow. Keep the list.", admit=admit_a_tuple)


def admit_by_slots_free(self: Any, name: str, tokens: int) -> None:
    if self.blocks.num_free * self.block_size <= tokens:
        raise MemoryError
    Right.admit(self, name, tokens)


wrong(
    "`admit` refused a prompt that fills the last free slot: it fits exactly.",
    admit=admit_by_slots_free,
)
wrong(
    "`admit` took `block_size` blocks, whatever the prompt. That is how many slots a block has.",
    admit=admit_with(lambda self, tokens: self.block_size),
)


def admit_one_many_times(self: Any, name: str, tokens: int) -> None:
    self.tables[name] = [self.blocks.allocate()] * ceil_div(tokens, self.block_size)


wrong(
    "One block stands in the table several times: each place needs a block of its own.",
    admit=admit_one_many_times,
)


def admit_nothing(self: Any, name: str, tokens: int) -> None:
    self.tables[name] = []


def admit_one_by_one(self: Any, name: str, tokens: int) -> None:
    blocks = [self.blocks.allocate() for _ in range(ceil_div(tokens, self.block_size))]
    self.tables[name] = blocks


def admit_into_the_table(self: Any, name: str, tokens: int) -> None:
    self.tables[name] = []
    for _ in range(ceil_div(tokens, self.block_size)):
        self.tables[name].append(self.blocks.allocate())


def admit_empty_first(self: Any, name: str, tokens: int) -> None:
    self.tables[name] = []
    self.tables[name] += self.blocks.allocate_many(ceil_div(tokens, self.block_size))


def admit_what_there_is(self: Any, name: str, tokens: int) -> None:
    need = min(ceil_div(tokens, self.block_size), self.blocks.num_free)
    self.tables[name] = self.blocks.allocate_many(need)


def admit_quietly(self: Any, name: str, tokens: int) -> None:
    need = ceil_div(tokens, self.block_size)
    if need <= self.blocks.num_free:
        self.tables[name] = self.blocks.allocate_many(need)


def admit_peeks(self: Any, name: str, tokens: int) -> None:
    self.tables[name] = list(range(ceil_div(tokens, self.block_size)))


def admit_if_more_is_free(self: Any, name: str, tokens: int) -> None:
    if ceil_div(tokens, self.block_size) >= self.blocks.num_free:
        raise MemoryError
    Right.admit(self, name, tokens)


def admit_by_tokens_free(self: Any, name: str, tokens: int) -> None:
    if tokens > self.blocks.num_free:
        raise MemoryError
    Right.admit(self, name, tokens)


def admit_unwritten(self: Any, name: str, tokens: int) -> None:
    self.blocks.allocate_many(ceil_div(tokens, self.block_size))


def admit_for_all(self: Any, name: str, tokens: int) -> None:
    self.tables = self.blocks.allocate_many(ceil_div(tokens, self.block_size))


def admit_into_nothing(self: Any, name: str, tokens: int) -> None:
    self.tables[name] += self.blocks.allocate_many(ceil_div(tokens, self.block_size))


def admit_nested(self: Any, name: str, tokens: int) -> None:
    self.tables[name] = [self.blocks.allocate_many(ceil_div(tokens, self.block_size))]


def admit_value_error(self: Any, name: str, tokens: int) -> None:
    if ceil_div(tokens, self.block_size) > self.blocks.num_free:
        raise ValueError
    Right.admit(self, name, tokens)


wrong(
    "`admit` refused a prompt that takes exactly what is free: `>`, not `>=`.",
    admit=admit_if_more_is_free,
)
wrong(
    "`admit` compared tokens with free blocks: a block has block_size slots.",
    admit=admit_by_tokens_free,
)
wrong(
    "`admit` took blocks and wrote them down nowhere: `self.tables[name] = …`.",
    admit=admit_unwritten,
)
wrong(
    "`admit` put one request's blocks in the place of all tables: `self.tables[name] = …`.",
    admit=admit_for_all,
)
wrong(
    "`admit` added to a table that isn't there yet: `self.tables[name] = …` makes it.",
    admit=admit_into_nothing,
)
wrong(
    "`allocate_many` returns a list already, and now a list stands in the table as if it were a "
    "block: no [ ] around it.",
    admit=admit_nested,
)
wrong(
    "`admit` raised another error. The loop waits for a MemoryError, and ends with any other.",
    admit=admit_value_error,
)
wrong(
    "`admit` took a block for every slot of the rounded prompt: a block has block_size slots.",
    admit=admit_with(lambda self, tokens: ceil_div(tokens, self.block_size) * self.block_size),
)
wrong("`admit` took no block: the prompt is there from the start.", admit=admit_nothing)
wrong(
    "`admit` took the blocks one by one: when the pool ran dry, some were taken and nobody has "
    "them. `allocate_many` takes all or none.",
    admit=admit_one_by_one,
)
wrong(
    "`admit` took the blocks one by one into the table: when the pool ran dry, half a request was "
    "there. `allocate_many` takes all or none.",
    admit=admit_into_the_table,
)
wrong(
    "The table was there before `allocate_many` refused, and stays, empty. First take, then write "
    "down.",
    admit=admit_empty_first,
)
wrong(
    "`admit` took the blocks that there were and began with too few. All or nothing.",
    admit=admit_what_there_is,
)
wrong(
    "`admit` was refused and kept silent. The loop waits for a MemoryError, and else thinks that "
    "the request runs.",
    admit=admit_quietly,
)
wrong(
    "`admit` counts from block 0 on, and asks no allocator: others have these.", admit=admit_peeks
)


class SharedTables(Right):
    everybody: ClassVar[dict[str, list[int]]] = {}

    def __init__(self, num_slots: int = 64, block_size: int = 4) -> None:
        super().__init__(num_slots, block_size)
        self.tables = self.everybody


class AlwaysFour(Right):
    def __init__(self, num_slots: int = 64, block_size: int = 4) -> None:
        super().__init__(num_slots, 4)


class SlotsForBlocks(Right):
    def __init__(self, num_slots: int = 64, block_size: int = 4) -> None:
        super().__init__(num_slots, block_size)
        self.blocks = BlockAllocator(num_slots)


paged.mistake("Two memories share their tables: make them in `__init__`, as `self.tables = {}`.")(
    SharedTables
)


class Constants(Right):
    def __init__(self, num_slots: int = 64, block_size: int = 4) -> None:
        super().__init__(64, 4)


class BlocksFromSlots(Right):
    def __init__(self, num_slots: int = 64, block_size: int = 4) -> None:
        super().__init__(num_slots, block_size)
        self.blocks = BlockAllocator(block_size)


paged.mistake("64 and 4 were written into `__init__`. They are what it has when nothing is said.")(
    Constants
)
paged.mistake("The allocator got `block_size` blocks. There are `num_slots // block_size`.")(
    BlocksFromSlots
)
paged.mistake("Blocks of 4 were made, whatever `block_size` was asked for.")(AlwaysFour)
paged.mistake("The allocator got `num_slots` blocks. There are `num_slots // block_size`.")(
    SlotsForBlocks
)


def tokens_for_blocks(self: Any, name: str, tokens: int) -> None:
    if tokens > self.blocks.num_free:
        raise MemoryError("too few")
    Right.admit(self, name, tokens)


wrong(
    "`admit` compared tokens with free blocks, and refused a prompt that has room: each block "
    "holds `block_size` tokens.",
    admit=tokens_for_blocks,
)
