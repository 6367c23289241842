"""Load a decoder from a local folder in Hugging Face layout: ``config.json`` and
``*.safetensors``.

Everything is checked before a weight is read, and each error names the file or tensor: a
checkpoint that lacks one tensor would otherwise run with random numbers in its place. Weights
already in the wanted type are mapped from disk, not copied, so a small model is ready in well
under a second.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from paged_attention.errors import PagedAttentionError
from paged_attention.model.config import ModelConfig
from paged_attention.model.decoder import Decoder

_WHOLE = "model.safetensors"
_INDEX = "model.safetensors.index.json"
_TYPES = ("F64", "F32", "F16", "BF16")  # as safetensors writes them


class CheckpointError(PagedAttentionError, ValueError):
    """A checkpoint folder lacks a file or tensor, has one too many, or has one of a wrong shape."""


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file of a checkpoint; a missing or broken file is named."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(
            f"{path.name} is missing from {path.parent}: a checkpoint folder holds config.json, "
            "*.safetensors and tokenizer.json"
        ) from None
    except ValueError as error:
        raise CheckpointError(f"{path} is not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise CheckpointError(f"{path} holds a {type(content).__name__}, not a JSON object")
    return content


def load_decoder(
    folder: Path, dtype: torch.dtype = torch.float32, device: str | torch.device = "cpu"
) -> Decoder:
    """A decoder with the weights of ``folder``, as ``dtype`` on ``device``; uses no network."""
    config = ModelConfig.from_hf(read_json(folder / "config.json"))
    with torch.device("meta"):
        decoder = Decoder(config)
    files = _weight_files(folder)
    _check_tensors(decoder, _shapes(files), folder)
    wanted = decoder.state_dict().keys()
    weights: dict[str, Tensor] = {}
    for path in files:
        with safe_open(path, framework="pt", device="cpu") as source:
            for name in source.keys():  # noqa: SIM118 (not a mapping)
                if _own_name(name) in wanted:
                    weights[_own_name(name)] = source.get_tensor(name).to(device, dtype)
    if config.tie_embeddings:
        _adopt_tied_head(weights, folder)
    decoder.load_state_dict(weights, assign=True)
    if config.tie_embeddings:
        decoder.lm_head.weight = decoder.embed_tokens.weight
    return decoder.requires_grad_(False).eval()


def _own_name(name: str) -> str:
    """A checkpoint's tensor name as the decoder calls it: without the wrapper's ``model.``"""
    return name.removeprefix("model.")


def _weight_files(folder: Path) -> list[Path]:
    """``model.safetensors``, else the files that its index names, as in ``transformers``. What
    else lies there belongs to something else; an index that is there must be right.
    """
    if (folder / "adapter_config.json").exists():
        raise CheckpointError(
            f"{folder} holds an adapter, adapter_config.json: its weights would be left out; merge "
            "it into the model first, or move it away"
        )
    shards = _indexed(folder) if (folder / _INDEX).exists() else []
    if (folder / _WHOLE).is_file():
        return [folder / _WHOLE]
    if not shards:
        others = ", ".join(sorted(path.name for path in folder.glob("*.safetensors")))
        raise CheckpointError(
            f"there are no weights to load: {folder} has neither {_WHOLE} nor {_INDEX}"
            + (f"; {others} may be all of it or a part, and nothing says so" if others else "")
        )
    return shards


def _indexed(folder: Path) -> list[Path]:
    """The files that the index of ``folder`` names, all of them there."""
    shards = read_json(folder / _INDEX).get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise CheckpointError(f"{folder / _INDEX} has no 'weight_map', or an empty one")
    for tensor, shard in shards.items():
        known = isinstance(shard, str) and Path(shard).name == shard and (folder / shard).is_file()
        if not known:
            raise CheckpointError(
                f"{_INDEX} says that {tensor} is in {shard!r}, which is not a file in {folder}; "
                "copy or download that shard again"
            )
    return [folder / shard for shard in sorted(set(shards.values()))]


def _shapes(files: Iterable[Path]) -> dict[str, list[int]]:
    """The shape of every tensor by name, from the files' headers alone."""
    shapes: dict[str, list[int]] = {}
    for path in files:
        try:
            with safe_open(path, framework="pt") as source:
                for name in source.keys():  # noqa: SIM118 (not a mapping)
                    if name in shapes:
                        raise CheckpointError(f"{name} is in two files, the second is {path.name}")
                    part = source.get_slice(name)
                    if part.get_dtype() not in _TYPES:
                        raise CheckpointError(
                            f"{name} in {path.name} is stored as {part.get_dtype()}: quantised "
                            f"weights can't be read; it must be one of {', '.join(_TYPES)}"
                        )
                    shapes[name] = part.get_shape()
        except SafetensorError as error:
            raise CheckpointError(
                f"{path} is no complete safetensors file ({error}); copy or download it again"
            ) from None
    return shapes


def _check_tensors(decoder: Decoder, found: Mapping[str, list[int]], folder: Path) -> None:
    """Raise unless ``found`` names exactly the decoder's tensors, each in its shape."""
    wanted = {name: list(tensor.shape) for name, tensor in decoder.state_dict().items()}
    present: dict[str, tuple[str, list[int]]] = {}
    for name, shape in found.items():
        if _own_name(name) in present:
            raise CheckpointError(
                f"{folder} holds {present[_own_name(name)][0]} and {name}, two names of one "
                "tensor: which is right can't be known"
            )
        present[_own_name(name)] = name, shape
    for name, shape in wanted.items():
        if name == "lm_head.weight" and decoder.config.tie_embeddings:
            continue
        full = name if name == "lm_head.weight" else f"model.{name}"
        if name not in present:
            raise CheckpointError(
                f"tensor {full} is missing from {folder}: config.json promises it, and a model "
                "with a made-up weight writes nonsense; is a shard missing?"
            )
        if present[name][1] != shape:
            raise CheckpointError(
                f"tensor {full} in {folder} has shape {present[name][1]}, but config.json asks "
                f"for {shape}"
            )
    for own, (name, _) in present.items():
        # Old checkpoints store the rotary frequencies; they follow from config.json.
        if own not in wanted and not own.endswith("rotary_emb.inv_freq"):
            raise CheckpointError(
                f"tensor {name} in {folder} has no place in this model: config.json describes "
                "another architecture than the weights"
            )


def _adopt_tied_head(weights: dict[str, Tensor], folder: Path) -> None:
    """Put the embedding where the head is looked for; a stored head must be the same numbers."""
    head = weights.get("lm_head.weight")
    if head is not None and not torch.equal(head, weights["embed_tokens.weight"]):
        raise CheckpointError(
            f"config.json in {folder} ties the head to the embedding, but lm_head.weight differs "
            "from model.embed_tokens.weight: one of the two files is wrong"
        )
    weights["lm_head.weight"] = weights["embed_tokens.weight"]
