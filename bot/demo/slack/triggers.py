"""Trigger ids: they open one modal, within three seconds."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from bot.demo.slack.errors import SlackError

TRIGGER_SECONDS = 3.0
_KEPT = 10_000


@dataclass
class _Trigger:
    user: str
    expires: float
    view_id: str | None
    used: bool = False


class Triggers:
    """The trigger ids handed out, and what became of them."""

    def __init__(self, seconds: float = TRIGGER_SECONDS) -> None:
        self._seconds = seconds
        self._triggers: dict[str, _Trigger] = {}

    def issue(self, user: str, view_id: str | None = None) -> str:
        """A fresh id for something that person did, in a modal if `view_id` names one."""
        now = time.monotonic()
        number = secrets.randbelow(10**13)
        trigger_id = f"{number}.{secrets.randbelow(10**11)}.{secrets.token_hex(16)}"
        self._triggers[trigger_id] = _Trigger(user, now + self._seconds, view_id)
        if len(self._triggers) > _KEPT:
            self._drop_old(now)
        return trigger_id

    def exchange(self, trigger_id: str) -> tuple[str, str | None]:
        """Use it up: who acted, and in which modal; raises Slack's error."""
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise SlackError("invalid_trigger_id")
        if trigger.used:
            raise SlackError("exchanged_trigger_id")
        if time.monotonic() > trigger.expires:
            raise SlackError("expired_trigger_id")
        trigger.used = True
        return trigger.user, trigger.view_id

    def _drop_old(self, now: float) -> None:
        self._triggers = {
            key: one for key, one in self._triggers.items() if one.expires > now - 3600
        }
