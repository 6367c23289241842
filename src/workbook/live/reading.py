"""What a server says of itself at ``/metrics``, read from our server, vLLM or SGLang."""

import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from urllib.parse import urlsplit

from prometheus_client.parser import text_string_to_metric_families

from paged_attention.load_client.target import base_of, failure

PATIENCE = 2.0  # seconds
SOURCES = {
    "running": ("vllm:num_requests_running", "sglang:num_running_reqs"),
    "waiting": ("vllm:num_requests_waiting", "sglang:num_queue_reqs"),
    "usage": ("vllm:kv_cache_usage_perc", "sglang:token_usage"),
    "prompt": ("vllm:prompt_tokens_total", "sglang:prompt_tokens_total"),
    "cached": ("vllm:prompt_tokens_cached_total", "sglang:cached_tokens_total"),
    "said": ("vllm:generation_tokens_total", "sglang:generation_tokens_total"),
    "preempted": ("vllm:num_preemptions_total", "sglang:num_retracted_requests_total"),
}
_CONFIG = "vllm:cache_config_info"


class NoReading(RuntimeError):
    """The server gave no figures; the message says why."""


@dataclass(frozen=True)
class Reading:
    """One look at a server. ``None``: it doesn't say. ``usage`` is the share of blocks held, 0–1;
    ``prompt``, ``cached`` and ``said`` are tokens since it started.
    """

    running: int | None = None
    waiting: int | None = None
    usage: float | None = None
    blocks: int | None = None
    block_size: int | None = None
    prompt: int | None = None
    cached: int | None = None
    said: int | None = None
    preempted: int | None = None

    @property
    def held(self) -> int | None:
        """Blocks that sequences hold."""
        if self.usage is None or self.blocks is None:
            return None
        return round(self.usage * self.blocks)

    @property
    def hit_rate(self) -> float | None:
        """The share of all prompt tokens that were found instead of run."""
        if not self.prompt or self.cached is None:
            return None
        return self.cached / self.prompt


def read(text: str) -> Reading:
    """A reading out of Prometheus's text. Several engines behind one port are added up."""
    sums: dict[str, list[float]] = {}
    config: Mapping[str, str] = {}
    try:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                sums.setdefault(sample.name, []).append(sample.value)
                if sample.name == _CONFIG:
                    config = sample.labels
    except ValueError as error:
        raise NoReading(f"/metrics holds no figures ({error})") from error
    found: dict[str, float] = {}
    for name, sources in SOURCES.items():
        for source in sources:
            if source in sums:
                values = sums[source]
                found[name] = sum(values) / (len(values) if name == "usage" else 1)
                break
    if not found:
        raise NoReading("/metrics has none of the names that the board knows (vLLM's, SGLang's)")
    whole = {name: value if name == "usage" else int(value) for name, value in found.items()}
    sizes = {"blocks": config.get("num_gpu_blocks"), "block_size": config.get("block_size")}
    whole |= {name: int(size) for name, size in sizes.items() if size and size.isdigit()}
    return Reading(**whole)  # type: ignore[arg-type]  # each field's own kind


def fetch(url: str) -> Reading:
    """Look at the server at ``url`` (``http://HOST:PORT``, or its ``/v1``) now."""
    address = f"{root_of(url)}/metrics"
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as response:
            return read(response.read().decode("utf-8", "replace"))
    except urllib.error.HTTPError as error:
        raise NoReading(f"/metrics answers with status {error.code}") from error
    except (OSError, HTTPException) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        cause = cause if isinstance(cause, Exception) else error
        raise NoReading(failure(599, cause, None)) from error


def root_of(url: str) -> str:
    """The server's address without a path, where ``/metrics`` lies."""
    parts = urlsplit(base_of(url))
    return f"{parts.scheme}://{parts.netloc}"


def sentence(why: str) -> str:
    """``why`` with one mark at its end."""
    return why if why.endswith((".", "?", "!")) else f"{why}."
