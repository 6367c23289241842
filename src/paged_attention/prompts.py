"""What a loop over the model was asked for, checked before anything is created or run."""

from collections.abc import Collection, Sequence
from operator import index
from typing import Any

from paged_attention.model.config import ModelConfig


def checked_prompt(
    config: ModelConfig, prompt: Sequence[int], max_new_tokens: int, who: str
) -> list[int]:
    """``prompt`` as a list of ids that the model knows and has room for, or raise naming ``who``.

    An array or a tensor of one dimension will do. The last new token is never run, so the model
    must be as long as prompt and new tokens less one.
    """
    tokens = [_token(token, who) for token in as_list(prompt, f"the prompt of {who}")]
    if not tokens:
        raise ValueError(f"{who} has an empty prompt: there is no token to run")
    for token in tokens:
        if not 0 <= token < config.vocab_size:
            raise ValueError(
                f"{who} holds token {token}, the model knows 0 to {config.vocab_size - 1}: was it "
                "encoded with this model's tokenizer?"
            )
    if len(tokens) + max_new_tokens - 1 > config.max_positions:
        raise ValueError(
            f"{who} may reach {len(tokens)} + {max_new_tokens} tokens, and the model was trained "
            f"on {config.max_positions} at most (the last new one is not run): shorten the prompt "
            "or ask for fewer"
        )
    return tokens


def checked_prompts(
    config: ModelConfig, prompts: Sequence[Sequence[int]], max_new_tokens: int
) -> list[list[int]]:
    """``checked_prompt`` for each request; an array of two dimensions is a list of rows."""
    rows = as_list(prompts, "prompts")
    return [
        checked_prompt(config, prompt, max_new_tokens, f"request {number}")
        for number, prompt in enumerate(rows)
    ]


def checked_eos_ids(eos_ids: Collection[int]) -> frozenset[int]:
    """The ids that end a text, as a set."""
    return frozenset(_token(token, "eos_ids") for token in as_list(eos_ids, "eos_ids"))


def checked_count(name: str, value: int) -> int:
    """``value`` if it is a whole number of at least 1."""
    try:
        count = index(value)
    except TypeError as error:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from error
    if count < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
    return count


def as_list(items: Any, what: str) -> list[Any]:
    """The items as a list; arrays and tensors become Python numbers."""
    if isinstance(items, (str, bytes)):
        raise TypeError(f"{what} must be token ids, got text: encode it first")
    if hasattr(items, "tolist"):
        items = items.tolist()
    try:
        return list(items)
    except TypeError as error:
        raise TypeError(
            f"{what} must be a list, got {items!r} alone; put it in brackets"
        ) from error


def _token(token: Any, who: str) -> int:
    try:
        return index(token)
    except TypeError as error:
        raise TypeError(f"{who} holds {token!r} where a token id should be") from error
