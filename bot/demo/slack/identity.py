"""The ids and tokens of the team and of its one app; ids are stable, scripts may name them."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field


def _token(prefix: str) -> str:
    return f"{prefix}-{secrets.token_hex(16)}"


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Who the app is in this team."""

    team_id: str = "T0LOCAL0001"
    team_name: str = "Local Slack"
    team_domain: str = "local"
    app_id: str = "A0LOCAL0001"
    bot_id: str = "B0LOCAL0001"
    bot_user_id: str = "U0LOCALBOT1"
    bot_token: str = field(default_factory=lambda: _token("xoxb"), repr=False)
    app_token: str = field(default_factory=lambda: _token("xapp-1"), repr=False)
    signing_secret: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    verification_token: str = field(default_factory=lambda: secrets.token_hex(12), repr=False)

    def is_bot_token(self, token: str) -> bool:
        """Compare in constant time."""
        return hmac.compare_digest(token.encode(), self.bot_token.encode())

    def is_app_token(self, token: str) -> bool:
        """Compare in constant time."""
        return hmac.compare_digest(token.encode(), self.app_token.encode())
