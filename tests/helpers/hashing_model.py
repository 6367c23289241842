"""A model small enough to run a thousand times: what it says depends on all that it reads."""

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor


class HashingModel:
    """Stands for a decoder: one head of one number a layer, logits from what attention returned."""

    def __init__(self, layers: int, vocab_size: int, max_positions: int = 1000) -> None:
        self.config = SimpleNamespace(
            layers=layers, vocab_size=vocab_size, max_positions=max_positions
        )
        self.device = torch.device("cpu")

    def next_logits(self, ids: Tensor, positions: Tensor, cache: Any) -> Tensor:
        """Logits [B, vocab] after the last of ``ids`` [B, T]."""
        x = torch.sin(ids * 1.7 + positions * 0.3)[:, None, :, None]  # [B, 1, T, 1]
        for layer in range(self.config.layers):
            x = cache.attend(layer, x, x, torch.cos(x), positions)
        steps = torch.arange(1, self.config.vocab_size + 1)
        return torch.sin(x[:, 0, -1] * 100 * steps)  # [B, vocab]
