"""Chat templates render what ``transformers`` renders, or are refused in words."""

import json
from pathlib import Path
from typing import Any

import pytest

from paged_attention.model.checkpoint import CheckpointError
from paged_attention.model.tiny import tiny_tokenizer
from paged_attention.model.tokenizer import Tokenizer

transformers = pytest.importorskip("transformers")
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be <b>brief</b> & kind."},
    {"role": "user", "content": "Grüße, 你好"},
    {"role": "assistant", "content": None, "tool_calls": [{"name": "look", "arguments": {"x": 1}}]},
    {"role": "user", "content": "so?", "reasoning": "hm"},
]
SETTINGS: dict[str, Any] = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": "<|im_start|>",
    "eos_token": {"content": "<|im_end|>", "__type": "AddedToken", "special": True},
    "unk_token": "<|endoftext|>",
    "image_token": "<|im_start|>",
    "add_bos_token": False,
    "mask_token": None,
    "extra_special_tokens": {"audio_token": "<|im_end|>"},
}


def both(folder: Path, template: Any = None, **settings: Any) -> tuple[Tokenizer, Any]:
    """Ours and theirs, from one folder."""
    tiny_tokenizer().backend.save(str(folder / "tokenizer.json"))
    written = SETTINGS | settings | ({} if template is None else {"chat_template": template})
    (folder / "tokenizer_config.json").write_text(json.dumps(written))
    return Tokenizer.from_folder(folder), transformers.AutoTokenizer.from_pretrained(folder)


def rendered(theirs: Any, **more: Any) -> str:
    text: str = theirs.apply_chat_template(
        CHAT, tokenize=False, add_generation_prompt=more.pop("add_generation_prompt", True), **more
    )
    return text


TEMPLATES = [
    "{% for m in messages %}{{ m['role'] }}: {{ m.get('content') }}\n{% endfor %}",
    "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
    "{% for m in messages %}{% if loop.index > 1 %}{% break %}{% endif %}{{ m.role }}{% endfor %}",
    "{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{{ m.role }}{% endfor %}",
    "{{ messages | tojson }}",
    "{{ messages[0] | tojson(indent=2) }}",
    "{{ messages[1] | tojson(ensure_ascii=True, separators=(',', ':'), sort_keys=True) }}",
    "{{ messages[2].tool_calls[0].arguments | tojson(4) }}",
    "{{ bos_token }}{{ eos_token }}{{ unk_token }}{{ image_token }}{{ audio_token }}",
    "{{ pad_token is defined }}{{ mask_token is defined }}{{ add_bos_token is defined }}",
    "{{ tools is defined }}{{ tools is none }}{{ documents is none }}{{ add_generation_prompt }}",
    "{{ strftime_now('%Y') }}{{ strftime_now is defined }}",
    "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}"
    "{{ ns.n }}",
    "  {% if true %}\n  kept\n  {% endif %}\n  {%- if true %}\n tight\n{%- endif -%}\n end",
    "{% macro line(m) %}[{{ m.role | upper }}]{% endmacro %}{{ line(messages[0]) }}",
    "{{ messages[3].reasoning_content }}{{ messages[3].thinking }}{{ 'content' in messages[2] }}",
    "{{ messages[0].content }}{{ messages | length }}{{ dict(a=1).a }}{{ range(3) | list }}",
    "{{ (messages | selectattr('role', 'equalto', 'user') | list | last).content | trim }}",
    "{{ messages[0]['content'].split(' ')[0] }}{{ messages[0].content.startswith('Be') }}",
    "{{ nothing }}{{ messages[0].nothing }}",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_renders_as_in_transformers(tmp_path: Path, template: str) -> None:
    """abetlen/llama-cpp-python#2082, #2018, mitsuhiko/minijinja#546 and others."""
    ours, theirs = both(tmp_path, template)
    assert ours.render_chat(CHAT) == rendered(theirs)


@pytest.mark.parametrize(
    "variables",
    [
        {"enable_thinking": False},
        {"add_generation_prompt": False},
        {"tools": [{"type": "function", "function": {"name": "look"}}]},
        {"documents": [{"title": "a", "text": "b"}]},
        {"date_string": "1 Jan", "bos_token": "mine"},
    ],
    ids=str,
)
def test_variables_reach_the_template(tmp_path: Path, variables: dict[str, Any]) -> None:
    template = (
        "{{ bos_token }}{{ tools | tojson }}{{ documents | tojson }}{{ date_string }}"
        "{{ add_generation_prompt }}{% if enable_thinking is defined %}{{ enable_thinking }}"
        "{% endif %}"
    )
    ours, theirs = both(tmp_path, template)
    assert ours.render_chat(CHAT, **variables) == rendered(theirs, **variables)
    assert ours.encode_chat(CHAT, **variables) == ours.encode(ours.render_chat(CHAT, **variables))


def test_several_templates_by_name(tmp_path: Path) -> None:
    named = [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools"}]
    tools = [{"type": "function", "function": {"name": "look"}}]
    ours, theirs = both(tmp_path, named)
    for variables in ({}, {"tools": tools}):
        assert ours.render_chat(CHAT, **variables) == rendered(theirs, **variables)
    (tmp_path / "chat_template.jinja").write_text("own file")
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "tool_use.jinja").write_text("tools of a file")
    ours, theirs = both(tmp_path, named)
    for variables in ({}, {"tools": tools}):
        assert ours.render_chat(CHAT, **variables) == rendered(theirs, **variables)


def test_templates_without_a_default_are_named(tmp_path: Path) -> None:
    ours, _ = both(tmp_path, {"rag": "x", "tool_use": "y"})
    with pytest.raises(ValueError, match=r"named \['rag', 'tool_use'\] and none named 'default'"):
        ours.render_chat(CHAT)


@pytest.mark.parametrize("stored", [5, ["x"], [{"name": "default"}], {"default": 1}], ids=str)
def test_what_is_no_template_is_refused(tmp_path: Path, stored: Any) -> None:
    tiny_tokenizer().backend.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": stored}))
    with pytest.raises(CheckpointError, match=r"chat_template in tokenizer_config\.json"):
        Tokenizer.from_folder(tmp_path)


@pytest.mark.parametrize(
    ("template", "fragment"),
    [
        ("one\n{% for %}", "its line 2 is no Jinja"),
        ("{% unknown %}", "its line 1 is no Jinja"),
        ("{{ messages | nofilter }}", "no Jinja"),
        ("{{ 1 / 0 }}", "can't render these messages: division by zero"),
        ("{{ messages[0] | tojson(colour=1) }}", "unexpected keyword"),
        ("{{ messages[0].content + 1 }}", "can't render these messages"),
        ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "unsafe"),
    ],
)
def test_the_template_or_the_messages_are_blamed(template: str, fragment: str) -> None:
    tokenizer = Tokenizer(tiny_tokenizer().backend, chat_template=template)
    with pytest.raises(ValueError, match=fragment):
        tokenizer.render_chat(CHAT)


def test_a_chat_without_messages_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one message"):
        tiny_tokenizer().render_chat([])


@pytest.mark.parametrize("token", [7, ["<s>"], {"text": "<s>"}], ids=str)
def test_a_special_token_that_is_no_text_is_refused(tmp_path: Path, token: Any) -> None:
    tiny_tokenizer().backend.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": token}))
    with pytest.raises(CheckpointError, match="eos_token in the tokenizer's settings is"):
        Tokenizer.from_folder(tmp_path)


def test_marks_of_an_older_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "special_tokens_map.json").write_text(
        json.dumps({"bos_token": {"content": "<|endoftext|>"}, "cls_token": "<|im_end|>"})
    )
    ours, theirs = both(tmp_path, "{{ bos_token }}{{ eos_token }}{{ cls_token }}")
    assert ours.render_chat(CHAT) == rendered(theirs) == "<|endoftext|><|im_end|><|im_end|>"


@pytest.mark.parametrize("where", ["added_tokens_decoder", "added_tokens.json"])
def test_tokens_added_beside_the_tokenizer(tmp_path: Path, where: str) -> None:
    """meta-llama/llama-cookbook#196: a pad token more."""
    number = tiny_tokenizer().vocab_size
    if where == "added_tokens.json":
        (tmp_path / where).write_text(json.dumps({"[PAD]": number}))
        ours, theirs = both(tmp_path, pad_token="[PAD]")
    else:
        added = {str(number): {"content": "[PAD]", "special": True}}
        ours, theirs = both(tmp_path, added_tokens_decoder=added, pad_token="[PAD]")
    assert ours.encode("a[PAD]") == theirs.encode("a[PAD]")
    assert ours.vocab_size == number + 1


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ({"0": {"content": "[PAD]"}}, "number 0 in the settings"),
        ({"7": {"content": "<|im_end|>"}}, "but 2 in tokenizer.json"),
        ({"x": {"content": "[PAD]"}}, "can't be read"),
        ({"260": {"text": "[PAD]"}}, "can't be read"),
        ([1], "can't be read"),
    ],
    ids=str,
)
def test_added_tokens_that_can_not_be_are_refused(tmp_path: Path, added: Any, said: str) -> None:
    tiny_tokenizer().backend.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added}))
    with pytest.raises(CheckpointError, match=said):
        Tokenizer.from_folder(tmp_path)
