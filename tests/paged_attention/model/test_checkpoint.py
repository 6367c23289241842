"""A checkpoint loads whole, or the file or tensor that is wrong is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from paged_attention.model.checkpoint import CheckpointError, load_decoder

UP = "model.layers.1.mlp.up_proj.weight"


@pytest.fixture
def folder(oracle_folder: Any, tmp_path: Path) -> Path:
    """A checkpoint with untied embeddings that the test may spoil."""
    return Path(shutil.copytree(oracle_folder("llama")[1], tmp_path / "copy"))


@pytest.fixture
def tied(oracle_folder: Any, tmp_path: Path) -> Path:
    return Path(shutil.copytree(oracle_folder("llama-tied")[1], tmp_path / "tied"))


def rewrite(folder: Path, change: Callable[[dict[str, Tensor]], Any]) -> None:
    """Change the tensors of the folder's one file."""
    path = folder / "model.safetensors"
    tensors = {name: tensor.clone() for name, tensor in load_file(path).items()}
    change(tensors)
    save_file(tensors, path, metadata={"format": "pt"})


def split(folder: Path) -> dict[str, str]:
    """Spread the weights over two files and an index, as large checkpoints are; returns its map."""
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    shards = {"one.safetensors": names[::2], "two.safetensors": names[1::2]}
    for shard, members in shards.items():
        save_file({name: tensors[name].clone() for name in members}, folder / shard)
    (folder / "model.safetensors").unlink()
    where = {name: shard for shard, members in shards.items() for name in members}
    write_index(folder, where)
    return where


def write_index(folder: Path, where: dict[str, str]) -> None:
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {}, "weight_map": where})
    )


def test_every_weight_arrives_under_its_name(oracle_folder: Any) -> None:
    oracle, folder = oracle_folder("qwen3")
    decoder = load_decoder(folder)
    theirs = oracle.state_dict()
    assert {name.removeprefix("model.") for name in theirs} == set(decoder.state_dict())
    for name, weight in theirs.items():
        assert torch.equal(decoder.state_dict()[name.removeprefix("model.")], weight), name
    assert not any(weight.requires_grad for weight in decoder.parameters())


def test_weights_are_cast(folder: Path) -> None:
    decoder = load_decoder(folder, torch.bfloat16)
    assert decoder.dtype == torch.bfloat16
    rewrite(folder, lambda t: t.update({name: x.half() for name, x in t.items()}))
    assert load_decoder(folder).dtype == torch.float32


def test_a_tied_head_is_the_embedding_itself(tied: Path) -> None:
    decoder = load_decoder(tied)
    assert decoder.lm_head.weight is decoder.embed_tokens.weight


def test_a_tied_head_may_be_stored_too(tied: Path) -> None:
    rewrite(tied, lambda t: t.update({"lm_head.weight": t["model.embed_tokens.weight"].clone()}))
    decoder = load_decoder(tied)
    assert decoder.lm_head.weight is decoder.embed_tokens.weight


def test_a_tied_head_that_differs_is_refused(tied: Path) -> None:
    rewrite(tied, lambda t: t.update({"lm_head.weight": t["model.embed_tokens.weight"] + 1}))
    with pytest.raises(CheckpointError, match=r"lm_head\.weight differs"):
        load_decoder(tied)


def test_shards_are_found_through_the_index(folder: Path) -> None:
    whole = load_decoder(folder).state_dict()
    split(folder)
    (folder / "training_args.safetensors").write_bytes(b"not named by the index, not read")
    sharded = load_decoder(folder).state_dict()
    assert all(torch.equal(whole[name], sharded[name]) for name in whole)


def test_a_missing_shard_is_named_with_a_tensor_of_it(folder: Path) -> None:
    split(folder)
    (folder / "two.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"two\.safetensors"):
        load_decoder(folder)


def test_an_index_can_not_point_outside_its_folder(folder: Path) -> None:
    where = split(folder)
    shutil.copy(folder / "two.safetensors", folder.parent / "two.safetensors")
    write_index(folder, where | {UP: "../two.safetensors"})
    with pytest.raises(CheckpointError, match=r"\.\./two\.safetensors"):
        load_decoder(folder)


def test_one_tensor_in_two_files_is_refused(folder: Path) -> None:
    where = split(folder)
    save_file({UP: torch.zeros(1)}, folder / "z.safetensors")
    write_index(folder, where | {"model.norm.bias": "z.safetensors"})
    with pytest.raises(CheckpointError, match=UP):
        load_decoder(folder)


@pytest.mark.parametrize("twin", ["norm.weight", "lm_head", "model.lm_head.weight"])
def test_one_tensor_under_two_names_is_refused(folder: Path, twin: str) -> None:
    rewrite(folder, lambda t: t.update({twin: torch.zeros(48)}))
    with pytest.raises(CheckpointError, match=r"two names of one tensor|no place"):
        load_decoder(folder)


def test_names_without_their_wrapper_are_taken(folder: Path) -> None:
    whole = load_decoder(folder).state_dict()
    tensors = load_file(folder / "model.safetensors")
    bare = {name.removeprefix("model."): tensor for name, tensor in tensors.items()}
    save_file(bare, folder / "model.safetensors", metadata={"format": "pt"})
    assert all(torch.equal(whole[n], x) for n, x in load_decoder(folder).state_dict().items())


@pytest.mark.parametrize("shard", [None, 1, "", ".", "..", [], "/etc/hostname", "a/b.safetensors"])
def test_an_index_with_something_else_than_a_file_name(folder: Path, shard: Any) -> None:
    write_index(folder, split(folder) | {UP: shard})
    with pytest.raises(CheckpointError, match=f"{UP} is in"):
        load_decoder(folder)


@pytest.mark.parametrize("index", ['{"weight_map": {}}', '{"weight_map": []}', "{}", "[1]", "{"])
def test_an_index_without_a_map(folder: Path, index: str) -> None:
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(CheckpointError, match=r"model\.safetensors\.index\.json"):
        load_decoder(folder)


def equal_to_transformers(folder: Path) -> bool:
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    theirs, ours = model.state_dict(), load_decoder(folder).state_dict()
    return all(torch.equal(ours[n.removeprefix("model.")], weight) for n, weight in theirs.items())


@pytest.mark.parametrize(
    "stray", ["adapter_model", "consolidated", "model-00001-of-00002", "optimizer"]
)
def test_what_lies_beside_the_model_is_left_alone(folder: Path, stray: str) -> None:
    """Blaizzy/mlx-vlm#1464: every *.safetensors was read."""
    save_file({"tok_embeddings.weight": torch.zeros(4)}, folder / f"{stray}.safetensors")
    assert equal_to_transformers(folder)
    split(folder)
    assert equal_to_transformers(folder)


def test_of_a_whole_file_and_an_index_the_whole_file_counts(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    rewrite(folder, lambda t: t.update({UP: t[UP] + 1}))
    split(folder)
    (folder / "model.safetensors").write_bytes(whole)
    assert equal_to_transformers(folder)


def test_files_that_nothing_describes_are_named(folder: Path) -> None:
    split(folder)
    (folder / "model.safetensors.index.json").unlink()
    with pytest.raises(CheckpointError, match=r"one\.safetensors, two\.safetensors may be"):
        load_decoder(folder)


def test_an_adapter_beside_the_model_is_refused(folder: Path) -> None:
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="merge it into the model"):
        load_decoder(folder)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.float8_e4m3fn, torch.int32])
def test_quantised_weights_are_refused(folder: Path, dtype: torch.dtype) -> None:
    rewrite(folder, lambda t: t.update({UP: t[UP].to(dtype)}))
    with pytest.raises(CheckpointError, match=rf"{UP} in model\.safetensors is stored as"):
        load_decoder(folder)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_weights_of_any_float_type_load_as_in_transformers(
    folder: Path, dtype: torch.dtype
) -> None:
    rewrite(folder, lambda t: t.update({name: x.to(dtype) for name, x in t.items()}))
    assert equal_to_transformers(folder)


def test_a_missing_tensor_is_named(folder: Path) -> None:
    rewrite(folder, lambda t: t.pop(UP))
    with pytest.raises(CheckpointError, match=rf"{UP} is missing"):
        load_decoder(folder)


def test_a_missing_head_is_named_when_it_is_not_tied(folder: Path) -> None:
    rewrite(folder, lambda t: t.pop("lm_head.weight"))
    with pytest.raises(CheckpointError, match=r"tensor lm_head\.weight is missing"):
        load_decoder(folder)


def test_an_unexpected_tensor_is_named(folder: Path) -> None:
    rewrite(folder, lambda t: t.update({"model.layers.0.self_attn.q_norm.weight": torch.ones(8)}))
    with pytest.raises(CheckpointError, match=r"q_norm\.weight .* no place"):
        load_decoder(folder)


def test_a_layer_too_many_is_unexpected_too(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["num_hidden_layers"] = 2
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match=r"model\.layers\.2\."):
        load_decoder(folder)


def test_a_wrong_shape_is_named_with_both_shapes(folder: Path) -> None:
    rewrite(folder, lambda t: t.update({UP: t[UP].T.contiguous()}))
    with pytest.raises(CheckpointError, match=rf"{UP}.*\[48, 80\].*\[80, 48\]"):
        load_decoder(folder)


def test_stored_rotary_frequencies_are_passed_over(folder: Path) -> None:
    extra = {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(4)}
    rewrite(folder, lambda t: t.update(extra))
    load_decoder(folder)


def test_a_file_cut_short_is_named(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match=r"model\.safetensors is no complete"):
        load_decoder(folder)


def test_a_folder_without_weights_or_config_says_so(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match="no weights"):
        load_decoder(folder)
    (folder / "config.json").write_text('{"model_type": "lla')
    with pytest.raises(CheckpointError, match=r"config\.json is not valid JSON"):
        load_decoder(folder)
    (folder / "config.json").write_text("[]")
    with pytest.raises(CheckpointError, match="list"):
        load_decoder(folder)
    (folder / "config.json").unlink()
    with pytest.raises(CheckpointError, match=r"config\.json is missing"):
        load_decoder(folder)
