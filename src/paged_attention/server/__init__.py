"""The engine behind the OpenAI protocol: ``python -m paged_attention serve``, or inside a program.

From the wire inwards: ``command`` and ``background`` start a ``server``; ``handlers`` and ``base``
speak HTTP, with ``chat`` and ``completions`` for the two protocols and ``stream`` for slow readers;
``fields``, ``requests`` and ``messages`` read a body into plain dataclasses, ``objects`` write the
answers; ``call`` is one request on the network's side, ``job`` what crosses to the
``engine_thread``, where ``answer`` turns tokens into text. ``metrics`` is what Prometheus sees.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from paged_attention.server.background import serve_in_background as serve_in_background
    from paged_attention.server.building import build_engine as build_engine
    from paged_attention.server.server import Server as Server
    from paged_attention.server.settings import Settings as Settings

_HOME = {
    "Server": "server",
    "Settings": "settings",
    "build_engine": "building",
    "serve_in_background": "background",
}
__all__ = sorted(_HOME)


__getattr__, __dir__ = lazy_names(__name__, _HOME)
