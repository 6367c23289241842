"""How far another product, or another type, leads the real model's logits away, on a text."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div, linear

from paged_attention.cache import PagedKVCache
from paged_attention.model import Model, load_model

TEXT = Path(__file__).parents[2] / "chapters" / "source" / "01_reserved_memory_is_wasted_memory.md"
CHUNK, ALONE = 64, 64  # tokens that come in one chunk at first, then one a step


def logits_of(model: Model, tokens: list[int]) -> Tensor:
    """Logits [tokens, vocab] in float64: after each token of a chunk, and of steps of one."""
    c, decoder = model.config, model.decoder
    cache = PagedKVCache(c.layers, 16, 16, c.kv_heads, c.head_dim, dtype=decoder.dtype)
    cache.create(0)
    found, start = [], 0
    for count in (CHUNK, *[1] * (len(tokens) - CHUNK)):
        cache.reserve(0, count)
        cache.set_batch([0])
        ids = torch.tensor([tokens[start : start + count]])
        found.append(decoder(ids, torch.arange(start, start + count), cache)[0])
        start += count
    return torch.cat(found).double()


def agreement(model: Model) -> dict[str, Any]:
    """The book's product in float32 and bfloat16 beside PyTorch's in float32."""
    tokens = model.tokenizer.encode(TEXT.read_text())[: CHUNK + ALONE]
    usual = model.decoder.lm_head.product
    model.decoder.multiply_with(linear)
    right = logits_of(model, tokens)
    model.decoder.multiply_with(usual)
    half = load_model(dtype=torch.bfloat16)
    following = torch.tensor(tokens[1:])
    told: dict[str, Any] = {
        "tokens": len(tokens),
        "spread of the logits": round(right.std().item(), 2),
        "loss": {"PyTorch's products": round(cross_entropy(right[:-1], following).item(), 4)},
    }
    for name, each in (
        ("ours", logits_of(model, tokens)),
        ("ours, bfloat16", logits_of(half, tokens)),
    ):
        apart = (each - right).abs()
        log_p, log_q = right.log_softmax(-1), each.log_softmax(-1)
        kl = kl_div(log_q, log_p, log_target=True, reduction="batchmean")
        told["loss"][name] = round(cross_entropy(each[:-1], following).item(), 4)
        told[name] = {
            "largest difference": float(f"{apart.max().item():.1e}"),
            "mean difference": float(f"{apart.mean().item():.1e}"),
            "same first choice": (each.argmax(-1) == right.argmax(-1)).double().mean().item(),
            "KL divergence": float(f"{kl.item():.1e}"),
        }
    return told
