"""Calls of `chat.*` that are refused."""

from __future__ import annotations

from typing import Any

from bot.demo.slack.workspace import GENERAL, OUTSIDER, PRIVATE, RESEARCHER, TRAINING
from tests.local_slack.refusal import (
    Arguments,
    Refusal,
    archived,
    message_of,
    of_person,
    sent,
    without_bot,
    without_scope,
)
from tests.local_slack.samples import section

_EVENT = {"event_type": "told", "event_payload": {"id": "1"}}
_POST = "chat.postMessage"
_UPDATE = "chat.update"


def _with_metadata(**changes: Any) -> Arguments:
    return sent(channel=TRAINING, text="x", metadata={**_EVENT, **changes})


MESSAGES = (
    Refusal("cant_delete_message", "written by a person", "chat.delete", of_person()),
    Refusal("cant_update_message", "written by a person", _UPDATE, of_person(text="x")),
    Refusal("channel_not_found", "unknown", _POST, sent(channel="C000", text="x")),
    Refusal("channel_not_found", "none given", _POST, sent(text="x")),
    Refusal("channel_not_found", "unknown user", _POST, sent(channel="U000", text="x")),
    Refusal("channel_not_found", "private, app outside", _POST, without_bot(text="x")),
    Refusal(
        "invalid_attachments",
        "not a list",
        _POST,
        sent(channel=TRAINING, attachments={"text": "x"}),
    ),
    Refusal(
        "invalid_attachments",
        "a bad block within",
        _POST,
        sent(channel=TRAINING, attachments=[{"blocks": [section("")]}]),
    ),
    Refusal("invalid_blocks", "an empty text", _POST, sent(channel=TRAINING, blocks=[section("")])),
    Refusal(
        "invalid_blocks",
        "on update",
        _UPDATE,
        lambda slack: {
            "channel": TRAINING,
            "ts": message_of(slack, slack.platform.bot),
            "blocks": [section("")],
        },
    ),
    Refusal(
        "invalid_blocks",
        "ephemeral",
        "chat.postEphemeral",
        sent(channel=TRAINING, user=RESEARCHER, blocks=[section("")]),
    ),
    Refusal(
        "invalid_blocks_format",
        "an object",
        _POST,
        sent(channel=TRAINING, blocks={"type": "divider"}),
    ),
    Refusal("invalid_blocks_format", "no JSON", _POST, sent(channel=TRAINING, blocks="[{")),
    Refusal(
        "invalid_blocks_format",
        "a list of strings",
        _POST,
        sent(channel=TRAINING, blocks=["divider"]),
    ),
    Refusal(
        "invalid_metadata_format",
        "no event type",
        _POST,
        sent(channel=TRAINING, text="x", metadata={"event_payload": {}}),
    ),
    Refusal(
        "invalid_metadata_format",
        "a payload that is a list",
        _POST,
        _with_metadata(event_payload=[]),
    ),
    Refusal(
        "invalid_metadata_format",
        "an event type with blanks",
        _POST,
        _with_metadata(event_type="a b"),
    ),
    Refusal(
        "invalid_metadata_format", "not JSON", _POST, sent(channel=TRAINING, text="x", metadata="{")
    ),
    Refusal("invalid_metadata_schema", "a null", _POST, _with_metadata(event_payload={"id": None})),
    Refusal(
        "invalid_metadata_schema",
        "a list of scalars",
        _POST,
        _with_metadata(event_payload={"ids": ["1"]}),
    ),
    Refusal(
        "invalid_metadata_schema",
        "deep nesting",
        _POST,
        _with_metadata(event_payload={"a": {"b": {"c": 1}}}),
    ),
    Refusal("is_archived", "post", _POST, archived(text="x")),
    Refusal("is_archived", "update", _UPDATE, archived(ts="1.0", text="x")),
    Refusal("is_archived", "ephemeral", "chat.postEphemeral", archived(user=RESEARCHER, text="x")),
    Refusal(
        "markdown_text_conflict",
        "with text",
        _POST,
        sent(channel=TRAINING, text="x", markdown_text="x"),
    ),
    Refusal("message_not_found", "update", _UPDATE, sent(channel=TRAINING, ts="1.0", text="x")),
    Refusal("message_not_found", "delete", "chat.delete", sent(channel=TRAINING, ts="1.0")),
    Refusal(
        "message_not_found", "link", "chat.getPermalink", sent(channel=TRAINING, message_ts="1.0")
    ),
    Refusal(
        "metadata_too_large",
        "9,000 characters",
        _POST,
        _with_metadata(event_payload={"a": "x" * 9000}),
    ),
    Refusal(
        "missing_scope", "write", _POST, without_scope("chat:write", channel=TRAINING, text="x")
    ),
    Refusal(
        "msg_blocks_too_long",
        "post",
        _POST,
        sent(channel=TRAINING, text="x", blocks=[section("x" * 2500)] * 5),
    ),
    Refusal(
        "msg_blocks_too_long",
        "update",
        _UPDATE,
        lambda slack: {
            "channel": TRAINING,
            "ts": message_of(slack, slack.platform.bot),
            "blocks": [section("x" * 2500)] * 5,
        },
    ),
    Refusal("msg_too_long", "post", _POST, sent(channel=TRAINING, text="x" * 40001)),
    Refusal(
        "msg_too_long",
        "update",
        _UPDATE,
        lambda slack: {
            "channel": TRAINING,
            "ts": message_of(slack, slack.platform.bot),
            "text": "x" * 4001,
        },
    ),
    Refusal("msg_too_long", "markdown", _POST, sent(channel=TRAINING, markdown_text="x" * 12001)),
    Refusal("no_text", "nothing", _POST, sent(channel=TRAINING)),
    Refusal("no_text", "blanks", _POST, sent(channel=TRAINING, text=" \n")),
    Refusal("no_text", "empty blocks", _POST, sent(channel=TRAINING, blocks=[])),
    Refusal("not_in_channel", "post", _POST, sent(channel=GENERAL, text="x")),
    Refusal("thread_not_found", "post", _POST, sent(channel=TRAINING, text="x", thread_ts="1.0")),
    Refusal(
        "too_many_attachments",
        "101",
        _POST,
        sent(channel=TRAINING, attachments=[{"text": "x"}] * 101),
    ),
    Refusal("unknown_method", "misspelt", "chat.postMesage"),
    Refusal(
        "user_not_in_channel",
        "ephemeral",
        "chat.postEphemeral",
        sent(channel=PRIVATE, user=OUTSIDER, text="x"),
    ),
)
