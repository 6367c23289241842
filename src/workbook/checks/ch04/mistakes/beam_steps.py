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


def finished_beam_step(cache: Any, beams: Any, survivors: Any, append: Any) -> None:
    """The order of ``paged_attention.beam.beam_search``."""
    for child, (parent, _) in survivors.items():
        cache.fork(parent, child)
    for beam in beams:
        cache.free(beam)
    append(cache, {child: [token] for child, (_, token) in survivors.items()})


beam_step.finished = finished_beam_step
