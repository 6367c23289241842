"""The open task's own answer, and tests that accuse the innocent."""

import random
from typing import Any

import torch

from paged_attention.errors import BlockPoolExhausted
from workbook.checks.ch03.open import suspect

LAYERS, HEADS, SIZE, DIM = 2, 2, 3, 2


class Trial:
    """A cache under test, and each sequence's history as plain lists."""

    def __init__(self, cls: type, blocks: int = 24) -> None:
        self.cache: Any = cls(LAYERS, blocks, SIZE, HEADS, DIM)
        self.cache.k_pool[:] = self.cache.v_pool[:] = torch.nan
        self.told: dict[str, list[int]] = {}
        self.draw = random.Random(3)

    def start(self, seq: str) -> None:
        self.cache.create(seq)
        self.told[seq] = []

    def step(self, seqs: list[str], tokens: int) -> bool:
        """One step of ``seqs``; whether every row reads its own history, and zeros after it."""
        cache = self.cache
        for seq in seqs:
            cache.reserve(seq, tokens)
        cache.set_batch(seqs)
        starts = torch.tensor([[len(self.told[seq])] for seq in seqs])
        for seq in seqs:
            self.told[seq] += [self.draw.randrange(1, 1_000) for _ in range(tokens)]
        new = [self.told[seq][-tokens:] for seq in seqs]
        fine = True
        for layer in range(LAYERS):
            k = numbers(new, layer)
            keys, values, where = cache.update(layer, k, -k, starts + torch.arange(tokens))
            longest = max(len(self.told[seq]) for seq in seqs)
            rows = [self.told[seq] + [0] * (longest - len(self.told[seq])) for seq in seqs]
            right = numbers(rows, layer)
            for row, seq in enumerate(seqs):
                right[row, :, len(self.told[seq]) :] = 0
            fine &= torch.equal(keys, right) and torch.equal(values, -right)
            fine &= where.tolist() == list(range(longest))
        return fine and self.lawful()

    def lawful(self) -> bool:
        """Lengths are what was told, tables as long as that takes, no block lost or shared."""
        cache = self.cache
        held = [block for seq in self.told for block in cache.tables[seq]]
        return (
            all(
                cache.lengths[seq] == len(told) and len(cache.tables[seq]) == -(-len(told) // SIZE)
                for seq, told in self.told.items()
            )
            and len(held) == len(set(held))
            and cache.allocator.num_free == cache.allocator.num_blocks - len(held)
        )


def numbers(rows: list[list[int]], layer: int) -> torch.Tensor:
    """[B, heads, T, D]: each token's number, other in each head, layer and place."""
    place = torch.arange(HEADS * DIM).reshape(HEADS, 1, DIM) / 8
    return torch.tensor(rows)[:, None, :, None] + place + layer / 2


def thorough(cls: type) -> bool:
    """Random steps over NaN, then room that runs out, and tokens taken back."""
    trial = Trial(cls)
    for seq, tokens in zip("CAB", (2, 3, 4), strict=True):
        trial.start(seq)
        if not trial.step([seq], tokens):
            return True
    for number in range(14):
        seqs = trial.draw.sample("ABC", trial.draw.randint(1, 3))
        if not trial.step(seqs, trial.draw.choice([1, 1, 2])):
            return True
        if number == 6:
            trial.cache.free("B")
            del trial.told["B"]
            if not trial.lawful():
                return True
            trial.start("B")
    return refused_badly(cls) or cut_badly(cls)


def refused_badly(cls: type) -> bool:
    trial = Trial(cls, blocks=3)
    trial.start("A")
    trial.step(["A"], 2)
    try:
        trial.cache.reserve("A", 9)
    except BlockPoolExhausted:
        return not trial.lawful()
    return True


def cut_badly(cls: type) -> bool:
    trial = Trial(cls)
    trial.start("A")
    trial.step(["A"], 8)
    for length in 7, 4, 3:
        trial.cache.truncate("A", length)
        del trial.told["A"][length:]
        if not trial.lawful():
            return True
    return not trial.step(["A"], 2)


suspect.solved = thorough


@suspect.rejects("It suspects a right cache")
def always(cls: type) -> bool:
    return True


@suspect.rejects("It suspects nobody")
def never(cls: type) -> bool:
    return False


@suspect.rejects("It suspects a right cache")
def by_name(cls: type) -> bool:
    return cls.__name__ != "PagedKVCache"


@suspect.rejects("True or False is wanted")
def says_nothing(cls: type) -> None:
    return None


@suspect.rejects("on a right cache")
def crashes(cls: type) -> bool:
    return bool(cls(2, 8, 4, 1, 1).no_such_method())


@suspect.rejects("It suspects a right cache: one that pads with the row's own last block")
def wants_zeros_in_the_padding(cls: Any) -> bool:
    cache = cls(1, 8, 4, 1, 1)
    for seq, tokens in (("A", 9), ("B", 2)):
        cache.create(seq)
        cache.reserve(seq, tokens)
    cache.set_batch(["A", "B"])
    table = getattr(cache, "batch_tables", None)
    return table is not None and bool(table[1, 1:].any())


@suspect.rejects("It suspects a right cache: one whose highest block goes out first")
def wants_block_zero_first(cls: Any) -> bool:
    cache = cls(1, 8, 4, 1, 1)
    cache.create("A")
    cache.reserve("A", 9)
    return bool(cache.tables["A"] != [0, 1, 2])
