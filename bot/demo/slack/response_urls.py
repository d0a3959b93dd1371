"""Response URLs: five uses within thirty minutes."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from bot.demo.slack.errors import SlackError

USES = 5
SECONDS = 30 * 60.0


@dataclass
class ResponseUrl:
    """Where an answer goes, and which message it may replace."""

    user: str
    channel: str
    message_ts: str | None
    thread_ts: str | None
    expires: float
    uses: int = 0


class ResponseUrls:
    """The URLs handed out."""

    def __init__(self, seconds: float = SECONDS, uses: int = USES) -> None:
        self._seconds = seconds
        self._uses = uses
        self._urls: dict[str, ResponseUrl] = {}

    def issue(
        self, user: str, channel: str, message_ts: str | None = None, thread_ts: str | None = None
    ) -> str:
        """A fresh key for something that person did in that channel."""
        key = secrets.token_urlsafe(18)
        expires = time.monotonic() + self._seconds
        self._urls[key] = ResponseUrl(user, channel, message_ts, thread_ts, expires)
        return key

    def use(self, key: str) -> ResponseUrl:
        """Count one use; raises expired_url, used_url or no_such_url."""
        url = self._urls.get(key)
        if url is None:
            raise SlackError("no_such_url")
        if time.monotonic() > url.expires:
            raise SlackError("expired_url")
        if url.uses >= self._uses:
            raise SlackError("used_url")
        url.uses += 1
        return url
