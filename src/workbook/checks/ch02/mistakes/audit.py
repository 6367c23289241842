"""Mistakes with audit, as readers make them."""

from collections import Counter

from workbook.checks.ch02.audit import audit


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


@audit.mistake("Block 0 is twice in the free list; a set of it hides the second one.")
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
