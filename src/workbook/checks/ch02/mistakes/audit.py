"""Mistakes with audit, as readers make them."""

from collections import Counter
from collections.abc import Callable

from workbook.checks.ch02.audit import audit

Question = Callable[[int, int, int], bool]  # of a block: times free, tables that name it, count


def right(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    """The audit of chapter 02; the finished engine has none of this shape."""
    in_free = Counter(free)
    holders = Counter(block for table in tables for block in table)
    faults = {}
    for block, count in enumerate(refs):
        if in_free[block] > 1:
            faults[block] = "free twice"
        elif in_free[block] and holders[block]:
            faults[block] = "free and held"
        elif not in_free[block] and not holders[block]:
            faults[block] = "lost"
        elif count != holders[block]:
            faults[block] = "miscounted"
    return faults


@audit.mistake("3 free + 1 held is 4: the total is right, and still block 2 is lost, unseen.")
def totals_only(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    held = {block for table in tables for block in table}
    return {} if len(free) + len(held) == len(refs) else {0: "lost"}


@audit.mistake(
    "Block 0 is twice in the free list, and it wasn't seen. A set hides the second one, and twice "
    "is more than 1."
)
def set_of_free(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    return right(sorted(set(free)), refs, tables)


@audit.mistake("Block 2 is lost and not named: go on after the first fault.")
def stops_early(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    return dict(list(right(free, refs, tables).items())[:1])


@audit.mistake("Block 0 has 2 holders and a count of 1: the first to leave frees it. Read refs.")
def refs_unread(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    found = right(free, refs, tables)
    return {block: fault for block, fault in found.items() if fault != "miscounted"}


@audit.mistake(
    "Block 1 is in a table and in the free list, and no question asks for both: its next owner "
    "overwrites it."
)
def overlap_unseen(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    found = right(free, refs, tables)
    return {block: fault for block, fault in found.items() if fault != "free and held"}


@audit.mistake(
    "Block 2 has a count of 1, no table names it, and it is not free: it is lost, whatever its "
    "count says."
)
def trusts_refs(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    found = right(free, refs, tables)
    return {b: "miscounted" if fault == "lost" and refs[b] else fault for b, fault in found.items()}


@audit.mistake(
    'Block 0 is held, too; but of two faults the first of the table is named, and "free twice" '
    'stands above "free and held".'
)
def held_before_twice(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    held = {block for table in tables for block in table}
    found = right(free, refs, tables)
    return {b: "free and held" if b in free and b in held else f for b, f in found.items()}


@audit.mistake(
    "Block 0 is free and counts a holder: a count can be too high as well as too low. Ask whether"
    " it differs."
)
def too_low_only(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    holders = Counter(block for table in tables for block in table)
    found = right(free, refs, tables)
    return {b: f for b, f in found.items() if f != "miscounted" or refs[b] < holders[b]}


audit.finished = right


def asked(
    *,
    twice: Question = lambda free, held, count: free > 1,
    both: Question = lambda free, held, count: free > 0 and held > 0,
    lost: Question = lambda free, held, count: free == held == 0,
    miscounted: Question = lambda free, held, count: count != held,
    blocks: slice = slice(None),
    named: int = 0,
) -> Callable[[list[int], list[int], list[list[int]]], dict[int, str]]:
    """The audit with one of its four questions asked otherwise, or of some ``blocks`` only.

    ``named`` says which of several faults a block gets: the first, or -1, the last.
    """
    questions = {
        "free twice": twice,
        "free and held": both,
        "lost": lost,
        "miscounted": miscounted,
    }

    def audit(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
        in_free, holders = Counter(free), Counter(block for table in tables for block in table)
        found = {}
        for block in range(len(refs))[blocks]:
            facts = in_free[block], holders[block], refs[block]
            faults = [name for name, question in questions.items() if question(*facts)]
            if faults:
                found[block] = faults[named]
        return found

    return audit


audit.mistake(
    "Block 2 is lost, and a later question wrote over that. The first fault of the table counts: "
    "`elif`, or `break`."
)(asked(named=-1))
audit.mistake("Whether a block is free was asked, not whether a table names it: held isn't lost.")(
    asked(lost=lambda free, held, count: free == 0)
)
audit.mistake("A block that is free once is where it should be. Twice is more than 1.")(
    asked(twice=lambda free, held, count: free > 0)
)
audit.mistake("`or` where both must be so: a block that is only free, or only held, is sound.")(
    asked(both=lambda free, held, count: free > 0 or held > 0)
)
audit.mistake("`or` where both must be missing: in one place, free or held, nothing is lost.")(
    asked(lost=lambda free, held, count: free == 0 or held == 0)
)
audit.mistake(
    "The count was believed: whether a block is held is written in the tables, and `refs` is what "
    "is audited."
)(asked(both=lambda free, held, count: free > 0 and count > 0))
audit.mistake(
    "A count was compared with the places in the free list: it should be the number of tables "
    "that name the block."
)(asked(miscounted=lambda free, held, count: count != free))
audit.mistake("Only counts that are too high are named; one that is too low frees a block early.")(
    asked(miscounted=lambda free, held, count: count > held)
)
audit.mistake("Lost is also a block whose count is 0: in no list, in no table.")(
    asked(lost=lambda free, held, count: free == held == 0 and count > 0)
)
audit.mistake("Block 0 was left out: ids begin at 0.")(asked(blocks=slice(1, None)))
audit.mistake("The last block was left out: the ids go to `len(refs) - 1`, and that one is asked.")(
    asked(blocks=slice(-1))
)


@audit.mistake("Only blocks in the free list were asked: what is in no list can't be found there.")
def free_ones_only(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    return {block: f for block, f in right(free, refs, tables).items() if block in free}


@audit.mistake("Only blocks that a table names were asked: what is in no table isn't found there.")
def held_ones_only(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    held = {block for table in tables for block in table}
    return {block: f for block, f in right(free, refs, tables).items() if block in held}


@audit.mistake("Only the first table was read; each of them has holders.")
def first_table(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    return right(free, refs, tables[:1])


@audit.mistake("The tables became one set, in which a block of two holders stands once.")
def set_of_held(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    return right(free, refs, [sorted({block for table in tables for block in table})])


@audit.mistake(
    'Where a count is wrong, "miscounted" was the answer, whatever else is: of several faults the '
    "first of the table is named, and that one stands last."
)
def miscounted_first(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    holders = Counter(block for table in tables for block in table)
    wrong = {b: "miscounted" for b, count in enumerate(refs) if count != holders[b]}
    return right(free, refs, tables) | wrong


audit.mistake("The count of a free block wasn't compared: no table names it, so it should be 0.")(
    asked(miscounted=lambda free, held, count: free == 0 and count != held)
)


@audit.mistake(
    "Only blocks that are free or that a table names were asked, and a lost one is neither. Ask "
    "every id."
)
def seen_ones_only(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    seen = set(free).union(*tables)
    return {block: f for block, f in right(free, refs, tables).items() if block in seen}


@audit.mistake(
    "The dict is the wrong way round: a block's id leads to its fault, not a fault to its blocks."
)
def wrong_way_round(
    free: list[int], refs: list[int], tables: list[list[int]]
) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for block, fault in right(free, refs, tables).items():
        found.setdefault(fault, []).append(block)
    return found


@audit.mistake(
    "Ids were counted from 1: block 0 is the first, and each count was read for the block after it."
)
def from_one(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    in_free, found = Counter(free), {}
    holders = Counter(block for table in tables for block in table)
    for block, count in enumerate(refs, 1):
        if in_free[block] > 1:
            found[block] = "free twice"
        elif in_free[block] and holders[block]:
            found[block] = "free and held"
        elif not in_free[block] and not holders[block]:
            found[block] = "lost"
        elif count != holders[block]:
            found[block] = "miscounted"
    return found


@audit.mistake(
    "The first fault was raised as an error. The audit answers with all of them, in a dict."
)
def raises(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    for block, fault in right(free, refs, tables).items():
        raise AssertionError(f"block {block} is {fault}")
    return {}
