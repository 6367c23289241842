"""How one step's token budget is divided. Arithmetic only."""

from collections.abc import Sequence


def shares(left: Sequence[int], budget: int, chunk: int) -> list[int]:
    """How many tokens each request runs, oldest first; ``left`` is what each has left to run.

    Who has one token left is about to speak and gets it. What remains of ``budget`` goes to the
    oldest, at most ``chunk`` tokens to each (``0``: never cut, see ``part``).
    """
    budget -= sum(n == 1 for n in left)
    given = []
    for n in left:
        if n > 1:
            n = part(n, budget, chunk)
            budget -= n
        given.append(n)
    return given


def part(left: int, budget: int, chunk: int) -> int:
    """How many of ``left`` tokens run now, ``budget`` being there for them.

    With ``chunk`` 0 all of them or, when nothing of the budget remains, none: a prompt that may
    not be cut breaks the budget once instead of waiting for ever.
    """
    if budget < 1:
        return 0
    return min(left, budget, chunk) if chunk else left
