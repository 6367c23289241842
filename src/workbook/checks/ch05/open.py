"""Chapter 05, open task: which block to evict."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from workbook.checks.framework import Rejected, open_task

SIZE, BLOCKS = 16, 96
Key = tuple[Any, Any]  # a block's name: its parent's, and its last token


class Leaf(NamedTuple):
    """A block that may go: nobody holds it, and none that is cached continues it."""

    id: Key
    last: int  # the request that used it last
    hits: int  # requests that found it
    born: int  # the request that computed it
    depth: int  # blocks before it


@dataclass
class _Block:
    last: int
    born: int
    depth: int
    hits: int = 0
    children: int = 0


def load() -> list[list[Any]]:
    """600 prompts: chats that go on, six system prompts with new questions, prompts asked once."""
    draw = random.Random(5)
    systems = [[("s", s, i) for i in range(SIZE * draw.choice([4, 6, 9]))] for s in range(6)]
    chats: list[list[Any]] = []
    prompts: list[list[Any]] = []
    for r in range(600):
        kind = draw.random()
        if kind < 0.3 and chats:
            back = min(int(draw.expovariate(0.35)), len(chats) - 1)
            chat = chats.pop(-1 - back) + [("c", r, j) for j in range(draw.randint(10, 60))]
            if len(chat) < 400:
                chats.append(chat)
            prompts.append(chat)
        elif kind < 0.6:
            system = systems[min(int(draw.expovariate(0.6)), 5)]
            prompts.append(system + [("u", r, j) for j in range(draw.randint(10, 80))])
            chats.append(prompts[-1])
        else:
            prompts.append([("o", r, j) for j in range(draw.randint(60, 250))])
    return prompts


def names(prompt: Sequence[Any]) -> list[Key]:
    """The names of the full blocks that a cache may serve: the last token is always run."""
    found: list[Key] = []
    for end in range(SIZE, len(prompt), SIZE):
        found.append((found[-1] if found else None, prompt[end - 1]))
    return found


@open_task(
    "victim",
    label="open-05",
    title="Who goes?",
    asks="a function victim(leaves, clock) -> the id of one of the leaves; a leaf has id, last, "
    "hits, born and depth, and clock counts the requests",
    unit="% of all tokens hit",
    better="more",
    today=(46.4, "least recently used"),
    book=(48.4, "each hit, up to four, is worth ten requests"),
    bound=(52.5, "sees the future"),
)
def victim(answer: Callable[[list[Leaf], int], Any]) -> float:
    """Tokens of 600 prompts that are served from a cache of 96 blocks, in percent."""
    blocks: dict[Key, _Block] = {}
    hit = total = 0
    for clock, prompt in enumerate(load(), 1):
        path = names(prompt)
        known = next((i for i, key in enumerate(path) if key not in blocks), len(path))
        for key in path[:known]:
            blocks[key].last = clock
            blocks[key].hits += 1
        hit, total = hit + known * SIZE, total + len(prompt)
        needed = -(-len(prompt) // SIZE) - known
        _make_room(answer, blocks, set(path[:known]), needed, clock)
        for depth, key in enumerate(path[known:], known):
            if len(blocks) < BLOCKS:
                blocks[key] = _Block(clock, clock, depth)
                if key[0] is not None:
                    blocks[key[0]].children += 1
    return round(100 * hit / total, 1)


def _make_room(
    answer: Callable[[list[Leaf], int], Any],
    blocks: dict[Key, _Block],
    held: set[Key],
    needed: int,
    clock: int,
) -> None:
    """Ask for one victim after the other until ``needed`` blocks are free, or none may go."""
    while BLOCKS - len(blocks) < needed:
        leaves = [
            Leaf(key, block.last, block.hits, block.born, block.depth)
            for key, block in blocks.items()
            if not block.children and key not in held
        ]
        if not leaves:
            return
        chosen = answer(list(leaves), clock)
        if chosen not in [leaf.id for leaf in leaves]:
            raise Rejected(_why_not(chosen, blocks, held, clock))
        if chosen[0] is not None:
            blocks[chosen[0]].children -= 1
        del blocks[chosen]


def _why_not(chosen: Any, blocks: dict[Key, _Block], held: set[Key], clock: int) -> str:
    where = f"At request {clock} it chose a block that "
    if not isinstance(chosen, tuple) or chosen not in blocks:
        return where + "isn't cached: the id of one of the leaves is wanted."
    if chosen in held:
        return where + "the request itself uses."
    return where + "others continue: they could never be found again."
