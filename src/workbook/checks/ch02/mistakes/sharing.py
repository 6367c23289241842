"""Mistakes with share_release, as readers make them."""

from paged_attention.allocator import BlockAllocator
from paged_attention.errors import BlockNotHeld
from workbook.checks.ch02.mistakes.allocating import Right
from workbook.checks.ch02.sharing import share_release


@share_release.mistake(
    "The id was pushed while a holder is left, who still reads block b: the pool will give it to "
    "a third, who writes over it. Only the last one frees."
)
class FreesAtAnyCount(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] -= 1
        self.free.append(block)


@share_release.mistake(
    "Block b is free and now also in use. Its next owner overwrites what the sharer reads."
)
class SharesFree(Right):
    def share(self, block: int) -> None:
        self.refs[block] += 1


@share_release.mistake(
    "Everyone has left, and the block did not come back: where the count has come to 0, nothing "
    "pushes the id. Ask for 0 after counting down."
)
class NeverFreesShared(Right):
    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self.was_shared: set[int] = set()

    def share(self, block: int) -> None:
        super().share(block)
        self.was_shared.add(block)

    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] -= 1
        if self.refs[block] == 0 and block not in self.was_shared:
            self.free.append(block)


@share_release.mistake(
    "To share is to use the same memory: one more holder of block b, and no block taken."
)
class ShareTakesANewBlock(Right):
    def share(self, block: int) -> None:
        self.allocate()


@share_release.mistake(
    "`share` sets the count to 2 instead of adding 1, so a third holder isn't counted."
)
class TwoIsTheMost(Right):
    def share(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] = 2


@share_release.mistake(
    "Nobody holds block b any more, and its count went below 0 without a word. Test first: raise "
    "when the count is 0."
)
class CountsBelowZero(Right):
    def release(self, block: int) -> None:
        self.refs[block] -= 1
        if self.refs[block] == 0:
            self.free.append(block)


@share_release.mistake(
    "The count stops at 0 and the id is pushed once more: it is on the stack twice. Raise when "
    "the count is 0 already."
)
class StopsAtZero(Right):
    def release(self, block: int) -> None:
        self.refs[block] = max(0, self.refs[block] - 1)
        if self.refs[block] == 0:
            self.free.append(block)


@share_release.mistake(
    "`release` never takes a holder away: the count goes up with `share` and never down."
)
class NeverCountsDown(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        if self.refs[block] == 1:
            self.refs[block] = 0
            self.free.append(block)


@share_release.mistake(
    "The last holder has left and is still counted: `release` takes one away every time, also "
    "when it frees the block."
)
class LastOneNotCounted(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        if self.refs[block] == 1:
            self.free.append(block)
        else:
            self.refs[block] -= 1


@share_release.mistake("All holders were sent away at once: `release` sets the count to 0.")
class SendsAllAway(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] = 0
        self.free.append(block)


@share_release.mistake("The id came back at the bottom of the stack, `insert(0, …)`.")
class ToTheBottom(Right):
    def release(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] -= 1
        if self.refs[block] == 0:
            self.free.insert(0, block)


@share_release.mistake(
    "`share` doubles the count: right for the second holder, wrong for the third."
)
class Doubles(Right):
    def share(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] *= 2


@share_release.mistake(
    "A holder was refused, and block b is held: it has no largest number of holders."
)
class TwoAtMost(Right):
    def share(self, block: int) -> None:
        if self.refs[block] != 1:
            raise BlockNotHeld
        self.refs[block] += 1


@share_release.mistake(
    "`share` takes a free block's id off the stack and holds it: that is `allocate`."
)
class TakesFree(Right):
    def share(self, block: int) -> None:
        if self.refs[block] == 0:
            self.free.remove(block)
        self.refs[block] += 1


@share_release.mistake("`share` adds 2, as if the first holder weren't counted yet.")
class AddsTwo(Right):
    def share(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.refs[block] += 2


@share_release.mistake(
    "It was refused, and a holder had been counted before. Test first, then write."
)
class SharesThenTests(Right):
    def share(self, block: int) -> None:
        self.refs[block] += 1
        if self.refs[block] == 1:
            raise BlockNotHeld


@share_release.mistake(
    "Nothing was done and nothing was said: the caller believes that it holds block b. Raise."
)
class SharesNothing(Right):
    def share(self, block: int) -> None:
        if self.refs[block]:
            super().share(block)


@share_release.mistake("It was refused and has still changed something. Test first, then write.")
class ReleasesThenTests(Right):
    def release(self, block: int) -> None:
        self.refs[block] -= 1
        if self.refs[block] <= 0:
            self.free.append(block)
        if self.refs[block] < 0:
            raise BlockNotHeld


@share_release.mistake(
    "The last holder's release was refused. A count of 1 is a holder, who has the right to leave."
)
class LastRefused(Right):
    def release(self, block: int) -> None:
        if self.refs[block] <= 1:
            raise BlockNotHeld
        super().release(block)


@share_release.mistake(
    "The count was taken down to 0 first, and then `release` was asked whether anybody holds the "
    "block. Test before you write."
)
class DownThenInherited(Right):
    def release(self, block: int) -> None:
        self.refs[block] -= 1
        if self.refs[block] == 0:
            super().release(block)


@share_release.mistake(
    "One holder was taken away twice over: the inherited `release` has changed the count already."
)
class InheritedAndOnce(SendsAllAway):
    def release(self, block: int) -> None:
        super().release(block)
        self.refs[block] -= 1


@share_release.mistake(
    "Nothing has changed: the new holder was counted nowhere. `refs[block] + 1` alone writes "
    "nothing; `refs[block] += 1` does."
)
class CountedNowhere(Right):
    def share(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld


@share_release.mistake(
    "To share moves no id: block b is held, so it isn't on the stack and can't be taken off it."
)
class TakesHeldOffTheStack(Right):
    def share(self, block: int) -> None:
        if self.refs[block] == 0:
            raise BlockNotHeld
        self.free.remove(block)
        self.refs[block] += 1


@share_release.mistake(
    "A release too many does nothing and says nothing. Whoever releases what nobody holds must "
    "hear of it: raise."
)
class SilentAtZero(Right):
    def release(self, block: int) -> None:
        if self.refs[block]:
            super().release(block)


@share_release.mistake(
    "`share` refuses the block that is held, and would take a free one: its test is the wrong way "
    "round."
)
class SharesBackwards(Right):
    def share(self, block: int) -> None:
        if self.refs[block] > 0:
            raise BlockNotHeld
        self.refs[block] += 1


share_release.finished = BlockAllocator
share_release.also_right.append(Right)
