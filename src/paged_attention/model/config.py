"""What a decoder must know about itself, read from the ``config.json`` of a Hugging Face
checkpoint.

Two families are understood: Llama (with or without Llama 3's stretched rotary positions) and
Qwen3. A checkpoint that asks for anything else is refused by the key that asks for it: a model
that runs with a setting ignored still writes fluent text, and nobody notices that it is the wrong
text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paged_attention.model.rope_settings import Llama3Scaling, rope_settings
from paged_attention.model.settings import UnsupportedModel, flag, number, optional, required

__all__ = ["Llama3Scaling", "ModelConfig", "UnsupportedModel"]


# What a configuration means that does not say it.
_MAX_POSITIONS = {"llama": 2048, "qwen3": 32_768}


@dataclass(frozen=True)
class ModelConfig:
    """Sizes and switches of a decoder; ``heads`` query heads share ``kv_heads`` KV heads."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    max_positions: int
    rms_eps: float = 1e-6
    rope_theta: float = 10_000.0
    rope_scaling: Llama3Scaling | None = None
    tie_embeddings: bool = False
    qk_norm: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "hidden_size", "intermediate_size", "layers", "heads", "kv_heads")
        for name in (*sizes, "head_dim", "max_positions"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise UnsupportedModel(f"{name} must be a positive integer, got {value!r}")
        if self.heads % self.kv_heads:
            raise UnsupportedModel(
                f"{self.heads} query heads can't share {self.kv_heads} KV heads evenly: "
                "heads must be a multiple of kv_heads"
            )
        if self.head_dim % 2:
            raise UnsupportedModel(
                f"head_dim {self.head_dim} is odd: rotary positions turn pairs of numbers"
            )

    def kv_bytes_per_token(self, bytes_per_number: int = 4) -> int:
        """Bytes of keys and values that one token leaves in the cache, over all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dim * bytes_per_number

    @classmethod
    def from_hf(cls, raw: Mapping[str, Any]) -> "ModelConfig":
        """Read a Llama's or Qwen3's parsed ``config.json``; refuses what it can't honour."""
        family = raw.get("model_type")
        if family not in ("llama", "qwen3"):
            raise UnsupportedModel(
                f"model_type is {family!r}: this decoder runs 'llama' and 'qwen3' checkpoints"
            )
        _refuse_unsupported(raw)
        heads = required(raw, "num_attention_heads")
        hidden = required(raw, "hidden_size")
        max_positions = optional(raw, "max_position_embeddings", _MAX_POSITIONS[family])
        theta, scaling = rope_settings(raw, max_positions)
        return cls(
            vocab_size=required(raw, "vocab_size"),
            hidden_size=hidden,
            intermediate_size=required(raw, "intermediate_size"),
            layers=required(raw, "num_hidden_layers"),
            heads=heads,
            kv_heads=_kv_heads(raw, family, heads),
            head_dim=_head_dim(raw, family, hidden, heads),
            max_positions=max_positions,
            rms_eps=number(raw, "rms_norm_eps", 1e-6),
            rope_theta=theta,
            rope_scaling=scaling,
            tie_embeddings=flag(raw, "tie_word_embeddings"),
            qk_norm=family == "qwen3",
            attention_bias=flag(raw, "attention_bias"),
            mlp_bias=family == "llama" and flag(raw, "mlp_bias"),
        )


def _kv_heads(raw: Mapping[str, Any], family: str, heads: int) -> Any:
    """Qwen3's configuration leaves its usual number out; ``null`` is as many as query heads."""
    if family == "qwen3" and "num_key_value_heads" not in raw:
        return 32
    return optional(raw, "num_key_value_heads", heads)


def _head_dim(raw: Mapping[str, Any], family: str, hidden: Any, heads: Any) -> Any:
    if raw.get("head_dim") is not None:
        return raw["head_dim"]
    if family == "qwen3":
        return 128
    for name, value in (("hidden_size", hidden), ("num_attention_heads", heads)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise UnsupportedModel(f"{name} must be a positive integer, got {value!r}")
    if hidden % heads:
        raise UnsupportedModel(
            f"config.json has no 'head_dim', and hidden_size {hidden} is no multiple of "
            f"num_attention_heads {heads}"
        )
    return hidden // heads


def _refuse_unsupported(raw: Mapping[str, Any]) -> None:
    """Raise on the first key that asks for a feature this decoder would silently ignore."""
    if (act := optional(raw, "hidden_act", "silu")) not in ("silu", "swish"):
        raise UnsupportedModel(f"hidden_act is {act!r}: only 'silu' (SwiGLU) is built")
    if raw.get("use_sliding_window") or (
        raw.get("sliding_window") is not None and "use_sliding_window" not in raw
    ):
        raise UnsupportedModel(
            f"use_sliding_window with sliding_window {raw.get('sliding_window')!r}: every layer of "
            "this decoder looks at the whole history"
        )
    kinds = optional(raw, "layer_types", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind != "full_attention":
            raise UnsupportedModel(f"layer_types holds {kind!r}: only 'full_attention' is built")
    for key in ("quantization_config", "compression_config", "quantization"):
        if raw.get(key) is not None:
            raise UnsupportedModel(
                f"{key} is set: quantised weights can't be read; use a checkpoint in float32, "
                "float16 or bfloat16"
            )
    if raw.get("transformers_weights") is not None:
        raise UnsupportedModel(
            f"transformers_weights names {raw['transformers_weights']!r}: weights are read from "
            "model.safetensors or its index only"
        )
