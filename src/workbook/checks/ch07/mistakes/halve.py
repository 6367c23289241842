"""Half of a vector, and mistakes with it, made from its source."""
# Triton compiles the kernels itself: their arguments are pointers, numbers and constants.
# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from workbook.checks.ch07.halve import halve as exercise
from workbook.triton_or_stub import tl, triton


@triton.jit
def halve(x, out, n, LANES: tl.constexpr):
    i = tl.program_id(0) * LANES + tl.arange(0, LANES)
    there = i < n
    half = tl.load(x + i, mask=there, other=0.0) / 2
    tl.store(out + i, half, mask=there)


@triton.jit
def halve_in_turns(x, out, n, LANES: tl.constexpr):
    i = tl.program_id(0) + tl.num_programs(0) * tl.arange(0, LANES)
    tl.store(out + i, 0.5 * tl.load(x + i, mask=i < n), mask=i < n)


exercise.finished = halve
exercise.also_right += [halve_in_turns]
LOAD, STORE = "tl.load(x + i, mask=there, other=0.0)", "tl.store(out + i, half, mask=there)"
START = "tl.program_id(0) * LANES + tl.arange(0, LANES)"
for says, *changes in (
    (
        "Only the first LANES numbers were done: every program took them (its number isn't in "
        "`i`), or the others begin too far on, or the mask ends there. Program p has the numbers "
        "from p × LANES on.",
        ("tl.program_id(0) * LANES + ", ""),
    ),
    (
        "Program 1 begins at number 1. A program has LANES numbers, so it begins at program × "
        "LANES.",
        ("tl.program_id(0) * LANES", "tl.program_id(0)"),
    ),
    (
        "Program 1 begins at number 8, whatever LANES is: the size was written into the code.",
        ("tl.program_id(0) * LANES", "tl.program_id(0) * 8"),
    ),
    (
        "Each program did one number: a program has LANES of them, `tl.arange(0, LANES)`.",
        (START, "tl.program_id(0)"),
    ),
    (
        "Program and lane are swapped: lanes are neighbours in memory, programs are LANES apart.",
        (START, "tl.program_id(0) + LANES * tl.arange(0, LANES)"),
    ),
    (
        "Number 0 is missing: lanes are counted from 0, as memory is, and the mask is `i < n`.",
        ("tl.arange(0, LANES)", "tl.arange(1, LANES + 1)"),
    ),
    (
        "The load has no mask: the last program's spare lane reads behind x.",
        (LOAD, "tl.load(x + i)"),
    ),
    (
        "The store has no mask: what lies behind number n was overwritten, or no tensor at all.",
        (STORE, "tl.store(out + i, half)"),
    ),
    (
        "`//` counts whole numbers, and Triton refuses it for floats: halve with `/ 2`.",
        ("other=0.0) / 2", "other=0.0) // 2"),
    ),
    ("`i <= n` lets number n in; the last one is n - 1.", ("i < n", "i <= n")),
    (
        "The last number is missing: the mask ends at n - 1, which is one too early.",
        ("i < n", "i < n - 1"),
    ),
    (
        "The mask compares lanes with n, and every lane number is small: compare `i`.",
        ("there = i < n", "there = tl.arange(0, LANES) < n"),
    ),
    (
        "The load counts bytes. Offsets count numbers: the pointer knows how wide its numbers are.",
        ("tl.load(x + i,", "tl.load(x + i * 4,"),
    ),
    (
        "The store counts bytes. Offsets count numbers: the pointer knows how wide its numbers "
        "are.",
        ("tl.store(out + i,", "tl.store(out + i * 4,"),
    ),
    ("The numbers came back whole: nothing was divided by 2.", (" / 2", "")),
    ("The numbers were doubled.", (" / 2", " * 2")),
    (
        "Nothing was stored in `out`: a kernel returns nothing, it writes.",
        (STORE, "return half"),
    ),
    (
        "Every program stored at the start of out: the load has the program's number, the store "
        "hasn't.",
        ("tl.store(out + i,", "tl.store(out + tl.arange(0, LANES),"),
    ),
    (
        "Every program loaded the start of x: the store has the program's number, the load hasn't.",
        ("tl.load(x + i,", "tl.load(x + tl.arange(0, LANES),"),
    ),
    ("Programs overlap: program p begins at p × LANES.", ("* LANES +", "* (LANES - 1) +")),
    ("1 was taken off; half of a number is the number divided by 2.", (" / 2", " / 2 - 1")),
    ("`out` was read; the numbers to be halved are in `x`.", ("tl.load(x + i", "tl.load(out + i")),
):
    exercise.mistake(says, *changes)
