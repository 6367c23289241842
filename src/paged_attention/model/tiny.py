"""A tiny model with seeded random weights: no download, the same code, and noise for prose."""

import torch
from tokenizers import AddedToken, decoders, models, pre_tokenizers
from tokenizers import Tokenizer as Backend

from paged_attention.model.config import ModelConfig
from paged_attention.model.decoder import Decoder
from paged_attention.model.tokenizer import Tokenizer

_MARKS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_CHAT = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}"
)


def tiny_config() -> ModelConfig:
    """Four layers, six query heads on two KV heads: 1,024 bytes of KV a token in float32."""
    return ModelConfig(
        vocab_size=len(_MARKS) + 256,
        hidden_size=96,
        intermediate_size=192,
        layers=4,
        heads=6,
        kv_heads=2,
        head_dim=16,
        max_positions=8192,
    )


def tiny_tokenizer() -> Tokenizer:
    """One token a byte, and the marks of a chat; every text encodes, every id decodes."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*_MARKS, *alphabet])}
    backend = Backend(models.BPE(vocab=vocabulary, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens(
        [AddedToken(mark, special=True, normalized=False) for mark in _MARKS]
    )
    return Tokenizer(backend, [vocabulary["<|im_end|>"]], _CHAT)


def tiny_decoder(
    seed: int = 0, dtype: torch.dtype = torch.float32, device: str | torch.device = "cpu"
) -> Decoder:
    """The same weights for the same seed, whatever was drawn from torch's own generator before."""
    config = tiny_config()
    with torch.device("meta"):
        decoder = Decoder(config)
    decoder = decoder.to_empty(device="cpu")
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in decoder.parameters():
            if weight.dim() == 1:
                weight.fill_(1.0)
            else:  # variance kept from layer to layer
                weight.normal_(0.0, weight.shape[-1] ** -0.5, generator=generator)
        # Sharper than noise, and never a control byte: a terminal would obey it.
        decoder.lm_head.weight.mul_(4.0)
        decoder.lm_head.weight[_unprintable()] = 0.0
    return decoder.requires_grad_(False).to(device, dtype).eval()


def _unprintable() -> list[int]:
    """Ids whose byte is no printable ASCII character."""
    printable = {chr(byte) for byte in range(33, 127)} | {"Ġ"}  # Ġ stands for the space
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = [*_MARKS, *alphabet]
    return [index for index, token in enumerate(tokens) if token not in printable]
