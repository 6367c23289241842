"""The baseline: memory promised in full at admission, as servers did before paging."""

from typing import TYPE_CHECKING

from paged_attention.journal import all_or_nothing
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.request import Request

if TYPE_CHECKING:
    from paged_attention.cache import PagedKVCache


class ReservingMemory(PagedMemory):
    """A request gets all blocks that it may ever need when it begins, so it is never preempted.

    ``longest``: reserve at least that many tokens for everybody, as a server does that doesn't look
    at what was asked. The blocks need not be neighbours: this is reservation at its best, without
    external fragmentation and with the same kernel. A request's further samples are not reserved
    for.
    """

    def __init__(self, cache: "PagedKVCache", longest: int | None = None) -> None:
        super().__init__(cache)
        if longest is not None and self.blocks(longest) > self.num_blocks:
            raise ValueError(
                f"longest={longest} tokens need {self.blocks(longest)} blocks, and the pool has "
                f"{self.num_blocks}: nothing could ever begin"
            )
        self.longest = longest or 1

    def can_begin(self, request: Request, keep: int) -> bool:  # noqa: ARG002
        """Whether the whole reservation fits; it may use up the room to the last block."""
        return self.blocks(self._future(request)) <= self.room()

    @all_or_nothing
    def begin(self, request: Request) -> int:
        """Reserve the whole future of ``request``; nothing is found."""
        self.cache.create(request.name)
        self.cache.reserve(request.name, self._future(request))
        return 0

    def _future(self, request: Request) -> int:
        return max(self.longest, request.most)
