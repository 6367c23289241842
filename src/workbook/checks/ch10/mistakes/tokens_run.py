"""Mistakes with tokens_run, as readers make them."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from workbook.checks.ch10.tokens_run import tokens_run

Prompts = Sequence[Sequence[int]]


def play(
    prompts: Prompts,
    size: int,
    *,
    name: Callable[[Sequence[int], int], tuple[int, ...]] = lambda p, end: tuple(p[:end]),
    most: Callable[[int], int] = lambda n: n - 1,
    publish_first: bool = False,
) -> int:
    """The right answer; each argument makes one thing wrong."""
    seen: set[tuple[int, ...]] = set()
    run = 0
    for prompt in prompts:
        ends = range(size, len(prompt) + 1, size)
        names = {name(prompt, end) for end in ends}
        if publish_first:
            seen |= names
        hit = 0
        for end in ends:
            if end > most(len(prompt)) or name(prompt, end) not in seen:
                break
            hit = end
        run += len(prompt) - hit
        seen |= names
    return run


def right(prompts: Prompts, size: int) -> int:
    return play(prompts, size)


tokens_run.finished = right


@tokens_run.mistake(
    "Reuse went to the token. A block that isn't full of known tokens has no name to be found by."
)
def to_the_token(prompts: Prompts, size: int) -> int:
    return play(prompts, 1)


@tokens_run.mistake(
    "A prompt whose blocks are all known ran nothing. Its last token must, for the logits."
)
def nothing_runs(prompts: Prompts, size: int) -> int:
    return play(prompts, size, most=lambda n: n)


@tokens_run.mistake(
    "A block was named by its own tokens. Behind another history the same tokens have other keys."
)
def own_tokens(prompts: Prompts, size: int) -> int:
    return play(prompts, size, name=lambda p, end: tuple(p[end - size : end]))


@tokens_run.mistake("A prompt found its own blocks: they were published before it ran.")
def finds_itself(prompts: Prompts, size: int) -> int:
    return play(prompts, size, publish_first=True)


@tokens_run.mistake("Nothing was reused: that is the sum of all prompts.")
def no_cache(prompts: Prompts, size: int) -> int:
    return sum(map(len, prompts))


@tokens_run.mistake("Those are the tokens that were reused; the others are wanted.")
def reused(prompts: Prompts, size: int) -> int:
    return no_cache(prompts, size) - right(prompts, size)


@tokens_run.mistake("The first prompt wasn't counted: it finds nothing, and runs whole.")
def without_the_first(prompts: Prompts, size: int) -> int:
    return right(prompts, size) - len(prompts[0])


@tokens_run.mistake("Every prompt was compared with the first one only.")
def only_with_the_first(prompts: Prompts, size: int) -> int:
    return len(prompts[0]) + sum(
        right([prompts[0], prompt], size) - len(prompts[0]) for prompt in prompts[1:]
    )


@tokens_run.mistake(
    "A number for each prompt; all tokens that run, in all prompts together, are wanted."
)
def each(prompts: Prompts, size: int) -> list[int]:
    runs = [right(prompts[:n], size) for n in range(len(prompts) + 1)]
    return [b - a for a, b in pairwise(runs)]


@tokens_run.mistake("Blocks were counted; tokens are wanted.")
def in_blocks(prompts: Prompts, size: int) -> int:
    return -(-right(prompts, size) // size)


@tokens_run.mistake("16 was written into the code; the size of a block is the second argument.")
def always_sixteen(prompts: Prompts, size: int) -> int:
    return play(prompts, 16)
