"""Mistakes with admit, as readers make them."""

from collections.abc import Sequence

from workbook.checks.ch06.admitting import admit

Needs = Sequence[tuple[int, int]]


def right(waiting: Needs, room: int, promised: int, running: int, spare: float) -> int:
    """The admission of chapter 06; the engine's asks its memory instead of a list."""
    admitted = 0
    for new, idle in waiting:
        count = running + admitted
        keep = promised + (int(spare * (count + 1)) if count else 0)
        if new + idle > room - keep:
            break
        room -= idle
        promised += new
        admitted += 1
    return admitted


admit.finished = right
admit.probes += [
    ([(2, 1), (2, 1), (2, 1)], 9, 0, 0, 0),
    ([(1, 0)] * 5, 9, 2, 1, 1),
    ([(3, 0)], 3, 0, 1, 0),
    ([(0, 2), (4, 0)], 6, 0, 2, 0),
    ([(0, 4), (0, 4)], 6, 0, 1, 0),
    ([(3, 0)], 4, 0, 1, 1),
]

admit.mistake(
    "Each newcomer was measured against the same room: what the first one takes is not there for "
    "the second.",
    ("        room -= idle\n        promised += new\n", ""),
)
admit.mistake(
    "One that doesn't fit was passed over, and a younger one went in. So the large one never runs.",
    ("            break\n", "            continue\n"),
)
admit.mistake(
    "The spare was asked of the very first, too. A request as large as the pool waits for ever.",
    ("(int(spare * (count + 1)) if count else 0)", "int(spare * (count + 1))"),
)
admit.mistake(
    "What was promised to those who run was forgotten.",
    ("    admitted = 0\n", "    admitted = promised = 0\n"),
)
admit.mistake(
    "Hits were not counted. Those that only the index holds are room now, not once they are held.",
    ("new + idle > room", "new > room"),
)
admit.mistake(
    "`>=` for `>`: a request that takes the very last block fits.",
    ("> room - keep", ">= room - keep"),
)
admit.mistake(
    "The spare leaves out the newcomer itself: it will need a next block, too.",
    ("int(spare * (count + 1)) if count", "int(spare * count) if count"),
)
admit.mistake(
    "The spare was reckoned from those who ran before this step: the ones just admitted run, too.",
    ("count = running + admitted", "count = running"),
)
admit.mistake(
    "At most one was admitted: go on while the next one fits.",
    ("        admitted += 1\n", "        admitted += 1\n        break\n"),
)
admit.mistake(
    "Idle hits were not taken off the room, so the next newcomer counts them again.",
    ("        room -= idle\n", ""),
)
admit.mistake(
    "Hits were taken off the need: that would be right if somebody held them. These nobody holds.",
    ("new + idle > room", "new - idle > room"),
)
admit.mistake(
    "The spare was rounded up; `int` cuts it.",
    (
        "(int(spare * (count + 1)) if count else 0)",
        "(-int(-spare * (count + 1) // 1) if count else 0)",
    ),
)
admit.mistake(
    "The blocks left over came back. The number of requests that may begin is wanted.",
    ("    return admitted\n", "    return room - promised\n"),
)
admit.mistake(
    "Promises were given out as room: what is promised must stay, so it is taken off.",
    ("room - keep:", "room + promised:"),
)
admit.mistake(
    "The spare doesn't depend on how many run here. Each of them needs a next block.",
    ("int(spare * (count + 1))", "int(spare)"),
)
admit.mistake(
    "The spare was left out for all newcomers, because nothing ran before them: the first has "
    "begun when the second is asked.",
    ("if count else 0)", "if running else 0)"),
)
admit.mistake(
    "A newcomer's blocks were counted twice: taken off the room, and promised as well.",
    ("        room -= idle\n", "        room -= idle + new\n"),
)
admit.mistake(
    "Idle hits were added to the room. They are in it already, and not any more once they are "
    "held.",
    ("new + idle > room - keep", "new > room + idle - keep"),
)
admit.mistake(
    "Idle hits count as promised, too: they are taken off the room already.",
    ("        promised += new\n", "        promised += new + idle\n"),
)
admit.mistake(
    "What a newcomer takes new wasn't kept for it: its blocks are promised from then on.",
    ("        promised += new\n", ""),
)
admit.mistake(
    "The spare of every newcomer was added up. It is one number for all who run: `int(spare * n)`.",
    (
        "        room -= idle\n",
        "        room -= idle + (int(spare * (count + 1)) if count else 0)\n",
    ),
)
admit.mistake(
    "The very first was spared the spare, whoever runs already: that is for nothing running at "
    "all.",
    ("if count else 0)", "if admitted else 0)"),
)
admit.mistake(
    "The spare was asked of the newcomer alone, and those who run were forgotten.",
    ("int(spare * (count + 1))", "int(spare * (admitted + 1))"),
)
admit.mistake(
    "Those admitted and those running came back together: how many begin now is wanted.",
    ("    return admitted\n", "    return running + admitted\n"),
)
admit.mistake(
    "Idle hits were added to the room. They are in it already, and not any more once they are "
    "held.",
    ("new + idle > room - keep", "new > room + idle - keep"),
    ("        room -= idle\n", ""),
)
admit.mistake(
    "The one that doesn't fit was counted, too: count after the test, not before.",
    ("            break\n", "            return admitted + 1\n"),
)


@admit.mistake(
    "The whole queue was asked at once: all, or none. As many as fit may begin, from its head."
)
def all_or_none(waiting: Needs, room: int, promised: int, running: int, spare: float) -> int:
    count = running + len(waiting)
    keep = promised + (int(spare * count) if count > 1 else 0)
    return len(waiting) if sum(map(sum, waiting)) <= room - keep else 0


@admit.mistake(
    "The whole queue was asked at once: all, or none. As many as fit may begin, from its head."
)
def all_or_none_with_spare(
    waiting: Needs, room: int, promised: int, running: int, spare: float
) -> int:
    keep = promised + int(spare * (running + len(waiting)))
    return len(waiting) if sum(map(sum, waiting)) <= room - keep else 0


admit.mistake(
    "Nothing was kept spare while one alone runs. It needs a next block, too: the exception is for "
    "nothing running at all.",
    ("if count else 0)", "if count > 1 else 0)"),
)
admit.mistake(
    "The spare was cut to a whole number before it was multiplied: `int(spare * n)`, not "
    "`int(spare) * n`.",
    ("int(spare * (count + 1))", "int(spare) * (count + 1)"),
)
admit.mistake(
    "The larger of promises and spare was kept. Both must stay: they add up.",
    (
        "promised + (int(spare * (count + 1)) if count else 0)",
        "max(promised, int(spare * (count + 1)) if count else 0)",
    ),
)
admit.mistake(
    "1 was added to the spare, not to those who run: `int(spare * (count + 1))`.",
    ("int(spare * (count + 1))", "int(spare * count + 1)"),
)
