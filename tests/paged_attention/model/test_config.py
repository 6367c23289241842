"""A config.json is read whole or refused by the key that can't be honoured."""

from typing import Any

import pytest

from paged_attention.errors import PagedAttentionError
from paged_attention.model.config import Llama3Scaling, ModelConfig, UnsupportedModel

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "vocab_size": 49152,
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_theta": 100_000.0,
    "tie_word_embeddings": True,
}
QWEN3: dict[str, Any] = {
    "model_type": "qwen3",
    "vocab_size": 151936,
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "max_position_embeddings": 40960,
    "rms_norm_eps": 1e-6,
    "rope_theta": 1_000_000,
    "tie_word_embeddings": True,
    "sliding_window": None,
    "use_sliding_window": False,
    "layer_types": ["full_attention"] * 28,
    "rope_scaling": None,
}
LLAMA3 = {
    "factor": 32.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
    "rope_type": "llama3",
}


def test_smollm2() -> None:
    config = ModelConfig.from_hf(LLAMA)
    assert (config.layers, config.heads, config.kv_heads, config.head_dim) == (30, 9, 3, 64)
    assert (config.rope_theta, config.rope_scaling) == (100_000.0, None)
    assert config.tie_embeddings
    assert not config.qk_norm


def test_a_token_of_smollm2_takes_46080_bytes_of_cache() -> None:
    config = ModelConfig.from_hf(LLAMA)
    assert config.kv_bytes_per_token() == 46_080
    assert config.kv_bytes_per_token(2) == 23_040


def test_qwen3() -> None:
    config = ModelConfig.from_hf(QWEN3)
    assert config.qk_norm
    assert config.head_dim * config.heads == 2048  # not the hidden size


def test_old_llamas_have_as_many_kv_heads_as_heads() -> None:
    config = ModelConfig.from_hf(LLAMA | {"num_key_value_heads": None})
    assert config.kv_heads == config.heads


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_theta": 5e5, "rope_scaling": LLAMA3},
        {"rope_theta": None, "rope_parameters": LLAMA3 | {"rope_theta": 5e5}},
    ],
    ids=["rope_scaling", "rope_parameters"],
)
def test_llama3_scaling_is_read_from_old_and_new_configs(rope: dict[str, Any]) -> None:
    config = ModelConfig.from_hf(LLAMA | rope)
    assert config.rope_theta == 5e5
    assert config.rope_scaling == Llama3Scaling(32.0, 1.0, 4.0, 8192)


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (LLAMA | {"model_type": "mistral"}, "mistral"),
        (LLAMA | {"model_type": None}, "model_type"),
        (LLAMA | {"hidden_act": "gelu"}, "hidden_act"),
        (LLAMA | {"sliding_window": 4096}, "sliding_window"),
        (QWEN3 | {"use_sliding_window": True, "sliding_window": 4096}, "use_sliding_window"),
        (QWEN3 | {"layer_types": ["full_attention", "sliding_attention"]}, "layer_types"),
        (LLAMA | {"quantization_config": {"bits": 4}}, "quantization_config"),
        (LLAMA | {"partial_rotary_factor": 0.5}, "partial_rotary_factor"),
        (LLAMA | {"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor"),
        (LLAMA | {"rope_scaling": {"type": "linear", "factor": 2.0}}, "linear"),
        (LLAMA | {"rope_scaling": {"rope_type": "yarn", "factor": 2.0}}, "yarn"),
        (LLAMA | {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "low_freq_factor"),
        ({k: v for k, v in LLAMA.items() if k != "hidden_size"}, "hidden_size"),
        (LLAMA | {"compression_config": {}}, "compression_config"),
        (LLAMA | {"quantization": {"group_size": 64, "bits": 4}}, "quantization is set"),
        (LLAMA | {"transformers_weights": "other.safetensors"}, "transformers_weights"),
        (LLAMA | {"layer_types": "chunked_attention"}, "layer_types"),
        (LLAMA | {"rms_norm_eps": float("nan")}, "rms_norm_eps"),
        (LLAMA | {"rms_norm_eps": "1e-5"}, "rms_norm_eps"),
        (LLAMA | {"rms_norm_eps": -1e-5}, "rms_norm_eps"),
        (LLAMA | {"rms_norm_eps": True}, "rms_norm_eps"),
        (LLAMA | {"tie_word_embeddings": "false"}, "tie_word_embeddings"),
        (LLAMA | {"attention_bias": 1}, "attention_bias"),
        (LLAMA | {"mlp_bias": "no"}, "mlp_bias"),
        (LLAMA | {"num_attention_heads": 0}, "num_attention_heads"),
        (LLAMA | {"num_attention_heads": "9"}, "num_attention_heads"),
        (LLAMA | {"hidden_size": 576.0}, "hidden_size"),
        (LLAMA | {"head_dim": 64.0}, "head_dim"),
        (LLAMA | {"max_position_embeddings": "8192"}, "max_positions"),
        (LLAMA | {"vocab_size": True}, "vocab_size"),
        (LLAMA | {"vocab_size": 0}, "vocab_size"),
        (LLAMA | {"num_hidden_layers": "30"}, "layers"),
        (LLAMA | {"num_key_value_heads": 4}, "kv_heads"),
        (LLAMA | {"head_dim": 63}, "head_dim"),
        (LLAMA | {"hidden_size": 577}, "head_dim"),
    ],
)
def test_what_is_not_built_is_refused_by_its_key(raw: dict[str, Any], key: str) -> None:
    with pytest.raises(UnsupportedModel, match=key) as caught:
        ModelConfig.from_hf(raw)
    assert isinstance(caught.value, PagedAttentionError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("family", ["llama", "qwen3"])
def test_what_a_configuration_leaves_out_is_what_transformers_says(family: str) -> None:
    import transformers

    raw = {key: LLAMA[key] for key in ("vocab_size", "hidden_size", "intermediate_size")}
    raw |= {"model_type": family, "num_hidden_layers": 2, "num_attention_heads": 32}
    theirs = transformers.AutoConfig.for_model(**raw)
    ours = ModelConfig.from_hf(raw)
    assert ours.kv_heads == theirs.num_key_value_heads
    assert ours.head_dim == theirs.head_dim
    assert ours.max_positions == theirs.max_position_embeddings
    assert ours.rms_eps == theirs.rms_norm_eps
    assert ours.rope_theta == theirs.rope_parameters["rope_theta"]
    assert ours.tie_embeddings == theirs.tie_word_embeddings
    assert ours.attention_bias == theirs.attention_bias
