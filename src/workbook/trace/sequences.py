"""The sequences of a paged cache, recorded: each verb runs as ever, then a recorder is told what
changed.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain, count

from paged_attention.errors import BlockPoolExhausted
from paged_attention.journal import all_or_nothing
from paged_attention.paged_sequences import PagedSequences
from workbook.trace.allocator import Move, RecordingAllocator
from workbook.trace.recorder import Recorder, Step
from workbook.trace.schema import NONE, Trace


class RecordingSequences(PagedSequences):
    """The engine's bookkeeping with a ``trace``, for pictures that need no tensors. A call that
    raises leaves no step, a full pool's refusal does.
    """

    allocator: RecordingAllocator

    def __init__(self, num_blocks: int, block_size: int) -> None:
        super().__init__(num_blocks, block_size)
        self._record()

    def _record(self) -> None:
        """Begin to record, with a pool that tells its moves. Called once the cache is made."""
        self.allocator = RecordingAllocator(self.allocator.num_blocks, self.journal)
        self.begin()

    def write_zeros(self, seq: Hashable, tokens: int) -> None:
        """Write ``tokens`` reserved tokens of ``seq``, whatever they are. Changes its length."""
        if tokens < 1:
            raise ValueError(f"cannot write {tokens} tokens of sequence {seq!r}")
        self._check_known(seq)
        start = self.lengths[seq]
        self.check_writable(seq, start, start + tokens)
        self.advance({seq: start + tokens})

    @property
    def trace(self) -> Trace:
        """What has happened since the cache was made, or since ``start_trace``. Grows on."""
        return self.recorder.trace

    @all_or_nothing
    def start_trace(self) -> None:
        """Begin a new trace here: the sequences that live now are its step 0."""
        if any(self.allocator.indexed):
            raise ValueError(
                "this cache has a prefix index, whose blocks belong to the trace too; "
                "call start_trace of the RecordingPrefixCache instead"
            )
        self.begin()

    def begin(self) -> None:
        """``start_trace`` without the index, which the prefix cache adds itself."""
        self.allocator.drain()
        order = self.allocator.free_order()
        fresh = Recorder("paged", len(self.allocator.refs), self.block_size, order, self.journal)
        if hasattr(self, "recorder"):
            self.journal.keep_attributes(self, "recorder")
        self.recorder = fresh
        seen: set[int] = set()
        for name, table in self.tables.items():
            seq = self.recorder.seq(name)
            self.recorder.add("create", seq)
            for i, block in enumerate(table):
                self.recorder.add("share" if block in seen else "allocate", seq, block, i)
            self._note_writes(name, 0, self.lengths[name])
            seen.update(table)

    @all_or_nothing
    def create(self, seq: Hashable) -> None:
        """As the engine's, recorded."""
        with self.recorder.step("create", self.recorder.seq(seq)):
            super().create(seq)
            self.recorder.add("create", self.recorder.seq(seq))

    def reserve_many(self, new_tokens: Mapping[Hashable, int]) -> None:
        """As the engine's, recorded; the refusal by a full pool too."""
        try:
            self._reserve_recorded(new_tokens)
        except BlockPoolExhausted:
            self._note_refusal(new_tokens)
            raise

    @all_or_nothing
    def _reserve_recorded(self, new_tokens: Mapping[Hashable, int]) -> None:
        before = {seq: list(self.table(seq)) for seq in new_tokens}
        with self._reserving(new_tokens):
            super().reserve_many(new_tokens)
            moves = self.allocator.drain()
            for seq, old in before.items():
                self._note_growth(seq, old, moves)

    @all_or_nothing
    def _note_refusal(self, new_tokens: Mapping[Hashable, int]) -> None:
        room = self.allocator.num_free + self.allocator.num_cached
        wanted = self.blocks_to_reserve(new_tokens)
        with self._reserving(new_tokens):
            self.recorder.add("refuse", self.recorder.seq(next(iter(new_tokens))), n=wanted, i=room)

    def _reserving(self, new_tokens: Mapping[Hashable, int]) -> Step:
        """The step of a reserve for these tokens."""
        numbers = ((self.recorder.seq(seq), n) for seq, n in new_tokens.items())
        return self.recorder.step("reserve", *chain.from_iterable(numbers))

    @all_or_nothing
    def fork(self, parent: Hashable, child: Hashable) -> None:
        """As the engine's, recorded."""
        source, seq = self.recorder.seq(parent), self.recorder.seq(child)
        with self.recorder.step("fork", source, seq):
            super().fork(parent, child)
            self.recorder.add("create", seq, src=source)
            for i, (_, block) in enumerate(self.allocator.drain()):
                self.recorder.add("share", seq, block, i, src=source)

    @all_or_nothing
    def adopt(self, seq: Hashable, blocks: Sequence[int], *, just_found: bool = False) -> None:
        """As the engine's, recorded."""
        number = self.recorder.seq(seq)
        with self.recorder.step("adopt", number, len(blocks)):
            super().adopt(seq, blocks, just_found=just_found)
            for i, (_, block) in enumerate(self.allocator.drain()):
                self.recorder.add("hit", number, block, i)
                self.recorder.add("share", number, block, i)

    @all_or_nothing
    def truncate(self, seq: Hashable, length: int) -> None:
        """As the engine's, recorded."""
        before = list(self.table(seq))
        with self.recorder.step("truncate", self.recorder.seq(seq), length):
            super().truncate(seq, length)
            self._note_releases(seq, before)
            full, rest = divmod(length, self.block_size)
            if rest:
                self.recorder.add("write", self.recorder.seq(seq), self.tables[seq][full], n=rest)

    @all_or_nothing
    def free(self, seq: Hashable) -> None:
        """As the engine's, recorded."""
        before = list(self.table(seq))
        with self.recorder.step("free", self.recorder.seq(seq)):
            super().free(seq)
            self._note_releases(seq, before)

    @all_or_nothing
    def note_evictions(self) -> None:
        """Tell the recorder which blocks the index gave up since the last recorded move."""
        for move, block in self.allocator.drain():
            self._note_loss(move, block)

    @all_or_nothing
    def advance(self, lengths: Mapping[Hashable, int]) -> None:
        """As the engine's; tokens count as written when the last layer has them."""
        before = {seq: self.lengths.get(seq, 0) for seq in lengths}
        for seq in lengths:
            self.journal.keep_key(self.lengths, seq)
        super().advance(lengths)
        grown = [seq for seq in lengths if self.lengths[seq] > before[seq]]
        if not grown:
            return
        args = ((self.recorder.seq(s), self.lengths[s] - before[s]) for s in grown)
        with self.recorder.step("write", *chain.from_iterable(args)):
            for seq in grown:
                self._note_writes(seq, before[seq], self.lengths[seq])

    def _note_writes(self, seq: Hashable, start: int, end: int) -> None:
        """Tokens ``start`` to ``end - 1`` of ``seq`` have been written."""
        for i in range(start // self.block_size, self.blocks_needed(end)):
            filled = min(self.block_size, end - i * self.block_size)
            self.recorder.add("write", self.recorder.seq(seq), self.tables[seq][i], n=filled)

    def _note_growth(self, name: Hashable, old: list[int], moves: list[tuple[Move, int]]) -> None:
        """``name`` had the table ``old``; its moves are the first of ``moves``. Takes them out."""
        seq, table, add = self.recorder.seq(name), self.tables[name], self.recorder.add
        copied = old != table[: len(old)]  # only the block that its tokens end in can differ
        index, used = divmod(self.lengths[name], self.block_size)
        entries = chain([index] if copied else [], count(len(old)))
        for _ in range(len(table) - len(old) + copied):
            while moves[0][0] != "allocate":
                self._note_loss(*moves.pop(0))
            add("allocate", seq, moves.pop(0)[1], next(entries))
        if copied:
            add("copy", seq, table[index], index, used, src=old[index])
            add("release", seq, moves.pop(0)[1], index)

    def _note_releases(self, seq: Hashable, before: list[int]) -> None:
        place = {block: i for i, block in enumerate(before)}
        for _, block in self.allocator.drain():
            self.recorder.add("release", self.recorder.seq(seq), block, place[block])

    def _note_loss(self, move: Move, block: int) -> None:
        if move == "evict":
            self.recorder.add("evict", block=block)
        else:
            self.recorder.add("release", NONE, block)
