"""Calls of the other methods that are refused."""

from __future__ import annotations

from bot.demo.slack.workspace import ADMIN, GENERAL, PRIVATE, RESEARCHER, TRAINING
from tests.local_slack.refusal import (
    Refusal,
    archived,
    message_of,
    sent,
    without_bot,
    without_scope,
)
from tests.local_slack.samples import home, modal, section

CALLS = (
    Refusal("bad_timestamp", "none", "reactions.add", sent(channel=TRAINING, name="eyes")),
    Refusal("bot_not_found", "another", "bots.info", sent(bot="B000")),
    Refusal(
        "cannot_dm_bot", "itself", "conversations.open", lambda slack: {"users": slack.platform.bot}
    ),
    Refusal(
        "channel_not_found", "private, app outside, history", "conversations.history", without_bot()
    ),
    Refusal("file_not_found", "unknown", "files.info", sent(file="F000")),
    Refusal(
        "file_not_found",
        "never uploaded",
        "files.completeUploadExternal",
        sent(files=[{"id": "F000"}]),
    ),
    Refusal(
        "file_upload_size_restricted",
        "too large",
        "files.getUploadURLExternal",
        sent(filename="a", length=2 << 30),
    ),
    Refusal("invalid_arguments", "no trigger", "views.open", sent(view=modal(section()))),
    Refusal(
        "invalid_arguments",
        "a bad view",
        "views.publish",
        sent(user_id=RESEARCHER, view=modal(section())),
    ),
    Refusal(
        "invalid_arguments",
        "a view that is no JSON",
        "views.publish",
        sent(user_id=RESEARCHER, view="{"),
    ),
    Refusal("invalid_arguments", "no view", "views.publish", sent(user_id=RESEARCHER)),
    Refusal("invalid_arguments", "no view id", "views.update", sent(view=modal(section()))),
    Refusal("invalid_arguments", "limit is a word", "users.list", sent(limit="many")),
    Refusal(
        "invalid_arguments",
        "two things to validate",
        "blocks.validate",
        sent(blocks=[section()], view=modal(section())),
    ),
    Refusal("invalid_arguments", "no file name", "files.getUploadURLExternal", sent(length=5)),
    Refusal("invalid_arguments", "no length", "files.getUploadURLExternal", sent(filename="a")),
    Refusal("invalid_auth", "unknown token", "auth.test", bearer="xoxb-wrong"),
    Refusal("invalid_blocks", "validated", "blocks.validate", sent(blocks=[section("")])),
    Refusal("invalid_cursor", "made up", "users.list", sent(cursor="zzz")),
    Refusal(
        "invalid_form_data",
        "a body of XML",
        "auth.test",
        raw=b"<a/>",
        content_type="application/xml",
    ),
    Refusal("invalid_json", "a body that breaks off", "auth.test", raw=b"{"),
    Refusal("invalid_limit", "zero", "users.list", sent(limit=0)),
    Refusal(
        "invalid_limit",
        "more than a page",
        "conversations.history",
        sent(channel=TRAINING, limit=1000),
    ),
    Refusal(
        "invalid_name",
        "not an emoji",
        "reactions.add",
        sent(channel=TRAINING, timestamp="1.0", name="no such"),
    ),
    Refusal(
        "invalid_trigger_id",
        "made up",
        "views.open",
        sent(trigger_id="1.2.3", view=modal(section())),
    ),
    Refusal(
        "invalid_ts_latest", "a word", "conversations.history", sent(channel=TRAINING, latest="now")
    ),
    Refusal(
        "invalid_ts_oldest",
        "a word",
        "conversations.history",
        sent(channel=TRAINING, oldest="then"),
    ),
    Refusal("invalid_types", "unknown", "conversations.list", sent(types="secret")),
    Refusal("is_archived", "join", "conversations.join", archived()),
    Refusal("json_not_object", "a list", "auth.test", raw=b"[]"),
    Refusal(
        "message_not_found",
        "reaction",
        "reactions.add",
        sent(channel=TRAINING, timestamp="1.0", name="eyes"),
    ),
    Refusal(
        "method_not_supported_for_channel_type",
        "join a private one",
        "conversations.join",
        sent(channel=PRIVATE),
    ),
    Refusal("missing_scope", "whole method", "usergroups.list"),
    Refusal(
        "missing_scope",
        "this kind of channel",
        "conversations.history",
        without_scope("groups:history", channel=PRIVATE),
    ),
    Refusal(
        "no_reaction",
        "never reacted",
        "reactions.remove",
        lambda slack: {"channel": TRAINING, "timestamp": message_of(slack, ADMIN), "name": "eyes"},
    ),
    Refusal("not_allowed_token_type", "bot token for a socket", "apps.connections.open"),
    Refusal("not_authed", "no token", "auth.test", bearer=""),
    Refusal(
        "not_enough_users", "two people", "conversations.open", sent(users=f"{ADMIN},{RESEARCHER}")
    ),
    Refusal(
        "not_found", "no such view", "views.update", sent(view_id="V000", view=modal(section()))
    ),
    Refusal("not_in_channel", "history", "conversations.history", sent(channel=GENERAL)),
    Refusal("not_in_channel", "replies", "conversations.replies", sent(channel=GENERAL, ts="1.0")),
    Refusal(
        "thread_not_found", "replies", "conversations.replies", sent(channel=TRAINING, ts="1.0")
    ),
    Refusal("user_not_found", "unknown", "users.info", sent(user="U000")),
    Refusal(
        "user_not_found",
        "home of nobody",
        "views.publish",
        sent(user_id="U000", view=home(section())),
    ),
    Refusal("users_list_not_supplied", "nobody", "conversations.open"),
    Refusal(
        "view_too_large",
        "260 kB",
        "views.publish",
        sent(user_id=RESEARCHER, view=home(*[section("x" * 2700)] * 100)),
    ),
)
