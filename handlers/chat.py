"""Slack as the place where people read cards: the door to the Web API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import datetime
from http import HTTPStatus
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.card import Card
from bot.errors import ChatError, ChatRateLimited, ChatUnreachable, MessageRefused
from bot.model import Act, ActKind, Attached
from handlers.blocks.card import render
from handlers.files import fetch

EVENT = "sbatchat_message"
PASSING = frozenset(
    {"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"}
)
"""Error codes with which Slack says that it, not the message, is at fault."""


class SlackChat:
    """Posts, updates and finds cards; every string passes `redact` on its way out."""

    def __init__(self, *, client: AsyncWebClient, redact: Callable[[Card], Card]) -> None:
        self.client = client
        self._redact = redact

    async def post(self, channel: str, thread: str, card: Card, key: str) -> str:
        """Post a card whose metadata carries `key`; return its ts."""
        answer = await _asked(
            self.client.chat_postMessage(
                channel=channel,
                thread_ts=thread or None,
                metadata=_metadata(key),
                unfurl_links=False,
                unfurl_media=False,
                **render(self._redact(card)),
            )
        )
        return str(answer["ts"])

    async def update(self, channel: str, ts: str, card: Card, key: str) -> None:
        """Make the message at `ts` show this card."""
        await _asked(
            self.client.chat_update(
                channel=channel, ts=ts, metadata=_metadata(key), **render(self._redact(card))
            )
        )

    async def permalink(self, channel: str, ts: str) -> str:
        """Return the address of a message."""
        answer = await _asked(self.client.chat_getPermalink(channel=channel, message_ts=ts))
        return str(answer["permalink"])

    async def find(self, channel: str, thread: str, key: str, since: datetime) -> str:
        """Look through the channel (or thread) for the message that carries `key`."""
        cursor = ""
        while True:
            answer = await self._page(channel, thread, since, cursor)
            for message in answer.get("messages", []):
                payload = message.get("metadata", {}).get("event_payload", {})
                if payload.get("key") == key:
                    return str(message["ts"])
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                return ""

    async def _page(self, channel: str, thread: str, since: datetime, cursor: str) -> Any:
        asked: dict[str, Any] = {
            "channel": channel,
            # Slack's clock and ours may differ; a minute back costs nothing.
            "oldest": f"{since.timestamp() - 60:.6f}",
            "include_all_metadata": True,
            "limit": 200,
            **({"cursor": cursor} if cursor else {}),
        }
        if thread:
            return await _asked(self.client.conversations_replies(ts=thread, **asked))
        return await _asked(self.client.conversations_history(**asked))

    async def present(self, channel: str, ts: str) -> bool:
        """Whether the bot is where this message stands, so that it can answer below it."""
        try:
            await _asked(self.client.conversations_replies(channel=channel, ts=ts, limit=1))
        except ChatError:
            return False
        return True

    def fetch(self, file: Attached) -> AsyncIterator[bytes]:
        """Yield the bytes of a file; raises ChatError."""
        client = self.client
        if client.session is None or client.token is None:
            raise ChatUnreachable("Slack is not connected")
        return fetch(file, session=client.session, token=client.token, api_url=str(client.base_url))

    async def whisper(self, act: Act, card: Card) -> None:
        """Answer an act so that only its person sees it; raises ChatError.

        The response URL first, since it works in every channel; it lives for 30 minutes.
        """
        message = render(self._redact(card))
        if act.reply_url and act.kind is not ActKind.MENTION:
            webhook = AsyncWebhookClient(act.reply_url, retry_handlers=[])
            reply = await _reached(
                webhook.send(**message, response_type="ephemeral", replace_original=False)
            )
            if reply.status_code == HTTPStatus.OK:
                return
        await _asked(
            self.client.chat_postEphemeral(
                channel=act.caller.channel,
                user=act.caller.user,
                thread_ts=act.caller.thread or None,
                **message,
            )
        )

    async def settle(self, act: Act, card: Card) -> None:
        """Put a card in the place of the message that only its person sees; raises ChatError."""
        webhook = AsyncWebhookClient(act.reply_url, retry_handlers=[])
        message = render(self._redact(card))
        reply = await _reached(
            webhook.send(**message, response_type="ephemeral", replace_original=True)
        )
        if reply.status_code != HTTPStatus.OK:
            raise ChatUnreachable(f"Slack answered {reply.status_code}")


def _metadata(key: str) -> dict[str, Any]:
    return {"event_type": EVENT, "event_payload": {"key": key}}


async def _reached(call: Any) -> Any:
    try:
        return await call
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        raise ChatUnreachable(f"Slack does not answer ({type(error).__name__})") from error


async def _asked(call: Any) -> Any:
    try:
        return await _reached(call)
    except SlackApiError as error:
        raise translate(error) from error
    except SlackClientError as error:
        raise ChatUnreachable(str(error)) from error


def translate(error: SlackApiError) -> ChatError:
    """Return the error of ours that says what Slack's answer means for the message."""
    response: Any = error.response
    status = getattr(response, "status_code", 200)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return ChatRateLimited(float(response.headers.get("Retry-After", "1")))
    data = response.data if isinstance(getattr(response, "data", None), dict) else {}
    code = str(data.get("error", ""))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or not code or code in PASSING:
        return ChatUnreachable(f"Slack answered {status} {code}".strip())
    if code == "ratelimited":
        return ChatRateLimited(1.0)
    details = (data.get("response_metadata") or {}).get("messages") or []
    return MessageRefused(code, "; ".join(str(detail) for detail in details)[:500])
