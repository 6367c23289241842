"""Mistakes with gather, as readers make them."""

from collections.abc import Sequence

from torch import Tensor, arange, bfloat16, cat, stack, zeros

from workbook.checks.ch03.gathering import gather


def right(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    """The gather of chapter 03; the finished engine gathers a whole batch at once."""
    return pool[table].transpose(0, 1).flatten(1, 2)[:, :n]


@gather.mistake(
    "24 slots for 22 tokens: the last block is read to its end, and what lies there was never "
    "written by this sequence. Cut at n."
)
def no_cut(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return pool[table].transpose(0, 1).flatten(1, 2)


@gather.mistake(
    "The last, part-filled block is missing: it counts, too, however few tokens it holds."
)
def cut_by_the_block(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, table, n // pool.shape[2] * pool.shape[2])


@gather.mistake(
    "It starts with block 0: the table's order is the history's order, so never sort it."
)
def sorted_table(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, sorted(table), n)


@gather.mistake("After block 7 comes block 8, which is not in the table: it isn't yours.")
def from_the_first_on(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    run = [(table[0] + i) % len(pool) for i in range(len(table))]
    return right(pool, run, n)


@gather.mistake(
    "The heads are mixed. `reshape` never moves data to another axis, it only cuts the same row "
    "of numbers elsewhere; move the axis first."
)
def reshaped(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return pool[table].reshape(pool.shape[1], -1, pool.shape[3])[:, :n]


@gather.mistake("One row a head, one entry a token, the head's numbers last.")
def heads_last(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, table, n).transpose(0, 1)


@gather.mistake(
    "A table may be longer than the history: blocks are reserved before they are written, so n "
    "decides, not the table."
)
def table_decides(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, table, len(table) * pool.shape[2] - 2)


@gather.mistake("Tokens past n: the history ends in the first block here, not in the table's last.")
def by_the_last(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    """Cuts the last block of the table, whichever block n ends in."""
    whole = right(pool, table[:-1], (len(table) - 1) * pool.shape[2])
    return cat([whole, pool[table[-1]][:, : n - whole.shape[1]]], 1)


@gather.mistake("Nothing had to be cut off, and nothing is left: in Python `[:-0]` is `[:0]`.")
def from_the_end(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    whole = pool[table].transpose(0, 1).flatten(1, 2)
    return whole[:, : -(whole.shape[1] - n)]


@gather.mistake("4 was written into the code; a block has `pool.shape[2]` slots, here 3.")
def blocks_of_four(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return stack([pool[table[p // 4], :, p % 4] for p in range(n)], 1)


@gather.mistake(
    "The table wasn't asked: this is the pool from block 0 on, other people's tokens included."
)
def no_table(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, list(range(len(table))), n)


@gather.mistake("The blocks come in reverse order: the table's first block is the history's first.")
def reversed_table(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, table[::-1], n)


@gather.mistake("The last token is missing: position n - 1 counts, so the cut is at n.")
def one_less(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, table, n)[:, : n - 1]


@gather.mistake("One token too many: the cut is at n, and position n isn't written.")
def one_more(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, table, n + 1)


@gather.mistake("Every head got head 0's numbers.")
def head_zero(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return right(pool, table, n)[:1].expand(pool.shape[1], -1, -1)


@gather.mistake(
    "Quotient and remainder are swapped: position p is in block table[p // size], at p % size."
)
def swapped(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    size = pool.shape[2]
    where = [(table[p % len(table)], p // len(table) % size) for p in range(n)]
    return stack([pool[block, :, offset] for block, offset in where], 1)


@gather.mistake(
    "The numbers are float32, and bfloat16 is wanted: whoever makes a new tensor must ask for the "
    "dtype of the old one."
)
def always_float32(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    history = zeros(pool.shape[1], n, pool.shape[3])
    for p in range(n):
        history[:, p] = pool[table[p // pool.shape[2]], :, p % pool.shape[2]]
    return history


@gather.mistake("The last n tokens were kept: `[-n:]` cuts at the beginning, where history begins.")
def cut_in_front(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return pool[table].transpose(0, 1).flatten(1, 2)[:, -n:]


@gather.mistake(
    "From the table's first block it went on through the pool; the next block is table[1]."
)
def neighbours(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return pool[table[0] : table[0] + len(table)].transpose(0, 1).flatten(1, 2)[:, :n]


@gather.mistake("Only the first block of the table was read.")
def first_block(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    return pool[table[0]][:, :n]


@gather.also_right.append
def token_by_token(pool: Tensor, table: Sequence[int], n: int) -> Tensor:
    """The same with a loop over positions."""
    size = pool.shape[2]
    return stack([pool[table[p // size], :, p % size] for p in range(n)], 1)


gather.finished = right
gather.probes.append((arange(48.0).reshape(4, 2, 3, 2).to(bfloat16), [2, 0, 3], 7))
