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
    (
        r"shape mismatch: value tensor of shape \[([^]]*)\] cannot be broadcast to indexing "
        r"result of shape \[([^]]*)\]",
        "What is to be written has shape [{0}], and the places for it have [{1}]: as many places "
        "are wanted as there are things to write.",
    ),
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
    (
        r"unsupported operand type\(s\) for (\S+): '(\w+)' and '(\w+)'",
        "The `{0}` stands between a value of type {1} and one of type {2}. Was each a number?",
    ),
    (
        r"(list|tuple) indices must be integers or slices, not (str|tuple)",
        "A {0} is read by number, and a {1} stands in the [ ]. Was `x.name`, or a dict, meant?",
    ),
    (
        r"'(\w+)' object has no attribute '(\w+)'",
        "Nothing of type {0} has a `{1}`. Is it misspelt, or was another object to be there?",
    ),
    (
        r"index (-?\d+) is out of bounds for (?:dimension|axis) (\d+) with size (\d+)",
        "Axis {1} has {2} places, counted from 0, and number {0} was asked for. Was another axis "
        "meant, or does the number count something else?",
    ),
    (
        r"unhashable type: '(\w+)'",
        "A {0} can't be a key, nor in a set, since it may change. A tuple can: `tuple(…)`.",
    ),
    (
        r"'(\w+)' object is not (subscriptable|iterable|callable)",
        "One value of type {0} was used like several, or like a function. What was to be there "
        "instead?",
    ),
    (
        r"'float' object cannot be interpreted as an integer|indices must be integers.* not float",
        "A count or an index became a float: divide with `//`.",
    ),
    (
        r"tensors used as indices must be long|index.* must be integers",
        "An index is a whole number: divide with `//`, which gives one, not with `/`.",
    ),
    (
        r"stack expects each tensor to be equal size|Sizes of tensors must match",
        "Tensors of different length don't fit into one. Give all of them the longest one's, with "
        "zeros at the end.",
    ),
    (
        r"view size is not compatible",
        "After `transpose` these axes don't follow one another in memory: `view` can't join them. "
        "`flatten` and `reshape` copy where they must.",
    ),
    (
        r"(?:mutated|changed size) during iteration",
        "A dict or a set can't change while a loop goes over it: choose first, into a list, or go "
        "over `list(…)` of it.",
    ),
    (
        r"arange's range must be a power of 2",
        "A tile has a power of 2 of places along each axis: take the next one, and mask the rest.",
    ),
    (
        r"Both operands must be same dtype\. Got (\w+) and (\w+)",
        "`tl.dot` wants both of one type, and got {0} and {1}: `p.to(v.dtype)`.",
    ),
    (
        r"input and other must have equal reduction dimensions",
        "In `tl.dot(a, b)` a row of a meets a column of b, so both have one length: is one of "
        "them to be turned, with `tl.trans`?",
    ),
    (
        r"axis (\d+) out of bounds for shape",
        "A sum or a maximum goes along axis {0}, and the tile has none: axes count from 0, and a "
        "row of numbers has axis 0 alone.",
    ),
    (
        r"object does not support item assignment",
        "This can't be changed in place: make a new one, in a kernel with `tl.where`.",
    ),
)


def error_words(got: str) -> str | None:
    """What an error's text, ``type: message``, means for whoever wrote the code."""
    for pattern, words in _WORDS:
        if found := re.search(pattern, got):
            said = words.format(*found.groups())
            return said if said[:1].isalpha() else _SHAPES.format(said)
    return None
