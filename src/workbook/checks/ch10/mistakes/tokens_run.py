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
tokens_run.probes += [
    ([[1, 2, 3, 4, 5], [9, 8, 7, 6], [1, 2, 3, 4, 6, 7], [9, 8, 7, 6, 1, 2, 3]], 2),
    ([[1, 2, 3, 4], [5, 6, 3, 4, 9], [1, 2, 9, 9, 3, 4, 8], [1, 2, 3, 4, 8, 8, 8]], 2),
    ([[4], [4], [4, 4, 4, 4], [4, 4, 4, 4, 4]], 2),
    ([[1, 2, 3], [1, 2, 3]], 4),
    ([[1, 2, 3, 4, 9], [5, 6, 7, 8, 9], [1, 2, 7, 8, 9]], 2),
]


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


tokens_run.mistake("The number of blocks that were reused was taken off, not of their tokens.")(
    lambda prompts, size: no_cache(prompts, size) - reused(prompts, size) // size
)


@tokens_run.mistake("Blocks were counted; tokens are wanted.")
def in_blocks(prompts: Prompts, size: int) -> int:
    return -(-right(prompts, size) // size)


@tokens_run.mistake("16 was written into the code; the size of a block is the second argument.")
def always_sixteen(prompts: Prompts, size: int) -> int:
    return play(prompts, 16)


@tokens_run.mistake(
    "The last full block of a prompt is never known: that it must run again doesn't keep it from "
    "being found by a longer prompt. Names go up to `len(prompt)`, hits to one less."
)
def last_block_unnamed(prompts: Prompts, size: int) -> int:
    seen: set[tuple[int, ...]] = set()
    run = 0
    for prompt in prompts:
        hit = 0
        for end in range(size, len(prompt), size):
            if tuple(prompt[:end]) not in seen:
                break
            hit = end
        run += len(prompt) - hit
        seen |= {tuple(prompt[:end]) for end in range(size, len(prompt), size)}
    return run


@tokens_run.mistake(
    "Each prompt was compared with the one before it alone. Every full block is kept for ever."
)
def only_with_the_one_before(prompts: Prompts, size: int) -> int:
    if not prompts:
        return 0
    pairs = pairwise(prompts)
    return len(prompts[0]) + sum(right([a, b], size) - len(a) for a, b in pairs)


@tokens_run.mistake(
    "Where all blocks of a prompt are known, one token was run. Reuse is in whole blocks, so its "
    "last block runs, all of it."
)
def one_token_runs(prompts: Prompts, size: int) -> int:
    seen: set[tuple[int, ...]] = set()
    run = 0
    for prompt in prompts:
        hit = 0
        for end in range(size, len(prompt) + 1, size):
            if tuple(prompt[:end]) not in seen:
                break
            hit = end
        run += max(1, len(prompt) - hit)
        seen |= {tuple(prompt[:end]) for end in range(size, len(prompt) + 1, size)}
    return run


@tokens_run.mistake(
    "A block is found only at the same place, but whatever stands before it: the name holds its "
    "own tokens and its number. It must hold all tokens up to its end."
)
def own_tokens_and_place(prompts: Prompts, size: int) -> int:
    return play(prompts, size, name=lambda p, end: (end, *p[end - size : end]))


@tokens_run.mistake(
    "Known blocks were counted wherever they stand. After the first unknown one nothing is reused: "
    "named by their own tokens, they'd be another history's."
)
def anywhere(prompts: Prompts, size: int) -> int:
    seen: set[tuple[int, ...]] = set()
    run = 0
    for prompt in prompts:
        names = [tuple(prompt[end - size : end]) for end in range(size, len(prompt) + 1, size)]
        hits = sum(name in seen for name in names)
        run += len(prompt) - min(hits, (len(prompt) - 1) // size) * size
        seen |= set(names)
    return run


@tokens_run.mistake(
    "The known blocks were forgotten with each prompt: the set has to live outside the loop."
)
def forgets(prompts: Prompts, size: int) -> int:
    return sum(play([prompt], size) for prompt in prompts)


@tokens_run.mistake("Part-filled blocks got a name, too; only full ones are kept.")
def part_filled(prompts: Prompts, size: int) -> int:
    seen: set[tuple[int, ...]] = set()
    run = 0
    for prompt in prompts:
        ends = [*range(size, len(prompt), size), len(prompt)]
        hit = 0
        for end in ends:
            if tuple(prompt[:end]) not in seen:
                break
            hit = end
        run += len(prompt) - min(hit, len(prompt) - 1)
        seen |= {tuple(prompt[:end]) for end in ends}
    return run


@tokens_run.mistake("Only the first block was looked for: after a hit go on, until one is missing.")
def first_block_only(prompts: Prompts, size: int) -> int:
    seen: set[tuple[int, ...]] = set()
    run = 0
    for prompt in prompts:
        hit = size if size < len(prompt) and tuple(prompt[:size]) in seen else 0
        run += len(prompt) - hit
        seen |= {tuple(prompt[:end]) for end in range(size, len(prompt) + 1, size)}
    return run


@tokens_run.mistake(
    "The last *block* of a prompt was never reused, be it full of known tokens or not. The last "
    "token must run: reuse ends at `len(prompt) - 1`, in whole blocks."
)
def last_block_runs(prompts: Prompts, size: int) -> int:
    return play(prompts, size, most=lambda n: n - size)


@tokens_run.mistake(
    "Single tokens were looked up, wherever they stood. A block is found by all tokens up to its "
    "end, from the beginning on."
)
def single_tokens(prompts: Prompts, size: int) -> int:
    known: set[int] = set()
    run = 0
    for prompt in prompts:
        run += max(1, sum(token not in known for token in prompt))
        known |= set(prompt)
    return run


tokens_run.mistake("Only the last prompt was counted; all of them run.")(
    lambda prompts, size: right(prompts, size) - right(prompts[:-1], size)
)


@tokens_run.mistake(
    "Only prompts that find nothing were counted whole, and the others not at all: what isn't "
    "reused of them runs, too."
)
def hits_cost_nothing(prompts: Prompts, size: int) -> int:
    runs = [right(prompts[: n + 1], size) - right(prompts[:n], size) for n in range(len(prompts))]
    return sum(run for run, prompt in zip(runs, prompts, strict=True) if run == len(prompt))


@tokens_run.mistake(
    "The last token of each prompt was added once more: it is among those that aren't reused."
)
def last_one_twice(prompts: Prompts, b: int) -> int:
    return play(prompts, b) + len(prompts)
