"""What one can ask of the sequences of a paged cache: which blocks, how much room, is all well."""

from collections import Counter
from collections.abc import Hashable, Mapping

from paged_attention import tables
from paged_attention.allocator import BlockAllocator
from paged_attention.cached_sequences import CachedSequences
from paged_attention.errors import BlockShared, InvariantBroken


class PagedTables(CachedSequences):
    """Questions alone, none changes anything; the answers are about tables, lengths and counts."""

    block_size: int
    allocator: BlockAllocator
    tables: dict[Hashable, list[int]]

    def blocks_needed(self, tokens: int) -> int:
        """Blocks that hold ``tokens`` tokens."""
        return tables.blocks_needed(tokens, self.block_size)

    def table(self, seq: Hashable) -> list[int]:
        """The block table of ``seq`` itself, not a copy."""
        self._check_known(seq)
        return self.tables[seq]

    def capacity(self, seq: Hashable) -> int:
        """Tokens that the blocks of ``seq`` have room for."""
        return len(self.table(seq)) * self.block_size

    def can_reserve(self, seq: Hashable, new_tokens: int) -> bool:
        """Whether ``reserve`` would succeed now. Changes nothing."""
        return self.can_reserve_many({seq: new_tokens})

    def can_reserve_many(self, new_tokens: Mapping[Hashable, int]) -> bool:
        """Whether ``reserve_many`` would succeed now. Changes nothing."""
        return self.allocator.can_allocate(self.blocks_to_reserve(new_tokens))

    def blocks_to_reserve(self, new_tokens: Mapping[Hashable, int]) -> int:
        """Blocks that ``reserve_many`` would take, copies included. Changes nothing."""
        writers = Counter(
            block for seq, tokens in new_tokens.items() for block in self._shared_tail(seq, tokens)
        )
        # When every holder of a block writes, the last finds itself alone and needs no copy.
        copies = sum(min(n, self.allocator.refs[block] - 1) for block, n in writers.items())
        return copies + sum(self._blocks_missing(seq, n) for seq, n in new_tokens.items())

    def check_writable(self, seq: Hashable, start: int, end: int) -> None:
        """Also refuse to write into a block with other holders, who read it.

        ``reserve`` copies the one that new tokens begin in. Room from before a fork, or left by a
        cut, may lie in a block that is shared by now.
        """
        super().check_writable(seq, start, end)
        for block in self.tables[seq][start // self.block_size : self.blocks_needed(end)]:
            if self.allocator.refs[block] > 1:
                first = f"truncate {seq!r} to {start} and " if start < self.lengths[seq] else ""
                raise BlockShared(
                    f"sequence {seq!r} would overwrite what stands from position {start} on, and "
                    f"block {block} has other holders who read it; {first}reserve after the last "
                    "fork, which copies what is shared"
                )

    def check_invariants(self) -> None:
        """Raise ``InvariantBroken`` naming what breaks the law. Walks the whole pool."""
        self.allocator.check_invariants()
        holders = list(self.allocator.indexed)
        for seq, table in self.tables.items():
            if len(table) < self.blocks_needed(self.lengths[seq]):
                raise InvariantBroken(
                    f"sequence {seq!r} has {self.lengths[seq]} tokens in {len(table)} blocks"
                )
            for block in table:
                holders[block] += 1
            if len(set(table)) < len(table):
                raise InvariantBroken(f"sequence {seq!r} names a block twice: {table}")
        for block, (refs, held) in enumerate(zip(self.allocator.refs, holders, strict=True)):
            if refs != held:
                raise InvariantBroken(f"block {block} counts {refs} holders and has {held}")

    def _blocks_missing(self, seq: Hashable, new_tokens: int) -> int:
        self._check_known(seq)
        if new_tokens < 0:
            raise ValueError(f"cannot reserve {new_tokens} tokens for sequence {seq!r}")
        needed = self.blocks_needed(self.lengths[seq] + new_tokens)
        return max(0, needed - len(self.tables[seq]))

    def _shared_tail(self, seq: Hashable, new_tokens: int) -> list[int]:
        """The part-filled block that ``seq`` would write into although others hold it, if any."""
        self._check_known(seq)
        if new_tokens < 1 or self.lengths[seq] % self.block_size == 0:
            return []
        block = self.tables[seq][self.lengths[seq] // self.block_size]
        return [block] if self.allocator.refs[block] > 1 else []
