"""How a server is to run."""

from dataclasses import dataclass
from ipaddress import ip_address


@dataclass(frozen=True)
class Settings:
    """``host`` and ``port``: where it listens; port 0 takes a free one. ``api_key``: who calls must
    give it; ``None`` lets everybody in. ``model_name``: what clients call the model, by default its
    own name.

    ``max_queue``: answers that may wait besides those that run. ``max_body``: bytes of a request.
    ``time_limit``: seconds after which an answer is given up, in whatever state it is; ``None``:
    never. ``drain_limit``: seconds that a stop waits for answers under way. A stream is given up
    when its reader is ``max_backlog`` tokens behind, or takes nothing for ``stall_limit`` seconds.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    api_key: str | None = None
    model_name: str | None = None
    max_queue: int = 256
    max_body: int = 4 * 2**20
    time_limit: float | None = None
    drain_limit: float = 30.0
    max_backlog: int = 1024
    stall_limit: float = 30.0

    def __post_init__(self) -> None:
        if self.api_key is not None and not self.api_key.strip():
            raise ValueError(
                "the API key is blank: everybody could guess it. Give one, or leave it out to let "
                "everybody in who can reach the port"
            )
        if self.api_key is None and not _loopback(self.host):
            raise ValueError(
                f"the host {self.host!r} can be reached from other machines: give an API key that "
                "callers must send, or listen on 127.0.0.1, ::1 or localhost"
            )
        if not 0 <= self.port < 2**16:
            raise ValueError(f"a port is from 0 to 65535, got {self.port}")
        for name in ("max_queue", "drain_limit"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} can't be negative, got {getattr(self, name)}")
        for name in ("max_body", "max_backlog", "stall_limit"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise ValueError(
                f"time_limit must be positive, got {self.time_limit}; None is no limit"
            )


def _loopback(host: str) -> bool:
    """Whether only this machine reaches ``host``."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        return False
