"""The folder for what is made or fetched once and kept: the language model, compiled kernels."""

import os
from pathlib import Path

import platformdirs


def cache_root() -> Path:
    """``PAGED_ATTENTION_CACHE`` if set, else the user's cache folder. It may not exist yet."""
    chosen = os.environ.get("PAGED_ATTENTION_CACHE")
    return Path(chosen).expanduser() if chosen else platformdirs.user_cache_path("paged-attention")
