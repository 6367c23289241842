"""Mistakes with gather_batch, as readers make them."""

import torch
from torch import Tensor

from workbook.checks.ch03.gathering import gather_batch


def right(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    """As chapter 03 has it."""
    longest = int(ends.max())
    blocks = pool[tables]  # [B, width, heads, slots, D]
    history = blocks.transpose(1, 2).flatten(2, 3)[:, :, :longest]
    past_end = torch.arange(longest) >= ends[:, None]  # [B, S]
    return history.masked_fill(past_end[:, None, :, None], 0)


gather_batch.finished = right
gather_batch.probes.append(
    (torch.arange(96.0).reshape(4, 2, 3, 4), torch.tensor([[2, 0], [3, 1]]), torch.tensor([4, 6]))
)


@gather_batch.also_right.append
def token_by_token(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    _, heads, size, head_dim = pool.shape
    history = pool.new_zeros(len(tables), heads, int(ends.max()), head_dim)
    for row, (table, end) in enumerate(zip(tables.tolist(), ends.tolist(), strict=True)):
        for position in range(end):
            block = table[position // size]
            history[row, :, position] = pool[block, :, position % size]
    return history


@gather_batch.also_right.append
def by_where(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    history = pool[tables].permute(0, 2, 1, 3, 4).flatten(2, 3)[:, :, : ends.max()]
    inside = torch.arange(history.shape[2])[None, None, :, None] < ends[:, None, None, None]
    return torch.where(inside, history, torch.zeros_like(history))


mistake = gather_batch.mistake
CUT, MASK = "[:, :, :longest]", "past_end[:, None, :, None]"
FILL = f"history.masked_fill({MASK}, 0)"
mistake(
    "Nothing is masked: a short row ends in what lies in the block that its padding names, "
    "somebody else's keys.",
    (FILL, "history"),
)
mistake(
    "The mask was multiplied in, and 0 × NaN is NaN. Fill: `masked_fill`, or `torch.where`.",
    (FILL, f"history * ~{MASK}"),
)
mistake(
    "One slot too many counts: an end is a number of tokens, so position `end` is past it (`>=`).",
    (">= ends", "> ends"),
)
mistake(
    "One token too few counts: position `end - 1` is the row's last, and it is written.",
    (">= ends[:, None]", ">= ends[:, None] - 1"),
)
mistake(
    "The mask is the wrong way round: it erased what was written.",
    (">= ends", "< ends"),
)
mistake(
    "Nothing was cut: the width of the tables decided how many places there are, and the longest "
    "end should.",
    (CUT, ""),
    ("torch.arange(longest)", "torch.arange(history.shape[2])"),
)
mistake(
    "Row 0's end decided how many places there are; the longest row's does.",
    ("int(ends.max())", "int(ends[0])"),
)
mistake(
    "The last row's end decided how many places there are; the longest row's does.",
    ("int(ends.max())", "int(ends[-1])"),
)
mistake(
    "The shortest row decided how many places there are: longer ones lost tokens.",
    ("int(ends.max())", "int(ends.min())"),
)
mistake(
    "All rows were cut at the shortest end; each has its own.",
    (">= ends[:, None]", ">= ends.min().expand(len(ends), 1)"),
)
mistake(
    "All rows were cut at row 0's end; each has its own.",
    (">= ends[:, None]", ">= ends[:1].expand(len(ends))[:, None]"),
)
mistake(
    "The heads are mixed: `reshape` and `view` never move an axis, they cut the same row of "
    "numbers elsewhere. `pool[tables]` is [B, width, heads, slots, D]: move the heads before the "
    "width first.",
    (
        "blocks.transpose(1, 2).flatten(2, 3)",
        "blocks.reshape(len(tables), pool.shape[1], -1, pool.shape[3])",
    ),
)
mistake(
    "Heads and slots were joined: of `transpose(1, 2)` the axes 2 and 3 are width and slots.",
    ("blocks.transpose(1, 2).flatten(2, 3)", "blocks.flatten(2, 3).transpose(1, 2)"),
)
mistake(
    "Slots went before the width: a history would read slot 0 of every block first.",
    ("blocks.transpose(1, 2).flatten(2, 3)", "blocks.permute(0, 2, 3, 1, 4).flatten(2, 3)"),
)
mistake(
    "Tokens before heads: [B, S, heads, D]. Attention wants the heads second.",
    (f"return {FILL}", f"return {FILL}.transpose(1, 2)"),
)
mistake(
    "The numbers became float32; a history has the pool's type.",
    (FILL, FILL.replace("history", "history.float()")),
)
mistake(
    "Block 0 was erased in the pool. It is somebody's; zeros belong into the copy.",
    ("    blocks = pool", "    pool[0] = 0\n    blocks = pool"),
)
mistake(
    "The rest of a row's last block was erased in the pool itself. To read is not to write: zeros "
    "belong into the copy.",
    (
        "    blocks = pool",
        "    size = pool.shape[2]\n"
        "    for table, end in zip(tables.tolist(), ends.tolist(), strict=True):\n"
        "        if end % size:\n"
        "            pool[table[end // size], :, end % size :] = 0\n"
        "    blocks = pool",
    ),
)
mistake(
    "The zeros were put in before the blocks were read, into the pool's slots past each row's end: "
    "those of the padding are somebody's.",
    (
        "    blocks = pool",
        "    for table, end in zip(tables.tolist(), ends.tolist(), strict=True):\n"
        "        for p in range(end, longest):\n"
        "            pool[table[p // pool.shape[2]], :, p % pool.shape[2]] = 0\n"
        "    blocks = pool",
    ),
)
mistake(
    "The table wasn't asked: every row is the pool from block 0 on.",
    ("pool[tables]", "pool[torch.arange(tables.shape[1]).expand_as(tables)]"),
)
mistake(
    "Every row read row 0's blocks.",
    ("pool[tables]", "pool[tables[:1].expand_as(tables)]"),
)
mistake(
    "The tables were sorted. A table's order is the history's order.",
    ("pool[tables]", "pool[tables.sort(1).values]"),
)
mistake(
    "The blocks come in reverse order: the table's first block is the history's first.",
    ("pool[tables]", "pool[tables.flip(1)]"),
)
mistake(
    "Every head got head 0's numbers.",
    (f"return {FILL}", f"return {FILL}[:, :1].expand(-1, pool.shape[1], -1, -1)"),
)
mistake(
    "What lies past an end was filled with −∞. That is for scores: here a weight of 0 would meet "
    "it, and 0 × ∞ is NaN.",
    (f"{MASK}, 0)", f"{MASK}, -torch.inf)"),
)
mistake(
    "Zero entries of the table were taken for padding and erased. 0 is a block like any other: the "
    "ends say what is written, not the id.",
    (
        ">= ends[:, None]",
        ">= ends[:, None]\n"
        "    past_end = past_end | (tables == 0).repeat_interleave(pool.shape[2], 1)[:, :longest]",
    ),
)
mistake(
    "What lies past an end was cleaned with `nan_to_num`. NaN is one thing that may lie there; "
    "somebody's keys are another.",
    (FILL, "history.nan_to_num()"),
)
mistake(
    "Blocks of 4 were written into the code; a block has `pool.shape[2]` slots.",
    (CUT, "[:, :, : tables.shape[1] * 4]"),
    ("torch.arange(longest)", "torch.arange(history.shape[2])"),
    ("    history = blocks", "    blocks = blocks[:, : -(-longest // 4)]\n    history = blocks"),
)
mistake(
    "The last tokens of a history were kept: `[-n:]` cuts at the beginning, where history begins.",
    (CUT, "[:, :, -longest:]"),
)
mistake(
    "The last, part-filled block is missing: it counts, too, however few tokens it holds.",
    (CUT, "[:, :, : longest // pool.shape[2] * pool.shape[2]]"),
    ("torch.arange(longest)", "torch.arange(history.shape[2])"),
)
mistake(
    "From each row's first block it went on through the pool; the next block is the table's next.",
    ("pool[tables]", "pool[(tables[:, :1] + torch.arange(tables.shape[1])) % len(pool)]"),
)
mistake(
    "Only the first block of each table was read.",
    ("pool[tables]", "pool[tables[:, :1]]"),
    ("torch.arange(longest)", "torch.arange(history.shape[2])"),
)
mistake(
    "A place inside a block was compared with the end; the place in the history counts.",
    ("torch.arange(longest) >=", "torch.arange(longest) % pool.shape[2] >="),
)
mistake(
    "The zeros came first. A history begins at position 0, and the zeros follow it.",
    (
        f"return {FILL}",
        f"rows = zip({FILL}, ends.tolist())\n"
        "    return torch.stack([row.roll(longest - end, 1) for row, end in rows])",
    ),
)
mistake(
    "What lies past an end was filled with NaN, which is what must not be read. Zeros are wanted.",
    (f"{MASK}, 0)", f"{MASK}, torch.nan)"),
)
mistake(
    "What lies past an end was filled with −1. Zeros are wanted.",
    (f"{MASK}, 0)", f"{MASK}, -1)"),
)
mistake(
    "Only whole blocks past the end were erased; the unwritten slots of the last block are past "
    "it, too.",
    (">= ends[:, None]", ">= (-(-ends // pool.shape[2]) * pool.shape[2])[:, None]"),
)
mistake(
    "The last block was erased whole; its first slots hold tokens.",
    (">= ends[:, None]", ">= (ends // pool.shape[2] * pool.shape[2])[:, None]"),
)
mistake(
    "The ends were taken for the last positions. They are numbers of tokens, so the last position "
    "is one less.",
    ("longest = int(ends.max())", "longest = int(ends.max()) + 1"),
    (">= ends", "> ends"),
)
mistake(
    "Axes were moved and joined as for one row. Here the batch is axis 0, and every axis stands "
    "one further back: `transpose(1, 2)`, `flatten(2, 3)`.",
    ("blocks.transpose(1, 2).flatten(2, 3)", "blocks.transpose(0, 1).flatten(1, 2)"),
    (f"return {FILL}", "return history"),
)
mistake(
    "The heads' axis is missing: each row has one history for every KV head.",
    (f"return {FILL}", f"return {FILL}[:, 0]"),
)
mistake(
    "The rows were turned about with the ends: row r has end r.",
    (">= ends[:, None]", ">= ends.flip(0)[:, None]"),
)
mistake(
    "The rows of the batch came out in another order than the tables.",
    ("pool[tables]", "pool[tables.flip(0)]"),
    (">= ends[:, None]", ">= ends.flip(0)[:, None]"),
)


@gather_batch.mistake(
    "A block has `pool.shape[2]` slots; `pool.shape[1]` is the number of KV heads."
)
def slots_as_many_as_heads(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    size = pool.shape[1]
    history = pool.new_zeros(len(tables), pool.shape[1], int(ends.max()), pool.shape[3])
    for row, end in enumerate(ends.tolist()):
        for p in range(end):
            history[row, :, p] = pool[tables[row, p // size], :, p % size]
    return history


@gather_batch.mistake("Position 0 is missing: a range from 1 leaves out the first token.")
def from_position_one(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    history = right(pool, tables, ends)
    history[:, :, 0] = 0
    return history


@gather_batch.mistake("Every row was written into row 0 of the answer, one over the other.")
def all_into_row_zero(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    history = right(pool, tables, ends)
    answer = torch.zeros_like(history)
    for row, end in zip(history, ends.tolist(), strict=True):
        answer[0, :, :end] = row[:, :end]
    return answer


@gather_batch.mistake("The zeros were put into head 0 alone; all heads of a row end together.")
def head_zero_masked(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    history = pool[tables].transpose(1, 2).flatten(2, 3)[:, :, : int(ends.max())]
    history[:, 0] = right(pool, tables, ends)[:, 0]
    return history


@gather_batch.mistake("Only the last row got its zeros; every row has an end of its own.")
def last_row_masked(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    history = pool[tables].transpose(1, 2).flatten(2, 3)[:, :, : int(ends.max())]
    history[-1] = right(pool, tables, ends)[-1]
    return history


@gather_batch.mistake("Of the last block the last slots were read; it is written from slot 0 on.")
def last_block_from_its_end(pool: Tensor, tables: Tensor, ends: Tensor) -> Tensor:
    history, size = right(pool, tables, ends), pool.shape[2]
    for row, end in enumerate(ends.tolist()):
        rest = (end - 1) % size + 1
        history[row, :, end - rest : end] = pool[tables[row, (end - 1) // size], :, size - rest :]
    return history


mistake(
    "S was the sum of the ends. It is the longest end: rows lie beside one another.",
    ("int(ends.max())", "int(ends.sum())"),
    (
        "[:, :, :longest]",
        "[:, :, :longest]\n    history = torch.nn.functional.pad("
        "history, (0, 0, 0, longest - history.shape[2]))",
    ),
)
mistake(
    "The mask is [B, S], and was laid along the last two axes, S and D. It needs an axis for the "
    "heads and one for D: `mask[:, None, :, None]`.",
    ("past_end[:, None, :, None]", "past_end"),
)
mistake(
    "Only the rest of a row's last block was erased; the blocks of its padding are past its end, "
    "too.",
    (
        ">= ends[:, None]  # [B, S]",
        ">= ends[:, None]\n"
        "    edge = -(-ends // pool.shape[2]) * pool.shape[2]\n"
        "    past_end &= torch.arange(longest) < edge[:, None]",
    ),
)
mistake(
    "The width changed places with the slots, `transpose(1, 3)`; the heads go before the width, "
    "`transpose(1, 2)`.",
    ("transpose(1, 2)", "transpose(1, 3)"),
)
mistake(
    "The slots of each block were turned round. Slot 0 is the first of its block's positions.",
    ("blocks = pool[tables]", "blocks = pool[tables].flip(3)"),
)
