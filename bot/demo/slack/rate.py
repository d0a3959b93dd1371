"""Slack's rate limits: per method, and one message per second and channel."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limit:
    """So many calls a minute, and so many at once before that counts."""

    per_minute: float
    burst: int


# "50+ per minute" lets a burst of that size through, then refills evenly.
TIERS = {
    1: Limit(1, 5),
    2: Limit(20, 20),
    3: Limit(50, 50),
    4: Limit(100, 100),
}
#: chat.postMessage, each channel: one a second, short bursts are let through
PER_CHANNEL = Limit(60, 5)
#: chat.postMessage, the whole team: several hundred a minute
PER_TEAM = Limit(600, 120)


@dataclass
class _Bucket:
    level: float
    at: float


@dataclass
class Rates:
    """Token buckets by key."""

    enabled: bool = True
    per_channel: Limit = PER_CHANNEL
    per_team: Limit = PER_TEAM
    methods: dict[str, Limit] = field(default_factory=dict)
    _buckets: dict[str, _Bucket] = field(default_factory=dict)

    def take(self, key: str, limit: Limit) -> int | None:
        """Count one call; seconds to wait when there is no room for it."""
        if not self.enabled:
            return None
        now = time.monotonic()
        bucket = self._buckets.setdefault(key, _Bucket(limit.burst, now))
        refill = (now - bucket.at) * limit.per_minute / 60
        bucket.level = min(limit.burst, bucket.level + refill)
        bucket.at = now
        if bucket.level < 1:
            return max(1, math.ceil((1 - bucket.level) * 60 / limit.per_minute))
        bucket.level -= 1
        return None

    def take_method(self, method: str, tier: int) -> int | None:
        """Count a call of a method."""
        return self.take(method, self.methods.get(method, TIERS[tier]))

    def take_post(self, channel: str) -> int | None:
        """Count a message to a channel."""
        return self.take("post", self.per_team) or self.take(f"post:{channel}", self.per_channel)
