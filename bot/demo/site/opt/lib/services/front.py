"""The front of all services: HTTPS through CONNECT, plain HTTP with the host as first folder."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class Request:
    """What a service is asked."""

    method: str
    host: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What it says."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Front(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server_version = "services"
    sites: Mapping[str, Callable[[Request], Answer]] = {}
    tls: ssl.SSLContext
    tunnel = ""

    def do_CONNECT(self) -> None:
        """Become the host that is named; an unknown one is not found."""
        host = self.path.rpartition(":")[0]
        if host not in self.sites:
            self.send_error(502, "No such host")
            return
        self.send_response_only(200, "Connection established")
        self.end_headers()
        try:
            self.connection = self.tls.wrap_socket(self.connection, server_side=True)
        except OSError:  # the client does not trust the certificate, or has gone
            self.close_connection = True
            return
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", 0)
        self.tunnel = host
        self.close_connection = False

    def do_GET(self) -> None:
        """Answer what can be read."""
        self._answer()

    def do_HEAD(self) -> None:
        """Answer with headers alone."""
        self._answer()

    def do_POST(self) -> None:
        """Answer a question with a body."""
        self._answer()

    def finish(self) -> None:
        """Close what a tunnel was wrapped in."""
        super().finish()
        self.connection.close()

    def _answer(self) -> None:
        split = urlsplit(self.path)
        host, path = self.tunnel, unquote(split.path)
        if not host:
            host, _, rest = path.lstrip("/").partition("/")
            path = f"/{rest}"
        body = self._body()
        asked = Request(self.command, host, path, split.query, self.headers, body)
        site = self.sites.get(host)
        answer = site(asked) if site else Answer(404, b"no such host\n")
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        whole = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def log_message(self, format: str, *args: object) -> None:
        """Log without what a query may hold."""
        said = (format % args).partition("?")[0]
        super().log_message("%s %s", self.tunnel, said)
