"""Turn a GGUF file of a Llama with a byte-level BPE tokenizer into a folder in Hugging Face
layout.

GGUF keeps weights in small quantised groups and one file for everything. The folder holds the same
model as plain float32, exactly the numbers that the quantised ones stand for, so that loading is a
map from disk.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor

_LAYER_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_CONTROL_TOKEN = 3  # tokenizer.ggml.token_type of marks such as <|im_end|>


def convert(source: Path, folder: Path) -> None:
    """Write the model, its config, its tokenizer and its chat template into ``folder``."""
    reader = gguf.GGUFReader(source)
    if _field(reader, "general.architecture") != "llama":
        raise ValueError(
            f"{source} is a {_field(reader, 'general.architecture')} model, not a llama"
        )
    config = _config(reader)
    _write_json(folder / "config.json", config)
    _write_json(folder / "tokenizer_config.json", _tokenizer_config(reader))
    (folder / "chat_template.jinja").write_text(
        _field(reader, "tokenizer.chat_template"), encoding="utf-8"
    )
    _tokenizer(reader).save(str(folder / "tokenizer.json"))
    weights = folder / "model.safetensors"
    save_file(_weights(reader, config), weights, metadata={"format": "pt"})
    shutil.copymode(folder / "config.json", weights)  # a cache may be shared; it comes out private


def _field(reader: gguf.GGUFReader, key: str) -> Any:
    field = reader.get_field(key)
    if field is None:
        raise ValueError(f"the GGUF file has no {key!r}, so it can't be converted")
    return field.contents()


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _config(reader: gguf.GGUFReader) -> dict[str, Any]:
    """The model's shape, under the names of a Hugging Face config.json."""
    hidden, heads = (
        _field(reader, f"llama.{k}") for k in ("embedding_length", "attention.head_count")
    )
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": _field(reader, "llama.vocab_size"),
        "hidden_size": hidden,
        "intermediate_size": _field(reader, "llama.feed_forward_length"),
        "num_hidden_layers": _field(reader, "llama.block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": _field(reader, "llama.attention.head_count_kv"),
        "head_dim": hidden // heads,
        "hidden_act": "silu",
        "max_position_embeddings": _field(reader, "llama.context_length"),
        "rms_norm_eps": _field(reader, "llama.attention.layer_norm_rms_epsilon"),
        "rope_theta": _field(reader, "llama.rope.freq_base"),
        "tie_word_embeddings": all(tensor.name != "output.weight" for tensor in reader.tensors),
        "bos_token_id": _field(reader, "tokenizer.ggml.bos_token_id"),
        "eos_token_id": _field(reader, "tokenizer.ggml.eos_token_id"),
        "pad_token_id": _field(reader, "tokenizer.ggml.padding_token_id"),
        "dtype": "float32",
    }


def _tokenizer_config(reader: gguf.GGUFReader) -> dict[str, Any]:
    tokens = _field(reader, "tokenizer.ggml.tokens")
    marks = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        **{
            name: tokens[_field(reader, f"tokenizer.ggml.{key}_token_id")]
            for name, key in marks.items()
        },
    }


def _tokenizer(reader: gguf.GGUFReader) -> Tokenizer:
    """Byte-level BPE that takes every digit as a token of its own, as SmolLM was trained with."""
    kind = (_field(reader, "tokenizer.ggml.model"), _field(reader, "tokenizer.ggml.pre"))
    if kind != ("gpt2", "smollm"):
        raise ValueError(
            f"the GGUF file has tokenizer {kind}, only ('gpt2', 'smollm') is converted"
        )
    tokens = _field(reader, "tokenizer.ggml.tokens")
    merges = [tuple(merge.split(" ")) for merge in _field(reader, "tokenizer.ggml.merges")]
    backend = Tokenizer(
        models.BPE(vocab={token: index for index, token in enumerate(tokens)}, merges=merges)
    )
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    backend.decoder = decoders.ByteLevel()
    kinds = _field(reader, "tokenizer.ggml.token_type")
    backend.add_special_tokens(
        [
            AddedToken(token, special=True, normalized=False)
            for token, kind_of in zip(tokens, kinds, strict=True)
            if kind_of == _CONTROL_TOKEN
        ]
    )
    return backend


def _weights(reader: gguf.GGUFReader, config: dict[str, Any]) -> dict[str, Tensor]:
    """Every tensor under its Hugging Face name, as float32."""
    weights: dict[str, Tensor] = {}
    for stored in reader.tensors:
        values = gguf.dequantize(stored.data, stored.tensor_type).astype(np.float32)
        # GGUF lists the fastest axis first.
        tensor = torch.from_numpy(values.reshape([int(n) for n in reversed(stored.shape)]))
        if stored.name.endswith("attn_q.weight"):
            tensor = _halves_apart(tensor, config["num_attention_heads"])
        if stored.name.endswith("attn_k.weight"):
            tensor = _halves_apart(tensor, config["num_key_value_heads"])
        weights[_hf_name(stored.name)] = tensor.contiguous()
    return weights


def _halves_apart(weight: Tensor, heads: int) -> Tensor:
    """Undo GGUF's row order, which stores rotary pairs (i, i + D/2) of a head as neighbours."""
    pairs = weight.reshape(heads, -1, 2, weight.shape[1])  # [H, D/2, 2, hidden]
    return pairs.transpose(1, 2).reshape(weight.shape)  # [H * D, hidden]


def _hf_name(name: str) -> str:
    top = {
        "token_embd.weight": "model.embed_tokens.weight",
        "output_norm.weight": "model.norm.weight",
        "output.weight": "lm_head.weight",
    }
    if name in top:
        return top[name]
    parts = name.split(".")  # blk.<layer>.<kind>.weight
    if len(parts) != 4 or parts[0] != "blk" or parts[2] not in _LAYER_NAMES:
        raise ValueError(f"tensor {name!r} of the GGUF file has no place in a Llama")
    return f"model.layers.{parts[1]}.{_LAYER_NAMES[parts[2]]}.{parts[3]}"
