"""Mistakes with roots, as readers make them."""

import itertools

from workbook.checks.ch05.roots import roots

_FRESH = itertools.count()
_SEEN: dict[tuple[str | None, str | None], int] = {}

roots.finished = lambda salt, adapter: (("salt", salt), ("adapter", adapter))
roots.any_form = True
roots.also_right += [
    lambda salt, adapter: (salt, adapter),
    lambda salt, adapter: frozenset([("salt", salt), ("adapter", adapter)]),
    lambda salt, adapter: repr((salt, adapter)),
]

roots.mistake("The two words were joined: where one ends can't be told any more.")(
    lambda salt, adapter: f"{salt or ''}{adapter or ''}"
)
roots.mistake("A separator may be part of a word, and then it says nothing.")(
    lambda salt, adapter: f"{salt},{adapter}"
)
roots.mistake("Whichever word is there became the root: a salt x and an adapter x are one.")(
    lambda salt, adapter: salt or adapter
)
roots.mistake("The salt alone is the root: an adapter changes weights, and so keys and values.")(
    lambda salt, adapter: ("salt", salt)
)
roots.mistake("The adapter alone is the root: tenants share what they were to keep apart.")(
    lambda salt, adapter: ("adapter", adapter)
)
roots.mistake("None was left out, and with it which of the two words it was.")(
    lambda salt, adapter: tuple(word for word in (salt, adapter) if word is not None)
)
roots.mistake("A set has no order: (x, y) and (y, x) are one.")(
    lambda salt, adapter: frozenset([salt, adapter])
)
roots.mistake("The words were sorted: (x, y) and (y, x) are one.")(
    lambda salt, adapter: tuple(sorted([str(salt), str(adapter)]))
)
roots.mistake("An empty word isn't no word: `or` made one out of the other.")(
    lambda salt, adapter: (salt or None, adapter or None)
)
roots.mistake("`str(None)` is a word that a tenant may be called.")(
    lambda salt, adapter: (str(salt), str(adapter))
)
roots.mistake("Both in lower case: X and x are two tenants.")(
    lambda salt, adapter: tuple(None if w is None else w.lower() for w in (salt, adapter))
)
roots.mistake("Lengths aren't names.")(lambda salt, adapter: (len(salt or ""), len(adapter or "")))
roots.mistake("Only the first letter counts: names that begin alike are one.")(
    lambda salt, adapter: tuple(None if w is None else w[:1] for w in (salt, adapter))
)
roots.mistake("Without an adapter the salt was forgotten.")(
    lambda salt, adapter: (salt, adapter) if adapter is not None else ("", None)
)
roots.mistake(
    "A root is made of the two words alone, not of a count or of where an object lies: remember "
    "and attach must begin at the same node, today and after a restart."
)(lambda salt, adapter: next(_FRESH))
roots.mistake("A list can't be a dict's key, and the index finds children by their parent.")(
    lambda salt, adapter: [salt, adapter]
)
roots.mistake("Without a salt and an adapter the root is None, which stands for any.")(
    lambda salt, adapter: (salt, adapter) if salt is not None or adapter is not None else None
)
roots.mistake(
    "Your function returned nothing (None): is a `return` missing, or inside an `if` that wasn't "
    "taken?"
)(lambda salt, adapter: None)
roots.mistake("The same root for all: it must be made of the salt and the adapter.")(
    lambda salt, adapter: ("root",)
)
roots.mistake(
    "A hash says where to look. Two words may share one, and Python's is another in each run."
)(lambda salt, adapter: hash((salt, adapter)))
roots.mistake("None is allowed, and text can't be joined with it.")(
    lambda salt, adapter: salt + "|" + adapter
)
roots.mistake("An empty word isn't no word, and here they are one.")(
    lambda salt, adapter: (salt or "", adapter or "")
)
roots.mistake("A text was taken apart into its letters: where one ends can't be told any more.")(
    lambda salt, adapter: (*(salt or ""), *(adapter or ""))
)
roots.mistake(
    "What was asked before decides, and after a restart others come first. A root is made of the "
    "two words alone."
)(lambda salt, adapter: _SEEN.setdefault((salt, adapter), len(_SEEN)))
