"""The stopwatch's own process: ``python -m workbook.walk.timing``, a JSON line in and one out.

What a reader's library does to its process ends with it, and the notebook is told.
"""

import hashlib
import json
import math
import sys
from dataclasses import dataclass, field
from time import perf_counter, process_time

import torch

from paged_attention.kernels.inputs import Decode
from workbook.walk.load import Load, Way, is_right, library_way, other_ways, right


@dataclass
class Watch:
    """All ways in turns. A *warm* way is run twice, and the second run counts; before a *cold* one
    other memory is copied, so that the history has left the processor's caches.
    """

    load: Load
    steps: list[Decode]
    ways: dict[str, Way]
    best: dict[str, float] = field(default_factory=dict)
    worst_copy: float = 0.0

    def run(self, rounds: int) -> None:
        """``rounds`` runs of each way, in turns; ``best`` keeps the shortest, in seconds."""
        sweep = torch.ones(2**25)
        swept = torch.empty_like(sweep)
        self.best = dict.fromkeys(self.ways, math.inf)
        for turn in range(rounds):
            which = turn % len(self.steps)
            for name, way in self.ways.items():
                swept.copy_(sweep) if self.load.cold else way(which)
                begin = perf_counter()
                way(which)
                self.best[name] = min(self.best[name], perf_counter() - begin)

    def faults(self, name: str, threads: int) -> str:
        """Why the way ``name`` doesn't count (empty: it does)."""
        before = self._pools()
        wanted = right(self.steps)
        for turn in (*range(len(self.steps)), 0):
            if not is_right(self.ways[name](turn), wanted[turn]):
                return f"its answer to query {turn} of this load is not right"
        if self._pools() != before:
            return "it wrote to a pool"
        begin, used = perf_counter(), process_time()
        for turn in range(20):
            self.ways[name](turn % len(self.steps))
        wall = perf_counter() - begin
        if process_time() - used > 1.3 * threads * wall + 0.02:
            return f"it uses more than the {threads} threads that it was given"
        return ""

    def _pools(self) -> str:
        pools = self.steps[0].k_pool, self.steps[0].v_pool
        return hashlib.sha256(b"".join(pool.numpy().tobytes() for pool in pools)).hexdigest()


def measure(
    load: Load, ways: dict[str, Way], steps: list[Decode], yours: str, threads: int, rounds: int
) -> dict[str, object]:
    """Seconds of each way at its best, and why ``yours`` doesn't count, if it doesn't."""
    watch = Watch(load, steps, ways)
    fault = watch.faults(yours, threads)
    if not fault:
        watch.run(rounds)
    return {"fault": fault, "best": watch.best, "history": load.history}


def main() -> None:
    """Read what to time from the command line, time it, print one JSON line."""
    asked = json.loads(sys.argv[1])
    torch.set_num_threads(asked["threads"])
    found = []
    for load in (Load(*given) for given in asked["loads"]):
        steps = load.steps()
        ways = {"yours": library_way(asked["library"], steps, asked["threads"])}
        ways |= other_ways(load, steps)
        found.append(measure(load, ways, steps, "yours", asked["threads"], asked["rounds"]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
