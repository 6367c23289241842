"""A chat as the text a model was trained on: Jinja templates, run as ``transformers`` runs them.

A template is code that came with somebody's checkpoint, so it runs in a sandbox. It sees
``messages``, ``tools``, ``documents``, ``add_generation_prompt`` and the special tokens by name;
the tags ``break``, ``continue`` and ``generation``; the filter ``tojson`` with its options; and the
functions ``raise_exception`` and ``strftime_now``.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NoReturn

import jinja2
import jinja2.ext
from jinja2.nodes import Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

Message = Mapping[str, Any]
ChatTemplate = str | Mapping[str, str]  # one, or several by name
_REASONING = ("reasoning_content", "thinking", "reasoning")  # names of one thing


def render(
    template: ChatTemplate,
    messages: Sequence[Message],
    special: Mapping[str, str],
    variables: Mapping[str, Any],
) -> str:
    """The text of ``messages``; ``variables`` go before special tokens of the same name.

    ``ValueError`` says whether the template is broken or refuses these messages.
    """
    if not messages:
        raise ValueError("a chat holds at least one message")
    source = _chosen(template, variables)
    try:
        compiled = _environment().from_string(source)
    except jinja2.TemplateSyntaxError as error:
        raise ValueError(
            f"the model's chat template can't render any messages, its line {error.lineno} is no "
            f"Jinja: {error.message}; encode a plain prompt, or mend the template"
        ) from error
    given: dict[str, Any] = {"tools": None, "documents": None, "add_generation_prompt": True}
    given |= {**special, **variables, "messages": [_plain(message) for message in messages]}
    try:
        return compiled.render(given)
    except Exception as error:  # a template may raise whatever Python raises
        raise ValueError(
            f"the model's chat template can't render these messages: {error}"
        ) from error


def _chosen(template: ChatTemplate, variables: Mapping[str, Any]) -> str:
    """Of several templates, the one for tools where there are tools, else the default."""
    if isinstance(template, str):
        return template
    if variables.get("tools") is not None and "tool_use" in template:
        return template["tool_use"]
    if "default" not in template:
        raise ValueError(
            f"this tokenizer has chat templates named {sorted(template)} and none named 'default': "
            "set chat_template to one of them"
        )
    return template["default"]


def _plain(message: Message) -> dict[str, Any]:
    """A message without keys that are None, with its reasoning under the names templates read."""
    plain = {key: value for key, value in message.items() if value is not None}
    reasoning = next((plain[name] for name in _REASONING if name in plain), None)
    if reasoning is not None:
        plain = {"thinking": reasoning, **plain, "reasoning_content": reasoning}
    return plain


def _environment() -> ImmutableSandboxedEnvironment:
    sandbox = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[_GenerationTag, jinja2.ext.loopcontrols],
    )
    sandbox.filters["tojson"] = _to_json
    sandbox.globals["raise_exception"] = _refuse
    sandbox.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return sandbox


class _GenerationTag(jinja2.ext.Extension):
    """``{% generation %}``: marks what the model wrote, for training. Here it stands for its
    contents.
    """

    tags = frozenset({"generation"})  # type: ignore[assignment]

    def parse(self, parser: Parser) -> list[Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as it is; Jinja's own filter would write it for HTML."""
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _refuse(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)
