"""The addresses."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.web import Application, RequestHandler

from paged_attention.server.base import BaseHandler
from paged_attention.server.call import Call
from paged_attention.server.encoding import Encoded
from paged_attention.server.errors import ApiError, mistake
from paged_attention.server.fields import read_body
from paged_attention.server.metrics import CONTENT_TYPE
from paged_attention.server.objects import Chat, Completion, Whole, model, models
from paged_attention.server.requests import (
    ChatRequest,
    CompletionRequest,
    chat_request,
    completion_request,
)
from paged_attention.server.service import Backend, Service
from paged_attention.server.stream import EventStream

_LOG = logging.getLogger(__name__)
_STARTED = int(time.time())


class HealthHandler(BaseHandler):
    """200 while requests are taken, else 503."""

    open_to_all = True

    def get(self) -> None:
        """Whether all is well."""
        self.service.ready()
        self.send_json({"status": "ok"})

    head = get


class MetricsHandler(BaseHandler):
    """The numbers for Prometheus, which has no key."""

    open_to_all = True

    def get(self) -> None:
        """All metrics; none while the model is being loaded."""
        backend = self.service.backend
        self.set_header("Content-Type", CONTENT_TYPE)
        self.finish(b"" if backend is None else backend.metrics.render())

    head = get


class ModelsHandler(BaseHandler):
    """Which model is here: one."""

    def get(self, name: str | None = None) -> None:
        """All models, or the one called ``name``."""
        self.check_access()
        backend = self.service.ready()
        if name is None:
            self.send_json(models(backend.name, _STARTED, backend.context))
        else:
            self.service.check_model(name)
            self.send_json(model(name, _STARTED, backend.context))

    head = get


class _AnswerHandler(BaseHandler):
    """Reads a request, lets the engine answer it, writes it down, all at once or as a stream."""

    call: Call | None = None

    def read(self, content: Mapping[str, Any], backend: Backend) -> CompletionRequest | ChatRequest:
        """What is asked for."""
        raise NotImplementedError

    async def post(self) -> None:
        """Answer, or raise an ``ApiError``."""
        self.check_access()
        backend = self.service.ready()
        arrived = backend.clock()
        if self.gone:  # a second request on a connection that was closed since
            self.hang_up()
            return
        asked = self.read(read_body(self.body()), backend)
        self.service.check_model(asked.model)
        count = len(asked.prompts) if isinstance(asked, CompletionRequest) else 1
        with self.service.seats(count * asked.n):
            prompts = await self.service.encode(backend, asked)
            most = [backend.most_new(asked, prompt.tokens) for prompt in prompts]
            if self.gone:  # nobody would read it
                self.hang_up()
                return
            backlog = self.service.settings.max_backlog
            tokens = [prompt.tokens for prompt in prompts]
            call = Call(backend.engine, asked, tokens, most, arrived, backlog)
            call.gone = lambda: self.gone
            writer = self._writer(asked, backend, prompts, call)
            with self.service.call(call) as self.call:
                try:
                    await (self._stream if asked.stream else self._whole)(call, writer)
                except (StreamClosedError, TimeoutError):
                    pass  # it has hung up, or we have: there is nobody to tell
                except ApiError:
                    if not self.gone:
                        raise
                    self.hang_up()  # one that only stopped sending must not take this for an answer

    def on_connection_close(self) -> None:
        """The client went away: what runs or waits for it is ended."""
        if self.call is not None:
            self.call.check_client()

    @staticmethod
    def _writer(
        asked: CompletionRequest | ChatRequest,
        backend: Backend,
        prompts: Sequence[Encoded],
        call: Call,
    ) -> Completion | Chat:
        if isinstance(asked, ChatRequest):
            return Chat(asked, backend.name, backend.token_bytes)
        return Completion(asked, backend.name, backend.token_bytes, prompts, call.prompt_logprobs)

    async def _whole(self, call: Call, writer: Completion | Chat) -> None:
        answers = [Whole() for _ in range(call.choices)]
        async for index, delta in call.news():
            answers[index].add(delta)
        await self.flushed(self.send_json(writer.whole(answers, call.usage)))

    async def _stream(self, call: Call, writer: Completion | Chat) -> None:
        stream = EventStream(self)
        call.on_fail = stream.give_up
        self.service.streams_open(+1)
        try:
            async for index, delta in call.news():
                for chunk in writer.chunks(index, delta):
                    await stream.send(chunk)
            if call.asked.include_usage:
                await stream.send(writer.usage_chunk(call.usage))
            await stream.done()
        except (StreamClosedError, TimeoutError):
            raise
        except Exception as error:
            if not stream.begun or self.gone:
                raise
            if not isinstance(error, ApiError):
                _LOG.exception("a stream broke off")
            await stream.fail(error if isinstance(error, ApiError) else mistake())
        finally:
            self.service.streams_open(-1)
        await self.flushed(self.finish())


class CompletionsHandler(_AnswerHandler):
    """``/v1/completions``."""

    def read(self, content: Mapping[str, Any], backend: Backend) -> CompletionRequest:
        """What is asked for."""
        return completion_request(content, backend.max_running)


class ChatHandler(_AnswerHandler):
    """``/v1/chat/completions``."""

    def read(self, content: Mapping[str, Any], backend: Backend) -> ChatRequest:
        """What is asked for."""
        return chat_request(content, backend.max_running)


class NotFoundHandler(BaseHandler):
    """Any other address."""

    def get(self, *_: str) -> None:
        """It is not there."""
        self.check_access()
        raise ApiError(f"there is nothing at {self.request.path}", status=404, code="not_found")

    head = post = put = patch = delete = get


def application(service: Service) -> Application:
    """All addresses in front of ``service``."""
    given = {"service": service}
    routes: list[tuple[str, type[BaseHandler], dict[str, Any]]] = [
        (r"/health/?", HealthHandler, given),
        (r"/metrics/?", MetricsHandler, given),
        (r"/v1/models/?", ModelsHandler, given),
        (r"/v1/models/(.+)", ModelsHandler, given),
        (r"/v1/completions/?", CompletionsHandler, given),
        (r"/v1/chat/completions/?", ChatHandler, given),
        (r".*", NotFoundHandler, given),
    ]
    return Application(routes, log_function=_log)


def _log(handler: RequestHandler) -> None:
    """One line a request, for who turns it on."""
    _LOG.debug("%d %s %s", handler.get_status(), handler.request.method, handler.request.path)
