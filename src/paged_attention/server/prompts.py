"""What a completion begins with: a text, texts, token ids, or lists of them."""

from paged_attention.server.fields import Fields, check_text, kind_of

Prompt = str | tuple[int, ...]  # text, or token ids
_HIGHEST = 2**31 - 1


def checked_prompts(fields: Fields) -> tuple[Prompt, ...]:
    """The field ``prompt`` as several, or an ``ApiError``: one text or one list of ids is one."""
    value = fields.get("prompt")
    if value is None:
        raise fields.wrong("prompt", "is missing")
    several = isinstance(value, list) and (not value or isinstance(value[0], str | list))
    prompts = [_prompt(fields, one) for one in (value if several else [value])]
    if not prompts:
        raise fields.wrong("prompt", "is an empty array: there is nothing to answer")
    if len({type(one) for one in prompts}) > 1:
        raise fields.wrong("prompt", "mixes strings and arrays of token ids")
    return tuple(prompts)


def _prompt(fields: Fields, value: object) -> Prompt:
    if not value and isinstance(value, str | list):
        raise fields.wrong("prompt", "is empty: there is no token to begin with")
    if isinstance(value, str):
        check_text(value, "prompt")
        return value
    if isinstance(value, list):
        for token in value:
            if type(token) is not int:
                raise fields.wrong("prompt", f"holds {kind_of(token)} among its token ids")
            if not 0 <= token <= _HIGHEST:
                raise fields.wrong("prompt", "holds a token id that is no index of a vocabulary")
        return tuple(value)
    raise fields.wrong("prompt", "must be a string, strings, token ids, or arrays of token ids")
