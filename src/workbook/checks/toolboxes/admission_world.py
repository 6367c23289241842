"""What chapter 11's check of an admission plays on: memory with an index, and requests."""

from collections.abc import Callable, Sequence
from typing import Any

from workbook.checks.toolboxes.refusals import Snapshot


def memory_of(num_blocks: int, host: int = 0) -> Any:
    """Blocks of 4 with a prefix index, all free; ``host``: blocks of host memory."""
    from workbook.toy import toy_memory

    return toy_memory(num_blocks, prefix=True, host=host)


def asked(name: str, prompt: Sequence[int], **kind: Any) -> Any:
    """A request that waits; ``kind``: its salt and adapter."""
    from paged_attention.serving.request import Request

    return Request(name, tuple(prompt), 8, (ord(name[0]), 0), **kind)


def ran(memory: Any, request: Any) -> None:
    """Begin ``request`` as the engine does, run all that is known of it, and publish."""
    memory.begin(request)
    memory.reserve(request.name, len(request.tokens) - memory.length(request.name))
    memory.cache.advance({request.name: len(request.tokens)})
    memory.publish(request)


def unchanged(memory: Any) -> Callable[[], str]:
    """A call that says, later, whether ``memory`` is as it was."""
    before = Snapshot.of(memory.cache)
    asked_before = memory.prefix.stats.queried_tokens

    def still() -> str:
        if change := before.change(Snapshot.of(memory.cache)):
            return f"now {change[0]}, before {change[1]}"
        if memory.prefix.stats.queried_tokens != asked_before:
            return "the index counts a request that never began"
        return "nothing changed"

    return still
