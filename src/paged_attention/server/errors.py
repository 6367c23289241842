"""What goes wrong, in the protocol's own words."""

from typing import Any

from paged_attention.errors import PagedAttentionError


class ApiError(PagedAttentionError, ValueError):
    """An answer that is an error: an HTTP status and the protocol's error object.

    ``param``: the field that is wrong. ``code``: for programs to tell errors apart.
    ``retry_after``: seconds after which trying again may help; without it no client should.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        param: str | None = None,
        code: str | None = None,
        kind: str = "invalid_request_error",
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.param, self.code = message, status, param, code
        self.kind, self.retry_after = kind, retry_after

    @property
    def body(self) -> dict[str, Any]:
        """The object as it is sent."""
        inside = {
            "message": self.message,
            "type": self.kind,
            "param": self.param,
            "code": self.code,
        }
        return {"error": inside}


def queue_full(waiting: int) -> ApiError:
    """As many answers as the server holds at once are under way."""
    return ApiError(
        f"{waiting} answers are being written or wait for their turn, and the queue takes no more: "
        "try again in a moment",
        status=429,
        code="queue_full",
        kind="rate_limit_error",
        retry_after=1,
    )


def unavailable(why: str, code: str, retry_after: int | None = None) -> ApiError:
    """The server takes no requests now."""
    return ApiError(why, status=503, code=code, kind="server_error", retry_after=retry_after)


def mistake(why: str = "the server made a mistake; its log says more") -> ApiError:
    """The server's own fault; trying again would only run it again."""
    return ApiError(why, status=500, code="internal_error", kind="server_error")
