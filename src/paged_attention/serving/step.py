"""What one step runs: rows of tokens, of different lengths."""

from collections.abc import Hashable
from typing import NamedTuple

from paged_attention.serving.request import NewToken, Request


class Row(NamedTuple):
    """``tokens`` of one request, the first at position ``start``; ``says``: they are the last that
    are known of it, so that its next token comes out.
    """

    request: Request
    start: int
    tokens: list[int]
    says: bool

    @property
    def end(self) -> int:
        """Tokens of the request in the cache once the row has been run."""
        return self.start + len(self.tokens)

    def news(self) -> NewToken:
        """What came of it, once the step is completed."""
        request = self.request
        token = request.tokens[self.end] if len(request.tokens) > self.end else None
        return NewToken(request.name, self.end - len(request.prompt), token, request.finish)


class Step(NamedTuple):
    """The rows of one step, oldest request first, and the names of who crossed the line for it."""

    rows: list[Row]
    admitted: list[Hashable]
    preempted: list[Hashable]

    @property
    def tokens(self) -> int:
        """Tokens that the step runs."""
        return sum(len(row.tokens) for row in self.rows)
