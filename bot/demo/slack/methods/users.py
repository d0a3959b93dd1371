"""users.*: people."""

from __future__ import annotations

from bot.demo.slack import wire
from bot.demo.slack.arguments import Arguments
from bot.demo.slack.methods.method import Method
from bot.demo.slack.methods.paging import page
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform


def info(platform: Platform, arguments: Arguments) -> Json:
    """One person."""
    one = platform.workspace.user(arguments.required("user", "user_not_found"))
    locale = {"locale": "en-US"} if arguments.flag("include_locale") else {}
    return {"user": wire.user(platform, one) | locale}


def listed(platform: Platform, arguments: Arguments) -> Json:
    """Everybody."""
    shown, following = page(list(platform.workspace.users.values()), arguments)
    return {
        "members": [wire.user(platform, one) for one in shown],
        "cache_ts": platform.workspace.clock.seconds(),
        "response_metadata": {"next_cursor": following},
    }


METHODS = (
    Method(name="users.info", call=info, scopes=("users:read",), tier=4),
    Method(name="users.list", call=listed, scopes=("users:read",), tier=2),
)
