"""Chapter 03, open task: a test that suspects broken caches and no others."""

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

from workbook.checks.ch03.faults import FAULTS, RIGHT, Change
from workbook.checks.framework import Rejected, open_task
from workbook.checks.framework.cases import in_words
from workbook.checks.framework.mistake import changed


@open_task(
    "suspect",
    label="open-03",
    title="Test the cache",
    asks="a function suspect(cache_class) -> True or False: whether a class with the methods of "
    "MyPagedKVCache (create, reserve, set_batch, update, truncate, free) breaks a promise of this "
    "chapter. Of the broken ones, an error counts as True.",
    unit="caught",
    better="more",
    today=(27, "random steps over zeros, every history compared"),
    book=(38, "the same over NaN, with the law, refusals and truncate"),
    bound=(len(FAULTS), "all broken caches"),
)
def suspect(answer: Any) -> int:
    """How many broken caches are suspected; a right one must never be."""
    caught = 0
    for cls, right in _caches():
        try:
            verdict = answer(cls)
        except Exception as error:
            if right:
                raise Rejected(
                    f"It ends in {in_words(error)}, on a right cache: {right}."
                ) from None
            verdict = True
        if verdict is not True and verdict is not False:
            raise Rejected(f"It answered {verdict!r}; True or False is wanted.")
        if right and verdict:
            raise Rejected(f"It suspects a right cache: {right}.")
        caught += bool(verdict)
    if not caught:
        raise Rejected("It suspects nobody.")
    return caught


@cache
def _caches() -> Sequence[tuple[type, str]]:
    """All classes under one name, in an order that tells nothing; for a right one, which it is."""
    from paged_attention.cache import PagedKVCache

    classes: list[tuple[type, str]] = [(type("Cache", (PagedKVCache,), {}), "the finished one")]
    classes += [(_spoilt(changes), which) for which, changes in RIGHT.items()]
    classes += [(_spoilt(changes), "") for changes in FAULTS.values()]
    random.Random(3).shuffle(classes)
    return classes


def _spoilt(changes: Sequence[Change]) -> type:
    from workbook.checks.ch03.mistakes.built import MyPagedKVCache

    return type("Cache", (changed(MyPagedKVCache, changes),), {})
