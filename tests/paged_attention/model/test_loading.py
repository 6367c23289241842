"""``load_model``: the real model, a folder, or the tiny one with a word about it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from paged_attention.cache import PagedKVCache
from paged_attention.generate import generate
from paged_attention.model import load_model, tiny_model
from paged_attention.model.checkpoint import CheckpointError
from paged_attention.model.tiny import tiny_tokenizer


def test_without_the_download_the_tiny_model_stands_in_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path / "nothing here"))
    model = load_model()
    printed = capsys.readouterr().out
    assert model.name == "tiny random model"
    assert printed.count("\n") == 1
    assert "python -m paged_attention model" in printed
    assert not (tmp_path / "nothing here").exists()


def test_a_folder_is_loaded_and_named(oracle_folder: Any, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(oracle_folder("llama")[1], tmp_path / "my-llama"))
    with pytest.raises(CheckpointError, match=r"tokenizer\.json is missing"):
        load_model(folder)
    tiny_tokenizer().backend.save(str(folder / "tokenizer.json"))
    with pytest.raises(CheckpointError, match=r"knows 25\d tokens, the model only 211"):
        load_model(str(folder))
    with pytest.raises(CheckpointError, match="not a folder"):
        load_model(folder / "config.json")


@pytest.mark.parametrize("more", [1, 2, 7])
def test_added_tokens_beyond_the_model_s_rows_are_no_other_model(tmp_path: Path, more: int) -> None:
    """meta-llama/llama-cookbook#196: a pad token more than the model has rows."""
    folder = save_tiny(tmp_path)
    backend = tiny_tokenizer().backend
    backend.add_special_tokens([f"[PAD{i}]" for i in range(more)])
    backend.save(str(folder / "tokenizer.json"))
    model = load_model(folder)
    assert model.tokenizer.vocab_size == model.config.vocab_size + more
    cache = PagedKVCache(model.config.layers, 8, 4, model.config.kv_heads, model.config.head_dim)
    assert generate(model.decoder, cache, [model.tokenizer.encode("a")], 2)
    with pytest.raises(ValueError, match=str(model.config.vocab_size)):
        generate(model.decoder, cache, [model.tokenizer.encode("a[PAD0]")], 2)


def save_tiny(folder: Path) -> Path:
    """The tiny model as a checkpoint."""
    from safetensors.torch import save_file

    tiny = tiny_model()
    config = tiny.config
    raw = {
        "model_type": "llama",
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_dim,
        "max_position_embeddings": config.max_positions,
        "eos_token_id": 2,
    }
    (folder / "config.json").write_text(json.dumps(raw))
    names = {n: n if n == "lm_head.weight" else f"model.{n}" for n in tiny.decoder.state_dict()}
    weights = {names[n]: w for n, w in tiny.decoder.state_dict().items()}
    save_file(weights, folder / "model.safetensors")
    tiny.tokenizer.backend.save(str(folder / "tokenizer.json"))
    return folder


def test_the_tiny_model_saved_and_loaded_is_the_same(tmp_path: Path) -> None:
    tiny = tiny_model()
    model = load_model(save_tiny(tmp_path))
    assert model.config == tiny.config
    assert model.name == tmp_path.name
    assert model.tokenizer.eos_ids == tiny.tokenizer.eos_ids
    assert all(
        torch.equal(weight, tiny.decoder.state_dict()[name])
        for name, weight in model.decoder.state_dict().items()
    )


def test_one_seed_is_one_tiny_model_and_torch_s_own_generator_is_left_alone() -> None:
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    first = tiny_model().decoder.state_dict()
    assert torch.equal(before, torch.random.get_rng_state())
    again, other = tiny_model().decoder.state_dict(), tiny_model(seed=1).decoder.state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["embed_tokens.weight"], other["embed_tokens.weight"])


def test_a_model_introduces_itself_in_one_line() -> None:
    assert repr(tiny_model()) == "Model('tiny random model', 370,080 weights)"


def test_the_tiny_model_has_a_kibibyte_a_token() -> None:
    assert tiny_model().config.kv_bytes_per_token() == 1024


def test_a_decoder_whose_weights_come_later_loads_no_compiler() -> None:
    """PyTorch's brings sympy and 890 modules more: 80 MB for each kernel of a class."""
    code = """
import sys, torch
from paged_attention.model.decoder import Decoder
from paged_attention.model.tiny import tiny_config
with torch.device("meta"):
    Decoder(tiny_config())
sys.exit(" ".join({"sympy", "torch._dynamo", "torch._inductor"} & set(sys.modules)) or None)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
