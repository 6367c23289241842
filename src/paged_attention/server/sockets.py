"""Sockets that listen. No torch in here: a taken port is told before that is loaded."""

import errno
import socket

from tornado.netutil import bind_sockets

from paged_attention.errors import PagedAttentionError


class AddressTaken(PagedAttentionError, OSError):
    """The server can't listen where it was told to."""


def bound(host: str, port: int) -> list[socket.socket]:
    """Listening sockets; ``localhost`` is 127.0.0.1 and, where there is one, ::1."""
    if host != "localhost":
        return _bind(host, port)
    for _ in range(10):  # a port that is free in one family may be taken in the other
        sockets = _bind("127.0.0.1", port)
        try:
            return sockets + _bind("::1", sockets[0].getsockname()[1])
        except AddressTaken as error:
            if error.errno != errno.EADDRINUSE:
                return sockets  # there is no ::1 here
            sockets[0].close()
            if port:
                raise
    raise AddressTaken(errno.EADDRINUSE, "no port is free for both 127.0.0.1 and ::1")


def _bind(host: str, port: int) -> list[socket.socket]:
    try:
        return bind_sockets(port, host)
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno == errno.EADDRINUSE:
            why = "another program listens there; choose another port, or 0 for a free one"
        raise AddressTaken(error.errno, f"can't listen on {in_url(host)}:{port}: {why}") from error


def in_url(host: str) -> str:
    """``host`` as it stands in an address."""
    return f"[{host}]" if ":" in host else host
