"""The faults that chapter 03's open task hides: what each is, and the texts that make it.

Texts are changed in the source of ``mistakes/built.py``. The names are for whoever edits this
list; a reader hears how many were caught.
"""

Change = tuple[str, str]

_BLOCKS = "self.batch_tables[rows, positions // self.block_size]"
_WRITE = "pool[blocks, :, positions % self.block_size]"
_ENDS = "ends = positions.amax(dim=1) + 1"
_COUNT = "ceil_div(self.lengths[seq] + new_tokens, self.block_size)"
_EXTEND = "self.tables[seq].extend(self.allocator.allocate_many(missing))"
_FILL = "history.masked_fill(past_end[:, None, :, None], 0)"
_COMMIT = "self.lengths.update(zip(self.batch, ends.tolist(), strict=True))"
_LAST_LAYER = "if layer == len(self.k_pool) - 1:"
_TABLE = "self.tables[seq] + [0] * (width - len(self.tables[seq]))"

_WRITING: dict[str, tuple[Change, ...]] = {
    "quotient and remainder swapped": (
        (_BLOCKS, "self.batch_tables[rows, positions % self.block_size]"),
        (_WRITE, "pool[blocks, :, positions // self.block_size]"),
    ),
    "every row asks row 0's table": ((_BLOCKS, _BLOCKS.replace("rows", "rows * 0")),),
    "the table isn't asked": ((_BLOCKS, "positions // self.block_size"),),
    "offsets of 4 everywhere": ((_WRITE, "pool[blocks, :, positions % 4 % self.block_size]"),),
    "all tokens go to the first one's block": (
        (_BLOCKS, "self.batch_tables[rows, positions[:, :1] // self.block_size]"),
        (_WRITE, "pool[blocks.expand_as(positions), :, positions % self.block_size]"),
    ),
    "only a step's last token is written": (
        (_WRITE, "pool[blocks[:, -1:], :, positions[:, -1:] % self.block_size]"),
        ("new.transpose(1, 2)", "new[:, :, -1:].transpose(1, 2)"),
    ),
    "head 0's numbers for all heads": (("new.transpose(1, 2)", "new[:, :1].transpose(1, 2)"),),
    "values are never written": (("self.scatter(self.v_pool[layer], positions, v)", "pass"),),
    "keys are written as values": (("v_pool[layer], positions, v", "v_pool[layer], positions, k"),),
    "layer 0's pool for all layers": (("_pool[layer]", "_pool[0]"),),
    "every row at row 0's positions": (
        (_ENDS, "positions = positions[:1].expand(*positions.shape)\n        " + _ENDS),
    ),
}
_READING: dict[str, tuple[Change, ...]] = {
    "no zeros past a row's end": ((_FILL, "history"),),
    "the mask multiplied in": ((_FILL, "history * ~past_end[:, None, :, None]"),),
    "one slot past the end is read": ((">= ends", "> ends"),),
    "the newest token is masked": ((">= ends[:, None]", ">= ends[:, None] - 1"),),
    "all rows cut at the shortest": ((">= ends[:, None]", ">= ends.min().expand(len(ends), 1)"),),
    "heads and tokens mixed": (
        (
            "transpose(1, 2).flatten(2, 3)",
            "flatten(1, 3).reshape(len(ends), pool.shape[1], -1, pool.shape[3])",
        ),
    ),
    "tables sorted for reading": (
        ("pool[self.batch_tables]", "pool[self.batch_tables.sort(1)[0]]"),
    ),
    "values read from the keys": (("gather(self.v_pool[layer]", "gather(self.k_pool[layer]"),),
    "only the new tokens are returned": (("return keys, values, torch", "return k, v, torch"),),
    "positions count from 1": (
        ("torch.arange(int(ends.max()))", "1 + torch.arange(len(keys[0, 0]))"),
    ),
    "zeros where the table says 0": (
        ("pool[self.batch_tables]", "pool.index_fill(0, torch.tensor([0]), 0)[self.batch_tables]"),
    ),
}
_MEMORY: dict[str, tuple[Change, ...]] = {
    "reserve counts to the end minus one": (
        (_COUNT, _COUNT.replace("new_tokens", "new_tokens - 1")),
    ),
    "reserve takes a block too many at an edge": (
        (_COUNT, _COUNT.replace("new_tokens", "new_tokens + 1")),
    ),
    "reserve takes block by block": (
        (
            _EXTEND,
            "for _ in range(missing):\n"
            "                self.tables[seq].append(self.allocator.allocate())",
        ),
    ),
    "reserve takes the same room twice": (
        (
            "missing = needed - len(self.tables[seq])",
            "missing = needed - ceil_div(self.lengths[seq], self.block_size)",
        ),
    ),
    "new blocks in front": (
        (_EXTEND, "self.tables[seq][:0] = self.allocator.allocate_many(missing)"),
    ),
    "reserved counts as written": (
        (_EXTEND, _EXTEND + "\n        self.lengths[seq] += new_tokens"),
    ),
    "a refused reserve leaves the sequence without blocks": (
        (
            "if missing > 0:",
            "if missing > self.allocator.num_free:\n"
            "            self.tables[seq].clear()\n"
            "        if missing > 0:",
        ),
    ),
    "tokens count with layer 0": ((_LAST_LAYER, "if layer == 0:"),),
    "tokens count with layer 1": ((_LAST_LAYER, "if layer == min(1, len(self.k_pool) - 1):"),),
    "tokens never count": ((_COMMIT, "pass"),),
    "only row 0's tokens count": ((_COMMIT, "self.lengths[self.batch[0]] = int(ends[0])"),),
    "a step counts as one token": (
        (_COMMIT, "self.lengths.update({seq: self.lengths[seq] + 1 for seq in self.batch})"),
    ),
    "the batch is sorted": (("self.batch = list(seqs)", "seqs = self.batch = sorted(seqs)"),),
    "the same batch keeps its old tables": (
        (
            "self.batch = list(seqs)",
            "if getattr(self, 'batch', None) == list(seqs):\n"
            "            return\n"
            "        self.batch = list(seqs)",
        ),
    ),
    "a row of the batch holds 8 blocks at most": ((_TABLE, f"({_TABLE})[:8]"),),
    "free never releases": (
        ("for block in self.tables.pop(seq):", "for block in self.tables.pop(seq)[:0]:"),
    ),
    "free keeps the last block": (
        ("for block in self.tables.pop(seq):", "for block in self.tables.pop(seq)[:-1]:"),
    ),
    "free releases what the length says": (
        (
            "for block in self.tables.pop(seq):",
            "for block in self.tables.pop(seq)[: ceil_div(self.lengths[seq], self.block_size)]:",
        ),
    ),
    "truncate only changes the length": (
        ("del self.tables[seq][kept:]", "pass"),
        ("self.tables[seq][kept:]:", "[]:"),
    ),
    "truncate releases and keeps the table": (("del self.tables[seq][kept:]", "pass"),),
    "truncate loses blocks": (("self.tables[seq][kept:]:", "[]:"),),
    "truncate rounds down": (
        ("kept = ceil_div(length, self.block_size)", "kept = length // self.block_size"),
    ),
    "truncate keeps what was only reserved": (
        ("[kept:]", "[kept : ceil_div(self.lengths[seq], self.block_size)]"),
    ),
    "truncate stretches": (("<= self.lengths[seq]:", "<= self.lengths[seq] + 1:"),),
    "truncate forgets the length": (("        self.lengths[seq] = length\n", ""),),
}

FAULTS = _WRITING | _READING | _MEMORY
# Caches that are right, each in its own way.
RIGHT: dict[str, tuple[Change, ...]] = {
    "the chapter's own": (),
    "one that pads with the row's own last block": (
        (_TABLE, _TABLE.replace("[0]", "self.tables[seq][-1:]")),
    ),
    "one whose pools begin as NaN": (
        (
            "torch.zeros(layers, num_blocks, kv_heads, block_size, head_dim)",
            "torch.full((layers, num_blocks, kv_heads, block_size, head_dim), torch.nan)",
        ),
        ("torch.zeros_like(self.k_pool)", "self.k_pool.clone()"),
    ),
    "one whose highest block goes out first": (
        (
            "self.allocator = BlockAllocator(num_blocks)",
            "self.allocator = BlockAllocator(num_blocks)\n"
            "        self.allocator.release_many(self.allocator.allocate_many(num_blocks))",
        ),
    ),
    "one that erases what it frees": (
        (
            "            self.allocator.release(block)\n        del self.lengths",
            "            self.allocator.release(block)\n"
            "            self.k_pool[:, block] = self.v_pool[:, block] = 0\n"
            "        del self.lengths",
        ),
    ),
}
