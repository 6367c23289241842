"""A trace, replayed, is the engine's state after every random operation."""

import json

import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from paged_attention.errors import BlockPoolExhausted
from paged_attention.prefix_index import PrefixIndex
from workbook.trace import (
    RecordingPagedKVCache,
    RecordingPrefixCache,
    Replay,
    State,
    Trace,
    replay,
    states,
)
from workbook.words.story import story

SALTS = (None, "x")


def written(cache: RecordingPagedKVCache, seqs: list[str], tokens: int) -> None:
    """Write ``tokens`` reserved tokens to each of ``seqs``, in every layer."""
    cache.set_batch(seqs)
    starts = torch.tensor([cache.lengths[seq] for seq in seqs])[:, None]
    kv = torch.zeros(len(seqs), cache.kv_heads, tokens, cache.head_dim)
    for layer in range(cache.layers):
        cache.update(layer, kv, kv, starts + torch.arange(tokens))


def tree(index: PrefixIndex) -> list[object]:
    """The copies of each known block, each before what follows it; one tree for each space."""
    below: dict[object, list[object]] = {}
    roots: dict[object, list[object]] = {}
    for known in index:
        level = roots.setdefault(known.space, []) if known.before is None else below[known.before]
        level.append([list(known.copies), below.setdefault(known.copies[0], [])])
    return list(roots.values())


class TraceMachine(RuleBasedStateMachine):
    @initialize(num_blocks=st.integers(2, 12), block_size=st.integers(1, 3))
    def begin(self, num_blocks: int, block_size: int) -> None:
        self.cache = RecordingPagedKVCache(2, num_blocks, block_size, 1, 1)
        self.prefix = RecordingPrefixCache(self.cache)
        self.tokens: dict[str, list[int]] = {}
        self.salts: dict[str, str | None] = {}
        self.born = 0
        self.restart()

    def restart(self) -> None:
        self.state = Replay(self.cache.trace)
        self.seen = 0

    def alive(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.tokens)))

    @precondition(lambda self: len(self.tokens) < 5)
    @rule(prompt=st.lists(st.integers(0, 1), max_size=7), salt=st.sampled_from(SALTS))
    def attach(self, prompt: list[int], salt: str | None) -> None:
        self.born += 1
        seq = f"s{self.born}"
        reused = self.prefix.attach(seq, prompt, salt=salt)
        self.tokens[seq], self.salts[seq] = prompt[:reused], salt

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), room=st.integers(0, 4), new=st.integers(0, 4))
    def grow(self, data: st.DataObject, room: int, new: int) -> None:
        seqs = data.draw(
            st.lists(st.sampled_from(sorted(self.tokens)), min_size=1, max_size=3, unique=True)
        )
        try:
            self.cache.reserve_many(dict.fromkeys(seqs, max(room, new)))
        except BlockPoolExhausted:
            return
        if new:
            written(self.cache, seqs, new)
            for seq in seqs:
                self.tokens[seq] = self.tokens[seq] + [len(self.tokens[seq]) % 2] * new

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def fork(self, data: st.DataObject) -> None:
        parent = self.alive(data)
        self.born += 1
        self.cache.fork(parent, f"s{self.born}")
        self.tokens[f"s{self.born}"] = self.tokens[parent]
        self.salts[f"s{self.born}"] = self.salts[parent]

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        length = data.draw(st.integers(0, len(self.tokens[seq])))
        self.cache.truncate(seq, length)
        self.tokens[seq] = self.tokens[seq][:length]

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def remember(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        try:
            self.prefix.remember(seq, self.tokens[seq], salt=self.salts[seq])
        except ValueError:
            steps = list(self.cache.trace.by_step())
            assert len(steps) == self.cache.trace.last + 1  # a failed call leaves nothing

    @precondition(lambda self: self.tokens)
    @rule(data=st.data())
    def free(self, data: st.DataObject) -> None:
        seq = self.alive(data)
        self.cache.free(seq)
        del self.tokens[seq], self.salts[seq]

    @rule(n=st.integers(0, 3))
    def evict(self, n: int) -> None:
        self.prefix.evict(n)

    @rule()
    def start_again(self) -> None:
        self.prefix.start_trace()
        self.restart()

    @invariant()
    def replay_is_the_engine(self) -> None:
        trace, cache = self.cache.trace, self.cache
        steps = list(trace.by_step())
        assert len(steps) == trace.last + 1
        for events in steps[self.seen :]:
            self.state.apply(events)
        self.seen = len(steps)
        number = {cache.recorder.seq(name): name for name in cache.tables}
        assert self.state.refs == cache.allocator.refs
        assert self.state.free == cache.allocator._free
        assert list(self.state.cached) == cache.allocator.cached_order()
        assert {number[seq]: table for seq, table in self.state.tables.items()} == cache.tables
        lengths = {number[seq]: self.state.length(seq) for seq in self.state.filled}
        assert lengths == cache.lengths
        known = {block for prefix in self.prefix._index for block in prefix.copies}
        assert self.state.nodes.keys() == known
        index = [told for _, *told in _roots(self.state)]
        engine = [[part] for part in tree(self.prefix._index)]
        assert sorted(map(str, index)) == sorted(map(str, engine))

    def teardown(self) -> None:
        if not hasattr(self, "cache"):
            return
        self.prefix.check_invariants()
        trace = self.cache.trace
        read = Trace.from_json(json.loads(json.dumps(trace.to_json())))
        assert read == trace
        assert read.digest == trace.digest
        assert replay(read).snapshot() == self.state.snapshot()
        assert story(read).count("\n") == trace.last + 1
        assert len(list(states(read))) == trace.last + 1


def _roots(state: State) -> list[list[object]]:
    def without_keys(nodes: list[list[object]]) -> list[object]:
        return [[blocks, without_keys(children)] for _, blocks, children in nodes]  # type: ignore[arg-type]

    return [[root, without_keys(nodes)] for root, nodes in state.snapshot()["index"]]


TestTrace = TraceMachine.TestCase
TestTrace.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
