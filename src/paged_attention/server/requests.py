"""A body of either protocol as a plain dataclass, or an ``ApiError`` that names the field.

A field that would change the answer and is not supported is refused rather than ignored, unless
its value asks for nothing. One that changes no answer (who the user is, where logs go) passes.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paged_attention.sampling import COLDEST, Sampling
from paged_attention.server.fields import Fields, check_text, kind_of
from paged_attention.server.messages import Message, checked_messages
from paged_attention.server.prompts import Prompt, checked_prompts

DEFAULT_TOKENS = 16  # of a completion; a chat may fill the context
MOST_STOPS, MOST_LOGPROBS, MOST_TOP_LOGPROBS = 4, 5, 20  # the third is a chat's
_HIGHEST = 2**31 - 1

_READ = {
    *("model", "max_tokens", "max_completion_tokens", "n", "temperature", "top_p", "top_k", "seed"),
    *("stop", "stream", "stream_options", "logprobs", "ignore_eos", "cache_salt"),
}
_READ_COMPLETION = {*_READ, "prompt", "echo", "best_of"}
_READ_CHAT = {*_READ, "messages", "top_logprobs"}
# They change no answer.
_PASSED = {
    *("user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key"),
    *("prompt_cache_retention", "request_id", "parallel_tool_calls"),
}
# Not supported; these values ask for nothing.
_NEUTRAL: dict[str, tuple[object, ...]] = {
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "repetition_penalty": (1,),
    "length_penalty": (1,),
    "logit_bias": ({},),
    "min_p": (0,),
    "min_tokens": (0,),
    "use_beam_search": (False,),
    "stop_token_ids": ([],),
    "bad_words": ([],),
    "skip_special_tokens": (True,),
    "spaces_between_special_tokens": (True,),
    "include_stop_str_in_output": (False,),
    "return_token_ids": (False,),
    "return_tokens_as_token_ids": (False,),
    "return_logprob": (False,),
    "response_format": ({"type": "text"},),
    "priority": (0,),
}
_NEUTRAL_COMPLETION = _NEUTRAL | {"suffix": ("",), "add_special_tokens": (True,)}
_NEUTRAL_CHAT = _NEUTRAL | {
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "modalities": (["text"],),
    "reasoning_effort": ("none",),
    "verbosity": ("medium",),
    "add_generation_prompt": (True,),
    "continue_final_message": (False,),
    "add_special_tokens": (False,),
    "echo": (False,),
    "best_of": (1,),
    "chat_template_kwargs": ({},),
    "documents": ([],),
}


@dataclass(frozen=True)
class Asked:
    """What both protocols can ask for. ``max_tokens``: ``None`` for the protocol's default.
    ``logprobs``: how many alternatives to show beside each token; ``None`` shows nothing.
    """

    model: str | None
    max_tokens: int | None
    n: int
    sampling: Sampling
    stop: tuple[str, ...]
    logprobs: int | None
    stream: bool
    include_usage: bool
    ignore_eos: bool
    salt: str | None

    @property
    def score_prompt(self) -> bool:
        """Whether the prompt's own tokens are shown with their likelihood."""
        return False


@dataclass(frozen=True)
class CompletionRequest(Asked):
    """``POST /v1/completions``: ``n`` answers to each of the prompts."""

    prompts: tuple[Prompt, ...]
    echo: bool

    @property
    def score_prompt(self) -> bool:
        """Whether the prompt's own tokens are shown with their likelihood."""
        return self.echo and self.logprobs is not None


@dataclass(frozen=True)
class ChatRequest(Asked):
    """``POST /v1/chat/completions``: messages as the chat template takes them."""

    messages: tuple[Message, ...]


def completion_request(content: Mapping[str, Any], most_n: int) -> CompletionRequest:
    """Read a completion; ``n`` may be up to ``most_n``."""
    fields = Fields(content)
    _refuse_unknown(fields, _READ_COMPLETION, _NEUTRAL_COMPLETION)
    echo = fields.flag("echo")
    prompts = checked_prompts(fields)
    asked = _asked(fields, most_n, fields.integer("logprobs", 0, MOST_LOGPROBS))
    best_of = fields.integer("best_of", 1, _HIGHEST)
    if best_of is not None and best_of != asked["n"]:
        raise fields.wrong("best_of", "other than 'n' is not supported", "unsupported_parameter")
    if asked["max_tokens"] == 0 and not echo:
        raise fields.wrong(_limit_name(fields), "may be 0 only together with 'echo'")
    return CompletionRequest(**asked, prompts=prompts, echo=echo)


def chat_request(content: Mapping[str, Any], most_n: int) -> ChatRequest:
    """Read a chat; ``n`` may be up to ``most_n``."""
    fields = Fields(content)
    _refuse_unknown(fields, _READ_CHAT, _NEUTRAL_CHAT)
    messages = checked_messages(fields)
    top = fields.integer("top_logprobs", 0, MOST_TOP_LOGPROBS)
    shown = fields.flag("logprobs")
    if top and not shown:
        raise fields.wrong("top_logprobs", "needs 'logprobs': true")
    asked = _asked(fields, most_n, (top or 0) if shown else None)
    if asked["max_tokens"] == 0:
        raise fields.wrong(_limit_name(fields), "must be at least 1: a chat is asked for an answer")
    return ChatRequest(**asked, messages=messages)


def _refuse_unknown(
    fields: Fields, read: set[str], neutral: Mapping[str, tuple[object, ...]]
) -> None:
    for name, value in fields.content.items():
        if name in neutral:
            fields.neutral(name, neutral[name])
        elif value is not None and name not in read and name not in _PASSED:
            check_text(name, None)
            raise fields.wrong(name, "is no field of this request", "unknown_parameter")


def _asked(fields: Fields, most_n: int, logprobs: int | None) -> dict[str, Any]:
    """What ``Asked`` is made of."""
    older = fields.integer("max_tokens", 0, _HIGHEST)
    newer = fields.integer("max_completion_tokens", 0, _HIGHEST)
    n = fields.integer("n", 1, most_n)
    stream = fields.flag("stream")
    return {
        "model": fields.text("model"),
        "max_tokens": older if newer is None else newer,
        "n": 1 if n is None else n,
        "sampling": _sampling(fields),
        "stop": _stops(fields),
        "logprobs": logprobs,
        "stream": stream,
        "include_usage": _include_usage(fields, stream),
        "ignore_eos": fields.flag("ignore_eos"),
        "salt": fields.text("cache_salt"),
    }


def _limit_name(fields: Fields) -> str:
    """The field that limits the answer: the newer one if both are there."""
    newer = fields.get("max_completion_tokens")
    return "max_tokens" if newer is None else "max_completion_tokens"


def _sampling(fields: Fields) -> Sampling:
    temperature = fields.number("temperature", 0, 2)
    temperature = 1.0 if temperature is None else temperature
    top_k = fields.integer("top_k", -1, _HIGHEST)
    seed = fields.integer("seed", -(2**63), 2**63 - 1)
    return Sampling(
        temperature=0.0 if temperature < COLDEST else temperature,
        top_k=None if top_k in (None, -1, 0) else top_k,
        top_p=fields.number("top_p", 0, 1, above=True),
        seed=secrets.randbits(63) if seed is None else seed % 2**63,
    )


def _stops(fields: Fields) -> tuple[str, ...]:
    value = fields.get("stop")
    if value is None:
        return ()
    stops = [value] if isinstance(value, str) else value
    if not isinstance(stops, list) or not all(isinstance(one, str) for one in stops):
        raise fields.wrong("stop", "must be a string or an array of strings")
    if len(stops) > MOST_STOPS:
        raise fields.wrong("stop", f"may hold up to {MOST_STOPS} strings, got {len(stops)}")
    if not all(stops):
        raise fields.wrong("stop", "holds an empty string, at which every text would end at once")
    for one in stops:
        check_text(one, "stop")
    return tuple(stops)


def _include_usage(fields: Fields, stream: bool) -> bool:
    value = fields.get("stream_options")
    if value is None:
        return False
    if not isinstance(value, dict):
        raise fields.wrong("stream_options", f"must be an object, not {kind_of(value)}")
    if not stream:
        raise fields.wrong("stream_options", "is for streams: set 'stream': true, or leave it out")
    options = Fields(value, "stream_options.")
    known = {"include_usage", "continuous_usage_stats", "include_obfuscation"}
    for name in value:
        if name not in known and value[name] is not None:
            raise options.wrong(name, "is no option of a stream", "unknown_parameter")
    for name in known:  # usage comes once, at the end, whatever the other two say
        options.flag(name)
    return options.flag("include_usage")
