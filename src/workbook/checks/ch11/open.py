"""Chapter 11, open task: another scheduler, and one load served sooner."""

from typing import TYPE_CHECKING, Any

from workbook.checks.framework import Rejected, open_task

if TYPE_CHECKING:
    from paged_attention.serving.load import Arrival

BLOCKS, BUDGET, SEATS = 64, 64, 32
LONGEST = 115.0  # seconds that anybody may wait for a first word


def recorded_load() -> "list[Arrival]":
    """The chapter's 200 requests."""
    from workbook.loads import conversations

    return conversations(200, 1.5, seed=7, shared=96, groups=4)


@open_task(
    "sooner",
    label="open-11",
    title="Beat first come, first served",
    asks="a class derived from Scheduler (workbook.policies.Choices is one) that serves the "
    f"chapter's 200 requests with the index, {BLOCKS} blocks, {BUDGET} tokens and {SEATS} rows a "
    "step; every answer whole, every law kept, and nobody waits longer than "
    f"{LONGEST:.0f} seconds for a first word",
    unit="seconds",
    better="less",
    today=(237.9, "first come, first served"),
    book=(208.1, "whoever begins like most of those who run, of the thirty oldest"),
)
def sooner(answer: Any) -> float:
    """Seconds until the last answer, on the cost clock."""
    from workbook.checks.toolboxes.judged_serving import Judged

    if not isinstance(answer, type):
        raise Rejected("A class is wanted, uncalled.")
    engine = Judged(answer, recorded_load(), BLOCKS, max_running=SEATS, budget=BUDGET)
    seconds = engine.serve_all()
    engine.check_end()
    waits = [request.stats.ttft or 0.0 for request in engine.requests.values()]
    if max(waits) > LONGEST:
        late = waits.index(max(waits))
        raise Rejected(
            f"Request {late} waited {max(waits):.0f} seconds for its first word, and "
            f"{LONGEST:.0f} are allowed."
        )
    return round(seconds, 1)
