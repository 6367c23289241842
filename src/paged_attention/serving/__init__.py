"""Many requests, one pool: who runs, who waits, who gives back.

The way through: a ``request``, the ``line`` it stands in, how a step's ``budget`` is divided, the
``plan`` of a step, the ``scheduler`` around them. ``memory`` is what it asks of memory,
``paged_memory`` (with ``swap``) and ``reserving`` are two answers. ``ragged`` runs a step's rows
through the model, ``engine`` is all of it, ``load`` brings requests, ``stats`` are its figures, and
``cost`` tells what a step would take without running one.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from paged_attention.serving.budget import shares as shares
    from paged_attention.serving.cost import CostModel as CostModel
    from paged_attention.serving.cost import Simulation as Simulation
    from paged_attention.serving.engine import Engine as Engine
    from paged_attention.serving.line import Line as Line
    from paged_attention.serving.load import Arrival as Arrival
    from paged_attention.serving.load import Clock as Clock
    from paged_attention.serving.load import poisson as poisson
    from paged_attention.serving.load import serve as serve
    from paged_attention.serving.memory import Memory as Memory
    from paged_attention.serving.paged_memory import PagedMemory as PagedMemory
    from paged_attention.serving.ragged import RaggedStep as RaggedStep
    from paged_attention.serving.ragged import run_ragged as run_ragged
    from paged_attention.serving.request import NewToken as NewToken
    from paged_attention.serving.request import Request as Request
    from paged_attention.serving.reserving import ReservingMemory as ReservingMemory
    from paged_attention.serving.scheduler import Scheduler as Scheduler
    from paged_attention.serving.stats import RequestStats as RequestStats
    from paged_attention.serving.stats import StepStats as StepStats
    from paged_attention.serving.stats import percentile as percentile
    from paged_attention.serving.stats import summary as summary
    from paged_attention.serving.step import Row as Row
    from paged_attention.serving.step import Step as Step
    from paged_attention.serving.swap import HostStore as HostStore

_HOME = {
    "Arrival": "load",
    "Clock": "load",
    "CostModel": "cost",
    "Engine": "engine",
    "HostStore": "swap",
    "Line": "line",
    "Memory": "memory",
    "NewToken": "request",
    "PagedMemory": "paged_memory",
    "RaggedStep": "ragged",
    "Request": "request",
    "RequestStats": "stats",
    "ReservingMemory": "reserving",
    "Row": "step",
    "Scheduler": "scheduler",
    "Simulation": "cost",
    "Step": "step",
    "StepStats": "stats",
    "percentile": "stats",
    "poisson": "load",
    "run_ragged": "ragged",
    "serve": "load",
    "shares": "budget",
    "summary": "stats",
}
__all__ = [
    "Arrival",
    "Clock",
    "CostModel",
    "Engine",
    "HostStore",
    "Line",
    "Memory",
    "NewToken",
    "PagedMemory",
    "RaggedStep",
    "Request",
    "RequestStats",
    "ReservingMemory",
    "Row",
    "Scheduler",
    "Simulation",
    "Step",
    "StepStats",
    "percentile",
    "poisson",
    "run_ragged",
    "serve",
    "shares",
    "summary",
]


__getattr__, __dir__ = lazy_names(__name__, _HOME)
