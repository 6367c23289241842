"""A load generator for any server of the OpenAI protocol: ours, vLLM, SGLang, llama.cpp …

The way through: a ``plan`` of requests with the times when they are due, the ``target`` they go to,
``run`` which sends each when it is due, ``stream`` and ``answer`` which read what comes back,
``report`` and ``plot`` which say what was measured. ``command`` is all of it on a command line;
in a program, ``summarize(await send(Target("http://…/v1"), drawn(20, 2.0, words=40, …)))``.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from paged_attention.load_client.plan import drawn as drawn
    from paged_attention.load_client.plan import recorded as recorded
    from paged_attention.load_client.report import summarize as summarize
    from paged_attention.load_client.run import send as send
    from paged_attention.load_client.target import Target as Target

_HOME = {
    "Target": "target",
    "drawn": "plan",
    "recorded": "plan",
    "send": "run",
    "summarize": "report",
}
__all__ = [*_HOME]  # names, all of them strings


__getattr__, __dir__ = lazy_names(__name__, _HOME)
