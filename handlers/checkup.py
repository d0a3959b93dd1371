"""Whether Slack takes the tokens, and whether the app may do what the bot does."""

from __future__ import annotations

from collections.abc import Collection

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.check import Check, check
from bot.settings import SlackSettings


async def checkup(settings: SlackSettings, scopes: Collection[str]) -> list[Check]:
    """Ask Slack; `scopes` are those of the manifest."""
    checks = [await _bot_token(settings, scopes)]
    if settings.app_token is not None:
        checks.append(await _app_token(settings, settings.app_token.get_secret_value()))
    return checks


async def _bot_token(settings: SlackSettings, scopes: Collection[str]) -> Check:
    token = settings.bot_token.get_secret_value() if settings.bot_token else ""
    try:
        client = AsyncWebClient(token=token, base_url=settings.api_url)
        answer = await client.auth_test()
    except (SlackApiError, SlackClientError, aiohttp.ClientError, OSError) as error:
        return Check("slack.bot_token", ok=False, detail=_why(error), fix=_FIX["bot"])
    granted = {part.strip() for part in str(answer.headers.get("x-oauth-scopes", "")).split(",")}
    missing = sorted(set(scopes) - granted) if granted != {""} else []
    who = f"{answer.get('user')} in {answer.get('team')}"
    if missing:
        detail = f"{who}, without the scopes {', '.join(missing)}"
        return Check("slack.bot_token", ok=False, detail=detail, fix=_FIX["scopes"])
    return Check("slack.bot_token", ok=True, detail=who)


async def _app_token(settings: SlackSettings, token: str) -> Check:
    try:
        client = AsyncWebClient(base_url=settings.api_url)
        await client.apps_connections_open(app_token=token)
    except (SlackApiError, SlackClientError, aiohttp.ClientError, OSError) as error:
        return Check("slack.app_token", ok=False, detail=_why(error), fix=_FIX["app"])
    return check("slack.app_token", ok=True, detail="Socket Mode opens", fix="")


_FIX = {
    "bot": "Copy the bot token (xoxb-…) of the installed app into SLACK_BOT_TOKEN.",
    "scopes": "Update the app from manifest.yml and install it to the workspace again.",
    "app": "Generate an app token with the scope connections:write and put it into "
    "SLACK_APP_TOKEN.",
}


def _why(error: Exception) -> str:
    if isinstance(error, SlackApiError):
        return f"Slack says {error.response.get('error')}"
    return f"Slack does not answer ({type(error).__name__})"
