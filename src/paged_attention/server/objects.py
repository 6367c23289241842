"""The protocol's objects: what a client reads, as dictionaries ready for JSON."""

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from paged_attention.model.token_bytes import TokenBytes
from paged_attention.server.answer import Delta, Entry
from paged_attention.server.encoding import Encoded
from paged_attention.server.requests import ChatRequest, CompletionRequest
from paged_attention.serving.request import TokenLogprobs

Json = dict[str, Any]
_LOWEST = -9999.0  # JSON has no infinity


class Whole:
    """One answer, collected from its deltas."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.entries: list[Entry] = []
        self.finish: str | None = None

    def add(self, delta: Delta) -> None:
        """Put ``delta`` behind what is here."""
        self.parts.append(delta.text)
        self.entries += delta.entries
        self.finish = delta.finish

    @property
    def text(self) -> str:
        """All that was said."""
        return "".join(self.parts)


class Completion:
    """Writes what ``request`` asked for. ``prompts`` stand before their answers as far as they are
    to be echoed; ``scores(p)`` are the likelihoods of prompt ``p`` by the time they are needed.
    """

    def __init__(
        self,
        request: CompletionRequest,
        model: str,
        names: TokenBytes,
        prompts: Sequence[Encoded],
        scores: Callable[[int], Sequence[TokenLogprobs]],
    ) -> None:
        self.request, self.names = request, names
        self.prompts, self.scores = prompts, scores
        self.envelope = _envelope("cmpl", "text_completion", model)
        self._begun: set[int] = set()

    def chunks(self, index: int, delta: Delta) -> list[Json]:
        """What a stream says of ``delta``: often one chunk, sometimes none."""
        first = index not in self._begun and self.request.echo
        self._begun.add(index)
        if not (first or delta.text or delta.entries or delta.finish):
            return []
        choice = self._choice(index, delta.text, delta.entries, delta.finish, echo=first)
        return [self.envelope | {"choices": [choice]} | _no_usage(self.request)]

    def usage_chunk(self, usage: Json) -> Json:
        """The last chunk of a stream that was asked to count."""
        return self.envelope | {"choices": [], "usage": usage}

    def whole(self, answers: Sequence[Whole], usage: Json) -> Json:
        """All answers at once."""
        choices = [
            self._choice(index, one.text, one.entries, one.finish, echo=self.request.echo)
            for index, one in enumerate(answers)
        ]
        return self.envelope | {"choices": choices, "usage": usage}

    def _choice(
        self, index: int, text: str, entries: Sequence[Entry], finish: str | None, *, echo: bool
    ) -> Json:
        number = index // self.request.n
        before = self.prompts[number].echo  # empty unless it was asked for
        logprobs = None
        if self.request.logprobs is not None:
            seen = self._scored(number) if echo else []
            seen += [(len(before) + entry.offset, entry.logprobs) for entry in entries]
            logprobs = self._logprobs(seen)
            if echo:  # nothing comes before the first token
                logprobs["token_logprobs"][0] = logprobs["top_logprobs"][0] = None
        text = before + text if echo else text
        return {"index": index, "text": text, "logprobs": logprobs, "finish_reason": finish}

    def _scored(self, number: int) -> list[tuple[int, TokenLogprobs]]:
        """The tokens of a prompt with their offsets."""
        prompt = self.prompts[number]
        scores = [TokenLogprobs(prompt.tokens[0], 0.0, []), *self.scores(number)]
        return list(zip(prompt.offsets, scores, strict=True))

    def _logprobs(self, seen: Sequence[tuple[int, TokenLogprobs]]) -> Json:
        """The older shape: four lists side by side; the token itself is always in ``top``."""
        name = self.names.name
        tops = [[*one.top, (one.token, one.logprob)] for _, one in seen]
        return {
            "tokens": [name(one.token) for _, one in seen],
            "token_logprobs": [_log(one.logprob) for _, one in seen],
            "top_logprobs": [{name(token): _log(log) for token, log in top} for top in tops],
            "text_offset": [offset for offset, _ in seen],
        }


class Chat:
    """Writes what ``request`` asked for."""

    def __init__(self, request: ChatRequest, model: str, names: TokenBytes) -> None:
        self.request, self.names = request, names
        self.envelope = _envelope("chatcmpl", "chat.completion", model)
        self._chunk = self.envelope | {"object": "chat.completion.chunk"}
        self._begun: set[int] = set()

    def chunks(self, index: int, delta: Delta) -> list[Json]:
        """What a stream says of ``delta``: the role with the first token, text, the end alone."""
        chunks = []
        if index not in self._begun:
            self._begun.add(index)
            chunks.append(self._delta(index, {"role": "assistant", "content": ""}))
        if delta.text or delta.entries:
            chunks.append(self._delta(index, {"content": delta.text}, delta.entries))
        if delta.finish is not None:
            chunks.append(self._delta(index, {}, finish=delta.finish))
        return chunks

    def usage_chunk(self, usage: Json) -> Json:
        """The last chunk of a stream that was asked to count."""
        return self._chunk | {"choices": [], "usage": usage}

    def whole(self, answers: Sequence[Whole], usage: Json) -> Json:
        """All answers at once."""
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": one.text, "refusal": None},
                "logprobs": self._logprobs(one.entries),
                "finish_reason": one.finish,
            }
            for index, one in enumerate(answers)
        ]
        return self.envelope | {"choices": choices, "usage": usage}

    def _delta(
        self, index: int, delta: Json, entries: Sequence[Entry] = (), finish: str | None = None
    ) -> Json:
        logprobs = self._logprobs(entries) if entries else None
        choice = {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish}
        return self._chunk | {"choices": [choice]} | _no_usage(self.request)

    def _logprobs(self, entries: Sequence[Entry]) -> Json | None:
        if self.request.logprobs is None:
            return None
        content = []
        for entry in entries:
            seen = entry.logprobs
            top = [self._token(token, log) for token, log in seen.top]
            content.append(self._token(seen.token, seen.logprob) | {"top_logprobs": top})
        return {"content": content, "refusal": None}

    def _token(self, token: int, logprob: float) -> Json:
        content = self.names.of(token)
        return {
            "token": self.names.name(token),
            "logprob": _log(logprob),
            "bytes": None if content is None else list(content),
        }


def models(name: str, created: int, context: int) -> Json:
    """The list of models: one."""
    return {"object": "list", "data": [model(name, created, context)]}


def model(name: str, created: int, context: int) -> Json:
    """A model, and how many tokens its context has."""
    return {
        "id": name,
        "object": "model",
        "created": created,
        "owned_by": "paged_attention",
        "max_model_len": context,
    }


def _envelope(prefix: str, kind: str, model: str) -> Json:
    return {
        "id": f"{prefix}-{uuid.uuid4().hex}",
        "object": kind,
        "created": int(time.time()),
        "model": model,
    }


def _no_usage(request: CompletionRequest | ChatRequest) -> Json:
    """Who asked for a count finds ``null`` in every chunk but the last."""
    return {"usage": None} if request.include_usage else {}


def _log(logprob: float) -> float:
    return max(logprob, _LOWEST)
