"""The figures of a run: as a table for people and as JSON for programs. Seconds throughout.

A latency counts from the moment when its request was due, so a client or a server that falls
behind shows; the definitions of ``vllm bench serve`` stand beside ours, for comparing with figures
that were taken with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from paged_attention.load_client.answer import Outcome
from paged_attention.load_client.run import Run
from paged_attention.serving.stats import percentile

Figures = dict[str, float] | None
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
# How the table calls what the JSON calls by its names.
NAMES = {
    "ttft": "time to first token",
    "itl": "gap between tokens",
    "tpot": "time per later token",
    "e2e": "end to end",
}
COLUMNS = ("mean", "p50", "p90", "p99", "max")


def figures(values: Iterable[float]) -> Figures:
    """Mean, percentiles (nearest rank) and largest; ``None`` where nothing was measured."""
    known = list(values)
    if not known:
        return None
    found: dict[str, float] = {"mean": sum(known) / len(known)}
    for name, share in SHARES.items():
        found[name] = percentile(known, share) or 0.0
    return found | {"max": max(known)}


def summarize(run: Run) -> dict[str, Any]:
    """All figures of a run. Only answers that came to their end are in any latency."""
    outcomes = run.outcomes
    answered = [one for one in outcomes if one.answered]
    seconds = max((one.texts_at[-1] for one in answered if one.texts_at), default=0.0)
    tokens = sum(one.tokens for one in answered)
    late = [one.sent - one.due for one in outcomes if one.sent is not None and not one.refusals]
    return {
        "base_url": run.target.base,
        "model": run.target.model,
        "api": run.target.api,
        "requests": len(outcomes),
        "answered": len(answered),
        "rejected": sum(one.rejected for one in outcomes),
        "failed": sum(not one.answered and not one.rejected for one in outcomes),
        "refusals": sum(one.refusals for one in outcomes),
        "errors": _errors(outcomes),
        "seconds": seconds,  # from the start to the last token
        "answer_tokens": tokens,
        "prompt_tokens": _sum(one.prompt_tokens for one in answered),
        "cached_tokens": _sum(one.cached_tokens for one in answered),
        "without_usage": sum(one.answer_tokens is None for one in answered),
        "empty": sum(not one.texts_at for one in answered),
        "requests_per_second": len(answered) / seconds if seconds else 0.0,
        "tokens_per_second": tokens / seconds if seconds else 0.0,
        "sent_late": max(late, default=0.0),  # the client's own delay: sending after it was due
        "ttft": figures(one.ttft for one in answered if one.ttft is not None),
        "itl": figures(gap for one in answered for gap in one.gaps),
        "tpot": figures(one.per_token for one in answered if one.per_token is not None),
        "e2e": figures(one.latency for one in answered if one.latency is not None),
        **_as_vllm(answered),
    }


def full_report(run: Run) -> dict[str, Any]:
    """The same and every request by itself, for whoever wants to reckon otherwise."""
    return summarize(run) | {"outcomes": [asdict(one) for one in run.outcomes]}


def _as_vllm(answered: Sequence[Outcome]) -> dict[str, Figures]:
    """From sending, and to every piece with a choice: chat's first one holds the role alone."""
    known = [one for one in answered if one.chunks_at and one.sent is not None]
    sent = [(one, one.sent or 0.0) for one in known]
    return {
        "vllm_ttft": figures(one.chunks_at[0] - start for one, start in sent),
        "vllm_itl": figures(b - a for one in known for a, b in pairwise(one.chunks_at)),
        "vllm_tpot": figures(
            (one.chunks_at[-1] - one.chunks_at[0]) / (one.tokens - 1)
            for one in known
            if one.tokens > 1
        ),
        "vllm_e2e": figures(one.chunks_at[-1] - start for one, start in sent),
    }


def table(found: dict[str, Any]) -> str:
    """``summarize``'s figures for a terminal, in milliseconds."""
    lines = [
        f"{found['base_url']}  {found['model']}  ({found['api']})",
        "",
        f"requests      {found['requests']}: {found['answered']} answered, "
        f"{found['rejected']} rejected (429), {found['failed']} failed",
    ]
    lines += _measured(found) if found["answered"] else []
    return "\n".join([*lines, *_remarks(found)])


def _measured(found: dict[str, Any]) -> list[str]:
    names = ("ttft", "itl", "tpot", "e2e")
    return [
        f"took          {found['seconds']:.2f} s to the last token",
        f"throughput    {found['requests_per_second']:.2f} requests/s, "
        f"{found['tokens_per_second']:.1f} answer tokens/s",
        f"tokens        {found['answer_tokens']} of answers, {_prompts(found)}",
        "",
        f"{'ms, from when it was due':<26}" + "".join(f"{name:>10}" for name in COLUMNS),
        *(_row(name, found[name]) for name in names),
        "",
        "as vllm bench serve counts: from sending, any piece with a choice is a token",
        *(_row(name, found[f"vllm_{name}"]) for name in names),
    ]


def _row(name: str, values: Figures) -> str:
    cells = [f"{1000 * values[column]:>10.1f}" if values else f"{'–':>10}" for column in COLUMNS]
    return f"{NAMES[name]:<26}" + "".join(cells)


def _prompts(found: dict[str, Any]) -> str:
    if found["prompt_tokens"] is None:
        return "prompts not counted by the server"
    cached = found["cached_tokens"]
    return f"{found['prompt_tokens']} of prompts" + (f" ({cached} cached)" if cached else "")


def _remarks(found: dict[str, Any]) -> list[str]:
    """What a reader of the table should know before believing it."""
    said = []
    if found["without_usage"]:
        said.append(
            f"{found['without_usage']} answers came without usage: their tokens are pieces of "
            "text, which may hold several"
        )
    if found["empty"]:
        said.append(f"{found['empty']} answers were empty and are in no latency")
    if found["rejected"] and found["refusals"] == found["rejected"]:
        said.append("the server was full for some: --retry N sends them again when it says")
    if found["refusals"] > found["rejected"]:
        said.append(f"429 came {found['refusals']} times, those that were sent again included")
    if found["sent_late"] > 0.05:
        said.append(
            f"the client itself was up to {1000 * found['sent_late']:.0f} ms late: it needs a "
            "faster machine, or the load is more than one process can send"
        )
    said += [f"{count} × {error}" for error, count in found["errors"].items()]
    return ["", *said] if said else []


def _errors(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """What went wrong and how often, the most frequent first; refusals are counted elsewhere."""
    counts: dict[str, int] = {}
    for one in outcomes:
        if one.error is not None and not one.rejected:
            counts[one.error] = counts.get(one.error, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
