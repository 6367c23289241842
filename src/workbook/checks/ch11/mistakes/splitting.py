"""Mistakes with split, as readers make them."""

from typing import Any

from workbook.checks.ch11.splitting import split


def right(memory: Any, queue: list[Any], row: Any) -> list[Any]:
    """The split of chapter 11; the engine's is ``Scheduler.split``."""
    request = row.request
    if not row.says:
        return []
    others, request.others = request.others, []
    for other in others:
        memory.fork(request.name, other.name)
    at = queue.index(request) + 1
    queue[at:at] = others
    return [request, *others]


split.finished = right


@split.also_right.append
def one_from_the_other(memory: Any, queue: list[Any], row: Any) -> list[Any]:
    said = [row.request] if row.says else []
    while said and row.request.others:
        other = row.request.others.pop(0)
        memory.fork(said[-1].name, other.name)
        queue.insert(queue.index(said[-1]) + 1, other)
        said.append(other)
    return said


@split.also_right.append
def in_order(memory: Any, queue: list[Any], row: Any) -> list[Any]:
    new = list(row.request.others) if row.says else []
    for other in new:
        memory.fork(row.request.name, other.name)
        queue.append(other)
    if row.says:
        row.request.others.clear()
    queue.sort(key=lambda request: request.order)
    return [row.request, *new] if row.says else []


_GUARD = "    if not row.says:\n        return []\n"
_FORKS = "    for other in others:\n        memory.fork(request.name, other.name)\n"
_PLACE = "    at = queue.index(request) + 1\n    queue[at:at] = others\n"

split.mistake(
    "They split off before the prompt was read: what is left of it is run once for each. Only a "
    "row that says has logits to share.",
    (_GUARD, ""),
)
split.mistake(
    "It was asked whether the request has said anything, not whether this row lets it: a first "
    "piece of a prompt splits.",
    ("not row.says", "request.answer"),
)
split.mistake(
    "They split off at once, and speak only after the prompt's end: the rest of the prompt is run "
    "once for each.",
    (_GUARD, ""),
    ("return [request, *others]", "return [request, *others] if row.says else []"),
)
split.mistake(
    "The samples stand at the queue's end, behind younger requests. Then those who run are not the "
    "oldest any more.",
    (_PLACE, "    queue += others\n"),
)
split.mistake(
    "The samples stand before their request. It is the oldest of them.",
    ("queue.index(request) + 1", "queue.index(request)"),
)
split.mistake(
    "The samples stand right behind it, in reverse: each was put before the one already there.",
    ("queue[at:at] = others", "queue[at:at] = others[::-1]"),
)
split.mistake(
    "The samples stand at the queue's very beginning, before whoever is older than their request.",
    ("queue.index(request) + 1", "0"),
)
split.mistake(
    "The samples are in no queue: they hold blocks, and nobody ever runs them.",
    (_PLACE, ""),
)
split.mistake(
    "`request.others` was not emptied: at its next word the request splits once more.",
    ("others, request.others = request.others, []", "others = request.others"),
)
split.mistake(
    "`request.others` was emptied first, and then there was nobody left to split off.",
    (
        "    others, request.others = request.others, []\n",
        "    request.others = []\n    others = request.others\n",
    ),
)
split.mistake(
    "Nobody was forked: the samples have no blocks, and wait to read the whole prompt themselves.",
    (_FORKS, ""),
)
split.mistake(
    "Each sample began anew instead of forking: it shares no block and runs the whole prompt.",
    ("memory.fork(request.name, other.name)", "memory.begin(other)"),
)
split.mistake(
    "`fork(parent, child)`: the names are the wrong way round.",
    ("memory.fork(request.name, other.name)", "memory.fork(other.name, request.name)"),
)
split.mistake(
    "Requests were forked where their names are wanted: the tables belong to `request.name`.",
    ("memory.fork(request.name, other.name)", "memory.fork(request, other)"),
)
split.mistake(
    "Only the first other sample split off; the rest is lost.",
    ("    at = queue", "    others = others[:1]\n    at = queue"),
    ("    for other in others:", "    for other in others[:1]:"),
)
split.mistake(
    "The last sample was left out: `request.others` doesn't count the request itself.",
    (
        "others, request.others = request.others, []",
        "others, request.others = request.others[:-1], []",
    ),
)
split.mistake(
    "The request's own word is missing from the answer: it speaks, too.",
    ("return [request, *others]", "return others or [request]"),
)
split.mistake(
    "A request without other samples says nothing: its row says, and it is the speaker.",
    ("return [request, *others]", "return [request, *others] if others else []"),
)
split.mistake(
    "The samples split off and say nothing: this row's logits are for them, too.",
    ("return [request, *others]", "return [request]"),
)
split.mistake(
    "The request was freed after the split. Its samples hold the blocks still, and it has lost "
    "them in the middle of its answer.",
    ("    at = queue", "    if others:\n        memory.free(request)\n    at = queue"),
)
split.mistake(
    "They split off only where a row holds the whole prompt. One that was read in pieces never "
    "splits.",
    (_GUARD, "    if not row.says or row.start:\n        return [request] if row.says else []\n"),
)
split.mistake(
    "Names came back; the requests are wanted.",
    ("return [request, *others]", "return [one.name for one in (request, *others)]"),
)
split.mistake(
    "The request was taken out of the queue and its samples put in its place.",
    (
        "    queue[at:at] = others\n",
        "    queue[at:at] = others\n    if others:\n        queue.remove(request)\n",
    ),
)
split.mistake(
    "A row that doesn't say was answered with its request: nobody may speak yet.",
    ("        return []\n", "        return [request]\n"),
)
split.mistake(
    "The list of the others was emptied, and then the answer was made of that very list: copy it "
    "first, or put a new one in its place.",
    ("others, request.others = request.others, []", "others = request.others"),
    ("    return [request, *others]", "    others.clear()\n    return [request, *others]"),
)
