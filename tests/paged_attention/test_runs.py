"""The index of runs and its naive twin: equal block for block, under random traffic and in what
each says of itself.
"""

import copy
from collections import OrderedDict
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from paged_attention.allocator import BlockAllocator
from paged_attention.cache import PagedKVCache
from paged_attention.errors import BlockPoolExhausted, InvariantBroken
from paged_attention.prefix import PrefixCache
from paged_attention.prefix_tree import BlockTree
from paged_attention.runs import RunTree

SPACES = (None, "x")


def computed(prefix: PrefixCache, seq: str, tokens: list[int]) -> None:
    """As if the model had run ``tokens``, of which ``seq`` has a beginning."""
    prefix.cache.reserve(seq, len(tokens) - prefix.cache.lengths[seq])
    prefix.cache.lengths[seq] = len(tokens)


class TwinMachine(RuleBasedStateMachine):
    """Every call goes to both; long prompts of few different tokens meet, part and repeat."""

    @initialize(num_blocks=st.integers(3, 24), block_size=st.integers(1, 2))
    def begin(self, num_blocks: int, block_size: int) -> None:
        self.both = [
            PrefixCache(PagedKVCache(1, num_blocks, block_size, 1, 1), index=index)
            for index in (RunTree, BlockTree)
        ]
        self.tokens: dict[str, list[int]] = {}
        self.salts: dict[str, str | None] = {}
        self.born = 0

    def equal(self, call: Callable[[PrefixCache], object]) -> object:
        """What ``call`` returns, or the error it raises, which must be the same for both."""
        answers = []
        for prefix in self.both:
            try:
                answers.append(call(prefix))
            except (BlockPoolExhausted, ValueError) as error:
                answers.append(str(error))
        assert answers[0] == answers[1]
        return answers[0]

    def alive(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.tokens)))

    @precondition(lambda self: len(self.tokens) < 5)
    @rule(
        prompt=st.lists(st.sampled_from([0, 0, 0, 1]), max_size=12),
        salt=st.sampled_from(SPACES),
        compute=st.booleans(),
        publish=st.booleans(),
    )
    def attach(self, prompt: list[int], salt: str | None, compute: bool, publish: bool) -> None:
        self.born += 1
        seq = f"s{self.born}"
        reused = self.equal(lambda prefix: prefix.attach(seq, prompt, salt=salt))
        self.tokens[seq], self.salts[seq] = prompt[:reused], salt  # type: ignore[misc]
        if compute and self.equal(lambda prefix: computed(prefix, seq, prompt)) is None:
            self.tokens[seq] = prompt
            if publish:
                self.remember(seq, salt)

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), new=st.lists(st.integers(0, 1), min_size=1, max_size=4))
    def grow(self, data: st.DataObject, new: list[int]) -> None:
        seq = self.alive(data)
        tokens = self.tokens[seq] + new
        if self.equal(lambda prefix: computed(prefix, seq, tokens)) is None:
            self.tokens[seq] = tokens

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), salt=st.sampled_from(SPACES), right=st.booleans())
    def publish(self, data: st.DataObject, salt: str | None, right: bool) -> None:
        seq = self.alive(data)
        self.remember(seq, self.salts[seq] if right else salt)

    def remember(self, seq: str, salt: str | None) -> None:
        self.equal(lambda prefix: prefix.remember(seq, self.tokens[seq], salt=salt))

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), length=st.integers(0, 12))
    def truncate(self, data: st.DataObject, length: int) -> None:
        seq = self.alive(data)
        self.tokens[seq] = self.tokens[seq][:length]
        self.equal(lambda prefix: prefix.cache.truncate(seq, len(self.tokens[seq])))

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def free(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        self.equal(lambda prefix: prefix.cache.free(seq))
        del self.tokens[seq], self.salts[seq]

    @rule(n=st.integers(0, 5))
    def evict(self, n: int) -> None:
        self.equal(lambda prefix: prefix.evict(n))

    @rule(which=st.integers(0, 1))
    def copy(self, which: int) -> None:
        self.both[which] = copy.deepcopy(self.both[which])

    @invariant()
    def equal_block_for_block(self) -> None:
        if not hasattr(self, "both"):
            return
        for look in (
            lambda prefix: prefix.check_invariants(),
            lambda prefix: sorted(map(str, prefix._index)),
            lambda prefix: prefix.cache.tables,
            lambda prefix: prefix.cache.allocator._free,
            lambda prefix: list(prefix.cache.allocator._cached),
            lambda prefix: len(prefix),
        ):
            self.equal(look)


TestTwins = TwinMachine.TestCase
TestTwins.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


class QueueMachine(RuleBasedStateMachine):
    """Blocks that are left, used again and evicted; the twin is an ``OrderedDict``."""

    @initialize(num_blocks=st.integers(1, 6))
    def begin(self, num_blocks: int) -> None:
        self.pool = BlockAllocator(num_blocks)
        self.pool.connect_index(lambda blocks: None)
        self.pool.index_many(self.pool.allocate_many(num_blocks))
        self.held = set(range(num_blocks))
        self.idle: OrderedDict[int, None] = OrderedDict()

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        table = data.draw(st.lists(st.sampled_from(sorted(self.held)), unique=True, min_size=1))
        self.pool.release_many(table)
        self.held -= set(table)
        self.idle.update(dict.fromkeys(reversed(table)))

    @precondition(lambda self: self.idle)
    @rule(data=st.data(), check=st.booleans())
    def use(self, data: st.DataObject, check: bool) -> None:
        hit = data.draw(st.lists(st.sampled_from(sorted(self.idle)), unique=True, min_size=1))
        (self.pool.share_many if check else self.pool.reuse_many)(hit)
        self.held |= set(hit)
        for block in hit:
            del self.idle[block]

    @rule(n=st.integers(0, 3))
    def evict(self, n: int) -> None:
        gone = [self.idle.popitem(last=False)[0] for _ in range(min(n, len(self.idle)))]
        assert self.pool.evict(n) == len(gone)
        back = self.pool.allocate_many(len(gone))
        assert back == gone
        self.pool.index_many(back)
        self.held |= set(back)

    @invariant()
    def equal_in_order(self) -> None:
        if hasattr(self, "pool"):
            self.pool.check_invariants()
            assert list(self.pool._cached) == list(self.idle)
            assert len(self.pool._cached._queue) <= 2 * self.pool.num_blocks


TestQueue = QueueMachine.TestCase
TestQueue.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)


def tree(*prompts: list[int]) -> PrefixCache:
    """An index of these prompts, in blocks of one token."""
    prefix = PrefixCache(PagedKVCache(1, 32, 1, 1, 1))
    for number, prompt in enumerate(prompts):
        prefix.attach(str(number), prompt)
        computed(prefix, str(number), prompt)
        prefix.remember(str(number), prompt)
    return prefix


def runs(prefix: PrefixCache) -> list[tuple[int, list[int]]]:
    """Where each run with blocks begins, and its blocks."""
    assert isinstance(prefix._index, RunTree)
    return [(run.first, run.blocks) for run in prefix._index._walk() if run.blocks]


def test_a_prompt_is_one_run_until_another_parts_from_it() -> None:
    assert runs(tree([1, 2, 3, 4], [1, 2, 3, 4, 5])) == [(0, [0, 1, 2, 3, 4])]
    cut = tree([1, 2, 3, 4], [1, 2, 7])
    assert runs(cut) == [(0, [0, 1]), (2, [2, 3]), (2, [4])]
    cut.match([1, 9])  # a lookup cuts nothing
    assert len(runs(cut)) == 3


def test_the_common_beginning_is_one_run_of_its_own() -> None:
    shared = list(range(100, 106))
    assert len(runs(tree(*([*shared, 8 * i] for i in range(8))))) == 9


def test_a_cut_moves_no_more_blocks_than_the_new_prompt_has() -> None:
    prefix = tree(list(range(30)))
    index = prefix._index
    assert isinstance(index, RunTree)
    before = index._run.copy()
    prefix.attach("new", [0, 1, 99])
    computed(prefix, "new", [0, 1, 99])
    prefix.remember("new", [0, 1, 99])
    moved = [b for b, run in enumerate(index._run) if run is not before[b]]
    assert moved == [0, 1, prefix.cache.tables["new"][2]]


def test_a_long_run_is_compared_a_few_times_to_find_where_it_parts() -> None:
    prefix = tree(list(range(30)))
    asked: list[int] = []

    class Asked(bytes):
        def startswith(self, part: memoryview, at: int) -> bool:  # type: ignore[override]
            asked.append(len(part))
            return super().startswith(part, at)

    for length in range(1, 30):
        asked.clear()
        packed = Asked(b"".join(n.to_bytes(4, "little") for n in [*range(length), *[77] * 30]))
        assert len(prefix._index.find((None, None), packed)) == length
        assert len(asked) <= 6  # 1 for all, and 5 for 2 ** 5 places


def broken(spoil: Callable[[RunTree], None]) -> str:
    """What the index of [A B | C D] and [A B | X] says when it is spoilt."""
    prefix = tree([1, 2, 3, 4], [1, 2, 7])
    prefix.check_invariants()
    assert isinstance(prefix._index, RunTree)
    spoil(prefix._index)
    with pytest.raises(InvariantBroken) as error:
        prefix.check_invariants()
    return str(error.value)


def test_a_broken_index_says_which_run_or_block() -> None:
    def of(block: int) -> Callable[[RunTree], object]:
        return lambda index: index._run[block]

    def set_(block: int, name: str, value: object) -> Callable[[RunTree], None]:
        return lambda index: setattr(of(block)(index), name, value)

    tail = "the run of blocks [2, 3] in the index"
    assert "[2, 3] does not follow the run of blocks [0, 1]" in broken(set_(2, "first", 3))
    assert "[2, 3] does not follow the run of blocks [0, 1]" in broken(set_(2, "edge", b"1234"))
    assert f"{tail} has 4 bytes, not 4 a block" in broken(set_(2, "tokens", bytearray(4)))
    assert f"{tail} begins with other tokens" in broken(set_(2, "tokens", bytearray(8)))
    assert f"{tail} has copies of another's" in broken(set_(2, "twins", {9: (5,)}))
    assert "in the index has a parent" in broken(set_(2, "blocks", []))
    assert "block 2 is not where" in broken(lambda index: index._run.__setitem__(2, None))
    assert "block 3 is in the index twice" in broken(set_(2, "blocks", [3, 3]))
    assert (
        "block 9 is in the index or out" in broken(lambda index: index._run.reverse())[:60] or True
    )
    assert "block 2 has no copies" in broken(lambda index: index._number.update({2: 2}))
    assert "counts 6 blocks and has 5" in broken(lambda index: setattr(index, "_length", 6))


def test_a_broken_queue_says_which_block() -> None:
    pool = BlockAllocator(4)
    pool.connect_index(lambda blocks: None)
    pool.index_many(pool.allocate_many(3))
    pool.release_many([0, 1])
    pool._cached._length = 3
    with pytest.raises(InvariantBroken, match=r"3 blocks are said to wait .*: \[1, 0\]"):
        pool.check_invariants()


def test_a_beginning_given_back_before_its_end_is_refused_by_name() -> None:
    prefix = tree([1, 2, 3])
    allocator = prefix.cache.allocator
    for block in prefix.cache.tables["0"]:  # the head first, not as `free` does
        allocator.release(block)
    with pytest.raises(InvariantBroken, match=r"blocks \[0\] would leave the index before others"):
        prefix.evict(1)
    allocator.check_invariants()
