"""The one call that chapters make: a model, its tokenizer and its name."""

from dataclasses import dataclass
from pathlib import Path

import torch

from paged_attention.model import smollm2
from paged_attention.model.checkpoint import CheckpointError, load_decoder
from paged_attention.model.config import ModelConfig
from paged_attention.model.decoder import Decoder
from paged_attention.model.tiny import tiny_decoder, tiny_tokenizer
from paged_attention.model.tokenizer import Tokenizer


@dataclass(frozen=True, repr=False)
class Model:
    """A decoder with the tokenizer it was trained with."""

    name: str
    decoder: Decoder
    tokenizer: Tokenizer

    def __repr__(self) -> str:
        weights = sum(weight.numel() for weight in self.decoder.parameters())
        return f"Model({self.name!r}, {weights:,} weights)"

    @property
    def config(self) -> ModelConfig:
        """The decoder's sizes."""
        return self.decoder.config


def load_model(
    folder: str | Path | None = None,
    *,
    dtype: torch.dtype = torch.float32,
    device: str | torch.device = "cpu",
) -> Model:
    """The model in ``folder``; with none given SmolLM2, or the tiny model where that was not
    fetched.

    Reads local files only. Falling back prints one line, so that no reader wonders about the
    prose.

    ``dtype=torch.bfloat16`` halves the bytes that a step reads; a cache for the model takes the
    same ``dtype``. On a CPU, prompts gain by it where the processor multiplies bfloat16 itself
    (AVX-512 BF16, AMX). Elsewhere steps of a few tokens do, and prompts take longer.
    """
    if folder is not None:
        return load_folder(Path(folder), dtype, device)
    ready = smollm2.ready_folder()
    if ready is not None:
        return load_folder(ready, dtype, device, name=smollm2.NAME)
    print(
        f"{smollm2.NAME} is not on this machine, so a tiny random model stands in: everything "
        "works, its prose is noise. To fetch the real one once: python -m paged_attention model"
    )
    return tiny_model(dtype=dtype, device=device)


def load_folder(
    folder: Path, dtype: torch.dtype, device: str | torch.device, name: str | None = None
) -> Model:
    """A local checkpoint in Hugging Face layout, called by its folder unless ``name`` is given.

    The tokenizer may know added tokens that the model has no row for, a padding token most often;
    a prompt that holds one is refused when it runs.
    """
    if not folder.is_dir():
        raise CheckpointError(
            f"{folder} is not a folder: give one that holds config.json, *.safetensors and "
            "tokenizer.json"
        )
    tokenizer = Tokenizer.from_folder(folder)
    decoder = load_decoder(folder, dtype, device)
    own = tokenizer.backend.get_vocab_size(with_added_tokens=False)
    if own > decoder.config.vocab_size:
        raise CheckpointError(
            f"the tokenizer in {folder} knows {own} tokens, the model only "
            f"{decoder.config.vocab_size}: they belong to different models"
        )
    return Model(name or folder.resolve().name, decoder, tokenizer)


def tiny_model(
    seed: int = 0, *, dtype: torch.dtype = torch.float32, device: str | torch.device = "cpu"
) -> Model:
    """The tiny random model; one seed, one model."""
    return Model("tiny random model", tiny_decoder(seed, dtype, device), tiny_tokenizer())
