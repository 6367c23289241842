"""The open task's own answer, and answers that break its spec."""

from workbook.checks.ch10.open import sizes


def large_then_small(tokens: int, held: int) -> int:
    return 256 if tokens - held > 128 else 32


sizes.solved = large_then_small


@sizes.rejects("it chose 0")
def nothing(tokens: int, held: int) -> int:
    return 0


@sizes.rejects("it chose 512")
def everything(tokens: int, held: int) -> int:
    return 512


@sizes.rejects("power of two")
def exactly(tokens: int, held: int) -> int:
    return min(256, tokens - held)


@sizes.rejects("it chose 16.0")
def a_float(tokens: int, held: int) -> float:
    return 16.0
