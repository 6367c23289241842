"""The open task's own answer, and answers that break its spec."""

from paged_attention.tables import ceil_div
from workbook.checks.ch01.mistakes.blocks import Right
from workbook.checks.ch01.open import memory


class Greedy(Right):
    """Lets in whose prompt fits, as the chapter's ``Paged`` does."""

    def __init__(self, slots: int, block: int, limit: int) -> None:
        super().__init__(slots, block)
        self.limit = limit
        self.now: dict[str, int] = {}

    def admit(self, name: str, tokens: int) -> None:
        super().admit(name, tokens)
        self.now[name] = tokens

    def grow(self, name: str, tokens: int) -> None:
        super().grow(name, tokens)
        self.now[name] = tokens

    def free(self, name: str) -> None:
        super().free(name)
        del self.now[name]


class WorstFuture(Greedy):
    """All that run go on to the limit; whoever reaches it ends. Is there room in every step?

    Blocks wanted change only where a request begins one or has ended.
    """

    def admit(self, name: str, tokens: int) -> None:
        now = [*self.now.values(), tokens]
        for ahead in range(self.limit - min(now) + 1):
            then = [at + ahead for at in now if at + ahead <= self.limit]
            if sum(ceil_div(at, self.block_size) for at in then) > self.blocks.num_blocks:
                raise MemoryError
        super().admit(name, tokens)


memory.solved = WorstFuture
memory.rejects("it ran dry")(Greedy)


@memory.rejects("it ran dry")
class EighthKept(Greedy):
    def admit(self, name: str, tokens: int) -> None:
        left = self.blocks.num_free - ceil_div(tokens, self.block_size)
        if left < self.blocks.num_blocks // 8:
            raise MemoryError
        super().admit(name, tokens)


@memory.rejects("nobody runs")
class NeverAdmits(Greedy):
    def admit(self, name: str, tokens: int) -> None:
        raise MemoryError


@memory.rejects("tokens and")
class SilentGrowth(Greedy):
    def grow(self, name: str, tokens: int) -> None:
        if tokens <= self.block_size * len(self.tables[name]) or self.blocks.num_free:
            super().grow(name, tokens)


@memory.rejects("both have slot")
class LendsTwice(Greedy):
    def grow(self, name: str, tokens: int) -> None:
        pass

    def slots(self, name: str) -> list[int]:
        return list(range(self.limit))


@memory.rejects("and the pool has 0 to")
class BeyondThePool(Greedy):
    def grow(self, name: str, tokens: int) -> None:
        pass

    def slots(self, name: str) -> list[int]:
        return list(range(int(name) * 512, int(name) * 512 + 512))


@memory.rejects("other slots than before")
class MovesTokens(Greedy):
    def slots(self, name: str) -> list[int]:
        return super().slots(name)[::-1]


@memory.rejects("a slot for two of its tokens")
class OneSlotForAll(Greedy):
    def slots(self, name: str) -> list[int]:
        return super().slots(name)[:1] * self.limit


@memory.rejects("It ends in KeyError")
class ForgetsTheName(Greedy):
    def grow(self, name: str, tokens: int) -> None:
        super().grow("the request", tokens)
