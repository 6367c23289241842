"""The sequences of a paged cache, without a tensor: each verb moves blocks between tables.

Memory is taken in ``reserve`` and nowhere else, so a step either starts with all it needs or does
not start. A block may stand in several tables; whoever is about to write to it gets a copy first.
"""

from collections.abc import Hashable, Mapping, Sequence

from paged_attention.allocator import BlockAllocator
from paged_attention.errors import BlockPoolExhausted
from paged_attention.journal import all_or_nothing
from paged_attention.paged_tables import PagedTables


class PagedSequences(PagedTables):
    """``num_blocks`` blocks of ``block_size`` tokens, shared by all sequences.

    ``tables[seq]``: its block ids in logical order. ``lengths[seq]``: its tokens that are written.
    Alone it is the books of a pool that isn't there: ``advance`` then stands for writing.
    ``PagedKVCache`` adds keys and values.
    """

    def __init__(self, num_blocks: int, block_size: int) -> None:
        super().__init__()
        if block_size < 1:
            raise ValueError(f"a block holds at least one token, got block_size={block_size}")
        self.block_size = block_size
        self.allocator = BlockAllocator(num_blocks, self.journal)
        self.tables: dict[Hashable, list[int]] = {}

    @all_or_nothing
    def create(self, seq: Hashable) -> None:
        """Begin an empty sequence; it holds no block yet."""
        self._check_new(seq)
        self._keep(seq)
        self.tables[seq] = []
        self.lengths[seq] = 0

    def reserve(self, seq: Hashable, new_tokens: int) -> None:
        """Make room for ``new_tokens`` after the length of ``seq``, or raise and take nothing.

        If the first of them falls into a block with other holders, ``seq`` gets its own copy of it.
        New blocks belong to ``seq`` until ``truncate`` or ``free``. The length does not change.
        """
        self.reserve_many({seq: new_tokens})

    @all_or_nothing
    def reserve_many(self, new_tokens: Mapping[Hashable, int]) -> None:
        """``reserve`` for a whole step, ``{seq: new tokens}``: room for all, or for none."""
        missing = self.blocks_to_reserve(new_tokens)
        if not self.allocator.can_allocate(missing):
            tokens_of = ", ".join(f"{tokens} of {seq!r}" for seq, tokens in new_tokens.items())
            raise BlockPoolExhausted(
                f"{missing} blocks wanted for new tokens ({tokens_of}), "
                f"{self.allocator.num_free + self.allocator.num_cached} of "
                f"{self.allocator.num_blocks} are free or cached. Nothing was taken; "
                "free another sequence first"
            )
        for seq, tokens in new_tokens.items():
            tail = self._shared_tail(seq, tokens)
            wanted = self._blocks_missing(seq, tokens) + len(tail)
            if not wanted:
                continue
            blocks = self.allocator.allocate_many(wanted)
            self.journal.keep_end(self.tables[seq], self.lengths[seq] // self.block_size)
            if tail:
                self._copy_tail(seq, blocks.pop(0))
            self.tables[seq] += blocks
            self.leave_batch(seq)

    @all_or_nothing
    def fork(self, parent: Hashable, child: Hashable) -> None:
        """Begin ``child`` with the tokens of ``parent``, sharing its written blocks.

        Room that ``parent`` has reserved and not written stays its own.
        """
        self._check_known(parent)
        self._check_new(child)
        written = self.tables[parent][: self.blocks_needed(self.lengths[parent])]
        self._keep(child)
        self.allocator.share_many(written)
        self.tables[child] = written
        self.lengths[child] = self.lengths[parent]
        self.leave_batch(parent)

    @all_or_nothing
    def adopt(self, seq: Hashable, blocks: Sequence[int], *, just_found: bool = False) -> None:
        """Let the empty ``seq`` begin with ``blocks``: full ones that somebody holds.

        ``just_found``: the prefix index has, in this very call, so they needn't be checked again.
        """
        if self.table(seq):
            raise ValueError(
                f"sequence {seq!r} has blocks already; give it a known prefix right after create"
            )
        if not just_found and len(set(blocks)) < len(blocks):
            twice = next(block for block in blocks if list(blocks).count(block) > 1)
            raise ValueError(
                f"sequence {seq!r} would have block {twice} twice: what is written to one of its "
                "places would lie in the other, too; a prefix names each block once"
            )
        self._keep(seq)
        (self.allocator.reuse_many if just_found else self.allocator.share_many)(blocks)
        self.tables[seq] = list(blocks)
        self.lengths[seq] = len(blocks) * self.block_size
        self.leave_batch(seq)

    @all_or_nothing
    def truncate(self, seq: Hashable, length: int) -> None:
        """Forget the tokens of ``seq`` from position ``length`` on, and every block past them."""
        self._check_known(seq)
        if not 0 <= length <= self.lengths[seq]:
            raise ValueError(
                f"sequence {seq!r} holds {self.lengths[seq]} tokens and can't be cut to {length}"
            )
        kept = self.blocks_needed(length)
        self._keep(seq)
        self.journal.keep_end(self.tables[seq], kept)
        self.allocator.release_many(self.tables[seq][kept:])
        del self.tables[seq][kept:]
        self.lengths[seq] = length
        self.leave_batch(seq)

    @all_or_nothing
    def free(self, seq: Hashable) -> None:
        """Forget ``seq`` and give up its hold on each of its blocks."""
        self._check_known(seq)
        self._keep(seq)
        self.allocator.release_many(self.tables[seq])
        del self.tables[seq], self.lengths[seq]
        self.leave_batch(seq)

    def _keep(self, seq: Hashable) -> None:
        """Keep what there is of ``seq``, which may be nothing."""
        self.journal.keep_key(self.tables, seq)
        self.journal.keep_key(self.lengths, seq)

    def _copy_tail(self, seq: Hashable, copy: int) -> None:
        """Put ``copy`` in place of the shared block that ``seq`` ends in."""
        index = self.lengths[seq] // self.block_size
        block = self.tables[seq][index]
        self.tables[seq][index] = copy
        self.allocator.release(block)
