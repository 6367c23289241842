"""Errors of libraries, said for a reader: what met, and what it usually comes from."""

import re

_SHAPES = (
    "Two shapes don't fit{0}. Print them; `x[:, None]` makes x a column, `x[None, :]` a row, and a "
    "sum over an axis leaves one number for each place of the others."
)
_WORDS = (
    (
        r"incompatible dimensions at index (\d+): (\d+) and (\d+)",
        "Two tiles of different shape meet: along axis {0} one has {1} entries, the other {2}. "
        "`x[:, None]` makes x a column, `x[None, :]` a row; a sum over axis 1 leaves one number a "
        "row.",
    ),
    (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", ": {0} and {1}"),
    (r"could not be broadcast together with shapes \(([^)]*)\) \(([^)]*)\)", ": ({0}) and ({1})"),
    (r"mat1 and mat2 shapes cannot be multiplied \(([\dx]+) and ([\dx]+)\)", ": {0} and {1}"),
    (r"shape '\[([^]]*)\]' is invalid for input of size (\d+)", ": [{0}] for {1} numbers"),
    (r"shape mismatch", ""),
    (
        r"'NoneType' object|NoneType' and '|and 'NoneType'",
        "Something is None where a value was needed: a function without a `return`, or a method "
        "like `list.sort` that changes in place and returns nothing?",
    ),
    (
        r"missing (\d+) required positional arguments?: (.*)",
        "It was called with fewer arguments than its `def` line asks for: {1} came too short. "
        "Compare the `def` line with the stub's.",
    ),
    (
        r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given",
        "The `def` line takes {0} arguments, and {1} were given. Compare it with the stub's; a "
        "method counts `self`, too.",
    ),
    (r"got an unexpected keyword argument '(\w+)'", "The `def` line has no argument called {0}."),
    (
        r"^NameError: name '(\w+)' is not defined",
        "Nothing is called {0} here. Is it a misspelling, or was its cell or import not run?",
    ),
    (
        r"^UnboundLocalError: .*'(\w+)'",
        "{0} is given a value only later in this function, or only inside an `if` that wasn't "
        "taken; until then the name is empty.",
    ),
    (r"^RecursionError", "It calls itself without an end."),
)


def error_words(got: str) -> str | None:
    """What an error's text, ``type: message``, means for whoever wrote the code."""
    for pattern, words in _WORDS:
        if found := re.search(pattern, got):
            said = words.format(*found.groups())
            return said if said[:1].isalpha() else _SHAPES.format(said)
    return None
