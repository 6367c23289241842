"""Wrong look-ups and gathers, as readers write them. (exercise, name, object, fragment.)"""

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor, cat, stack

from paged_attention.tables import physical_slot


def swapped(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table[position % block_size], position // block_size


def pair_reversed(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return position % block_size, table[position // block_size]


def no_table(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return position // block_size, position % block_size


def flat(table: Sequence[int], position: int, block_size: int) -> int:
    return table[position // block_size] * block_size + position % block_size


def a_list(table: Sequence[int], position: int, block_size: int) -> list[int]:
    return [table[position // block_size], position % block_size]


def rounded_up(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table[-(-position // block_size)], position % block_size


def always_four(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table[position // 4], position % 4


def no_guard(table: Sequence[int], position: int, block_size: int) -> tuple[int, int]:
    return table[position // block_size], position % block_size


def gather(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    """The gather of chapter 03; the finished engine gathers a whole batch at once."""
    return pool[table].transpose(0, 1).flatten(1, 2)[:, :n]


def no_cut(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return pool[table].transpose(0, 1).flatten(1, 2)


def cut_by_the_block(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return gather(pool, table, n // pool.shape[2] * pool.shape[2])


def sorted_table(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return gather(pool, sorted(table), n)


def from_the_first_on(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    run = [(table[0] + i) % len(pool) for i in range(len(table))]
    return gather(pool, run, n)


def reshaped(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return pool[table].reshape(pool.shape[1], -1, pool.shape[3])[:, :n]


def heads_last(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return gather(pool, table, n).transpose(0, 1)


def table_decides(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return gather(pool, table, len(table) * pool.shape[2] - 2)


def by_the_last(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    """Cuts the last block of the table, whichever block n ends in."""
    whole = gather(pool, table[:-1], (len(table) - 1) * pool.shape[2])
    return cat([whole, pool[table[-1]][:, : n - whole.shape[1]]], 1)


def from_the_end(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    whole = pool[table].transpose(0, 1).flatten(1, 2)
    return whole[:, : -(whole.shape[1] - n)]


def blocks_of_four(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return stack([pool[table[p // 4], :, p % 4] for p in range(n)], 1)


MUTANTS = [
    ("physical_slot", "swapped", swapped, "Quotient and remainder are swapped"),
    ("physical_slot", "pair reversed", pair_reversed, "Block first, then offset"),
    ("physical_slot", "no table", no_table, "2 is the logical block"),
    ("physical_slot", "flat", flat, "29 counts slots from the start"),
    ("physical_slot", "a list", a_list, "A tuple is wanted"),
    ("physical_slot", "rounded up", rounded_up, "IndexError: list index out of range"),
    ("physical_slot", "always four", always_four, "The size of a block is the third argument"),
    ("physical_slot", "no guard", no_guard, "no error, (7, 3) returned"),
    ("gather", "no cut", no_cut, "24 slots for 22 tokens"),
    ("gather", "cut by the block", cut_by_the_block, "2 tokens are missing"),
    ("gather", "sorted", sorted_table, "It starts with block 0"),
    ("gather", "from the first on", from_the_first_on, "it isn't yours"),
    ("gather", "reshape", reshaped, "The heads are mixed"),
    ("gather", "heads last", heads_last, "got shape [22, 1, 2]"),
    ("gather", "the table decides", table_decides, "so n decides, not the table"),
    ("gather", "only the last is cut", by_the_last, "not in the table's last"),
    ("gather", "cut from the end", from_the_end, "`[:-0]` is `[:0]`"),
    ("gather", "blocks of four", blocks_of_four, "index 3 is out of bounds"),
]
FINISHED: dict[str, Callable[..., Any]] = {"physical_slot": physical_slot, "gather": gather}
