"""Load other engines' own files, unmodified, to time them beside ours.

Nothing of theirs is in this repository. Point ``PAGED_ATTENTION_PEERS`` at a folder that holds the
unpacked packages (``vllm/``, ``sglang/``, ``nanovllm/``); what is absent is left out. A few of
their modules run for real. Whatever else those import is answered by an empty stand-in, so that no
GPU, server or extension module is needed. Two small packages they use, ``cbor2`` and ``xxhash``,
must be installed.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

REAL = {
    "vllm.v1.core.block_pool",
    "vllm.v1.core.kv_cache_utils",
    "vllm.utils.hashing",
    "vllm.utils.math_utils",
    "sglang.srt.mem_cache.radix_cache",
    "sglang.srt.mem_cache.base_prefix_cache",
    "sglang.srt.mem_cache.cache_init_params",
    "sglang.srt.mem_cache.evict_policy",
    "sglang.srt.mem_cache.events",
    "sglang.srt.mem_cache.utils",
    "nanovllm.engine.block_manager",
    "nanovllm.engine.sequence",
    "nanovllm.sampling_params",
}


class _Anything(type):
    """A class that has every attribute and takes every subscript, for names only imported."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, item: object) -> Any:
        return cls

    def __or__(cls, other: object) -> Any:
        return object

    __ror__ = __or__


class _StandIn(ModuleType):
    """A module of empty classes, one for each name that somebody imports."""

    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Anything(name, (), {"__init__": lambda self, *args, **kwargs: None})
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, root: Path) -> None:
        self.root = root

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        top = name.split(".")[0]
        if top not in {real.split(".")[0] for real in REAL} or not (self.root / top).is_dir():
            return None
        file = self.root / (name.replace(".", "/") + ".py")
        if name in REAL and file.is_file():
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == "vllm.logger":
            import logging

            module.init_logger = logging.getLogger  # type: ignore[attr-defined]


def load(name: str) -> ModuleType | None:
    """The peer's module ``name``, or None where its file is absent."""
    folder = os.environ.get("PAGED_ATTENTION_PEERS")
    if folder is None or not (Path(folder) / (name.replace(".", "/") + ".py")).is_file():
        return None
    root = Path(folder).resolve()
    if not any(isinstance(f, _Finder) and f.root == root for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder(root))
    return importlib.import_module(name)
