"""Mistakes with beam_step, as readers make them."""

from collections import Counter
from typing import Any

from workbook.checks.ch04.beam_steps import beam_step


@beam_step.mistake(
    "3 blocks too many. While the old beams still hold their blocks, each survivor's tail has a "
    "second holder, and is copied for nothing."
)
def write_before_free(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})
    for beam in beams:
        cache.free(beam)


@beam_step.mistake("A parent was freed before its last survivor had been forked from it.")
def free_first(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    heirs = Counter(parent for parent, _ in survivors.values())
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
        if heirs[parent] == 2 or child == list(survivors)[-1]:
            cache.free(parent)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


@beam_step.mistake(
    "e holds a token of another beam: its parent had been written to before e was forked."
)
def parent_written_first(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    for child, (parent, token) in survivors.items():
        append(cache, {parent: [token]})
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)


@beam_step.mistake("b had no more to do. 6 blocks are held.")
def loser_kept(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    parents = {parent for parent, _ in survivors.values()}
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for beam in beams:
        if beam in parents:
            cache.free(beam)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


@beam_step.mistake("n was no beam of this search; its user gets no answer now.")
def frees_everyone(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    others = list(cache.tables)
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for seq in others:
        cache.free(seq)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


@beam_step.mistake("Each parent got one child at most: two survivors of one parent are two beams.")
def one_heir_each(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    heirs = {parent: child for child, (parent, _) in survivors.items()}
    for parent, child in heirs.items():
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)
    append(cache, {child: [survivors[child][1]] for child in heirs.values()})


@beam_step.mistake(
    "A step is all or nothing: the second call may find no room when the first has written."
)
def one_call_each(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)
    for child, (_, token) in survivors.items():
        append(cache, {child: [token]})


def right(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    """As chapter 04 has it, in the order of ``paged_attention.beam.beam_search``."""
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


@beam_step.also_right.append
def by_name(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    for child, (parent, _) in survivors.items():
        cache.fork(child=child, parent=parent)
    for beam in reversed(beams):
        cache.free(seq=beam)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


beam_step.finished = right
mistake = beam_step.mistake
mistake(
    "The old beams were never freed: they hold their blocks for ever.",
    ("        cache.free(beam)", "        pass"),
)
mistake(
    "The survivors were freed instead of the old beams.",
    ("for beam in beams:", "for beam in survivors:"),
)
mistake(
    "Nothing was appended: each survivor ends with a token of its own.",
    ("    append(cache, {child: [token] for child, (_, token) in survivors.items()})", "    pass"),
)
mistake(
    "Each survivor got the first one's token.",
    ("{child: [token] for child, (_, token)", "{child: [first] for child, (_, token)"),
    ("    append", "    first = next(iter(survivors.values()))[1]\n    append"),
)
mistake(
    "Parent and child are the wrong way round: `fork(parent, child)` makes the second from the "
    "first.",
    ("fork(parent, child)", "fork(child, parent)"),
)
mistake(
    "Every survivor was forked from the first beam; each has a parent of its own.",
    ("fork(parent, child)", "fork(beams[0], child)"),
)
mistake(
    "The last beam is still there: the loop ends one too early.",
    ("for beam in beams:", "for beam in beams[:-1]:"),
)
for item in ("token", "[_, token]", "(_, token)"):
    mistake(
        "append wants a list of tokens for each sequence, and each of them is a number. A "
        "survivor's token is the second of its pair.",
        ("[token]", item),
    )
mistake(
    "Each survivor's token was appended twice.",
    ("[token]", "[token, token]"),
)
mistake(
    "The tokens went to the parents; each survivor is a sequence of its own.",
    ("{child: [token] for child, (_, token)", "{parent: [token] for _, (parent, token)"),
    ("    for beam in beams:\n        cache.free(beam)\n", ""),
)
mistake(
    "The length was raised by hand, too. `append` counts the tokens that it writes.",
    ("    append(", "    for child in survivors:\n        cache.lengths[child] += 1\n    append("),
)
mistake(
    "The length was raised by hand, too. `append` counts the tokens that it writes.",
    (
        "in survivors.items()})",
        "in survivors.items()})\n    for child in survivors:\n        cache.lengths[child] += 1",
    ),
)
mistake(
    "The old beams' tables were thrown away, and their blocks still count them. `cache.free` "
    "releases what a table names.",
    ("        cache.free(beam)", "        del cache.tables[beam], cache.lengths[beam]"),
)
mistake(
    "The example's names were written into the code; the old beams are those in `beams`.",
    ("for beam in beams:", 'for beam in "abc":'),
)
mistake(
    "Only the first of the old beams was freed.",
    ("for beam in beams:", "for beam in beams[:1]:"),
)
mistake(
    "A parent with two survivors was freed twice: free each of `beams` once.",
    ("for beam in beams:", "for beam, _ in survivors.values():"),
)
mistake(
    "Survivor 0 was forked from beam 0, survivor 1 from beam 1, and so on. Each names its parent.",
    ("for child, (parent, _) in survivors.items():", "for parent, child in zip(beams, survivors):"),
)
mistake(
    "The child was created before the fork: `fork` makes it.",
    ("        cache.fork", "        cache.create(child)\n        cache.fork"),
)
mistake(
    "The old beams were freed before their survivors were forked from them.",
    (
        "    for child, (parent, _)",
        "    for beam in beams:\n        cache.free(beam)\n    for child, (parent, _)",
    ),
)
mistake(
    "All tokens of the step were appended to each survivor; each has one of its own.",
    ("[token] for", "[token for _, token in survivors.values()] for"),
)
mistake(
    "The survivors got one another's tokens: token and name belong together in `survivors`.",
    (
        "child: [token] for child, (_, token) in survivors.items()",
        "child: [token] for child, (_, token) in zip(survivors, list(survivors.values())[::-1])",
    ),
)


@beam_step.mistake(
    "The tokens were written before the survivors were there: fork first, then free, then write."
)
def append_first(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    append(cache, {child: [token] for child, (_, token) in survivors.items()})
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)
