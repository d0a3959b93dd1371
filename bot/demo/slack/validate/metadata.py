"""Message metadata: an event type and a flat payload."""

from __future__ import annotations

import json
import re
from typing import Any

from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Json

LARGEST = 8_000  # characters; Slack does not publish its number
_EVENT_TYPE = re.compile(r"[A-Za-z0-9_.:/-]{1,255}")


def checked(tree: Any) -> Json | None:
    """The metadata; raises invalid_metadata_format, invalid_metadata_schema, metadata_too_large."""
    if tree is None:
        return None
    if not isinstance(tree, dict) or set(tree) != {"event_type", "event_payload"}:
        raise SlackError("invalid_metadata_format")
    payload = tree["event_payload"]
    if not isinstance(payload, dict) or not _EVENT_TYPE.fullmatch(str(tree["event_type"])):
        raise SlackError("invalid_metadata_format")
    if not all(map(_fits, payload.values())):
        raise SlackError("invalid_metadata_schema")
    if len(json.dumps(tree)) > LARGEST:
        raise SlackError("metadata_too_large")
    return tree


def _scalar(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)


def _flat(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_scalar, value.values()))


def _fits(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_flat, value))
    return _scalar(value) or _flat(value)
