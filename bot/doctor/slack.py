"""Does Slack take the tokens, do they carry the scopes, and is the bot where it must post?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import aiohttp
import yaml
from pydantic import SecretStr

from bot.check import Check
from bot.settings import Settings

MANIFEST = Path(__file__).parents[2] / "manifest.yml"
PATIENCE = aiohttp.ClientTimeout(total=15)

FIXES = {
    "invalid_auth": "Copy the token anew from the app's page at api.slack.com/apps.",
    "not_authed": "Copy the token anew from the app's page at api.slack.com/apps.",
    "account_inactive": "Install the app into the workspace again, and copy its new token.",
    "token_revoked": "Install the app into the workspace again, and copy its new token.",
    "token_expired": "Turn token rotation off in the app's settings, and install it again.",
    "not_allowed_token_type": "The bot token begins with xoxb-, the app token with xapp-.",
    "missing_scope": "Add the scope that is missing, and install the app again.",
}
OTHERWISE = "Look the error up at docs.slack.dev, and see SLACK_API_URL if it is set."


@dataclass(frozen=True)
class Answer:
    """What a call gave: the error's code (empty is well), the body, and the token's scopes."""

    error: str
    body: dict[str, Any]
    scopes: frozenset[str]


async def slack_checks(settings: Settings) -> tuple[Check, ...]:
    """Ask Slack about the tokens and the channels."""
    slack = settings.slack
    if slack.bot_token is None:
        fix = "Set SLACK_BOT_TOKEN; it begins with xoxb-."
        return (Check("slack: bot token", ok=False, detail="it is missing", fix=fix),)
    async with aiohttp.ClientSession(timeout=PATIENCE) as session:
        api = Api(session, slack.api_url)
        who = await api.call("auth.test", slack.bot_token)
        if who.error:
            return (_token("slack: bot token", who.error),)
        body = who.body
        bot = str(body.get("user", "bot"))
        found = [
            Check(
                "slack: bot token",
                ok=True,
                detail=f"@{bot} in the workspace {body.get('team', '')}",
            ),
            _scopes(who.scopes),
            await _delivery(api, settings),
        ]
        for channel in sorted(set(_channels(settings))):
            found += [await _channel(api, slack.bot_token, channel, bot)]
    return tuple(found)


class Api:
    """Slack's Web API, as far as the doctor needs it."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url

    async def call(self, method: str, token: SecretStr, **arguments: str) -> Answer:
        """Call a method; what keeps it from answering is an error, too."""
        headers = {"Authorization": f"Bearer {token.get_secret_value()}"}
        try:
            async with self._session.post(
                f"{self._url}{method}", headers=headers, data=arguments
            ) as response:
                if response.status != HTTPStatus.OK:
                    return Answer(f"HTTP {response.status}", {}, frozenset())
                body = await response.json(content_type=None)
                scopes = response.headers.get("x-oauth-scopes", "")
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            return Answer(f"no answer ({type(error).__name__})", {}, frozenset())
        code = "" if body.get("ok") else str(body.get("error", "no reason given"))
        return Answer(code, body, frozenset(one.strip() for one in scopes.split(",") if one))


def _token(name: str, error: str) -> Check:
    return Check(name, ok=False, detail=f"Slack says {error}", fix=FIXES.get(error, OTHERWISE))


def _scopes(granted: frozenset[str]) -> Check:
    """Compare with the manifest; Slack names the granted scopes in a header of each answer."""
    manifest = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    wanted = set(manifest["oauth_config"]["scopes"]["bot"])
    missing = sorted(wanted - granted)
    if missing:
        fix = "Paste manifest.yml at the app's page under App Manifest, and install the app again."
        detail = f"not granted: {', '.join(missing)}"
        return Check("slack: scopes", ok=False, detail=detail, fix=fix)
    more = sorted(granted - wanted)
    besides = f"; {', '.join(more)} could be taken away" if more else ""
    return Check("slack: scopes", ok=True, detail=f"all {len(wanted)} are granted{besides}")


async def _delivery(api: Api, settings: Settings) -> Check:
    """See how Slack's events reach the bot."""
    slack = settings.slack
    if slack.app_token is None:
        http = settings.http
        detail = f"signed requests at http://{http.host}:{http.port}/slack/events"
        if slack.signing_secret is None:
            fix = "Set SLACK_APP_TOKEN (xapp-…), or SLACK_SIGNING_SECRET to receive over HTTP."
            return Check("slack: delivery", ok=False, detail="neither is set", fix=fix)
        return Check("slack: delivery", ok=True, detail=detail)
    opened = await api.call("apps.connections.open", slack.app_token)
    if opened.error == "missing_scope":
        fix = "Give the app token the scope connections:write, and turn Socket Mode on."
        return Check("slack: app token", ok=False, detail="connections:write is missing", fix=fix)
    if opened.error:
        return _token("slack: app token", opened.error)
    return Check("slack: app token", ok=True, detail="Socket Mode can be used")


def _channels(settings: Settings) -> Iterator[str]:
    for cluster in settings.clusters.values():
        yield from cluster.allow.channels


async def _channel(api: Api, token: SecretStr, channel: str, bot: str) -> Check:
    """See whether the bot may read a channel, as it must before it posts a second time."""
    name = f"slack: channel {channel}"
    seen = await api.call("conversations.history", token, channel=channel, limit="1")
    match seen.error:
        case "":
            return Check(name, ok=True, detail="the bot is in it")
        case "not_in_channel":
            fix = f"Type /invite @{bot} there: without that, no job can be told of in it."
            return Check(name, ok=False, detail="the bot is not in it", fix=fix)
        case "channel_not_found":
            fix = f"See that the id is right; if the channel is private, type /invite @{bot} there."
            return Check(name, ok=False, detail="the bot knows no such channel", fix=fix)
        case "ratelimited":
            return Check(name, ok=True, detail="not looked at: Slack asks to wait")
        case error:
            return Check(
                name, ok=False, detail=f"Slack says {error}", fix=FIXES.get(error, OTHERWISE)
            )
