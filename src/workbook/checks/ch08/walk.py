"""Chapter 08: a walk in C++, judged as a program of its own that watches every address."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from workbook.checks.framework import CheckFailed, NotHere, exercise

if TYPE_CHECKING:
    from workbook.walk.cases import Case
    from workbook.walk.judge import Outcome

walk = exercise(
    "walk",
    label="ex-08-6",
    title="Your walk",
    stub="WALK",
    takes="text or function",
    hints=(
        "Write the NumPy walk of chapter 7 with loops: over the blocks of the table, the slots of "
        "a block that were written, the G queries, the D numbers. `m[G]`, `l[G]` and `acc[G][D]` "
        "live outside the loops. Make it right first, then fast.",
        "`const float* k = k_pool + table[i] * block_stride;`, and number d of slot t is `k[t * D "
        "+ "
        "d]`. Read a key once for all G queries. Multiply `acc` only when `m` rises, not at every "
        "token; the factor is `power_of_two(m - higher)`, and 0 for the first token.",
    ),
)
NO_COMPILER = (
    "No C++ compiler was found here, so write the walk in Python: a function walk(q, k_pool, "
    "v_pool, table, length, block_size) with q [G, D], pools [blocks, slots, D] of one KV head, "
    "which returns [G, D]; with Numba's njit it is compiled."
)
TOO_SMALL = (
    "A block may have 100 slots or more, and out has G × D numbers: no array may be smaller than "
    "the loop over it."
)
FAULTS = (  # a part of what ended the program, and the law behind it
    (
        "doesn't compile",
        "The line is counted in your text. A missing `;` or `)` often stands a line before.",
    ),
    (
        "table[",
        "A sequence of `length` tokens has ceil(length / block_size) entries in its table, and no "
        "more.",
    ),
    (
        "pool[",
        "Number d of a slot lies at block × block_stride + slot × D + d. The pools begin at this "
        "KV head, so no head is added.",
    ),
    ("past the end of an array", TOO_SMALL),
    ("out of bounds", TOO_SMALL),
    ("didn't end", "Look for a loop whose condition never changes."),
)


@walk.case(
    "one block of four tokens",
    tried="1 sequence of 4 tokens, 1 KV head with 3 queries, head size 8, blocks of 4",
    right="softmax(scores) @ values",
    why="For each token of block table[i], slot t: score = q[g] · k[t], higher = max(m, score), "
    "acc[d] = acc[d] * 2 ** (m - higher) + 2 ** (score - higher) * v[t][d], l likewise, then m = "
    "higher. out[g][d] = acc[d] / l. q has scale and log2(e) in it.",
)
def _one(reader: Any) -> None:
    _judge(reader, 0)


def _more(title: str, tried: str, right: str, why: str, index: int) -> None:
    @walk.case(title, tried=tried, right=right, why=why)
    def _case(reader: Any) -> None:
        _judge(reader, index)


for _index, _words in enumerate(
    (
        (
            "four blocks, out of order",
            "1 sequence of 16 tokens in 4 shuffled blocks of 4",
            "the answer over the blocks that the table names, in its order",
            "Each block is found through the table, and m, l and acc live on from block to block.",
        ),
        (
            "two KV heads",
            "8 tokens, 2 KV heads with 3 queries each",
            "each group reads its KV head",
            "The pools that you get begin at your KV head; two blocks are block_stride apart.",
        ),
        (
            "lengths 1, 4, 5 and 17 over NaN",
            "4 sequences in blocks of 4; what nobody wrote is NaN",
            "tokens up to the length count, all of them and no others",
            "The last block is partly written, unless the length is a multiple of the block size.",
        ),
        (
            "blocks of 3, and a sequence without tokens",
            "sequences of 7 and 0 tokens, blocks of 3, 2 KV heads",
            "zeros for the empty one",
            "block_size is an argument, and 0 / 0 is NaN.",
        ),
        (
            "a block of 100 slots, and half of another",
            "150 tokens in blocks of 100",
            "all 150 count",
            "A block may be larger than any array that you chose.",
        ),
        (
            "scores in the thousands",
            "sequences of 1 and 9 tokens, queries 3,000 times as large",
            "finite, and right for scores far below 0, too",
            "Only differences to the maximum may be exponents, and the first maximum is -INF.",
        ),
    ),
    1,
):
    _more(*_words, _index)


@cache
def _cases() -> "tuple[Case, ...]":
    from workbook.walk.cases import cases

    return cases()


@lru_cache(maxsize=32)
def _of_text(text: str) -> "list[Outcome]":
    from workbook.walk.judge import run_text

    return run_text(text, _cases())


def _outcome(reader: str | Callable[..., Any], index: int) -> "Outcome":
    from paged_attention.errors import KernelNotBuilt
    from workbook.walk.judge import run_function
    from workbook.walk.program import DoesNotCompile

    if not isinstance(reader, str):
        import numpy as np

        with np.errstate(all="ignore"):  # C++ says nothing of NaN either
            return run_function(reader, [_cases()[index]])[0]
    if "NOT_IMPLEMENTED" in reader:
        raise NotImplementedError
    try:
        outcomes = _of_text(reader)
    except DoesNotCompile as error:
        raise _failed(f"it doesn't compile: {error}") from None
    except KernelNotBuilt as error:
        from paged_attention.kernels.cpu import find_compiler

        raise NotHere(str(error) if find_compiler() else NO_COMPILER) from None
    return outcomes[min(index, len(outcomes) - 1)]  # the program ended in an earlier case


def _judge(reader: str | Callable[..., Any], index: int) -> None:
    outcome = _outcome(reader, index)
    if outcome.answer is None:
        raise _failed(outcome.fault)
    if outcome.wrong is not None:
        row, head, _ = outcome.wrong
        answer, right = outcome.answer[row, head], outcome.case.right()[row, head]
        raise CheckFailed(f"row {row}, head {head}: {_three(answer)}", right=_three(right))


def _failed(fault: str) -> CheckFailed:
    return CheckFailed(fault, why=next((why for part, why in FAULTS if part in fault), None))


def _three(values: Any) -> str:
    return ", ".join(f"{round(float(value), 3) + 0:.3f}" for value in values[:3]) + " …"
