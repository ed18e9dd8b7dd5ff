"""The checks before anything reads a request: whether it is meant for this server, whether it comes from one of its own
pages, and whether its body is small. And on every answer, headers that keep other sites from using it.

A page of another site can make its visitor's browser send requests here and, with its own name server, even under a
name that then resolves to this machine (DNS rebinding). So a request must name a host that the server answers to, and
if it says which page it comes from, that page must be from the same host.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import socket
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from counterplay.web.turns import visitor

MOST_BODY = 64 << 10
"""The maximum number of bytes of a request's body."""
BODY_SECONDS = 10.0
"""Seconds that it may take to arrive."""
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # the browser compiles the pages' templates
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HARDENING = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}
log = logging.getLogger(__name__)


class Hosts:
    """The names that the server answers to: this machine's own, the address it is bound to, and any others that are
    allowed."""

    def __init__(self, bound: str = "127.0.0.1", more: Iterable[str] = ()) -> None:
        self.allowed = frozenset(name.lower().strip("[]") for name in more)
        """Names given by the user: their pages may be under another address, as behind a proxy."""
        self.names = {"localhost", "127.0.0.1", "::1", bound.lower(), *self.allowed}
        self.everywhere = bound in ("0.0.0.0", "::")
        """Whether it serves the whole network: then every address may be one of its own."""
        if self.everywhere:
            own = socket.gethostname().lower()
            self.names |= {own, f"{own}.local"}

    def __contains__(self, host: str) -> bool:
        return host in self.names or (self.everywhere and is_address(host))


def host_of(netloc: str) -> str:
    """The host of a Host header or an address, without the port."""
    name = netloc[1 : netloc.find("]")] if netloc.startswith("[") else netloc.partition(":")[0]
    return name.lower().rstrip(".")


def is_address(host: str) -> bool:
    """Whether a host is an IP address: no name server can redirect it."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class RequestRefused(Exception):
    """A request that is refused."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Guard:
    """The app, guarded."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        visitor.set((scope.get("client") or ("",))[0])
        if scope["type"] == "http":
            await self.answer(scope, receive, hardened(send))
        elif scope["type"] == "websocket":
            await self.connect(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request and its answer."""
        try:
            headers = Headers(scope=scope)
            self.check(headers)
            body = await read_body(headers, receive)
        except RequestRefused as wrong:
            await refuse(send, wrong)
            return
        if body is not None:
            await self.app(scope, again(body, receive), send)

    async def connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A socket; one that breaks its protocol is closed without an error of ours."""
        try:
            self.check(Headers(scope=scope))
        except RequestRefused:
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            await self.app(scope, receive, send)
        except Exception as wrong:
            log.info("a socket sent an invalid message: %s", wrong)

    def check(self, headers: Headers) -> None:
        """Refuse requests meant for another host or sent by another site's page."""
        host = headers.get("host", "")
        if host_of(host) not in self.hosts:
            raise RequestRefused(
                421,
                f"this server does not accept the host name {host_of(host)[:80]!r}; "
                "`counterplay serve --allow-host NAME` allows it",
            )
        origin = headers.get("origin")
        if origin is not None:
            there = origin.lower().partition("://")[2]
            if there != host.lower() and host_of(there) not in self.hosts.allowed:
                raise RequestRefused(
                    403, f"this server does not answer pages from other sites, such as {origin[:80]!r}"
                )


async def read_body(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body of a request, refused as soon as it is too long or too slow; None if the sender has left."""
    too_long = RequestRefused(413, f"a request may have at most {MOST_BODY:,} bytes")
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > MOST_BODY:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                if len(body) > MOST_BODY:
                    raise too_long
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise RequestRefused(408, f"a request must arrive within {BODY_SECONDS:g} seconds") from None


def again(body: bytes, receive: Receive) -> Receive:
    """The body already received, delivered again; then whatever follows."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    return received


def hardened(send: Send) -> Send:
    """Answers with our security headers added."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HARDENING.items():
                headers[name] = value
        await send(message)

    return sent


async def refuse(send: Send, wrong: RequestRefused) -> None:
    """Refuse with a sentence."""
    body = json.dumps({"error": str(wrong)}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": wrong.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
