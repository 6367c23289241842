"""Mistakes with ceil_div, as readers make them."""

import math

from paged_attention.tables import ceil_div as right
from workbook.checks.ch00.rounding import ceil_div


@ceil_div.mistake("4 tokens fill 1 block, not 2. The second one would stay empty.")
def one_more(a: int, b: int) -> int:
    return a // b + 1


@ceil_div.mistake("`//` rounds down: these three tokens have no home.")
def floor(a: int, b: int) -> int:
    return a // b


@ceil_div.mistake(
    "Rounded to the nearest whole number: 5 / 4 is 1.25, and the fifth token has no home. A part "
    "of a block, however small, needs a whole one."
)
def rounded(a: int, b: int) -> int:
    return round(a / b)


@ceil_div.mistake("A float has 53 bits, and lost the last 1 on the way. Stay with integers.")
def through_floats(a: int, b: int) -> int:
    return math.ceil(a / b)


@ceil_div.mistake("The number is right, but a count is an int: 1, not 1.0. Use `//`, not `/`.")
def a_float(a: int, b: int) -> float:
    return -(-a / b // 1)


@ceil_div.mistake("`/` divides exactly. How many whole blocks does that take?")
def no_rounding(a: int, b: int) -> float:
    return a / b


@ceil_div.mistake("A sequence without tokens needs no block.")
def at_least_one(a: int, b: int) -> int:
    return max(1, right(a, b))


ceil_div.mistake("That is the number of full blocks and the rest added up, not blocks.")(
    lambda a, b: a // b + a % b
)
ceil_div.mistake("The two are swapped: `a` tokens in blocks of `b`.")(
    lambda a, b: -(-b // a) if a else 0
)
ceil_div.mistake("One is added when the division is exact, and not when it isn't.")(
    lambda a, b: a // b + (a % b == 0)
)
ceil_div.mistake("The sign was changed once: negative blocks.")(lambda a, b: -a // b)
ceil_div.mistake("The block size 4 is written in; `b` says how large blocks are.")(
    lambda a, b: (a + 3) // 4
)

ceil_div.mistake("That is what `a // b` leaves over, `%`: tokens, not blocks.")(lambda a, b: a % b)
ceil_div.mistake("The sign was changed after the rounding only. Change it before, too.")(
    lambda a, b: -(a // b)
)
ceil_div.mistake("Up twice: `b - 1` was added, and the division was rounded up, too.")(
    lambda a, b: math.ceil((a + b - 1) / b)
)
ceil_div.mistake("It rounds down, and only nothing and less than a block became one.")(
    lambda a, b: max(1, a // b)
)
ceil_div.mistake("Multiplied: that is how many tokens `a` blocks hold, of `b` each.")(
    lambda a, b: a * b
)

ceil_div.finished = right
ceil_div.also_right += [
    lambda a, b: (a + b - 1) // b,
    lambda a, b: (a - 1) // b + 1,
    lambda a, b: a // b + (a % b > 0),
]


@ceil_div.mistake(
    "`b` was divided by `a`: the tokens, `a`, are divided by what a block holds, `b`."
)
def upside_down(a: int, b: int) -> int:
    return -(-b // a)


@ceil_div.mistake(
    "`b` was divided by `a`: the tokens, `a`, are divided by what a block holds, `b`."
)
def upside_down_in_floats(a: int, b: int) -> int:
    return math.ceil(b / a)
