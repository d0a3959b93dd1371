"""The third way again: what the local Slack answers when it is sent a payload."""

from __future__ import annotations

from bot.demo.slack import posting
from bot.demo.slack.arguments import Arguments
from bot.demo.slack.errors import SlackError
from tests.payloads.recorder import Json


def problems(payload: Json) -> list[str]:
    """Return what the local Slack refuses about the content of a payload."""
    update = payload["method"] == "chat.update"
    try:
        posting.draft(
            Arguments(payload["arguments"], ""),
            longest=posting.LONGEST_UPDATE if update else posting.LONGEST_TEXT,
            total=payload["method"] != "response_url",
        )
    except SlackError as error:
        return [error.code, *error.details.get("errors", ())]
    return []
