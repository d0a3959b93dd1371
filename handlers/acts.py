"""Slack payload → Act. The same delivery always gives the same act, whoever receives it.

Tokens that people paste are taken out here, before anything is kept; their kinds are remembered.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from bot.leaks import leaked
from bot.model import Act, ActKind, Attached, Caller, derive
from bot.redact import redact
from handlers.message_text import words

Json = dict[str, Any]

_WRITTEN = frozenset({None, "", "file_share", "thread_broadcast", "me_message"})
"""Subtypes of what a person wrote: plainly, with a file, or in a thread and the channel at once."""
_MENTION = re.compile(r"^\s*<@[A-Z0-9]+(?:\|[^>]*)?>[\s,:]*")


def slash(command: Json, known: Collection[str] = ()) -> Act:
    """Return the act of a slash command; its trigger id names it.

    `known` are values of secrets, which are taken out whatever they look like.
    """
    team = _team(command)
    text = command.get("text") or ""
    return Act(
        id=derive(team, "slash", command["trigger_id"]),
        kind=ActKind.SLASH,
        caller=Caller(team=team, user=command["user_id"], channel=command["channel_id"]),
        at=datetime.now(UTC),
        command=command["command"],
        text=redact(text, known),
        leaked=leaked(text, known),
        reply_url=command.get("response_url") or "",
    )


def message(event: Json, team: str, known: Collection[str] = ()) -> Act | None:
    """Return the act of a mention or direct message; None for what is not a person's words.

    A message can arrive as two events (mention and direct message): its ts names it.
    """
    if event.get("subtype") not in _WRITTEN or event.get("bot_id") or not event.get("user"):
        return None
    text = _MENTION.sub("", event.get("text") or "")
    return Act(
        id=derive(team, "message", event["channel"], event["ts"]),
        kind=ActKind.MENTION,
        caller=Caller(
            team=team,
            user=event["user"],
            channel=event["channel"],
            thread=event.get("thread_ts") or "",
        ),
        at=datetime.now(UTC),
        text=redact(text, known),
        leaked=leaked(text, known),
        message_ts=event["ts"],
    )


def control(body: Json) -> Act | None:
    """Return the act of a click or a choice on a message; None where there is no message.

    Of a message that only its person sees, Slack may tell the place alone.
    """
    container = body.get("container") or {}
    message = body.get("message") or (
        {"ts": container.get("message_ts"), "thread_ts": container.get("thread_ts")}
        if container.get("type") == "message"
        else {}
    )
    if not body.get("actions") or not message.get("ts") or not body.get("channel"):
        return None
    action = body["actions"][0]
    team = (body.get("team") or {}).get("id") or ""
    chosen = action.get("selected_option") or {}
    return Act(
        id=derive(team, "control", body.get("trigger_id") or action.get("action_ts") or ""),
        kind=ActKind.SELECT if chosen else ActKind.BUTTON,
        caller=Caller(
            team=team,
            user=body["user"]["id"],
            channel=body["channel"]["id"],
            thread=message.get("thread_ts") or "",
        ),
        at=datetime.now(UTC),
        reply_url=body.get("response_url") or "",
        action=action["action_id"],
        value=str(chosen.get("value") or action.get("value") or ""),
        message_ts=message["ts"],
        ephemeral=bool(container.get("is_ephemeral")),
    )


def shortcut(body: Json, known: Collection[str] = ()) -> Act | None:
    """Return the act of an entry of a message's menu, with what the message holds."""
    message = body.get("message") or {}
    if body.get("type") != "message_action" or not message.get("ts"):
        return None
    team = (body.get("team") or {}).get("id") or ""
    text = words(message)
    return Act(
        id=derive(team, "shortcut", body.get("trigger_id") or body.get("action_ts") or ""),
        kind=ActKind.SHORTCUT,
        caller=Caller(
            team=team,
            user=body["user"]["id"],
            channel=body["channel"]["id"],
            thread=message.get("thread_ts") or "",
        ),
        at=datetime.now(UTC),
        text=redact(text, known),
        leaked=leaked(text, known),
        reply_url=body.get("response_url") or "",
        action=body.get("callback_id") or "",
        files=tuple(_attached(file) for file in message.get("files") or []),
        message_ts=message["ts"],
    )


def _attached(file: Json) -> Attached:
    return Attached(
        name=str(file.get("name") or file.get("title") or file.get("id") or "a file"),
        url=str(file.get("url_private_download") or file.get("url_private") or ""),
        mimetype=str(file.get("mimetype") or ""),
        size=int(file.get("size") or 0),
    )


def _team(command: Json) -> str:
    return str(command.get("team_id") or command.get("enterprise_id") or "")
