"""Chapter 07: the first kernel, a masked vector load and store."""

from typing import Any

from workbook.checks.framework import exercise, expect
from workbook.checks.toolboxes.launching import listed, run_kernel

halve = exercise(
    "halve",
    label="ex-07-2",
    title="Half of a vector",
    stub="halve",
    takes="function",
    hints=(
        "Which numbers does program 1 have, when each program has LANES of them?",
        "`i = tl.program_id(0) * LANES + tl.arange(0, LANES)`, and one mask, `i < n`, for the load "
        "and for the store.",
    ),
)


def _halves(title: str, n: int, lanes: int, why: str, behind: int = 0) -> None:
    programs = -(-n // lanes)
    rest = f"; {behind} more numbers lie behind them" if behind else ""

    @halve.case(
        title,
        tried=f"n = {n}, LANES = {lanes}, {programs} programs; x holds 2, 4, 6, 8 …{rest}",
        right=listed([*range(1, n + 1), *[-7] * behind]),
        why=why,
    )
    def _case(kernel: Any) -> None:
        import torch

        x = torch.arange(1.0, n + behind + 1) * 2
        out = torch.full((n + behind,), -7.0)
        run_kernel(kernel, (programs,), x=x, out=out, n=n, LANES=lanes)
        right = [*range(1, n + 1), *[-7] * behind]
        expect(out.tolist() == right, got=f"out is {listed(out.tolist())}")


_halves(
    "two programs, every lane in use",
    8,
    4,
    "Number i of out is half of number i of x. Program p has LANES numbers, from p × LANES on.",
)
_halves(
    "11 numbers in lanes of 4",
    11,
    4,
    "The last program has four lanes for three numbers: a mask keeps the fourth away from memory, "
    "at the load and at the store.",
)
_halves(
    "9 of 16 numbers",
    9,
    4,
    "What lies behind n is somebody else's, even where it can be read and written.",
    behind=7,
)
_halves("one program, three of eight lanes", 3, 8, "LANES and n are two numbers.")
