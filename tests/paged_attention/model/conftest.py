"""Tiny random checkpoints made by transformers, the oracle of every test in this folder."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported anywhere

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

SMALL = {
    "vocab_size": 211,
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "pad_token_id": None,
    "bos_token_id": None,
    "eos_token_id": None,
}
# Lengths of the test are far beyond the length that the model is said to be trained on.
LLAMA3_ROPE = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", {"head_dim": 8}),
    "llama-tied": ("Llama", {"head_dim": 8, "tie_word_embeddings": True}),
    "llama-wide-heads": ("Llama", {"head_dim": 16}),
    "llama-llama3-rope": ("Llama", {"head_dim": 16, "rope_parameters": LLAMA3_ROPE}),
    "llama-biases": ("Llama", {"head_dim": 8, "attention_bias": True, "mlp_bias": True}),
    "qwen3": ("Qwen3", {"head_dim": 16}),
    "qwen3-tied": ("Qwen3", {"head_dim": 8, "tie_word_embeddings": True, "rms_norm_eps": 1e-5}),
    "qwen3-one-kv-head": ("Qwen3", {"head_dim": 16, "num_key_value_heads": 1}),
}


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # tiny tensors: more threads only wait for each other


def make_oracle(variant: str) -> Any:
    """A transformers model whose every weight is random, norms and biases too."""
    import transformers

    family, changes = VARIANTS[variant]
    config = getattr(transformers, f"{family}Config")(**SMALL | changes)
    model = getattr(transformers, f"{family}ForCausalLM")(config).eval()
    generator = torch.Generator().manual_seed(len(variant))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.uniform_(0.5, 1.5, generator=generator)
            else:
                weight.normal_(0.0, 0.25, generator=generator)
    return model


@pytest.fixture(scope="session")
def oracle_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Any, Path]]:
    """``oracle_folder(variant)``: the transformers model and the folder it was saved to."""
    made: dict[str, tuple[Any, Path]] = {}

    def get(variant: str) -> tuple[Any, Path]:
        if variant not in made:
            folder = tmp_path_factory.mktemp(variant)
            model = make_oracle(variant)
            model.save_pretrained(folder)
            made[variant] = model, folder
        return made[variant]

    return get


@pytest.fixture
def oracle(request: pytest.FixtureRequest, oracle_folder: Any) -> tuple[Any, Path]:
    """One variant, by indirect parametrisation."""
    found: tuple[Any, Path] = oracle_folder(request.param)
    return found
