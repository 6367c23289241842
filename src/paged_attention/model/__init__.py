"""The language models that the book runs: SmolLM2, any local Llama- or Qwen3-style folder, or a
tiny one.

Chapters need one call: ``load_model()``. The names are loaded when first used, so that looking for
the converted model on disk does not wait for torch.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from paged_attention.model.config import ModelConfig as ModelConfig
    from paged_attention.model.decoder import Decoder as Decoder
    from paged_attention.model.loading import Model as Model
    from paged_attention.model.loading import load_model as load_model
    from paged_attention.model.loading import tiny_model as tiny_model
    from paged_attention.model.tokenizer import Tokenizer as Tokenizer

_HOME = {
    "Decoder": "decoder",
    "Model": "loading",
    "ModelConfig": "config",
    "Tokenizer": "tokenizer",
    "load_model": "loading",
    "tiny_model": "loading",
}
__all__ = sorted(_HOME)


__getattr__, __dir__ = lazy_names(__name__, _HOME)
