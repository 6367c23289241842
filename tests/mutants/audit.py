"""Wrong audits, as readers write them. (exercise, name, object, fragment of the message.)"""

from collections import Counter


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


def totals_only(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    held = {block for table in tables for block in table}
    return {} if len(free) + len(held) == len(refs) else {0: "lost"}


def set_of_free(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    return right(sorted(set(free)), refs, tables)


def stops_early(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    return dict(list(right(free, refs, tables).items())[:1])


def refs_unread(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    found = right(free, refs, tables)
    return {block: fault for block, fault in found.items() if fault != "miscounted"}


def overlap_unseen(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    found = right(free, refs, tables)
    return {block: fault for block, fault in found.items() if fault != "free and held"}


def trusts_refs(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    found = right(free, refs, tables)
    return {b: "miscounted" if fault == "lost" and refs[b] else fault for b, fault in found.items()}


def held_before_twice(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    held = {block for table in tables for block in table}
    found = right(free, refs, tables)
    return {b: "free and held" if b in free and b in held else f for b, f in found.items()}


def too_low_only(free: list[int], refs: list[int], tables: list[list[int]]) -> dict[int, str]:
    holders = Counter(block for table in tables for block in table)
    found = right(free, refs, tables)
    return {b: f for b, f in found.items() if f != "miscounted" or refs[b] < holders[b]}


MUTANTS = [
    ("audit", "totals only", totals_only, "still block 2 is lost, unseen"),
    ("audit", "set(free)", set_of_free, "a set of it hides the second one"),
    ("audit", "stops early", stops_early, "go on after the first fault"),
    ("audit", "refs unread", refs_unread, "Block 0 has 2 holders and a count of 1"),
    ("audit", "overlap unseen", overlap_unseen, "Block 1 is in a table and in the free list"),
    ("audit", "held before twice", held_before_twice, "Block 0 is held, too"),
    ("audit", "too low only", too_low_only, "Block 0 is free and counts a holder"),
    ("audit", "trusts refs", trusts_refs, "Block 2 has a count of 1, no table names it"),
]
FINISHED = {"audit": right}
