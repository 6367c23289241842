"""Every ``rope_…`` key is obeyed as ``transformers`` obeys it, or refused by name."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from paged_attention.model.config import ModelConfig, UnsupportedModel
from paged_attention.model.decoder import rope_frequencies
from paged_attention.model.rope_settings import Llama3Scaling

RAW: dict[str, Any] = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": 128,
}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}
OLD = {key: value for key, value in LLAMA3.items() if key != "rope_type"} | {"type": "llama3"}
NO_LENGTH = {k: v for k, v in LLAMA3.items() if k != "original_max_position_embeddings"}
FULL = {"full_attention": LLAMA3 | {"rope_theta": 1e6}}


def theirs(folder: Path, raw: dict[str, Any]) -> torch.Tensor:
    """The frequencies that transformers computes from a config.json."""
    import transformers

    (folder / "config.json").write_text(json.dumps(raw))
    config = transformers.AutoConfig.from_pretrained(folder)
    with torch.device("meta"):
        made = transformers.AutoModelForCausalLM.from_config(config)
    rotary = type(made.model.rotary_emb)(config)
    assert rotary.attention_scaling == 1
    frequencies: torch.Tensor = rotary.inv_freq
    return frequencies


OBEYED: list[dict[str, Any]] = [
    {},
    {"rope_theta": 5e5},
    {"rope_theta": 500_000},
    {"rope_scaling": None, "rope_parameters": None},
    {"rope_scaling": {}, "rope_theta": 3e4},
    {"rope_parameters": {"rope_type": "default", "rope_theta": 2e4}},
    {"rope_parameters": {"rope_theta": 2e4}},
    {"rope_parameters": {"rope_theta": 2e4, "rope_type": "default"}, "rope_theta": 2e4},
    {"rope_parameters": {"rope_type": "default"}, "rope_theta": 7e4},
    {"rope_parameters": LLAMA3 | {"rope_theta": 1e6}},
    {"rope_scaling": LLAMA3, "rope_theta": 5e5},
    {"rope_scaling": OLD, "rope_theta": 5e5},
    {"rope_scaling": LLAMA3 | {"type": "llama3"}},
    {"rope_scaling": LLAMA3 | {"rope_theta": 4e4}},
    {"rope_scaling": NO_LENGTH},
    {"rope_scaling": LLAMA3, "rope_parameters": LLAMA3},
    {"rope_scaling": LLAMA3 | {"factor": 1.0}},
    {"rope_scaling": {"type": "default", "factor": 1.0}},
    {"rope_scaling": LLAMA3 | {"high_freq_factor": 1.0}},
    {"rope_interleaved": False},
    {"rope_scaling": LLAMA3, "original_max_position_embeddings": 32},
]


@pytest.mark.parametrize("family", ["llama", "qwen3"])
@pytest.mark.parametrize("keys", OBEYED, ids=json.dumps)
def test_obeyed_as_in_transformers(tmp_path: Path, family: str, keys: dict[str, Any]) -> None:
    raw = RAW | {"model_type": family} | keys
    ours = rope_frequencies(ModelConfig.from_hf(raw))
    torch.testing.assert_close(ours, theirs(tmp_path, raw), rtol=1e-6, atol=0)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"rope_parameters": {"rope_theta": 1e6}, "rope_scaling": YARN}, "both rope_scaling"),
    ({"rope_parameters": {"rope_theta": 1e6}, "rope_scaling": LLAMA3}, "both rope_scaling"),
    ({"rope_parameters": LLAMA3, "rope_scaling": {"type": "default"}}, "both rope_scaling"),
    ({"rope_parameters": {"rope_theta": 1e6}, "rope_theta": 1e4}, "rope_theta is 10000.0"),
    ({"rope_scaling": LLAMA3 | {"rope_theta": 1e6}, "rope_theta": 1e4}, "one setting"),
    ({"rope_parameters": YARN}, "'yarn'"),
    ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "'linear'"),
    ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "'dynamic'"),
    ({"rope_scaling": {"rope_type": "longrope", "short_factor": [1], "factor": 1}}, "short_factor"),
    ({"rope_scaling": {"type": "mrope", "mrope_section": [1, 2]}}, "mrope_section"),
    ({"rope_scaling": {"rope_type": "proportional"}}, "'proportional'"),
    (
        {"rope_scaling": {"rope_type": "default", "type": "yarn"}},
        "type 'yarn'",
    ),
    ({"rope_scaling": {"rope_type": 3}}, "rope_type 3"),
    ({"rope_scaling": {"factor": 4.0}}, "factor 4.0"),
    ({"rope_scaling": {"rope_type": "default", "factor": 2.0}}, "factor 2.0"),
    ({"rope_scaling": {"attention_factor": 0.5}}, "attention_factor"),
    ({"rope_scaling": {"beta_fast": 32}}, "beta_fast"),
    ({"rope_scaling": LLAMA3 | {"mscale": 1.0}}, "mscale"),
    ({"rope_scaling": LLAMA3 | {"partial_rotary_factor": 0.5}}, "partial_rotary_factor"),
    ({"rope_parameters": {"partial_rotary_factor": 0.25, "rope_theta": 1e4}}, "partial_rotary"),
    ({"rope_parameters": FULL}, "full_attention"),
    ({"rope_parameters": FULL | {"sliding_attention": {"rope_theta": 1e4}}}, "full_attention"),
    ({"rope_scaling": {"sliding_attention": None, "full_attention": LLAMA3}}, "full_attention"),
    ({"rope_scaling": {"0": [1, 2]}}, "holds 0"),
    ({"rope_scaling": "yarn"}, "must be an object"),
    ({"rope_parameters": [LLAMA3]}, "must be an object"),
    ({"rope_scaling": 4}, "must be an object"),
    ({"rope_theta": "10000"}, "rope_theta is '10000'"),
    ({"rope_theta": 0}, "rope_theta is 0"),
    ({"rope_theta": -1e4}, "above 0"),
    ({"rope_theta": float("nan")}, "finite"),
    ({"rope_theta": True}, "must be a number"),
    ({"rope_parameters": {"rope_theta": float("inf")}}, "finite"),
    ({"rope_scaling": LLAMA3 | {"factor": 0}}, "factor is 0"),
    ({"rope_scaling": LLAMA3 | {"factor": "8"}}, "factor is '8'"),
    ({"rope_scaling": LLAMA3 | {"low_freq_factor": None}}, "no 'low_freq_factor'"),
    ({"rope_scaling": LLAMA3 | {"low_freq_factor": 8.0}}, "backwards"),
    ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "no 'low_freq_factor'"),
    ({"rope_scaling": LLAMA3, "original_max_position_embeddings": 64}, "remove one of them"),
    ({"partial_rotary_factor": 0.5}, "partial_rotary_factor is 0.5"),
    ({"rotary_pct": 0.25}, "rotary_pct"),
    ({"rope_local_base_freq": 1e4}, "rope_local_base_freq"),
    ({"rope_interleaved": True}, "rope_interleaved"),
    ({"rope_type": "yarn"}, "rope_type is 'yarn'"),
    ({"rope_ratio": 2}, "rope_ratio"),
]


@pytest.mark.parametrize("family", ["llama", "qwen3"])
@pytest.mark.parametrize(("keys", "said"), REFUSED, ids=[json.dumps(keys) for keys, _ in REFUSED])
def test_refused_by_name(family: str, keys: dict[str, Any], said: str) -> None:
    """vllm-project/vllm#10293, turboderp-org/exllamav2#642: a key added, and ignored."""
    with pytest.raises(UnsupportedModel, match=r"rope|rotary|factor|original") as caught:
        ModelConfig.from_hf(RAW | {"model_type": family} | keys)
    assert said in str(caught.value)


def test_a_length_that_only_stands_outside() -> None:
    keys = {"rope_scaling": NO_LENGTH, "original_max_position_embeddings": 16}
    config = ModelConfig.from_hf(RAW | {"model_type": "llama"} | keys)
    assert config.rope_scaling == Llama3Scaling(8.0, 1.0, 4.0, 16)
