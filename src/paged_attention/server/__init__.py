"""The engine behind the OpenAI protocol: ``python -m paged_attention serve``, or inside a program.

From the wire inwards: ``command`` and ``background`` start a ``server``, which listens on
``sockets`` as its ``settings`` say. ``handlers`` and ``base`` speak HTTP, ``stream`` to readers who
may be slow. ``fields``, ``requests`` and ``messages`` read a body into plain dataclasses,
``encoding`` makes token ids of it, ``objects`` writes the answers, ``errors`` the refusals. The
``service`` knows who is here; a ``call`` is one request on the network's side, a ``job`` what
crosses to the ``engine_thread``, where ``answer`` turns tokens into text. ``metrics`` is what
Prometheus reads.
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
