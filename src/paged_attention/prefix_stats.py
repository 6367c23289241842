"""How much of what was asked of the prefix cache it had."""

from collections.abc import Hashable

from paged_attention.journal import Journal


class PrefixStats:
    """Tokens asked for and tokens found; a sequence counts at its first ``attach`` only.

    ``findable_tokens`` of those asked for lie in full blocks before a prompt's last token: more
    could never be found. Where it is low, blocks are too large for these prompts, and a hit rate
    near 0 is no fault.

    One that was preempted comes back and finds its own blocks. Counted again, preemptions would
    pass for hits. A new request therefore needs a name of its own; ``reset`` forgets counts and
    names.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin to count anew."""
        self.queried_tokens = self.hit_tokens = self.findable_tokens = 0
        self._counted: set[Hashable] = set()

    @property
    def hit_rate(self) -> float:
        """Tokens found as a fraction of those asked for; 0 before any was."""
        return self.hit_tokens / self.queried_tokens if self.queried_tokens else 0.0

    def count(self, seq: Hashable, queried: int, hit: int, findable: int) -> None:
        """Count one attach, unless ``seq`` was counted before."""
        if seq not in self._counted:
            self._counted.add(seq)
            self.queried_tokens += queried
            self.hit_tokens += hit
            self.findable_tokens += findable

    def forget(self, seq: Hashable) -> None:
        """``seq`` won't come again: its name need not be kept, or the names would pile up."""
        self._counted.discard(seq)

    def keep(self, journal: Journal, seq: Hashable) -> None:
        """Note how to take a ``count`` of ``seq`` back."""
        if seq not in self._counted:
            journal.keep_attributes(self, "queried_tokens", "hit_tokens", "findable_tokens")
            journal.note(self._counted.discard, seq)
