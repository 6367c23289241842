"""A decoder-only transformer, Llama's and Qwen3's: small enough to read in one sitting.

Module names follow the Hugging Face checkpoints, so a checkpoint's tensors load under their own
names. The model keeps no history. It hands each layer's queries, keys and values to a cache and
gets the attended values back; how the cache stores and finds the history is not the model's
business.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from paged_attention.attention import AttendingCache
from paged_attention.kernels.between import rms_norm, rotate
from paged_attention.kernels.linear import linear
from paged_attention.model.config import Llama3Scaling, ModelConfig

Product = Callable[[Tensor, Tensor, Tensor | None], Tensor]  # as torch.nn.functional.linear


class Linear(nn.Linear):
    """PyTorch's, with a product that reads the weights of a few tokens at memory's pace."""

    product: Product = staticmethod(linear)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` [..., in] as [..., out]."""
        return self.product(x, self.weight, self.bias)


class Embedding(nn.Embedding):
    """PyTorch's; on the meta device, whose weights are loaded later, nothing is drawn for them."""

    def reset_parameters(self) -> None:
        """Draw weights. There PyTorch would import its compiler for it: 80 MB and seconds."""
        if self.weight.device.type != "meta":
            super().reset_parameters()


class RMSNorm(nn.Module):
    """Scales the last axis to a root mean square of one, then by a learnt weight."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """``x`` [..., size], scaled."""
        return rms_norm(x, self.weight, self.eps)


def rope_frequencies(config: ModelConfig) -> Tensor:
    """Radians that each pair of a head turns from one position to the next: [D/2], float32."""
    steps = torch.arange(0, config.head_dim, 2, dtype=torch.int64).float() / config.head_dim
    frequencies = 1.0 / config.rope_theta**steps  # [D/2]
    if config.rope_scaling is None:
        return frequencies
    return _stretch(frequencies, config.rope_scaling)


def _stretch(frequencies: Tensor, scaling: Llama3Scaling) -> Tensor:
    """Llama 3.1: slow pairs turn ``factor`` times slower, fast ones as before, a ramp between."""
    wavelengths = 2 * math.pi / frequencies  # [D/2], in tokens
    turns = scaling.original_max_positions / wavelengths  # in the length the model was trained on
    low, high = scaling.low_freq_factor, scaling.high_freq_factor
    keep = ((turns - low) / (high - low)).clamp(0, 1)  # 0 = stretched, 1 = as before
    return (1 - keep) * frequencies / scaling.factor + keep * frequencies


def rope_tables(
    frequencies: Tensor, positions: Tensor, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Cosines and sines for ``positions`` [T] or [B, T], shaped [1 or B, 1, T, D] for all heads.

    The first half of the sines is negative, as ``rotate`` needs them.
    """
    angles = positions[..., None].float() * frequencies  # [(B,) T, D/2]
    if angles.dim() == 2:
        angles = angles[None]  # [1, T, D/2]
    cos, sin = angles.cos(), angles.sin()
    tables = torch.cat([cos, cos], dim=-1), torch.cat([-sin, sin], dim=-1)  # [1 or B, T, D] each
    return tables[0][:, None].to(dtype), tables[1][:, None].to(dtype)


class Attention(nn.Module):
    """Projections around the cache: ``heads`` query heads read what ``kv_heads`` heads hold."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.layer, self.head_dim = layer, config.head_dim
        queries, keys = config.heads * config.head_dim, config.kv_heads * config.head_dim
        bias = config.attention_bias
        self.q_proj = Linear(config.hidden_size, queries, bias=bias)
        self.k_proj = Linear(config.hidden_size, keys, bias=bias)
        self.v_proj = Linear(config.hidden_size, keys, bias=bias)
        self.o_proj = Linear(queries, config.hidden_size, bias=bias)
        if config.qk_norm:
            self.q_norm: nn.Module = RMSNorm(config.head_dim, config.rms_eps)
            self.k_norm: nn.Module = RMSNorm(config.head_dim, config.rms_eps)
        else:
            self.q_norm = self.k_norm = nn.Identity()

    def forward(
        self, x: Tensor, rope: tuple[Tensor, Tensor], positions: Tensor, cache: AttendingCache
    ) -> Tensor:
        """What the tokens ``x`` [B, T, hidden] read from their history and themselves."""
        q = rotate(self.q_norm(self._split(self.q_proj(x))), *rope)  # [B, Hq, T, D]
        k = rotate(self.k_norm(self._split(self.k_proj(x))), *rope)  # [B, Hkv, T, D]
        v = self._split(self.v_proj(x))  # [B, Hkv, T, D]
        out = cache.attend(self.layer, q, k, v, positions)  # [B, Hq, T, D]
        joined: Tensor = self.o_proj(out.transpose(1, 2).flatten(2))  # [B, T, hidden]
        return joined

    def _split(self, x: Tensor) -> Tensor:
        """[B, T, H * D] to heads [B, H, T, D]."""
        return x.view(*x.shape[:2], -1, self.head_dim).transpose(1, 2)


class MLP(nn.Module):
    """SwiGLU: one projection gates another, a third brings the product back."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        hidden, inner, bias = config.hidden_size, config.intermediate_size, config.mlp_bias
        self.gate_proj = Linear(hidden, inner, bias=bias)
        self.up_proj = Linear(hidden, inner, bias=bias)
        self.down_proj = Linear(inner, hidden, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` [B, T, hidden], token by token."""
        out: Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return out


class Layer(nn.Module):
    """Attention, then the MLP, each reading a normalised copy and adding to the stream."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_eps)
        self.self_attn = Attention(config, layer)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_eps)
        self.mlp = MLP(config)

    def forward(
        self, x: Tensor, rope: tuple[Tensor, Tensor], positions: Tensor, cache: AttendingCache
    ) -> Tensor:
        """``x`` [B, T, hidden] after this layer."""
        x = x + self.self_attn(self.input_layernorm(x), rope, positions, cache)  # [B, T, hidden]
        out: Tensor = x + self.mlp(self.post_attention_layernorm(x))  # [B, T, hidden]
        return out


class Decoder(nn.Module):
    """Tokens and positions in, logits out; the history is in the cache. No gradients are kept."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config, index) for index in range(config.layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_eps)
        self.lm_head = Linear(config.hidden_size, config.vocab_size, bias=False)
        if config.tie_embeddings:
            self.lm_head.weight = self.embed_tokens.weight
        # No buffer: it stays float32 when the model is cast, since angles need every digit.
        with torch.device("cpu"):
            self.frequencies = rope_frequencies(config)

    @property
    def device(self) -> torch.device:
        """Where the weights are, and where a cache for them belongs."""
        return self.embed_tokens.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """The type of the weights, and of the keys and values the model hands to a cache."""
        return self.embed_tokens.weight.dtype

    def multiply_with(self, product: Product) -> None:
        """Let every linear layer use ``product`` from now on; ``F.linear`` is PyTorch's own."""
        for module in self.modules():
            if isinstance(module, Linear):
                module.product = product

    def hidden_states(self, tokens: Tensor, positions: Tensor, cache: AttendingCache) -> Tensor:
        """``tokens`` [B, T] at ``positions`` [T] or [B, T], run: [B, T, hidden], normalised."""
        x = self.embed_tokens(tokens)  # [B, T, hidden]
        frequencies = self.frequencies.to(positions.device)  # [D/2]
        rope = rope_tables(frequencies, positions, x.dtype)  # [1 or B, 1, T, D] each
        for layer in self.layers:
            x = layer(x, rope, positions, cache)  # [B, T, hidden]
        out: Tensor = self.norm(x)  # [B, T, hidden]
        return out

    @torch.no_grad()
    def forward(self, tokens: Tensor, positions: Tensor, cache: AttendingCache) -> Tensor:
        """Logits [B, T, vocab] for the token after each of ``tokens`` [B, T]."""
        logits: Tensor = self.lm_head(self.hidden_states(tokens, positions, cache))
        return logits

    @torch.no_grad()
    def next_logits(self, tokens: Tensor, positions: Tensor, cache: AttendingCache) -> Tensor:
        """Logits [B, vocab] after the last token only: over a wide vocabulary they cost most."""
        last = self.hidden_states(tokens, positions, cache)[:, -1]  # [B, hidden]
        logits: Tensor = self.lm_head(last)  # [B, vocab]
        return logits
