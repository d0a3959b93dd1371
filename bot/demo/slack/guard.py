"""Who may use the pages and the control interface: this machine, and no other web site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

#: no scripts but ours, nothing from elsewhere
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def guard(host: str) -> Middleware:
    """Refuse other sites' requests and, when bound to the loopback, names that only point to it."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        asked = urlsplit(f"//{request.host}").hostname or ""
        if host in _LOOPBACK and asked not in _LOOPBACK:
            return web.Response(status=403, text="this host name is not served")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            return web.Response(status=403, text="not for other sites")
        return await handler(request)

    return check
