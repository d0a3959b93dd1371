"""Users, channels, messages and files in the shapes that Slack sends."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from bot.demo.slack import elements
from bot.demo.slack.model import Channel, File, Json, Message, User, View
from bot.demo.slack.platform import Platform


def user(platform: Platform, one: User) -> Json:
    """A user object."""
    return {
        "id": one.id,
        "team_id": platform.identity.team_id,
        "name": one.name,
        "deleted": False,
        "real_name": one.name,
        "tz": "Etc/UTC",
        "tz_label": "Coordinated Universal Time",
        "tz_offset": 0,
        "profile": {
            "title": one.title,
            "real_name": one.name,
            "display_name": one.name,
            "team": platform.identity.team_id,
        },
        "is_admin": one.is_admin,
        "is_owner": False,
        "is_bot": one.is_bot,
        "is_app_user": False,
        "updated": 0,
    }


def channel(platform: Platform, one: Channel) -> Json:
    """A conversation object."""
    shared = {
        "id": one.id,
        "created": one.created,
        "is_archived": one.archived,
        "is_im": one.kind == "im",
        "is_org_shared": False,
        "context_team_id": platform.identity.team_id,
        "updated": one.created * 1000,
    }
    if one.kind == "im":
        return shared | {"user": one.person, "is_user_deleted": False, "priority": 0}
    return shared | {
        "name": one.name,
        "name_normalized": one.name,
        "is_channel": one.kind == "public",
        "is_group": one.kind == "private",
        "is_mpim": False,
        "is_private": one.kind == "private",
        "is_general": one.name == "general",
        "is_shared": False,
        "is_member": platform.bot in one.members,
        "creator": one.creator,
        "topic": {"value": one.topic, "creator": one.creator, "last_set": one.created},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        "num_members": len(one.members),
    }


def message(platform: Platform, one: Message, *, metadata: bool = False) -> Json:
    """A message object; `metadata` only when it was asked for."""
    shown: Json = {"type": "message", "user": one.user, "ts": one.ts, "text": one.text}
    shown |= _author(platform, one)
    if one.blocks:
        shown["blocks"] = one.blocks
    if one.attachments:
        shown["attachments"] = one.attachments
    if one.files:
        shown["files"] = [
            file(platform, platform.workspace.files[key])
            for key in one.files
            if key in platform.workspace.files
        ]
        shown["upload"] = False
    if one.edited_ts:
        shown["edited"] = {"user": one.user, "ts": one.edited_ts}
    if one.reactions:
        shown["reactions"] = [
            {"name": name, "users": users, "count": len(users)}
            for name, users in one.reactions.items()
        ]
    if metadata and one.metadata is not None:
        shown["metadata"] = one.metadata
    return shown | _thread(platform, one)


def _author(platform: Platform, one: Message) -> Json:
    who: Json = {"team": platform.identity.team_id}
    if one.subtype:
        who["subtype"] = one.subtype
    if one.client_msg_id:
        who["client_msg_id"] = one.client_msg_id
    if one.by_bot:
        identity = platform.identity
        who |= {
            "bot_id": identity.bot_id,
            "app_id": identity.app_id,
            "bot_profile": {
                "id": identity.bot_id,
                "app_id": identity.app_id,
                "name": platform.manifest.bot_name,
                "deleted": False,
                "updated": 0,
                "team_id": identity.team_id,
            },
        }
    return who


def _thread(platform: Platform, one: Message) -> Json:
    if one.is_reply:
        return {"thread_ts": one.thread_ts, "parent_user_id": _author_of_parent(platform, one)}
    replies = platform.workspace.replies(platform.workspace.channels[one.channel], one.ts)
    if not replies:
        return {"thread_ts": one.thread_ts} if one.thread_ts else {}
    people = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": one.ts,
        "reply_count": len(replies),
        "reply_users": people[:5],
        "reply_users_count": len(people),
        "latest_reply": replies[-1].ts,
        "is_locked": False,
        "subscribed": False,
    }


def _author_of_parent(platform: Platform, one: Message) -> str:
    parent = platform.workspace.channels[one.channel].messages.get(str(one.thread_ts))
    return parent.user if parent else ""


def file(platform: Platform, one: File) -> Json:
    """A file object."""
    private = f"{platform.base_url}/files-pri/{platform.identity.team_id}-{one.id}"
    return {
        "id": one.id,
        "created": one.created,
        "timestamp": one.created,
        "name": one.name,
        "title": one.title,
        "mimetype": one.mimetype,
        "filetype": one.name.rpartition(".")[2] if "." in one.name else "binary",
        "user": one.owner,
        "user_team": platform.identity.team_id,
        "size": one.size,
        "mode": "hosted",
        "is_external": False,
        "is_public": bool(one.channels),
        "url_private": f"{private}/{quote(one.name, safe='')}",
        "url_private_download": f"{private}/download/{quote(one.name, safe='')}",
        "permalink": f"{platform.base_url}/files/{one.id}",
        "channels": one.channels,
        "groups": [],
        "ims": [],
    }


def view(platform: Platform, one: View) -> Json:
    """A view object, as the app sent it plus what Slack adds."""
    body: dict[str, Any] = {
        "private_metadata": "",
        "callback_id": "",
        "clear_on_close": False,
        "notify_on_close": False,
        "external_id": "",
        **one.body,
    }
    return body | {
        "id": one.id,
        "team_id": platform.identity.team_id,
        "app_id": platform.identity.app_id,
        "app_installed_team_id": platform.identity.team_id,
        "bot_id": platform.identity.bot_id,
        "hash": one.hash,
        "root_view_id": one.root_id,
        "previous_view_id": one.previous_id,
        "state": {"values": elements.values(one.body["blocks"], one.values)},
    }
