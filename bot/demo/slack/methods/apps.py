"""auth.*, apps.*, bots.*, api.*, blocks.*, team.* and usergroups.*."""

from __future__ import annotations

from bot.demo.slack.arguments import Arguments, invalid
from bot.demo.slack.errors import SlackError
from bot.demo.slack.methods.method import Method
from bot.demo.slack.model import Json
from bot.demo.slack.platform import Platform
from bot.demo.slack.validate import content, view


def auth_test(platform: Platform, _arguments: Arguments) -> Json:
    """Who the token is."""
    identity = platform.identity
    return {
        "url": f"{platform.base_url}/",
        "team": identity.team_name,
        "user": platform.manifest.bot_name,
        "team_id": identity.team_id,
        "user_id": identity.bot_user_id,
        "bot_id": identity.bot_id,
        "is_enterprise_install": False,
    }


def connections_open(platform: Platform, _arguments: Arguments) -> Json:
    """A WebSocket address that works once."""
    socket_url = platform.base_url.replace("http", "ws", 1)
    return {"url": f"{socket_url}/link/?ticket={platform.sockets.ticket()}"}


def bots_info(platform: Platform, arguments: Arguments) -> Json:
    """The app's bot."""
    identity = platform.identity
    if arguments.text("bot") not in {None, identity.bot_id}:
        raise SlackError("bot_not_found")
    return {
        "bot": {
            "id": identity.bot_id,
            "app_id": identity.app_id,
            "user_id": identity.bot_user_id,
            "name": platform.manifest.bot_name,
            "deleted": False,
            "updated": 0,
            "icons": {},
        }
    }


def api_test(_platform: Platform, arguments: Arguments) -> Json:
    """Echo."""
    return {"args": arguments.values}


def team_info(platform: Platform, _arguments: Arguments) -> Json:
    """The team."""
    identity = platform.identity
    return {
        "team": {
            "id": identity.team_id,
            "name": identity.team_name,
            "domain": identity.team_domain,
            "url": f"{platform.base_url}/",
        }
    }


def usergroups_list(_platform: Platform, _arguments: Arguments) -> Json:
    """There are none in this team."""
    return {"usergroups": []}


def blocks_validate(_platform: Platform, arguments: Arguments) -> Json:
    """Say what is wrong with blocks, a message or a view, without sending it."""
    given = [one for one in ("blocks", "message", "view") if arguments.text(one) is not None]
    if len(given) != 1:
        raise invalid("[ERROR] must provide exactly one of: blocks, message, view")
    tree = arguments.tree(given[0], "invalid_arguments")
    if given[0] == "view":
        kind = tree.get("type") if isinstance(tree, dict) else None
        view.checked(tree, "home" if kind == "home" else "modal")
    elif given[0] == "message":
        content.message(tree)
    else:
        content.blocks(tree, total=True)
    return {}


METHODS = (
    Method(name="blocks.validate", call=blocks_validate, token="none", tier=4),  # noqa: S106 - a kind
    Method(name="auth.test", call=auth_test, tier=4),
    Method(name="apps.connections.open", call=connections_open, token="app", tier=3),  # noqa: S106 - a kind
    Method(name="api.test", call=api_test, token="none", tier=4),  # noqa: S106 - a kind of token
    Method(name="bots.info", call=bots_info, scopes=("users:read",)),
    Method(name="team.info", call=team_info, scopes=("team:read",)),
    Method(name="usergroups.list", call=usergroups_list, scopes=("usergroups:read",), tier=2),
)
