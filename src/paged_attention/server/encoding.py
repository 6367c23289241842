"""What is asked for as token ids that the model knows, and as text where it is to be echoed."""

from collections.abc import Sequence
from typing import NamedTuple

from paged_attention.model import Model
from paged_attention.server.errors import ApiError
from paged_attention.server.prompts import Prompt
from paged_attention.server.requests import ChatRequest, CompletionRequest


class Encoded(NamedTuple):
    """A prompt. ``echo``: its text, if it is to be said again; ``offsets``: where in it each token
    begins, if they are to be shown.
    """

    tokens: tuple[int, ...]
    echo: str = ""
    offsets: Sequence[int] = ()


def encoded(model: Model, asked: CompletionRequest | ChatRequest) -> list[Encoded]:
    """Each prompt of ``asked``, or an ``ApiError``. Takes a while for long texts."""
    if isinstance(asked, CompletionRequest):
        return [_completion(model, asked, prompt) for prompt in asked.prompts]
    try:
        tokens = model.tokenizer.encode_chat(asked.messages)
    except ValueError as error:  # the template's own words
        raise ApiError(str(error), param="messages") from error
    return [Encoded(_known(model, tokens, "messages"))]


def _completion(model: Model, asked: CompletionRequest, prompt: Prompt) -> Encoded:
    tokenizer = model.tokenizer
    ids = tokenizer.encode(prompt) if isinstance(prompt, str) else prompt
    tokens = _known(model, ids, "prompt")
    if not asked.echo:
        return Encoded(tokens)
    if isinstance(prompt, str):
        places = tokenizer.backend.encode(prompt).offsets if asked.score_prompt else []
        return Encoded(tokens, prompt, [begin for begin, _ in places])
    stream, said, offsets = tokenizer.stream(), "", []
    for token in tokens:
        offsets.append(len(said))
        said += stream.push(token)
    return Encoded(tokens, said + stream.finish(), offsets)


def _known(model: Model, tokens: Sequence[int], param: str) -> tuple[int, ...]:
    vocab = model.config.vocab_size
    if not tokens:
        raise ApiError(f"'{param}' is empty: there is no token to begin with", param=param)
    if max(tokens) >= vocab:
        raise ApiError(
            f"'{param}' holds token {max(tokens)}, and this model knows 0 to {vocab - 1}",
            param=param,
        )
    return tuple(tokens)
