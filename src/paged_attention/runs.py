"""The prefix index as a tree of runs: blocks that always follow one another share one node.

A prompt of three thousand blocks is one run until another prompt leaves it half-way; then it is
cut there, at a block's end. So a lookup compares as many tokens as it can at once, and takes a step
in the tree only where prompts once parted. A lookup changes nothing: only ``publish`` cuts.

A block has a *number*, how many come before it in its prefix; it survives every cut. All verbs take
O(1) steps a block they are given, amortised. For a cut, which gives the blocks before it a run of
their own, that needs an argument: those blocks are the beginning of the prompt being published, so
there are no more of them than it has. (The blocks behind a cut stay where they are; their ids and
tokens are copied, 72 bytes a block, at the speed of memory.)
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, cast

from paged_attention.errors import InvariantBroken
from paged_attention.journal import Journal
from paged_attention.prefix_index import Known, Space
from paged_attention.prefix_run import Run, flat, grown


class RunTree:
    """Finds the blocks of a packed prefix, a comparison for each run; see ``prefix_index``."""

    def __init__(self, num_blocks: int, width: int, journal: Journal) -> None:
        self.width = width
        self.journal = journal
        self._roots: dict[Space, Run] = {}
        self._run: list[Run | None] = [None] * num_blocks  # by known block
        self._number: dict[int, int] = {}  # by block, of those that have copies or are one
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Known]:
        for run in self._walk():
            before = run.before(run.first)
            for number, block in enumerate(run.blocks, run.first):
                copies = (block, *run.twins.get(number, ()))
                yield Known(*self.name(block, number), before, copies)
                before = block

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_roots": flat(self._walk()), "_run": len(self._run)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._roots, self._run = {}, [None] * state["_run"]
        for run in grown(state["_roots"]):
            if run.parent is None:
                self._roots[run.space] = run
            for _, block in run.places():
                self._run[block] = run

    def find(self, space: Space, packed: bytes) -> list[int]:
        """The blocks that hold the longest known beginning of ``packed``. Changes nothing."""
        blocks: list[int] = []
        run, at = self._roots.get(space), 0
        while run and (run := run.children.get(packed[at : at + self.width])):
            agreed = run.agrees(packed, at, self.width)
            blocks += run.blocks[:agreed]
            if agreed < len(run.blocks):
                break
            at += len(run.tokens)
        return blocks

    def name(self, block: int, number: int) -> tuple[Space, bytes]:
        """What the known ``block`` is known as: its space, and its own tokens."""
        run = self._run_of(block)
        at = (number - run.first) * self.width
        return run.space, bytes(run.tokens[at : at + self.width])

    def before(self, block: int) -> int | None:
        """The block that serves what comes before ``block``; none for a first one."""
        run = self._run_of(block)
        number = self._number.get(block)
        return run.before(run.first + run.blocks.index(block) if number is None else number)

    def publish(self, space: Space, packed: bytes, table: Sequence[int], known: int) -> None:
        """Make the blocks of ``table`` behind the first ``known`` ones known."""
        run = self._run_of(table[known - 1]) if known else self._root(space)
        self.journal.keep_items(self._run, table[known:])
        self.journal.keep_attributes(self, "_length")
        number = known
        while number < len(table):
            at = (number - known) * self.width
            agreed = run.agrees(packed, at, self.width, number - run.first)
            if agreed:
                self._add_twins(run, number, table[number : number + agreed])
                number += agreed
                continue
            if number < run.end:
                run = self._cut(run, number)
            child = run.children.get(packed[at : at + self.width])
            if child is None:
                self._append(run, number, packed[at:], table[number:])
                break
            run = child
        self._length += len(table) - known

    def forget(self, blocks: Sequence[int]) -> None:
        """Take out ``blocks``: of each run the last ones, the last first, or copies of others."""
        self.journal.keep_items(self._run, blocks)
        self.journal.keep_attributes(self, "_length")
        for run, group in groupby(blocks, self._run_of):
            gone = list(group)
            if not run.twins:
                self._shorten(run, gone)
                continue
            for block in gone:
                if block in self._number:
                    self._lose_copy(run, block)
                else:
                    self._shorten(run, [block])
        runs = self._run
        for block in blocks:
            runs[block] = None
        self._length -= len(blocks)

    def check_invariants(self, indexed: Sequence[int]) -> None:
        """Raise ``InvariantBroken`` naming what is not in its place. Walks the whole tree."""
        seen: set[int] = set()
        for run in self._walk():
            run.check_invariants(self.width)
            for number, block in run.places():
                if block in seen:
                    raise InvariantBroken(f"block {block} is in the index twice")
                if self._run[block] is not run:
                    raise InvariantBroken(f"block {block} is not where the index says")
                if self._number.get(block) != (number if number in run.twins else None):
                    what = "has" if number in run.twins else "has no"
                    raise InvariantBroken(f"block {block} {what} copies, and the index forgot that")
                seen.add(block)
        for block, known in enumerate(indexed):
            if not known == (block in seen) == (self._run[block] is not None):
                raise InvariantBroken(f"block {block} is in the index or out of it, not both")
        if len(seen) != len(self):
            raise InvariantBroken(f"the index counts {len(self)} blocks and has {len(seen)}")

    def _run_of(self, block: int) -> Run:
        return cast(Run, self._run[block])

    def _walk(self) -> Iterator[Run]:
        """Every run, parents first."""
        runs = list(self._roots.values())
        for run in runs:
            runs += run.children.values()
            yield run

    def _root(self, space: Space) -> Run:
        self.journal.keep_key(self._roots, space)
        return self._roots.setdefault(space, Run(None, space, 0, b""))

    def _add_twins(self, run: Run, first: int, blocks: Sequence[int]) -> None:
        """Let ``blocks`` be copies of those with the numbers from ``first`` on."""
        numbers = range(first, first + len(blocks))
        before = {number: run.twins.get(number, ()) for number in numbers}
        served = run.blocks[first - run.first : numbers.stop - run.first]
        self.journal.note(run.put_twins, before)
        self._keep_numbers([*served, *blocks])
        self._number.update(zip(served, numbers, strict=True))
        self._number.update(zip(blocks, numbers, strict=True))
        run.put_twins({n: (*before[n], block) for n, block in zip(before, blocks, strict=True)})
        for block in blocks:
            self._run[block] = run

    def _append(self, run: Run, number: int, packed: bytes, blocks: Sequence[int]) -> None:
        """Put ``blocks`` behind the end of ``run``: into it, or below it if it has children."""
        if run.children or run.parent is None:
            edge = packed[: self.width]
            self.journal.keep_key(run.children, edge)
            run.children[edge] = run = Run(run, run.space, number, edge)
        self.journal.keep_end(run.tokens, len(run.tokens))
        self.journal.keep_end(run.blocks, len(run.blocks))
        run.tokens += packed
        run.blocks += blocks
        runs = self._run
        for block in blocks:
            runs[block] = run

    def _cut(self, run: Run, number: int) -> Run:
        """Give the blocks before ``number`` a run of their own, above ``run``, and return it."""
        parent = cast(Run, run.parent)
        index, at = number - run.first, (number - run.first) * self.width
        head = Run(parent, run.space, run.first, run.edge)
        head.tokens, head.blocks = run.tokens[:at], run.blocks[:index]
        head.twins = {n: run.twins[n] for n in range(run.first, number) if n in run.twins}
        edge = bytes(run.tokens[at : at + self.width])
        head.children[edge] = run
        moved = [block for _, block in head.places()]
        self.journal.keep_key(parent.children, run.edge)
        self.journal.keep_attributes(run, "parent", "first", "edge", "tokens", "blocks")
        self.journal.note(run.put_twins, head.twins)
        self.journal.keep_items(self._run, moved)
        parent.children[run.edge] = head
        run.parent, run.first, run.edge = head, number, edge
        run.tokens, run.blocks = run.tokens[at:], run.blocks[index:]
        run.put_twins(dict.fromkeys(head.twins, ()))
        for block in moved:
            self._run[block] = head
        return head

    def _lose_copy(self, run: Run, block: int) -> None:
        """Forget one of several copies; if it was the one that serves, the next does."""
        number = self._number[block]
        place, twins = number - run.first, run.twins[number]
        left = tuple(other for other in (run.blocks[place], *twins) if other != block)
        self.journal.keep_items(run.blocks, [place])
        self.journal.note(run.put_twins, {number: twins})
        single = [block] if len(left) > 1 else [block, left[0]]
        self._keep_numbers(single)
        run.blocks[place] = left[0]
        run.put_twins({number: left[1:]})
        for one in single:
            del self._number[one]

    def _keep_numbers(self, blocks: Sequence[int]) -> None:
        self.journal.note(self._put_numbers, {b: self._number.get(b) for b in blocks})

    def _put_numbers(self, numbers: dict[int, int | None]) -> None:
        for block, number in numbers.items():
            if number is None:
                self._number.pop(block, None)
            else:
                self._number[block] = number

    def _shorten(self, run: Run, gone: list[int]) -> None:
        """Forget the last blocks of ``run``, the last first; without any it leaves the tree."""
        left = len(run.blocks) - len(gone)
        if run.children or run.blocks[left:] != gone[::-1]:
            raise InvariantBroken(
                f"blocks {gone} would leave the index before others that follow them: a holder "
                "gave back the beginning of its table before the end"
            )
        if left:
            self.journal.keep_end(run.tokens, left * self.width)
            self.journal.keep_end(run.blocks, left)
            del run.tokens[left * self.width :], run.blocks[left:]
            return
        parent = cast(Run, run.parent)
        self.journal.keep_key(parent.children, run.edge)
        del parent.children[run.edge]
        if parent.parent is None and not parent.children:
            self.journal.keep_key(self._roots, parent.space)
            del self._roots[parent.space]
