"""How fast Slack may be told, and when it may be told next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """How fast Slack may be told; seconds."""

    post: float = 1.0
    """Between posts to one channel."""
    burst: int = 3
    """Posts to a quiet channel that need not wait."""
    update: float = 3.0
    """Between updates of one message."""
    settle: float = 1.0
    """Between the post of a message and its first update."""
    grace: float = 2.0
    """Before what failed is tried again, or looked for; doubles each time."""
    longest: float = 15.0
    """The longest such wait."""
    abreast: int = 8
    """Updates on their way at one time."""
    crowded: float = 1.2
    """Between any two updates after Slack said that they are too many (its tier 3)."""
    crowd: float = 60.0
    """How long that holds."""


SLACK = Pace()
"""What Slack itself allows."""


class Times:
    """When each channel, message and method may be used next, by the loop's clock."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._channels: dict[str, float] = {}
        self._messages: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._crowded_until = 0.0
        self.updates = 0.0
        self.all = 0.0

    def post(self, channel: str) -> float:
        """Return when the channel takes another post."""
        return self._channels.get(channel, 0.0) - self._slack

    def message(self, key: str) -> float:
        """Return when Slack may be asked about this message."""
        return self._messages.get(key, 0.0)

    def posted(self, channel: str, now: float) -> None:
        """Count a post."""
        self._channels[channel] = max(now, self._channels.get(channel, 0.0)) + self._pace.post

    def updated(self, key: str, now: float) -> None:
        """Count an update."""
        self._messages[key] = now + self._pace.update
        if now < self._crowded_until:
            self.updates = now + self._pace.crowded

    def too_many_updates(self, until: float) -> None:
        """Let all updates rest, and then go one by one for a while."""
        self.updates = until
        self._crowded_until = until + self._pace.crowd

    def hold(self, channel: str, until: float) -> None:
        """Let the channel rest, and then take posts at the plain pace."""
        self._channels[channel] = until + self._slack

    def rest(self, key: str, until: float) -> None:
        """Let a message rest."""
        self._messages[key] = until

    def failed(self, key: str, now: float) -> None:
        """Let a message rest longer each time it fails."""
        count = self._failures.get(key, 0)
        self._failures[key] = count + 1
        self._messages[key] = now + min(self._pace.grace * 2**count, self._pace.longest)

    def forgive(self, key: str) -> None:
        """Forget the failures of a message."""
        self._failures.pop(key, None)

    def forget(self, now: float) -> None:
        """Drop what has passed."""
        self._messages = {key: at for key, at in self._messages.items() if at > now}
        self._channels = {name: at for name, at in self._channels.items() if at > now}

    @property
    def _slack(self) -> float:
        return (self._pace.burst - 1) * self._pace.post
