"""Where what is made or fetched once is kept: the language model, compiled kernels.

``PAGED_ATTENTION_CACHE`` is a user's own and written to. ``PAGED_ATTENTION_MODEL`` may be shared,
and is only read: a class then has one model, whose pages all its processes map, and thirty caches.
Kernels that were compiled beside it needn't be compiled thirty times.
"""

import os
from pathlib import Path


def cache_root() -> Path:
    """``PAGED_ATTENTION_CACHE`` if set, else the user's cache folder. It may not exist yet."""
    import platformdirs  # not in a browser, which keeps nothing

    return _named("PAGED_ATTENTION_CACHE") or platformdirs.user_cache_path("paged-attention")


def shared_folder() -> Path | None:
    """``PAGED_ATTENTION_MODEL`` if set: a converted model's folder, never written to."""
    return _named("PAGED_ATTENTION_MODEL")


def shared_kernels() -> Path | None:
    """Compiled kernels beside the shared model, if there is one; looked into, never written to."""
    model = shared_folder()
    return model and model.parent / "kernels"


def _named(variable: str) -> Path | None:
    chosen = os.environ.get(variable)
    return Path(chosen).expanduser() if chosen else None
