"""Whole steps of the real model by several contestants that take turns: the book's decoder with and
without its own product, in bfloat16, as it was in another checkout, and ``transformers``.

``benchmarks.decode_model`` runs it. Run as a module it is the one contestant of another checkout,
which answers on its standard output.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn.functional import linear

from paged_attention.cache import PagedKVCache
from paged_attention.model import Model, load_model, smollm2
from paged_attention.tables import blocks_needed

BLOCK_SIZE = 16
TESTS = Path(__file__).parents[1]


class Load(NamedTuple):
    """``rows`` sequences with ``tokens`` behind them take ``new`` more in one step."""

    name: str
    rows: int
    tokens: int
    new: int


LOADS = (
    Load("batch 1", 1, 64, 1),
    Load("batch 8", 8, 64, 1),
    Load("batch 32", 32, 64, 1),
    Load("chunk of 64", 1, 0, 64),
    Load("chunk of 256", 1, 0, 256),
)


class Contestant(Protocol):
    """Takes the same step again and again: what it wrote is cut off after each."""

    def prepare(self, load: Load) -> None: ...

    def step(self) -> float:
        """Milliseconds of one step."""
        ...


def drawn(load: Load, vocab: int) -> Tensor:
    """The step's tokens [rows, new]: the same for everybody."""
    draw = torch.Generator().manual_seed(load.rows + load.new)
    return torch.randint(0, vocab, (load.rows, load.new), generator=draw)


class Ours:
    """The book's decoder over a paged cache of its own type; ``product`` multiplies, if given."""

    def __init__(self, model: Model, product: Any = None) -> None:
        self.model, self.product = model, product

    def prepare(self, load: Load) -> None:
        c, decoder = self.model.config, self.model.decoder
        self.load, rows = load, range(load.rows)
        blocks = load.rows * blocks_needed(load.tokens + load.new, BLOCK_SIZE)
        shape = c.layers, blocks, BLOCK_SIZE, c.kv_heads, c.head_dim
        self.cache = PagedKVCache(*shape, dtype=decoder.dtype)
        self.ids = drawn(load, c.vocab_size)
        for row in rows:
            self.cache.create(row)
            self.cache.reserve(row, load.tokens)
        if load.tokens:
            size = load.rows, c.kv_heads, load.tokens, c.head_dim
            k, v = (torch.randn(size, dtype=decoder.dtype) for _ in "kv")
            self.cache.set_batch(rows)
            for layer in range(c.layers):
                self.cache.update(layer, k, v, torch.arange(load.tokens))

    def step(self) -> float:
        decoder, rows = self.model.decoder, range(self.load.rows)
        if self.product is not None:
            usual = decoder.lm_head.product
            decoder.multiply_with(self.product)
        begin = perf_counter()
        for row in rows:
            self.cache.reserve(row, self.load.new)
        self.cache.set_batch(rows)
        positions = self.load.tokens + torch.arange(self.load.new)
        decoder.next_logits(self.ids, positions, self.cache)
        milliseconds = (perf_counter() - begin) * 1e3
        for row in rows:
            self.cache.truncate(row, self.load.tokens)
        if self.product is not None:
            decoder.multiply_with(usual)
        return milliseconds


class Transformers:
    """``transformers`` without a compiler, keys and values in its ``DynamicCache``."""

    def __init__(self, dtype: torch.dtype) -> None:
        from transformers import AutoModelForCausalLM

        folder = smollm2.ready_folder()
        self.model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()

    def prepare(self, load: Load) -> None:
        from transformers import DynamicCache

        self.load, c = load, self.model.config
        self.cache = DynamicCache(config=c)
        self.ids = drawn(load, c.vocab_size)
        if load.tokens:
            size = load.rows, c.num_key_value_heads, load.tokens, c.head_dim
            for layer in range(c.num_hidden_layers):
                k, v = (torch.randn(size, dtype=self.model.dtype) for _ in "kv")
                self.cache.update(k, v, layer)

    @torch.no_grad()
    def step(self) -> float:
        begin = perf_counter()
        self.model(self.ids, past_key_values=self.cache, use_cache=True, logits_to_keep=1)
        milliseconds = (perf_counter() - begin) * 1e3
        if self.load.tokens:
            self.cache.crop(-self.load.new)
        else:
            self.prepare(self.load)
        return milliseconds


class Elsewhere:
    """The decoder of another checkout, whose ``src`` is given, in a process of its own."""

    def __init__(self, source: Path) -> None:
        paths = f"{source.resolve()}{os.pathsep}{TESTS}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.model_steps", str(torch.get_num_threads())],
            env=os.environ | {"PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def ask(self, words: Sequence[Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("the process of the other checkout has ended")
        return json.loads(answer)

    def prepare(self, load: Load) -> None:
        self.ask(load)

    def step(self) -> float:
        return float(self.ask([]))


def contestants(model: Model, before: Path | None) -> dict[str, Contestant]:
    """Everybody who can take part here, by name."""
    found: dict[str, Contestant] = {}
    if before is not None:
        found["before"] = Elsewhere(before)
    found["PyTorch's products"] = Ours(model, linear)
    found["ours"] = Ours(model)
    found["ours, bfloat16"] = Ours(load_model(dtype=torch.bfloat16))
    if smollm2.ready_folder() is not None:
        found["transformers"] = Transformers(torch.float32)
        found["transformers, bfloat16"] = Transformers(torch.bfloat16)
    return found


def race(everybody: dict[str, Contestant], load: Load, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each round by name; under "copy" the GB a second, read and written, that a
    copy of 128 MB moved in the same round.
    """
    spent: dict[str, list[float]] = {name: [] for name in [*everybody, "copy"]}
    source = torch.ones(32 << 20)
    target = torch.empty_like(source)
    for contestant in everybody.values():
        contestant.prepare(load)
        contestant.step()
    names = list(everybody)
    for turn in range(rounds):
        begin = perf_counter()
        target.copy_(source)
        spent["copy"].append(2 * source.nbytes / (perf_counter() - begin) / 1e9)
        first = turn % len(names)  # nobody always follows the same other one
        for name in names[first:] + names[:first]:
            time.sleep(0.01)  # the other's threads may still be awake, waiting for work
            if load.new == 1:
                everybody[name].step()
            spent[name].append(everybody[name].step())
    return spent


def answer() -> None:
    """Step as asked, line by line; what else is printed goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    torch.set_num_threads(int(sys.argv[1]))
    ours = Ours(load_model())
    for line in sys.stdin:
        words = json.loads(line)
        milliseconds = ours.prepare(Load(*words)) if words else ours.step()
        print(json.dumps(milliseconds), file=out, flush=True)


if __name__ == "__main__":
    answer()
