"""Mistakes with make_room, as readers make them."""

from typing import Any

from workbook.checks.ch06.making_room import make_room


def right(plan: Any, running: list[Any], given: list[int]) -> None:
    """The walk of chapter 06; the engine's is ``Plan.go_on``."""
    still = list(running)
    for request, n in zip(running, given, strict=True):
        if request not in still:
            break
        while not plan.fits(request, n):
            victim = still.pop()
            plan.give_back(victim)
            if victim is request:
                break
        else:
            plan.add_row(request, n)


make_room.finished = right


@make_room.also_right.append
def with_a_flag(plan: Any, running: list[Any], given: list[int]) -> None:
    end = len(running)
    i = 0
    while i < end:
        while i < end and not plan.fits(running[i], given[i]):
            end -= 1
            plan.give_back(running[end])
        if i < end:
            plan.add_row(running[i], given[i])
        i += 1


make_room.mistake(
    "The oldest had to give way: it has waited longest and is nearest to its end.",
    ("still.pop()", "still.pop(0)"),
)
make_room.mistake(
    "Whoever needed the block gave way, though somebody newer was there.",
    ("still.pop()", "still.pop(still.index(request))"),
)
make_room.mistake(
    "One gave way, and that was not enough: `while`, not `if`.",
    (
        """        while not plan.fits(request, n):
            victim = still.pop()
            plan.give_back(victim)
            if victim is request:
                break
        else:
            plan.add_row(request, n)
""",
        """        victim = None
        if not plan.fits(request, n):
            victim = still.pop()
            plan.give_back(victim)
        if victim is not request:
            plan.add_row(request, n)
""",
    ),
)
make_room.mistake(
    "Nobody gave way: the row was added without asking whether it fits.",
    ("while not plan.fits(request, n):", "while False:"),
)
make_room.mistake(
    "Who didn't fit was left out, kept its blocks, and nobody gave way.",
    (
        "            victim = still.pop()\n            plan.give_back(victim)\n",
        "            victim = request\n",
    ),
)
make_room.mistake(
    "The answer of whoever gave way was cleared. Callers have read it; only keys and values go.",
    (
        "plan.give_back(victim)",
        "plan.give_back(victim)\n            del victim.tokens[len(victim.prompt) :]",
    ),
)
make_room.mistake(
    "One that had given way was walked over again: the line has moved across it.",
    ("            break\n        while", "            pass\n        while"),
)
make_room.mistake(
    "The one that gave way itself got a row all the same.",
    ("        else:\n            plan.add_row(request, n)\n", "        plan.add_row(request, n)\n"),
)
make_room.mistake(
    "Everybody newer gave way at once; one after the other, as long as it doesn't fit.",
    (
        "            victim = still.pop()\n            plan.give_back(victim)\n",
        """            victim = still.pop()
            plan.give_back(victim)
            while victim is not request and still[-1] is not request:
                plan.give_back(still.pop())
""",
    ),
)
make_room.mistake(
    "It was asked whether one token fits. A prompt brings more.",
    ("plan.fits(request, n)", "plan.fits(request, 1)"),
)
make_room.mistake(
    "Every row has one token: a prompt is read a token a step.",
    ("plan.add_row(request, n)", "plan.add_row(request, min(n, 1))"),
    ("plan.fits(request, n)", "plan.fits(request, min(n, 1))"),
)
make_room.mistake(
    "Whoever made others give way got no row. The room was made for it.",
    (
        "            if victim is request:\n                break\n",
        "            break\n",
    ),
)


@make_room.mistake("The walk began with the newest: then the oldest finds the blocks taken.")
def newest_first(plan: Any, running: list[Any], given: list[int]) -> None:
    still = list(running)
    for request, n in reversed(list(zip(running, given, strict=True))):
        if request not in still:
            continue
        while not plan.fits(request, n):
            victim = still.pop()
            plan.give_back(victim)
            if victim is request:
                break
        else:
            plan.add_row(request, n)


make_room.mistake(
    "Nobody was left to speak: the walk ended at the first row.",
    (
        "            plan.add_row(request, n)\n",
        "            plan.add_row(request, n)\n            break\n",
    ),
)
make_room.mistake(
    "The oldest was passed over: the walk began with the second request.",
    ("zip(running, given, strict=True)", "zip(running[1:], given[1:], strict=True)"),
)
make_room.mistake(
    "The victim stayed on the list, so the same request is to give way again: take it off (`pop`).",
    ("still.pop()", "still[-1]"),
)
make_room.mistake(
    "The newest *other* request gave way, never the one that needs the block. When nobody is "
    "newer, it gives way itself.",
    (
        "            victim = still.pop()\n",
        "            others = [r for r in still if r is not request]\n"
        "            if not others:\n"
        "                return\n"
        "            victim = others[-1]\n"
        "            still.remove(victim)\n",
    ),
)
make_room.mistake(
    "The next newer one gave way, not the newest of all: `pop()` takes from the end.",
    (
        "            victim = still.pop()\n",
        "            at = still.index(request) + 1\n"
        "            victim = still.pop(at if at < len(still) else at - 1)\n",
    ),
)
make_room.mistake(
    "When somebody had given way, the walk ended: who still fits gets a row all the same.",
    (
        "            plan.add_row(request, n)\n",
        "            plan.add_row(request, n)\n"
        "            if len(still) < len(running):\n"
        "                return\n",
    ),
)
make_room.mistake(
    "Somebody gave way without need: ask `fits` before, not after.",
    (
        "        while not plan.fits(request, n):\n",
        "        if n and not plan.fits(request, n + 4) and still[-1] is not request:\n"
        "            plan.give_back(still.pop())\n"
        "        while not plan.fits(request, n):\n",
    ),
)


@make_room.mistake(
    "Room was asked for before anything was taken: each fits alone, but not all of them together. "
    "Take a row's blocks (`add_row`), and then ask for the next."
)
def asked_beforehand(plan: Any, running: list[Any], given: list[int]) -> None:
    still = list(running)
    while still and not all(plan.fits(r, n) for r, n in zip(still, given, strict=False)):
        plan.give_back(still.pop())
    for request, n in zip(still, given, strict=False):
        plan.add_row(request, n)


@make_room.mistake(
    "The tokens of all were asked for as if one request wanted them. Each begins in blocks of its "
    "own: ask for each."
)
def asked_as_one(plan: Any, running: list[Any], given: list[int]) -> None:
    still = list(running)
    while still and not plan.fits(still[0], sum(given[: len(still)])):
        plan.give_back(still.pop())
    for request, n in zip(still, given, strict=False):
        plan.add_row(request, n)


make_room.mistake(
    "Nobody got a row: `add_row` was never called. What is returned nobody reads.",
    ("            plan.add_row(request, n)\n", "            pass\n"),
)
make_room.mistake(
    "The row has one token, whatever was given: `add_row(request, n)`.",
    ("plan.add_row(request, n)", "plan.add_row(request, 1)"),
)
make_room.mistake(
    "Every request was asked for the first one's tokens; `given[i]` belongs to `running[i]`.",
    ("zip(running, given, strict=True)", "zip(running, given[:1] * len(running), strict=True)"),
)
make_room.mistake(
    "Whoever gave way gave back a second time: once is enough, then it holds nothing.",
    (
        "            plan.give_back(victim)\n",
        "            plan.give_back(victim)\n            plan.give_back(victim)\n",
    ),
)
make_room.mistake(
    "The one with most tokens had to give way: whoever has come last does, however much it has.",
    ("still.pop()", "still.pop(still.index(max(still, key=lambda r: len(r.tokens))))"),
)


@make_room.mistake("Whoever needed the block gave way, though somebody newer was there.")
def itself_at_once(plan: Any, running: list[Any], given: list[int]) -> None:
    for request, n in zip(running, given, strict=True):
        if not plan.fits(request, n):
            plan.give_back(request)
            return
        plan.add_row(request, n)
