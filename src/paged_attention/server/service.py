"""What stands between HTTP and the engine: the model, who may come in, and what state all is in."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Literal

from tornado.ioloop import PeriodicCallback

from paged_attention.model import Model
from paged_attention.model.token_bytes import TokenBytes
from paged_attention.server.call import Call
from paged_attention.server.encoding import Encoded, encoded
from paged_attention.server.engine_thread import EngineThread
from paged_attention.server.errors import ApiError, queue_full, unavailable
from paged_attention.server.job import News
from paged_attention.server.metrics import Metrics
from paged_attention.server.requests import DEFAULT_TOKENS, Asked, ChatRequest, CompletionRequest
from paged_attention.server.settings import Settings
from paged_attention.serving.engine import Engine

CHECK_MS = 200  # how often to look for clients that left without tornado's noticing
State = Literal["loading", "ready", "draining", "stopped"]


class Backend:
    """A model that is served: its engine on a thread of its own, what it is called, its limits.

    ``context``: tokens of prompt and answer together, which model and pool both have room for.
    ``pool``: its size in words.
    """

    def __init__(
        self, model: Model, engine: Engine, name: str, post: Callable[[Sequence[News]], None]
    ) -> None:
        self.model, self.name, self.clock = model, name, engine.clock
        cache = engine.memory.cache
        blocks, size = cache.allocator.num_blocks, cache.block_size
        self.context = min(model.config.max_positions, blocks * size)
        megabytes = (cache.k_pool.nbytes + cache.v_pool.nbytes) / 1e6
        self.pool = f"{blocks:,} blocks of {size} tokens, {megabytes:,.0f} MB"
        self.max_running = engine.scheduler.max_running
        self.token_bytes = TokenBytes(model.tokenizer.backend)
        self.metrics = Metrics(name, indexed=engine.memory.prefix is not None)
        self.metrics.observe_pool(size, blocks)
        self.engine = EngineThread(engine, model.tokenizer, self.metrics, post)

    def most_new(self, asked: Asked, tokens: Sequence[int]) -> int:
        """How many tokens may answer the prompt ``tokens``, or an ``ApiError``: it is too long."""
        left = self.context - len(tokens)
        default = DEFAULT_TOKENS if isinstance(asked, CompletionRequest) else left
        wanted = min(default, left) if asked.max_tokens is None else asked.max_tokens
        if asked.score_prompt:  # a prompt is run for the token after it
            wanted = max(wanted, 1)
        if left < 0 or (wanted and left < wanted) or (left == 0 and asked.max_tokens is None):
            asks = f" and {wanted} for the answer" if left >= 1 else ""
            raise ApiError(
                f"this model's context is {self.context} tokens; the prompt has "
                f"{len(tokens)}{asks}. Shorten the prompt or ask for fewer",
                param="messages" if isinstance(asked, ChatRequest) else "prompt",
                code="context_length_exceeded",
            )
        return wanted


class Service:
    """``backend`` is there once the model has been loaded. Lives on the network's thread."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.state: State = "loading"
        self.backend: Backend | None = None
        self.calls: set[Call] = set()
        self.taken = 0  # answers under way, running or waiting
        self._idle = asyncio.Event()
        self._idle.set()
        self._loop = asyncio.get_running_loop()
        self._watch = PeriodicCallback(self._check_clients, CHECK_MS)
        self._watch.start()
        self._encoders = ThreadPoolExecutor(2, thread_name_prefix="encode")

    def open(self, model: Model, engine: Engine) -> None:
        """Serve ``model`` by ``engine`` from now on."""
        name = self.settings.model_name or model.name.replace(" ", "-")
        self.backend = Backend(model, engine, name, self._post)
        self.backend.engine.start()
        if self.state == "loading":
            self.state = "ready"

    def ready(self) -> Backend:
        """The backend, or an ``ApiError`` 503 that says why there is none now."""
        if self.state == "loading":
            raise unavailable("the model is being loaded", "loading", retry_after=2)
        if self.state != "ready" or self.backend is None:
            raise unavailable("the server is shutting down", "shutting_down", retry_after=5)
        if self.backend.engine.error is not None:
            raise unavailable(
                "the engine has failed, and the server must be started again", "engine_dead"
            )
        return self.backend

    def check_model(self, name: str | None) -> None:
        """Raise an ``ApiError`` 404 unless ``name`` is the model here; ``None`` is."""
        here = self.ready().name
        if name is not None and name != here:
            raise ApiError(
                f"the model {name!r} is not here; there is {here!r}",
                status=404,
                param="model",
                code="model_not_found",
            )

    @contextmanager
    def seats(self, count: int) -> Iterator[None]:
        """Room for ``count`` answers until the block ends, or an ``ApiError`` 429."""
        most = self.ready().max_running + self.settings.max_queue
        if count > most:
            raise ApiError(
                f"the request asks for {count} answers, and this server holds {most} at most: ask "
                "for fewer prompts or a smaller 'n'",
                param="prompt",
            )
        if self.taken + count > most:
            raise queue_full(self.taken)
        self.taken += count
        self._idle.clear()
        try:
            yield
        finally:
            self.taken -= count
            if not self.taken:
                self._idle.set()

    async def encode(
        self, backend: Backend, asked: CompletionRequest | ChatRequest
    ) -> list[Encoded]:
        """``encoded`` on a thread beside, so that nobody else waits."""
        return await self._loop.run_in_executor(self._encoders, encoded, backend.model, asked)

    @contextmanager
    def call(self, call: Call) -> Iterator[Call]:
        """Let the engine work for ``call`` until the block ends, and not a step longer."""
        limit, timer = self.settings.time_limit, None
        if limit is not None:
            late = ApiError(f"the answer took longer than {limit:g} s", status=504, code="timeout")
            timer = self._loop.call_later(limit, call.fail, late)
        self.calls.add(call)
        try:
            call.submit()
            yield call
        finally:
            if timer is not None:
                timer.cancel()
            call.close()
            self.calls.discard(call)

    def streams_open(self, change: int) -> None:
        """One stream more, or one less."""
        if self.backend is not None:
            self.backend.metrics.streams_open.inc(change)

    def count_rejection(self, error: ApiError) -> None:
        """A request is refused."""
        if self.backend is not None:
            self.backend.metrics.observe_rejection(error.code or "invalid_request")

    async def drain(self, limit: float) -> None:
        """Take no new requests; wait ``limit`` seconds for those here, then end them."""
        self.state = "draining"
        try:
            await asyncio.wait_for(self._idle.wait(), limit)
        except TimeoutError:
            self.end_calls()
            with suppress(TimeoutError):  # until they have been told
                await asyncio.wait_for(self._idle.wait(), 1)

    def end_calls(self) -> None:
        """Every answer under way ends with an error."""
        for call in list(self.calls):
            call.fail(unavailable("the server was stopped", "shutting_down", retry_after=5))

    async def close(self) -> None:
        """End the engine's thread; the engine is free for another one then."""
        self.state = "stopped"
        self._watch.stop()
        if self.backend is not None:
            await self._loop.run_in_executor(None, self.backend.engine.stop)
        self._encoders.shutdown(wait=False, cancel_futures=True)

    def _check_clients(self) -> None:
        for call in list(self.calls):
            call.check_client()

    def _post(self, news: Sequence[News]) -> None:
        """Called on the engine's thread."""
        self._loop.call_soon_threadsafe(_tell_all, news)


def _tell_all(news: Sequence[News]) -> None:
    for job, nth, delta in news:
        job.tell(nth, delta)
