"""The one thread that owns the engine. Everybody else asks through its queue.

Between two steps it takes what was asked; after each step it turns the tokens into text and posts
the news, all of a step at once. If the engine raises, every answer under way ends with an error and
nothing is taken any more.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import NamedTuple, TypeVar

from paged_attention.model.tokenizer import Tokenizer
from paged_attention.server.answer import Answer, Delta
from paged_attention.server.errors import ApiError, unavailable
from paged_attention.server.job import Job, News
from paged_attention.server.metrics import Metrics
from paged_attention.serving.engine import Engine
from paged_attention.serving.request import NewToken
from paged_attention.serving.stats import StepStats

KEPT_STEPS = 4096  # the last ones; a server runs for longer than memory would do for all
T = TypeVar("T")
Post = Callable[[Sequence[News]], None]
_LOG = logging.getLogger(__name__)


class _Command(NamedTuple):
    """What was asked: either ``run`` or, when the engine runs no more, ``refuse`` is called."""

    run: Callable[[], None]
    refuse: Callable[[], None]


class _Choice(NamedTuple):
    """One answer under way."""

    job: Job
    nth: int
    answer: Answer


class EngineThread:
    """``post`` is called on this thread and must hand the news over to the network's.

    All public methods may be called from any thread. While it runs, ``engine`` is this thread's:
    look at it through ``call``. ``steps``: what the last ones did.
    """

    def __init__(self, engine: Engine, tokenizer: Tokenizer, metrics: Metrics, post: Post) -> None:
        self.engine, self.tokenizer, self.metrics = engine, tokenizer, metrics
        self.error: BaseException | None = None  # why the engine is dead
        self.steps: deque[StepStats] = deque(maxlen=KEPT_STEPS)
        self._post = post
        self._asked: SimpleQueue[_Command | None] = SimpleQueue()  # None: the end
        self._choices: dict[Hashable, _Choice] = {}
        self._closing = threading.Lock()  # nothing is put behind the end of the queue
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        """Take the engine over from the thread that made it, which must be done with it."""
        self.engine.journal.hand_over()
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queue ``job``. What becomes of it is told through ``job.tell``, errors included."""
        self._ask(_Command(lambda: self._submit(job), lambda: self._tell_end(job)))

    def abort(self, job: Job) -> None:
        """End ``job`` before the next step, in whatever state it is; nothing is told any more."""
        self._ask(_Command(lambda: self._abort(job), lambda: None))

    def call(self, function: Callable[[Engine], T]) -> "Future[T]":
        """Let this thread call ``function(engine)`` between two steps; its result, or its error."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(self.engine))
                except BaseException as error:
                    future.set_exception(error)

        self._ask(_Command(run, lambda: future.set_exception(self._ended())))
        return future

    def stop(self) -> None:
        """End all answers and the thread; returns once the engine is free for another thread."""
        self._ask(None)
        if self._thread.ident is not None:
            self._thread.join()

    def _ask(self, command: _Command | None) -> None:
        with self._closing:
            if not self._closed:
                self._asked.put(command)
                return
        if command is not None:
            command.refuse()

    def _run(self) -> None:
        try:
            while self._take_commands():
                self._step()
        except BaseException as error:
            _LOG.exception("the engine failed; all answers end here")
            self.error = error
        self._close()

    def _take_commands(self) -> bool:
        """Do what was asked, waiting for it while there is nothing to run; false at the end."""
        while not self._asked.empty() or not len(self.engine):
            command = self._asked.get()
            if command is None:
                return False
            command.run()
            self.metrics.observe_state(self.engine)
        return True

    def _step(self) -> None:
        news = self.engine.step()
        steps = self.engine.take_steps()
        self.steps.extend(steps)
        self.metrics.observe_steps(steps)
        # Whoever has submitted requests through ``call`` hears of them in ``engine.requests``.
        posts = [self._say(new) for new in news if new.request in self._choices]
        self.metrics.observe_state(self.engine)
        self._post(posts)

    def _say(self, new: NewToken) -> News:
        """What the news of the engine are to the one who waits for the text."""
        choice, request = self._choices[new.request], self.engine.requests[new.request]
        if new.token is not None:
            self.metrics.observe_token(request)
        if not choice.job.prompt_logprobs:  # samples hear theirs after the first answer
            choice.job.prompt_logprobs = request.prompt_logprobs
        try:
            logprobs = request.logprobs[new.nth] if len(request.logprobs) > new.nth else None
            delta = choice.answer.say(new, logprobs)
        except Exception as error:  # a text that can't be made ends alone
            _LOG.exception("the answer of request %r could not be made", new.request)
            request.error, delta = error, Delta(finish="error")
        delta.cached = request.stats.cached_tokens
        if delta.finish == "error":
            delta.error = request.error
        if delta.finish is not None:
            self.engine.end(new.request)  # a stop string: the engine sees tokens only
            self._forget(new.request, delta.finish)
        return choice.job, choice.nth, delta

    def _submit(self, job: Job) -> None:
        asked = job.asked
        try:
            job.name = self.engine.submit(
                job.tokens,
                job.max_new_tokens,
                arrived=job.arrived,
                ignore_eos=asked.ignore_eos,
                sampling=asked.sampling,
                samples=asked.n,
                top_logprobs=asked.logprobs,
                score_prompt=asked.score_prompt,
                salt=asked.salt,
            )
        except Exception as error:
            _LOG.exception("a request that had been checked was refused by the engine")
            self._tell_end(job, error)
            return
        job.submitted = True
        for nth in range(job.asked.n):
            answer = Answer(self.tokenizer.stream(), asked.stop, self.tokenizer.eos_ids)
            name = (job.name, nth) if nth else job.name
            self._choices[name] = _Choice(job, nth, answer)
            self.metrics.observe_arrival(self.engine.requests[name])

    def _abort(self, job: Job) -> None:
        if job.submitted:
            self.engine.abort(job.name)
            for name in [name for name, choice in self._choices.items() if choice.job is job]:
                self._forget(name, "abort")

    def _forget(self, name: Hashable, finish: str) -> None:
        """Count the end of a request, and let its record go."""
        del self._choices[name]
        self.metrics.observe_end(self.engine.requests[name], finish)
        self.engine.forget(name)

    def _tell_end(self, job: Job, error: Exception | None = None) -> None:
        """Tell ``job`` that no answer of it will come."""
        end = Delta(finish="error", error=error or self._ended())
        self._post([(job, nth, end) for nth in range(job.asked.n)])

    def _ended(self) -> ApiError:
        if self.error is None:
            return unavailable("the server was stopped before the answer was whole", "stopped")
        return unavailable("the engine failed before the answer was whole", "engine_dead")

    def _close(self) -> None:
        """Nothing is taken any more; what is under way ends with an error."""
        with self._closing:
            self._closed = True
        end = Delta(finish="error", error=self._ended())
        self._post([(choice.job, choice.nth, end) for choice in self._choices.values()])
        for name in self._choices:
            if self.error is None:
                self.engine.abort(name)
            self.metrics.observe_end(
                self.engine.requests[name], "abort" if self.error is None else "error"
            )
        self._choices.clear()
        self.metrics.observe_stop()
        while not self._asked.empty():
            command = self._asked.get()
            if command is not None:
                command.refuse()
        self.engine.journal.hand_over()
