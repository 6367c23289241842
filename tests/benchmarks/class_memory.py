"""What a class takes of its machine, sampled; and a guard that stops before memory is gone."""

import asyncio
import contextlib
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
from benchmarks.class_hub import Hub
from benchmarks.class_learner import private_megabytes

EVERY = 10  # seconds between two samples: one reads the maps of every process


@dataclass
class Most:
    """The highest figures of all samples, memory in MB; ``available`` is the lowest."""

    servers: float = 0
    kernels: float = 0
    one_kernel: float = 0
    together: float = 0  # of servers and kernels at one moment
    processes: int = 0
    cpu_seconds: float = 0  # that the hub and all of these have computed
    available: float = float("inf")
    load: float = 0


def available() -> float:
    """MB that the machine could still give."""
    return psutil.virtual_memory().available / 1e6


class Watch:
    """Samples while it runs; ends ``finished`` early when less than ``least`` MB are available."""

    def __init__(self, hub: Hub, least: float) -> None:
        self._hub, self._least = hub, least
        self.most = Most()
        self.stopped = ""

    async def guard(self) -> None:
        """Return when memory runs short. Looks every half second, and so before it is gone."""
        while available() > self._least:
            self.most.available = min(self.most.available, available())
            await asyncio.sleep(0.5)
        self.stopped = f"the guard, at {available():,.0f} MB available"

    async def sample(self) -> None:
        """Note the highest figures, for ever; not in the event loop, which has sockets to serve."""
        while True:
            await asyncio.to_thread(self._look)
            await asyncio.sleep(EVERY)

    def _look(self) -> None:
        servers, kernels, computed = [], [], 0.0
        for process in self._hub.processes():
            with contextlib.suppress(psutil.Error, OSError):
                computed += sum(process.cpu_times()[:2])
                command = " ".join(process.cmdline())
                smaps = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
                if "ipykernel_launcher" in command:
                    kernels.append(private_megabytes(smaps))
                elif "jupyterhub-singleuser" in command:
                    servers.append(private_megabytes(smaps))
        most = self.most
        most.servers = max(most.servers, sum(servers))
        most.kernels = max(most.kernels, sum(kernels))
        most.one_kernel = max(most.one_kernel, *kernels, 0)
        most.together = max(most.together, sum(servers) + sum(kernels))
        most.processes = max(most.processes, len(servers) + len(kernels))
        most.cpu_seconds = max(most.cpu_seconds, computed)
        most.load = max(most.load, os.getloadavg()[0])

    def report(self) -> dict[str, Any]:
        """The figures, rounded."""
        return {name: round(value) for name, value in asdict(self.most).items()}
