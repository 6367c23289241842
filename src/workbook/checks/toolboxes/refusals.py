"""A refused call changes nothing: what is compared, before and after."""

import copy
from dataclasses import dataclass
from typing import Any

from workbook.checks.framework import Outcome, attempt, expect, shown
from workbook.checks.framework.source import raised_by_hand

_NEXT = "the ids that come out next"
_REORDERED = (
    "The call was refused and has still changed something: blocks went and came back in another "
    "order. Look first, then take; or undo in reverse order."
)


def next_blocks(allocator: Any) -> list[Any]:
    """The ids that it would hand out, in order; a copy is asked, so that it keeps them."""
    twin = copy.deepcopy(allocator)
    return [attempt(twin.allocate).value for _ in range(int(twin.num_free))]


@dataclass
class Snapshot:
    """All that a call may change, of an allocator, or of a cache with tables, lengths and pools."""

    parts: dict[str, Any]
    pools: dict[str, Any]

    @classmethod
    def of(cls, holder: Any) -> "Snapshot":
        """The state of ``holder`` now, in copies of its own."""
        allocator = getattr(holder, "allocator", holder)
        parts = {
            "num_free": allocator.num_free,
            "refs": list(allocator.refs),
            _NEXT: next_blocks(allocator),
        }
        pools = {}
        if allocator is not holder:
            parts["tables"] = {seq: list(table) for seq, table in holder.tables.items()}
            parts["lengths"] = dict(holder.lengths)
            for name in ("k_pool", "v_pool"):
                for layer, pool in enumerate(getattr(holder, name, ())):
                    pools[f"{name}[{layer}]"] = pool.clone()
        return cls(parts, pools)

    def change(self, after: "Snapshot") -> tuple[str, str] | None:
        """The first part that changed, as it is and as it was; ``None`` if nothing did."""
        for name, was in self.parts.items():
            if after.parts[name] != was:
                return f"{name}: {shown(after.parts[name])}", f"{name}: {shown(was)}"
        for name, pool in self.pools.items():
            now = after.pools[name]
            if not ((pool == now) | (pool.isnan() & now.isnan())).all():
                return f"other numbers in {name}", f"{name} as it was"
        return None


def expect_refused(
    holder: Any,
    outcome: Outcome,
    before: Snapshot,
    *kinds: type[Exception],
    tried: str | None = None,
    why: str | None = None,
    changed: str = "The call was refused and has still changed something. Test first, then write; "
    "or undo in reverse order, so that the ids lie as they lay.",
) -> None:
    """Fail unless the call ended in one of these errors, and then if anything has changed.

    ``why`` is said of a call that wasn't refused, ``changed`` of one that left traces.
    """
    names = " or ".join(kind.__name__ for kind in kinds)
    change = before.change(Snapshot.of(holder))
    got = f"{outcome}; {change[0]}" if change else str(outcome)
    if outcome.error is not None and raised_by_hand(outcome.error):
        why = f"It is refused, but under another name: who catches {names} doesn't hear of it."
    expect(outcome.raised(*kinds), tried=tried, got=got, right=f"{names}, nothing changed", why=why)
    if change:
        expect(
            False,
            tried=tried,
            got=f"{type(outcome.error).__name__}, and now {change[0]}",
            right=f"the error, and still {change[1]}",
            why=_REORDERED if change[0].startswith(_NEXT) else changed,
        )
