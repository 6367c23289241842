"""Chapter 10, open task: blocks of several sizes, chosen while a sequence grows."""

from typing import Any

from workbook.checks.framework import Rejected, open_task
from workbook.workloads import CONVERSATION

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
ENTRY = 4  # what an entry of a table costs, in slots
REQUESTS = 1_000


@open_task(
    "sizes",
    label="open-10",
    title="Several sizes",
    asks="a function size(tokens, held) -> the size of the next block, a power of two up to 256, "
    "for a sequence that has so many tokens and slots for fewer",
    unit="slots a request",
    better="less",
    today=(349.1, "blocks of 16"),
    book=(64.1, "256 while more than 128 tokens are missing, then 32"),
    bound=(31.4, "whoever knows the final length"),
)
def sizes(answer: Any) -> float:
    """Slots that hold no token in the end, and 4 for each block: the mean over 1,000 requests."""
    cost = 0
    for prompt, more in CONVERSATION.draw(REQUESTS, seed=10):
        held = blocks = 0
        for tokens in range(prompt, prompt + more + 1):
            while held < tokens:
                size = answer(tokens, held)
                if type(size) is not int or size not in SIZES:
                    raise Rejected(
                        f"With {tokens} tokens and {held} slots it chose {size!r}, which is no "
                        "power of two from 1 to 256."
                    )
                held += size
                blocks += 1
        cost += held - prompt - more + ENTRY * blocks
    return round(cost / REQUESTS, 1)
