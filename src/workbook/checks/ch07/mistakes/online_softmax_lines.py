"""Mistakes with online_softmax, each a line or two of a right solution, changed."""
# ruff: noqa: E741

import math

from workbook.checks.ch07.mistakes.online_softmax import Blocks
from workbook.checks.ch07.online_softmax import online_softmax


def plain(blocks: Blocks) -> float:
    m, l, acc = -math.inf, 0.0, 0.0
    for scores, values in blocks:
        new = max(m, *scores)
        shrink = 2.0 ** (m - new)
        l, acc = l * shrink, acc * shrink
        for score, value in zip(scores, values, strict=True):
            weight = 2.0 ** (score - new)
            l, acc = l + weight, acc + weight * value
        m = new
    return acc / l


online_softmax.also_right += [plain]
for says, *changes in (
    (
        "A block's weights are seen from its own maximum, and the sums from the highest so far. "
        "One scale for both: `new = max(m, *scores)`.",
        ("max(m, *scores)", "max(scores)"),
        ("m = new", "m = max(m, new)"),
    ),
    (
        "Within a block each weight is seen from the maximum so far, and the earlier ones aren't "
        "brought along. Take the block's maximum first, or shrink at each token.",
        ("        for score, value in", "        new = m\n        for score, value in"),
        ("            weight = ", "            new = max(new, score)\n            weight = "),
    ),
    (
        "The *lowest* score was taken for the reference: weights have no upper bound then. It is "
        "the highest that makes every weight at most 1.",
        ("-math.inf, 0.0", "math.inf, 0.0"),
        ("max(m, *scores)", "min(m, *scores)"),
        ("2.0 ** (m - new)", "2.0 ** (m - new) if l else 0.0"),
    ),
    (
        "The new weights are seen from the old maximum: `2.0 ** (score - new)`.",
        ("2.0 ** (score - new)", "2.0 ** (score - (m if m > -math.inf else new))"),
    ),
    (
        "The new weights were shrunk, too. They are seen from the new maximum already: shrink "
        "first, then add.",
        ("        l, acc = l * shrink, acc * shrink\n", ""),
        (
            "        m = new",
            "        l, acc = l * (shrink or 1), acc * (shrink or 1)\n        m = new",
        ),
    ),
    (
        "`shrink` was multiplied in for every token; a block shrinks the sums once.",
        ("        l, acc = l * shrink, acc * shrink\n", ""),
        ("l, acc = l + weight, acc +", "l, acc = l * shrink + weight, acc * shrink +"),
    ),
    (
        "`l` counts tokens: it adds up weights.",
        ("l + weight, acc", "l + 1, acc"),
    ),
    (
        "`l` starts at 1, as if a token had been seen: nothing has, so it is 0.",
        ("-math.inf, 0.0, 0.0", "-math.inf, 1.0, 0.0"),
        ("l * shrink, acc", "(l * shrink if shrink else l), acc"),
    ),
    (
        "The highest *value* was taken for the maximum; it is the scores that are exponents.",
        ("max(m, *scores)", "max(m, *values)"),
    ),
    (
        "Only the first token of each block counts.",
        ("zip(scores, values, strict=True)", "[(scores[0], values[0])]"),
    ),
    (
        "The sign is turned: a higher score is a larger weight, `2.0 ** (score - new)`.",
        ("2.0 ** (score - new)", "2.0 ** (new - score)"),
    ),
    (
        "The return stands inside the loop: it comes back after the first block.",
        ("        m = new", "        return acc / l"),
    ),
):
    online_softmax.mistake(says, *changes, of=plain)


@online_softmax.mistake(
    "The blocks' own answers were averaged by their numbers of tokens. Tokens don't weigh alike: "
    "blocks whose scores are higher must count for more."
)
def by_tokens(blocks: Blocks) -> float:
    total = tokens = 0.0
    for scores, values in blocks:
        total, tokens = total + plain([(scores, values)]) * len(scores), tokens + len(scores)
    return total / tokens
