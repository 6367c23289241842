"""The prefix cache against a naive twin under random traffic: whole prefixes, linear searches."""

from helpers.kv import append, paged
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from paged_attention.errors import BlockPoolExhausted
from paged_attention.prefix import PrefixCache

NAMES = ("a", "b", "c", "d")
SALTS = (None, "x")
Key = tuple[str | None, tuple[int, ...]]  # salt and every token up to the block's end


class PrefixMachine(RuleBasedStateMachine):
    """``names[block]`` is the whole prefix of a published block; ``idle`` lists those nobody holds.

    The engine's free stack is read, not modelled: which free block comes next is no promise.
    """

    @initialize(num_blocks=st.integers(2, 14), block_size=st.integers(1, 3))
    def begin(self, num_blocks: int, block_size: int) -> None:
        self.cache = paged(layers=1, num_blocks=num_blocks, block_size=block_size)
        self.prefix = PrefixCache(self.cache)
        self.tokens: dict[str, list[int]] = {}
        self.salts: dict[str, str | None] = {}
        self.names: dict[int, Key] = {}
        self.idle: list[int] = []
        self.asked = self.found = self.born = 0

    def alive(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.tokens)))

    def holders(self, block: int) -> int:
        return sum(block in table for table in self.cache.tables.values())

    def lose(self, blocks: list[int]) -> None:
        """What the twin expects after a sequence gave up ``blocks``: its tail becomes oldest."""
        for block in reversed(blocks):
            if block in self.names and not self.holders(block):
                self.idle.append(block)

    def expect_taken(self, n: int) -> None:
        """Taking ``n`` blocks beyond the free ones evicts the oldest idle ones."""
        for _ in range(n):
            del self.names[self.idle.pop(0)]

    @precondition(lambda self: len(self.tokens) < len(NAMES))
    @rule(
        data=st.data(), prompt=st.lists(st.integers(0, 1), max_size=8), salt=st.sampled_from(SALTS)
    )
    def attach(self, data: st.DataObject, prompt: list[int], salt: str | None) -> None:
        self.born += 1
        seq = data.draw(st.sampled_from(NAMES)) + str(self.born)
        size = self.cache.block_size
        want = 0
        while (want + 1) * size < len(prompt) and (
            (salt, tuple(prompt[: (want + 1) * size])) in self.names.values()
        ):
            want += 1
        assert self.prefix.attach(seq, prompt, salt=salt) == want * size
        table = self.cache.tables[seq]
        assert [self.names[b] for b in table] == [
            (salt, tuple(prompt[: i * size])) for i in range(1, want + 1)
        ]
        self.idle = [b for b in self.idle if b not in table]
        self.asked += len(prompt)
        self.found += want * size
        self.tokens[seq] = prompt[: want * size]
        self.salts[seq] = salt

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), new=st.lists(st.integers(0, 1), min_size=1, max_size=5))
    def compute(self, data: st.DataObject, new: list[int]) -> None:
        seq = self.alive(data)
        free = self.cache.allocator.num_free
        needed = self.cache.blocks_to_reserve({seq: len(new)})
        if needed > free + len(self.idle):
            try:
                self.cache.reserve(seq, len(new))
            except BlockPoolExhausted:
                return
            raise AssertionError("reserved more than there is")
        before = self.cache.tables[seq].copy()
        append(self.cache, [seq], len(new))
        self.expect_taken(max(0, needed - free))
        self.lose([b for b in before if b not in self.cache.tables[seq]])
        self.tokens[seq] = self.tokens[seq] + new

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def remember(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        self.prefix.remember(seq, self.tokens[seq], salt=self.salts[seq])
        size = self.cache.block_size
        for i, block in enumerate(self.cache.tables[seq][: len(self.tokens[seq]) // size], start=1):
            name = (self.salts[seq], tuple(self.tokens[seq][: i * size]))
            assert self.names.setdefault(block, name) == name

    @precondition(lambda self: self.tokens and len(self.tokens) < len(NAMES))
    @rule(data=st.data())
    def fork(self, data: st.DataObject) -> None:
        parent = self.alive(data)
        self.born += 1
        child = f"fork{self.born}"
        self.cache.fork(parent, child)
        self.tokens[child] = self.tokens[parent].copy()
        self.salts[child] = self.salts[parent]

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        length = data.draw(st.integers(0, len(self.tokens[seq])))
        before = self.cache.tables[seq].copy()
        self.cache.truncate(seq, length)
        self.lose(before[len(self.cache.tables[seq]) :])
        self.tokens[seq] = self.tokens[seq][:length]

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def free(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        before = self.cache.tables[seq].copy()
        self.cache.free(seq)
        self.lose(before)
        del self.tokens[seq], self.salts[seq]

    @rule(n=st.integers(0, 4))
    def evict(self, n: int) -> None:
        expected = min(n, len(self.idle))
        assert self.prefix.evict(n) == expected
        self.expect_taken(expected)

    @invariant()
    def law(self) -> None:
        if not hasattr(self, "cache"):
            return
        self.prefix.check_invariants()
        allocator = self.cache.allocator
        assert list(allocator._cached) == self.idle
        assert len(self.prefix) == len(self.names)
        assert (
            allocator.num_free + allocator.num_held + allocator.num_cached == allocator.num_blocks
        )
        stats = self.prefix.stats
        assert (stats.queried_tokens, stats.hit_tokens) == (self.asked, self.found)


TestPrefixMachine = PrefixMachine.TestCase
TestPrefixMachine.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
