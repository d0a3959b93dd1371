"""What the local Slack refuses, in Slack's own words.

SlackError            an error code that the Web API answers
Refused               a call of the control interface that makes no sense
"""

from __future__ import annotations

from typing import Any

#: every code that this Slack answers, and what it refuses
CODES = {
    "already_reacted": "the app has reacted so already",
    "bad_timestamp": "no timestamp was given",
    "bot_not_found": "no bot of that id",
    "cannot_dm_bot": "a bot has no direct message with the app",
    "cant_delete_message": "somebody else wrote it",
    "cant_update_message": "somebody else wrote it",
    "channel_not_found": "no such channel, or a private one without the app",
    "duplicate_external_id": "another view has that external id",
    "exchanged_trigger_id": "the trigger id was used",
    "expired_trigger_id": "the trigger id is older than three seconds",
    "expired_url": "the response URL is older than thirty minutes",
    "file_not_found": "no such file, or not uploaded",
    "file_upload_size_restricted": "more than a gigabyte",
    "hash_conflict": "the view has changed since",
    "invalid_arguments": "arguments that are missing or of a wrong form",
    "invalid_attachments": "attachments that are not a list of sound objects",
    "invalid_auth": "no such token",
    "invalid_blocks": "blocks that break a rule",
    "invalid_blocks_format": "not a list of objects",
    "invalid_cursor": "a cursor that was not handed out",
    "invalid_form_data": "a body of a content type that is not understood",
    "invalid_json": "a body that is not JSON",
    "invalid_limit": "a page of no or too many items",
    "invalid_metadata_format": "metadata that is not an event type and a payload",
    "invalid_metadata_schema": "a payload with nulls, lists of scalars or deep nesting",
    "invalid_name": "not the name of an emoji",
    "invalid_name_maxlength": "a channel name that is too long",
    "invalid_name_required": "a channel without a name",
    "invalid_name_specials": "a channel name with characters that are not allowed",
    "invalid_payload": "a response URL was sent something that is not a JSON object",
    "invalid_response_type": "neither ephemeral nor in_channel",
    "invalid_thread_ts": "a file shared into a thread that is not there",
    "invalid_trigger_id": "a trigger id that was not handed out",
    "invalid_ts_latest": "not a timestamp",
    "invalid_ts_oldest": "not a timestamp",
    "invalid_types": "no such type of conversation",
    "is_archived": "the channel is archived",
    "json_not_object": "a JSON body that is not an object",
    "markdown_text_conflict": "markdown_text together with text or blocks",
    "message_not_found": "no such message",
    "metadata_too_large": "metadata above the limit",
    "method_not_supported_for_channel_type": "not for this kind of channel",
    "missing_scope": "the app was installed without the scope",
    "msg_blocks_too_long": "too much text over all blocks",
    "msg_too_long": "too much text",
    "name_taken": "a channel of that name exists",
    "no_reaction": "the app has not reacted so",
    "no_such_url": "a response URL that was not handed out",
    "no_text": "nothing to show",
    "not_allowed_token_type": "a token of the other kind",
    "not_authed": "no token",
    "not_enabled": "the app has no Home tab",
    "not_enough_users": "a conversation of several people is not kept here",
    "not_found": "no such view is open",
    "not_in_channel": "the app is not in the channel",
    "push_limit_reached": "three modals are stacked already",
    "ratelimited": "too many calls; Retry-After says how long to wait",
    "thread_not_found": "no such thread",
    "too_many_attachments": "more than a hundred",
    "unknown_method": "no such method",
    "used_url": "the response URL was used five times",
    "user_not_found": "no such user",
    "user_not_in_channel": "the person is not in the channel",
    "users_list_not_supplied": "nobody to open a conversation with",
    "view_too_large": "a view of more than 250 kB",
}


class SlackError(Exception):
    """An answer `{"ok": false, "error": code, …}`."""

    def __init__(self, code: str, **details: Any) -> None:
        if code not in CODES:
            raise KeyError(code)
        super().__init__(code)
        self.code = code
        self.details = details

    def answer(self) -> dict[str, Any]:
        """The body that Slack sends."""
        return {"ok": False, "error": self.code, **self.details}


class Refused(Exception):
    """A person could not have done this: nothing was delivered."""

    def __init__(self, code: str, message: str = "", status: int = 400) -> None:
        super().__init__(message or code)
        self.code = code
        self.message = message
        self.status = status
