"""One HTTP request on the network's side: its prompts at the engine, and the news of them."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from paged_attention.server.answer import Delta
from paged_attention.server.engine_thread import EngineThread
from paged_attention.server.errors import ApiError, mistake
from paged_attention.server.job import Job
from paged_attention.server.requests import Asked
from paged_attention.serving.request import TokenLogprobs


class Call:
    """``prompts`` with ``n`` answers each; answer ``k`` of prompt ``p`` has index ``p * n + k``.

    ``max_backlog``: tokens of an answer that may wait for the one who reads a stream, on average;
    more, and the call fails.
    ``on_fail`` is called with the reason when it is given up from outside; ``gone`` tells whether
    the client has left.
    """

    def __init__(
        self,
        engine: EngineThread,
        asked: Asked,
        prompts: Sequence[tuple[int, ...]],
        max_new_tokens: Sequence[int],
        arrived: float,
        max_backlog: int,
    ) -> None:
        self.asked, self.prompts = asked, prompts
        self.choices = len(prompts) * asked.n
        self.completion_tokens = 0
        self.error: ApiError | None = None
        self.on_fail: Callable[[ApiError], None] | None = None
        self.gone: Callable[[], bool] = lambda: False
        self._engine, self._max_backlog = engine, max_backlog
        self._cached = [0] * len(prompts)
        self._inbox: deque[tuple[int, Delta]] = deque()
        self._news = asyncio.Event()
        self._open = self.choices  # answers whose end has not come
        self.jobs = [
            Job(asked, tokens, most, arrived, partial(self._tell, number))
            for number, (tokens, most) in enumerate(zip(prompts, max_new_tokens, strict=True))
        ]

    @property
    def usage(self) -> dict[str, object]:
        """The protocol's count of tokens: each prompt once, all answers together."""
        prompt = sum(map(len, self.prompts))
        return {
            "prompt_tokens": prompt,
            "completion_tokens": self.completion_tokens,
            "total_tokens": prompt + self.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": sum(self._cached)},
        }

    def prompt_logprobs(self, prompt: int) -> Sequence[TokenLogprobs]:
        """Of all tokens of a prompt but the first, once an answer to it has begun."""
        return self.jobs[prompt].prompt_logprobs

    def submit(self) -> None:
        """Hand all prompts to the engine, but those that want no answer: they were to be echoed."""
        for job in self.jobs:
            if job.max_new_tokens:
                self._engine.submit(job)
            else:
                for nth in range(self.asked.n):
                    job.tell(nth, Delta(finish="length"))

    def fail(self, error: ApiError) -> None:
        """Give the call up: the engine stops working for it before its next step."""
        if self.error is None:
            self.error = error
            self._inbox.clear()
            self._abort()
            self._news.set()
            if self.on_fail is not None:
                self.on_fail(error)

    def check_client(self) -> None:
        """Give the call up if its client has left."""
        if self.gone():
            self.fail(ApiError("the client went away", status=499, code="client_gone"))

    def close(self) -> None:
        """Nobody waits for the rest, if there is one."""
        if self.error is None and self._open:
            self._abort()

    def _abort(self) -> None:
        for job in self.jobs:
            self._engine.abort(job)

    async def news(self) -> AsyncIterator[tuple[int, Delta]]:
        """What comes of each answer, with its index, until all have ended; raises what failed."""
        unread = self.choices
        while unread:
            while not self._inbox and self.error is None:
                self._news.clear()
                await self._news.wait()
            if self.error is not None:
                raise self.error
            index, delta = self._inbox.popleft()
            unread -= delta.finish is not None
            yield index, delta

    def _tell(self, prompt: int, nth: int, delta: Delta) -> None:
        """News of the engine, on the network's thread."""
        if self.error is not None:
            return
        if delta.finish == "error":
            self.fail(_told(delta.error))
            return
        if self.asked.max_tokens == 0:  # a token was said only for the prompt to be run
            delta = Delta(finish="length", cached=delta.cached)
        self._open -= delta.finish is not None
        self.completion_tokens += delta.said
        self._cached[prompt] = max(self._cached[prompt], delta.cached)
        self._inbox.append((prompt * self.asked.n + nth, delta))
        self._news.set()
        if self.asked.stream and len(self._inbox) > self._max_backlog * self.choices:
            self.fail(ApiError("the reader is too slow", status=500, code="too_slow"))


def _told(error: Exception | None) -> ApiError:
    """What the client hears of an error inside."""
    if isinstance(error, ApiError):
        return error
    return mistake("the model could not go on with this answer")
