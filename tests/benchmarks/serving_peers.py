"""transformers serving the same requests with the same memory, for ``serving_load``."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from paged_attention.model import smollm2
from paged_attention.serving import Arrival

Run = Callable[[], tuple[dict[str, Any], list[list[int]]]]
PATIENCE = 600  # seconds


class Peers:
    """All requests are there at the beginning. ``tokens``: keys and values for everybody."""

    def __init__(
        self,
        load: Sequence[Arrival],
        tokens: int,
        block_size: int,
        longest: int,
        budget: int,
        read: Callable[[], float],
    ) -> None:
        self.load, self.tokens, self.block_size = load, tokens, block_size
        self.longest, self.budget, self.read = longest, budget, read
        self._model: Any = None

    def present(self) -> dict[str, Run]:
        """What can be run here, by name."""
        batch = self.tokens // self.longest
        return {
            f"transformers generate, batches of {batch}": lambda: self.fixed(batch),
            "transformers continuous batching": lambda: self.continuous(sharing=False),
            "transformers continuous batching, sharing": lambda: self.continuous(sharing=True),
        }

    @property
    def model(self) -> Any:
        """The same weights in transformers, loaded when first used."""
        if self._model is None:
            from transformers import AutoModelForCausalLM

            self._model = AutoModelForCausalLM.from_pretrained(
                smollm2.ready_folder(), dtype=torch.float32, attn_implementation="sdpa"
            ).eval()
        return self._model

    def figures(self, begin: float, texts: list[list[int]]) -> dict[str, Any]:
        seconds, tokens = self.read() - begin, sum(map(len, texts))
        return {
            "seconds": round(seconds, 4),
            "tokens": tokens,
            "tokens_per_second": round(tokens / seconds, 4),
        }

    def fixed(self, batch: int) -> tuple[dict[str, Any], list[list[int]]]:
        """``generate``: a batch ends with its longest answer, and only then the next begins."""
        model, texts = self.model, []
        begin = self.read()
        for start in range(0, len(self.load), batch):
            group = self.load[start : start + batch]
            width = max(len(arrival.prompt) for arrival in group)
            pads = [width - len(arrival.prompt) for arrival in group]
            ids = [[0] * pad + list(a.prompt) for pad, a in zip(pads, group, strict=True)]
            mask = [[0] * pad + [1] * (width - pad) for pad in pads]
            with torch.no_grad():
                out = model.generate(
                    input_ids=torch.tensor(ids),
                    attention_mask=torch.tensor(mask),
                    max_new_tokens=max(arrival.says for arrival in group),
                    do_sample=False,
                    eos_token_id=None,
                    pad_token_id=0,
                )
            texts += [
                row[width : width + a.says].tolist() for row, a in zip(out, group, strict=True)
            ]
        return self.figures(begin, texts), texts

    def continuous(self, *, sharing: bool) -> tuple[dict[str, Any], list[list[int]]]:
        """transformers' own scheduler and paged cache, in blocks of the same size."""
        from transformers import GenerationConfig
        from transformers.generation import ContinuousBatchingConfig

        config = ContinuousBatchingConfig(
            page_size=self.block_size,
            num_blocks=self.tokens // self.block_size,
            max_batch_tokens=self.budget,
            use_cuda_graph=False,
            use_async_batching=False,
            allow_block_sharing=sharing,
            seed=0,
        )
        generation = GenerationConfig(
            max_new_tokens=self.longest, do_sample=False, eos_token_id=-1, pad_token_id=0
        )
        model = self.model
        begin = self.read()
        manager = model.init_continuous_batching(
            generation_config=generation, continuous_batching_config=config
        )
        manager.start()
        names = [
            manager.add_request(list(arrival.prompt), max_new_tokens=arrival.says)
            for arrival in self.load
        ]
        ended: dict[Any, list[int]] = {}
        deadline = time.monotonic() + PATIENCE
        while len(ended) < len(names) and time.monotonic() < deadline:
            result = manager.get_result(timeout=1)
            if result is not None and result.is_finished():
                ended[result.request_id] = list(result.generated_tokens)
        texts = [ended.get(name, []) for name in names]
        figures = self.figures(begin, texts)
        manager.stop(block=True)
        return figures, texts
