"""Send each request when it is due, whether or not the others have been answered."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import perf_counter

from tornado.httpclient import AsyncHTTPClient, HTTPResponse
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from paged_attention.load_client.answer import Outcome, Reader
from paged_attention.load_client.plan import Planned
from paged_attention.load_client.target import (
    Target,
    TargetError,
    failure,
    fetched,
    model_of,
    parsed,
)

LONGEST = 2**30  # bytes of one answer
PATIENCE = 120.0  # seconds of Retry-After that are waited for
Ended = Callable[[Outcome], None]


@dataclass(frozen=True)
class Run:
    """What came of a load: an outcome a request, in the plan's order unless it was interrupted."""

    target: Target
    outcomes: list[Outcome]


async def send(
    target: Target,
    plan: Sequence[Planned],
    *,
    warmup: int = 1,
    retries: int = 0,
    ended: Ended | None = None,
) -> Run:
    """Find the model, ask ``warmup`` times, then send ``plan`` on time and wait for all answers.

    ``retries``: how often a request that is refused with 429 is sent again, after as long as the
    server asks; its latency counts from when it was first due. ``ended`` hears of each outcome as
    it comes, so that a caller who is interrupted has them. Raises ``TargetError`` where the server
    can't be measured at all.
    """
    client = SimpleAsyncHTTPClient(
        force_instance=True, max_clients=len(plan) + 1, max_body_size=LONGEST
    )
    try:
        target = replace(target, model=await model_of(target, client))
        for planned in plan:
            target.body(planned)  # what can't be asked is found before anything is sent
        await _warm_up(client, target, warmup)
        start = perf_counter()

        async def one(planned: Planned) -> Outcome:
            await asyncio.sleep(planned.due - (perf_counter() - start))
            outcome = await _ask(client, target, planned, start, retries)
            if ended is not None:
                ended(outcome)
            return outcome

        outcomes = await asyncio.gather(*map(one, plan))
        return Run(target, list(outcomes))
    finally:
        client.close()


async def _warm_up(client: AsyncHTTPClient, target: Target, count: int) -> None:
    """Requests that aren't measured: the first one of a server may compile or load something."""
    for _ in range(count):
        planned = Planned(0.0, "Hello, who is there?", 4)
        outcome = await _ask(client, target, planned, perf_counter(), retries=3)
        if outcome.error is not None:
            raise TargetError(f"the first request to {target.base} failed: {outcome.error}")


async def _ask(
    client: AsyncHTTPClient, target: Target, planned: Planned, start: float, retries: int
) -> Outcome:
    """One request from its first try to its end. Never raises for what a server does."""
    refusals = 0
    while True:
        outcome = Outcome(planned.due, refusals=refusals)
        response = await _once(client, target, planned, start, outcome)
        if outcome.status != 429:
            return outcome
        refusals = outcome.refusals = refusals + 1
        wait = retry_after(response.headers.get("Retry-After"))
        if refusals > retries or wait > PATIENCE:
            return outcome
        await asyncio.sleep(wait)


async def _once(
    client: AsyncHTTPClient, target: Target, planned: Planned, start: float, outcome: Outcome
) -> HTTPResponse:
    reader, refused = Reader(outcome), bytearray()
    streams = False

    def header(line: str) -> None:
        nonlocal streams
        if line.startswith("HTTP/"):
            outcome.status = int(line.split()[1])
        elif line.lower().startswith("content-type:"):
            streams = outcome.status == 200 and "text/event-stream" in line.lower()

    def chunk(data: bytes) -> None:
        if streams:
            reader.feed(data, perf_counter() - start)
        else:
            refused.extend(data[:4096])

    request = target.request(planned)
    request.header_callback, request.streaming_callback = header, chunk
    outcome.sent = perf_counter() - start
    response = await fetched(client, request)
    if streams:
        reader.end(perf_counter() - start)
        if response.code == 599 and outcome.finish is None:
            outcome.error = f"the stream broke off ({response.error})"
    elif response.code == 200:
        outcome.error = "it answered without a stream: nothing can be timed between its ends"
    else:
        outcome.error = failure(response.code, response.error, parsed(bytes(refused)))
    return response


def retry_after(value: str | None, now: datetime | None = None) -> float:
    """Seconds that a server asks to wait, from a number or a date; 1 where it says nothing."""
    if value is None:
        return 1.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return 1.0
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
