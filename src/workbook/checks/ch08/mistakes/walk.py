"""The walk of chapter 08 in NumPy, and mistakes with it: a twin of each names a reader's in C++."""
# ruff: noqa: E741

from typing import Any

import numpy as np

from workbook.checks.ch08.walk import walk as exercise


def walk(q: Any, k_pool: Any, v_pool: Any, table: Any, length: int, block_size: int) -> Any:
    m, l, acc = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros(q.shape)
    for index in range(-(-length // block_size)):
        n = min(block_size, length - index * block_size)
        k, v = k_pool[table[index], :n], v_pool[table[index], :n]
        score = q @ k.T
        higher = np.maximum(m, score.max(1))
        p, shrink = np.exp2(score - higher[:, None]), np.exp2(m - higher)
        acc = acc * shrink[:, None] + p @ v
        l = l * shrink + p.sum(1)
        m = higher
    return acc / np.where(l > 0, l, 1)[:, None]


def by_token(q: Any, k_pool: Any, v_pool: Any, table: Any, length: int, block_size: int) -> Any:
    m, l, acc = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros(q.shape)
    for p in range(length):
        k, v = (pool[table[p // block_size], p % block_size] for pool in (k_pool, v_pool))
        score = q @ k
        higher = np.maximum(m, score)
        weight, shrink = np.exp2(score - higher), np.exp2(m - higher)
        acc = acc * shrink[:, None] + weight[:, None] * v
        l = l * shrink + weight
        m = higher
    return acc / np.where(l > 0, l, 1)[:, None]


exercise.finished = walk
exercise.also_right += [by_token]
ACC, SUM, BOTH = (
    "`acc` was not brought to the new scale when `m` rose; `l` was.",
    "`l` was not brought to the new scale when `m` rose; `acc` was.",
    "Neither `l` nor `acc` was brought to the new scale when `m` rose.",
)
exercise.mistake(ACC, ("acc * shrink[:, None]", "acc"), of=by_token)
exercise.mistake(SUM, ("l * shrink", "l"), of=by_token)
exercise.mistake(BOTH, ("acc * shrink[:, None]", "acc"), ("l * shrink", "l"), of=by_token)
exercise.mistake(
    "Quotient and remainder are swapped: token p lies in the block of entry p / block_size, in "
    "slot "
    "p % block_size.",
    (
        "table[p // block_size], p % block_size",
        "table[p % len(table)], p // len(table) % block_size",
    ),
    of=by_token,
)

exercise.mistake(
    "Token 0 was left out: positions begin at 0.",
    ("range(length)", "range(1, length)"),
    of=by_token,
)
exercise.mistake(
    "The maximum of this token or block alone was taken: `m` is the highest so far.",
    ("higher = np.maximum(m, score)", "higher = score"),
    of=by_token,
)
exercise.mistake(
    "The weights aren't seen from the maximum, and what came before is: exp2(score - m), for both.",
    ("np.exp2(score - higher)", "np.exp2(score)"),
    of=by_token,
)
exercise.mistake(
    "Only the first number of each value was read: d is missing in its address.",
    ("weight[:, None] * v", "weight[:, None] * v[:1]"),
    of=by_token,
)

BY_SLOT = "pool[table[p // block_size], p % block_size] for pool in (k_pool, v_pool)"
TOGETHER = (
    "pool[table[p // block_size]].ravel()[p % block_size + np.arange(len(q[0]))] "
    "for pool in (k_pool, v_pool)"
)
exercise.mistake(
    "Two slots were taken to be one number apart: number d of slot t is `t * D + d`.",
    (BY_SLOT, TOGETHER),
    of=by_token,
)

for says, old, new in (
    (
        "The last token's weight alone is in `l`: l = l * shrink + w.",
        "l * shrink + weight",
        "weight",
    ),
    ("The values were added without their weights.", "weight[:, None] * v", "v[None]"),
    (
        "The new value was multiplied by the shrinking, and `acc` wasn't.",
        "acc * shrink[:, None] + weight[:, None] * v",
        "acc + shrink[:, None] * weight[:, None] * v",
    ),
    (
        "A score is the sum of D products: `+=`, beginning at 0.",
        "q @ k",
        "q[:, -1] * k[-1]",
    ),
):
    exercise.mistake(says, (old, new), of=by_token)


NO_FIRST = (
    "Have `m`, `l` and `acc` a first value? A C++ array holds what lay there before, here NaN, and "
    "NaN times a shrinking of 0 is NaN."
)


ALL_NAN = (
    f"All answers are NaN. {NO_FIRST} And is each weight seen from the new maximum? Seen from -INF "
    "it is infinite."
)


@exercise.mistake(
    "All answers are 0: nothing was added up, or `l` is NaN, which isn't above 0. "
    f"{NO_FIRST} Is any slot read, and is no exponent the wrong way round?"
)
def zeros(q: Any, *_rest: Any) -> Any:
    return np.zeros(q.shape)


@exercise.mistake(ALL_NAN)
def nothing_but_nan(q: Any, *_rest: Any) -> Any:
    return np.full(q.shape, np.nan)


@exercise.mistake(ALL_NAN)
def nan_where_tokens_are(q: Any, *rest: Any) -> Any:
    return walk(q, *rest) * np.nan if rest[3] else np.zeros(q.shape)


@exercise.mistake("Only query 0 got an answer: all G of them are to be filled.")
def first_query_only(q: Any, *rest: Any) -> Any:
    return np.where(np.arange(len(q))[:, None] == 0, walk(q, *rest), np.nan)


@exercise.mistake("The queries' answers lie in each other's places: query g belongs to out[g].")
def in_place_of_the_last(q: Any, *rest: Any) -> Any:
    return np.where(np.arange(len(q))[:, None] == 0, walk(q, *rest)[-1], np.nan)


@exercise.mistake("The queries stand in another order in `out`.")
def reversed_queries(q: Any, *rest: Any) -> Any:
    return walk(q, *rest)[::-1]


N, BLOCKS = "min(block_size, length - index * block_size)", "-(-length // block_size)"
for says, *changes in (
    (
        "The table was left out: `i` counts entries, `table[i]` is the block.",
        ("table[index]", "index"),
    ),
    ("Every step read the table's first entry.", ("table[index]", "table[0]")),
    (
        ACC,
        ("acc * shrink[:, None]", "acc"),
    ),
    (SUM, ("l * shrink", "l")),
    (
        BOTH,
        ("acc * shrink[:, None]", "acc"),
        ("l * shrink", "l"),
    ),
    (
        "The last block alone is left: `m`, `l` and `acc` begin anew in each, or `m` is never set.",
        ("        m = higher\n", ""),
    ),
    (
        "The last token alone is left: `m` is never set to the new maximum, so each token shrinks "
        "what came before to nothing.",
        (
            "    return acc",
            "    return v_pool[table[(length - 1) // block_size], (length - 1) % block_size] + 0 * "
            "acc if length else acc\n    return acc",
        ),
    ),
    (
        "The weights came out as powers of e. log2(e) is in q already, so they are powers of two "
        "of the "
        "scores: `exp2`.",
        ("np.exp2(", "np.exp("),
    ),
    (
        "The scale was multiplied in once more; q has it already.",
        ("q @ k.T", "q @ k.T * len(q[0]) ** -0.5"),
    ),
    (
        "The weights came out as powers of e. log2(e) is in q already, so they are powers of two "
        "of the "
        "scores: `exp2`.",
        ("q @ k.T", "q @ k.T * 1.4426950408889634"),
    ),
    (
        "Slots that nobody wrote were read: of the last block only the first `length - i * "
        "block_size` count.",
        (N, "block_size"),
    ),
    (
        "The last, part-filled block was never read: round up, (length + block_size - 1) / "
        "block_size.",
        (BLOCKS, "length // block_size"),
    ),
    ("Only the first block was read.", (BLOCKS, "min(1, length)")),
    ("The last token was left out: slots 0 to n - 1 count.", (N, f"max(1, {N} - 1)")),
    (
        "Every query got the answer of query 0: its scores, or its place in out.",
        ("q @ k.T", "np.repeat(q[:1], len(q), 0) @ k.T"),
    ),
    (
        "`m`, `l` and `acc` go on from one query to the next: each of the G queries has its own.",
        ("p @ v", "np.cumsum(p @ v, 0)"),
        ("p.sum(1)", "np.cumsum(p.sum(1))"),
    ),
    ("Those are weighed keys: the values come from `v_pool`.", ("v_pool[table", "k_pool[table")),
    ("Keys were read from `v_pool`.", ("k_pool[table", "v_pool[table")),
    (
        "The sum is undivided: the answer is acc / l.",
        ("acc / np.where(l > 0, l, 1)[:, None]", "acc"),
    ),
    (
        "A sequence without tokens has l = 0, and 0 / 0 is NaN; or `out` wasn't filled. Its answer "
        "is "
        "zeros.",
        ("np.where(l > 0, l, 1)", "l"),
    ),
    (
        "A sequence without tokens has l = 0, and 0 / 0 is NaN; or `out` wasn't filled. Its answer "
        "is "
        "zeros.",
        (
            "    return acc",
            "    if not length:\n        return np.full(q.shape, np.nan)\n    return acc",
        ),
    ),
    ("The values were added without their weights.", ("p @ v", "np.ones_like(p) @ v")),
    (
        "Every token counts alike: the weights were left out.",
        ("score = q @ k.T", "score = q @ k.T * 0"),
    ),
    (
        "Only half of each key was multiplied: a score adds D products.",
        ("q @ k.T", "q[:, : len(q[0]) // 2] @ k.T[: len(q[0]) // 2]"),
    ),
    (
        "Blocks of 4 were written into the code; a block has `block_size` slots.",
        ("    m, l, acc", "    block_size = 4\n    m, l, acc"),
    ),
    (
        "No more than 16 slots of a block were read: `block_size` may be any number.",
        (N, f"min(16, {N})"),
    ),
    (
        "No more than 64 slots of a block were read: `block_size` may be any number.",
        (N, f"min(64, {N})"),
    ),
    (
        "`m` starts at 0, or at another number. From there all weights of scores far below are 0: "
        "start at -INF.",
        ("np.full(len(q), -np.inf)", "np.zeros(len(q))"),
    ),
    (
        "No maximum is subtracted: 2 to the 128 is infinite in a float.",
        ("np.maximum(m, score.max(1))", "np.zeros(len(q))"),
        ("np.exp2(m - higher)", "np.ones(len(q))"),
        ("np.exp2(score - higher[:, None])", "np.exp2(score.astype(np.float32))"),
    ),
):
    exercise.mistake(says, *changes)
    if changes[0][0] in ("table[index]", N):  # NaN is read; `l > 0 ? acc / l : 0` makes it 0
        guard = ("acc / np.where(l > 0, l, 1)[:, None]", "np.where(l > 0, acc.T / l, 0).T")
        exercise.mistake(says, *changes, guard)
exercise.mistake(
    "All queries share one sum: each has its own `l[g]`, and its answer is divided by that.",
    (
        "        l = l * shrink + weight\n",
        "        for g in range(len(q)):\n            l[0] = l[0] * shrink[g] + weight[g]\n",
    ),
    ("np.where(l > 0, l, 1)[:, None]", "(l[0] or 1)"),
    of=by_token,
)
