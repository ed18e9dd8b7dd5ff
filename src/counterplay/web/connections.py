"""Bad connections: slow ones, endless headers, sockets that break their protocol.

A browser sends a request in one go. A client that takes longer, or sends more than a request can need, is cut off, so
that open connections do not add up; and data on a page's socket counts as garbage until it has been understood.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import socketio
from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS, MOST_HEAD = 10.0, 64 << 10
"""The limits of a request's head: seconds from the connection's first moment, and bytes."""
MOST_IGNORED = 64 << 20
"""The number of bytes of a refused body that are read and discarded, so that its sender receives the reason."""
MOST_CONNECTIONS = 1_000
"""The maximum number of connections at once."""
FAULTS = (AttributeError, LookupError, RecursionError, TypeError, ValueError, socketio.exceptions.SocketIOError)
"""The exceptions that a malformed message leads to."""

Base: Any = AutoHTTPProtocol


class Connection(Base):  # type: ignore[misc]
    """A connection with time limits."""

    timer: asyncio.TimerHandle | None = None
    heard = 0

    def connection_made(self, transport: Any) -> None:
        """A client connects."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self.wait()

    def data_received(self, data: bytes) -> None:
        """A client sends data."""
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            self.calm()  # from now on, a socket
        elif self.is_between:
            self.heard += len(data)
            self.wait()
            if self.heard > (MOST_IGNORED if self.cycle is not None and self.cycle.more_body else MOST_HEAD):
                self.transport.abort()
        else:
            self.heard = 0
            self.calm()

    def connection_lost(self, exc: Exception | None) -> None:
        """A client disconnects."""
        self.calm()
        super().connection_lost(exc)

    @property
    def is_between(self) -> bool:
        """Whether no request is being answered and none has been received in full."""
        return self.cycle is None or self.cycle.response_complete

    def wait(self) -> None:
        """Start the timer."""
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(HEAD_SECONDS, self.lose_patience)

    def calm(self) -> None:
        """Stop the timer."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def lose_patience(self) -> None:
        """The time is up: close the connection."""
        self.timer = None
        if self.is_between:
            self.transport.abort()


def harden(sockets: socketio.AsyncServer) -> None:
    """End a page's socket silently if it sends invalid data, and refuse other sites' sockets."""
    sockets.eio.cors_allowed_origins = []  # no header invites other sites; the guard has checked the page's origin
    logging.getLogger("engineio.server").setLevel(logging.CRITICAL)
    sockets.async_handlers = (
        False  # a handler's exceptions surface here as well; the pages' own work is in tasks anyway
    )
    understand = sockets.eio.handlers["message"]

    async def message(sid: str, data: Any) -> None:
        try:
            await understand(sid, data)
        except FAULTS:
            await sockets.eio.disconnect(sid)

    sockets.eio.on("message", message)
