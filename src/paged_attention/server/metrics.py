"""What Prometheus reads at ``/metrics``, text 0.0.4. Where the meaning is vLLM's, so is the name.

Dashboards made for vLLM then work here, too. What has no equal there is called ``paged_…``. Times
are differences of the engine's own clock. All is counted on the engine's thread, but for what HTTP
refuses.
"""

from collections.abc import Iterable, Iterator, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric

from paged_attention.serving.loop import ServingLoop
from paged_attention.serving.request import Request
from paged_attention.serving.stats import StepStats

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FINISHES = ("stop", "length", "abort", "error")

_SHORT = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)  # seconds
_LONG = (*_SHORT[3:], 20, 40, 80, 160, 320, 640)  # seconds
_TOKENS = tuple(2**power for power in range(15))
_LABELS = ("model_name", "engine")


class Metrics:
    """All numbers of one server, in a registry of their own. ``indexed``: prompts are looked up."""

    def __init__(self, model_name: str, *, indexed: bool = True) -> None:
        self._registry = CollectorRegistry()
        self._given = {"model_name": model_name, "engine": "0"}
        self._unread: dict[int, Request] = {}  # by id: not known yet what the index had of them
        self._indexed = indexed
        self._make_gauges()
        self._make_counters()
        self._make_histograms()

    def _make_gauges(self) -> None:
        gauge = self._gauge
        self.running = gauge("vllm:num_requests_running", "Requests before the line.")
        self.waiting = gauge("vllm:num_requests_waiting", "Requests behind it, preempted too.")
        self.usage = gauge("vllm:kv_cache_usage_perc", "Blocks that sequences hold, 0 to 1.")
        self.swapped = gauge("paged_requests_swapped", "Waiting, with a copy in host memory.")
        self.host_usage = gauge("paged_host_cache_usage_perc", "Host blocks in use, 0 to 1.")
        self.streams_open = gauge("paged_streams_open", "Streams being written.")
        self._config = Gauge(
            "vllm:cache_config_info",
            "The pool, in labels.",
            (*_LABELS, "block_size", "num_gpu_blocks"),
            registry=self._registry,
        )

    def _make_counters(self) -> None:
        count = self._counter
        self.queries = count("vllm:prefix_cache_queries", "Tokens looked up in the index.")
        self.hits = count("vllm:prefix_cache_hits", "Tokens that it had.")
        self.prompt = count("vllm:prompt_tokens", "Tokens of prompts, hits included.")
        self.cached = count("vllm:prompt_tokens_cached", "Those that were not run again.")
        self.generated = count("vllm:generation_tokens", "Tokens said.")
        self.preemptions = count("vllm:num_preemptions", "Times that a request gave way.")
        self.swaps = count("paged_num_swaps", "Preemptions that kept a copy in host memory.")
        self.ended = Counter(
            "vllm:request_success",
            "Answers that ended, by the reason.",
            (*_LABELS, "finished_reason"),
            registry=self._registry,
        )
        for reason in FINISHES:
            self.ended.labels(**self._given, finished_reason=reason)
        self._rejected = Counter(
            "paged_http_rejected", "Requests refused.", ("reason",), registry=self._registry
        )

    def _make_histograms(self) -> None:
        times = self._histogram
        self.ttft = times("vllm:time_to_first_token_seconds", "Arrival to first token.", _LONG)
        self.gap = times("vllm:inter_token_latency_seconds", "Between two tokens.", _SHORT)
        self.e2e = times("vllm:e2e_request_latency_seconds", "Arrival to last token.", _LONG)
        self.queued = times("vllm:request_queue_time_seconds", "Arrival to admission.", _LONG)
        self.prefill = times("vllm:request_prefill_time_seconds", "Until the first token.", _LONG)
        self.decode = times("vllm:request_decode_time_seconds", "First token to last.", _LONG)
        self.step_tokens = times("vllm:iteration_tokens_total", "Tokens of a step.", _TOKENS)
        self.prompts = times("vllm:request_prompt_tokens", "Tokens of a prompt.", _TOKENS)
        self.answers = times("vllm:request_generation_tokens", "Tokens of an answer.", _TOKENS)

    def _gauge(self, name: str, what: str) -> Gauge:
        return Gauge(name, what, _LABELS, registry=self._registry).labels(**self._given)

    def _counter(self, name: str, what: str) -> Counter:
        return Counter(name, what, _LABELS, registry=self._registry).labels(**self._given)

    def _histogram(self, name: str, what: str, buckets: Sequence[float]) -> Histogram:
        made = Histogram(name, what, _LABELS, registry=self._registry, buckets=buckets)
        return made.labels(**self._given)

    def observe_pool(self, block_size: int, num_blocks: int) -> None:
        """How large the pool is; said once."""
        labels = self._given | {"block_size": str(block_size), "num_gpu_blocks": str(num_blocks)}
        self._config.labels(**labels).set(1)

    def observe_state(self, engine: ServingLoop) -> None:
        """Who runs and waits now, and what they hold."""
        running = len(engine.scheduler.running)
        self.running.set(running)
        self.waiting.set(len(engine) - running)
        pool = engine.memory.cache.allocator
        self.usage.set(pool.num_held / pool.num_blocks)
        host = engine.memory.host
        if host is not None:
            self.swapped.set(len(host.kept))
            self.host_usage.set(1 - host.allocator.num_free / host.allocator.num_blocks)

    def observe_stop(self) -> None:
        """The engine runs no more, for whatever reason."""
        self.running.set(0)
        self.waiting.set(0)

    def observe_steps(self, steps: Iterable[StepStats]) -> None:
        """What steps did."""
        for step in steps:
            self.step_tokens.observe(step.tokens)
            self.preemptions.inc(step.preempted)

    def observe_arrival(self, request: Request) -> None:
        """``request`` stands in the queue. Samples of another have no prompt of their own."""
        if request.parent is None:
            self._unread[id(request)] = request

    def observe_token(self, request: Request) -> None:
        """``request`` has just said a token."""
        self._observe_admission(request)
        self.generated.inc()
        times = request.stats.tokens_at
        if len(times) > 1:
            self.gap.observe(times[-1] - times[-2])
        elif request.parent is None:
            self.ttft.observe(times[0] - request.stats.arrived)

    def observe_end(self, request: Request, finish: str) -> None:
        """``request`` ended; latencies count only those that came to an end of their own."""
        self._observe_admission(request)
        self._unread.pop(id(request), None)
        self.ended.labels(**self._given, finished_reason=finish).inc()
        stats = request.stats
        self.swaps.inc(stats.swaps)
        if finish not in ("stop", "length") or not stats.tokens_at or stats.admitted is None:
            return
        first, last = stats.tokens_at[0], stats.tokens_at[-1]
        self.e2e.observe(last - stats.arrived)
        self.prefill.observe(first - stats.admitted)
        self.decode.observe(last - first)
        self.answers.observe(len(stats.tokens_at))
        if request.parent is None:
            self.prompts.observe(len(request.prompt))

    def observe_rejection(self, reason: str) -> None:
        """HTTP refused something; may be called from any thread."""
        self._rejected.labels(reason).inc()

    def _observe_admission(self, request: Request) -> None:
        """Count the prompt, once it is known how much of it the index had."""
        stats = request.stats
        if stats.admitted is None or self._unread.pop(id(request), None) is None:
            return
        length = len(request.prompt)
        self.queued.observe(stats.admitted - stats.arrived)
        self.queries.inc(length if self._indexed else 0)
        self.hits.inc(stats.cached_tokens)
        self.prompt.inc(length)
        self.cached.inc(stats.cached_tokens)

    def render(self) -> bytes:
        """The text that Prometheus reads."""
        return generate_latest(_WithoutCreated(self._registry))


class _WithoutCreated:
    """A registry without the ``_created`` series, which nothing of ours needs."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        """All metrics."""
        for metric in self._registry.collect():
            metric.samples = [one for one in metric.samples if not one.name.endswith("_created")]
            yield metric
