"""The open task's own answer, and answers that break its spec."""

import bisect

from paged_attention.errors import BlockPoolExhausted
from workbook.checks.ch02.open import few_runs


class LowestFirst:
    """Free ids in order; the lowest go out first."""

    def __init__(self, num_blocks: int) -> None:
        self.free = list(range(num_blocks))

    @property
    def num_free(self) -> int:
        return len(self.free)

    def allocate_many(self, n: int) -> list[int]:
        if n > len(self.free):
            raise BlockPoolExhausted
        taken, self.free = self.free[:n], self.free[n:]
        return taken

    def release(self, block: int) -> None:
        bisect.insort(self.free, block)


class TightestRun(LowestFirst):
    """From the shortest run that is long enough; if there is none, from the longest ones."""

    def runs(self) -> list[list[int]]:
        runs: list[list[int]] = []
        for block in self.free:
            if runs and block == runs[-1][-1] + 1:
                runs[-1].append(block)
            else:
                runs.append([block])
        return runs

    def allocate_many(self, n: int) -> list[int]:
        if n > len(self.free):
            raise BlockPoolExhausted
        taken: list[int] = []
        while len(taken) < n:
            wanted, runs = n - len(taken), self.runs()
            enough = [run for run in runs if len(run) >= wanted]
            run = min(enough, key=len) if enough else max(runs, key=len)
            taken += run[:wanted]
            gone = set(run[:wanted])
            self.free = [block for block in self.free if block not in gone]
        return taken


few_runs.solved = TightestRun


@few_runs.rejects("needn't be neighbours")
class OnePieceOrNothing(TightestRun):
    def allocate_many(self, n: int) -> list[int]:
        if not any(len(run) >= n for run in self.runs()):
            raise BlockPoolExhausted
        return super().allocate_many(n)


@few_runs.rejects("which is held")
class AlwaysTheFirst(LowestFirst):
    def allocate_many(self, n: int) -> list[int]:
        super().allocate_many(n)
        return list(range(n))


@few_runs.rejects("num_free says 260")
class SaysAlwaysFree(LowestFirst):
    num_free = 260


@few_runs.rejects("it gave 2 blocks to who asked for 3")
class OneShort(LowestFirst):
    def allocate_many(self, n: int) -> list[int]:
        return super().allocate_many(n)[:-1]


@few_runs.rejects("different ids")
class OneIdForAll(LowestFirst):
    def allocate_many(self, n: int) -> list[int]:
        return super().allocate_many(n)[:1] * n


@few_runs.rejects("isn't in the pool")
class IdsPastThePool(LowestFirst):
    def allocate_many(self, n: int) -> list[int]:
        return [block + 260 for block in super().allocate_many(n)]
