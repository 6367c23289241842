"""Attention over a cached history, and the way from a cache's ``update`` to ``attend``."""

from typing import Protocol, runtime_checkable

from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


def attend(
    q: Tensor, keys: Tensor, values: Tensor, positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Causal attention: a query sees every key whose position is not after its own.

    ``q`` [B, Hq, T, D]; ``keys``, ``values`` [B, Hkv, S, D] with Hq a multiple of Hkv;
    ``positions`` [T] or [B, T] of the queries; ``key_positions`` [S]. Returns [B, Hq, T, D]. Values
    no query may see must be finite: their weight is 0, and 0 × NaN is NaN.
    """
    allowed = key_positions <= positions[..., None]  # [T, S] or [B, T, S]
    mask = allowed if allowed.dim() == 2 else allowed[:, None]  # one mask for all heads
    return scaled_dot_product_attention(
        q, keys, values, attn_mask=mask, enable_gqa=q.shape[1] != keys.shape[1]
    )


class UpdatingCache(Protocol):
    """A cache that stores new keys and values and hands back the whole history."""

    def update(
        self, layer: int, k: Tensor, v: Tensor, positions: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Write ``k``, ``v`` [B, Hkv, T, D]; return keys, values [B, Hkv, S, D], positions [S]."""
        ...


@runtime_checkable
class AttendingCache(Protocol):
    """The one method of a cache that the model knows."""

    def attend(self, layer: int, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:
        """Write ``k``, ``v`` [B, Hkv, T, D], then attend with ``q`` [B, Hq, T, D]."""
        ...


class AttendByUpdate:
    """``attend`` the naive way: ``update`` gathers the history, plain attention reads it."""

    def update(
        self, layer: int, k: Tensor, v: Tensor, positions: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Provided by the cache itself."""
        raise NotImplementedError

    def attend(self, layer: int, q: Tensor, k: Tensor, v: Tensor, positions: Tensor) -> Tensor:
        """Write ``k``, ``v``; attend with ``q`` [B, Hq, T, D] over the history and them."""
        keys, values, key_positions = self.update(layer, k, v, positions)
        return attend(q, keys, values, positions, key_positions)


class _Adapter(AttendByUpdate):
    def __init__(self, cache: UpdatingCache) -> None:
        self._cache = cache

    def update(
        self, layer: int, k: Tensor, v: Tensor, positions: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        return self._cache.update(layer, k, v, positions)


def as_attending(cache: AttendingCache | UpdatingCache) -> AttendingCache:
    """The cache itself if it can ``attend``, else a wrapper that does so through ``update``."""
    return cache if isinstance(cache, AttendingCache) else _Adapter(cache)
