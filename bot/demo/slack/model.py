"""Users, channels, messages, files and views as the workspace keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Kind = Literal["public", "private", "im"]


@dataclass(kw_only=True)
class User:
    """A member of the team."""

    id: str
    name: str
    title: str = ""
    is_admin: bool = False
    is_bot: bool = False


@dataclass(kw_only=True)
class Edit:
    """How a message looked before one change."""

    ts: str
    text: str
    blocks: list[Json] | None


@dataclass(kw_only=True)
class Message:
    """A message, or an ephemeral one if `ephemeral_to` names a person."""

    ts: str
    channel: str
    user: str
    text: str = ""
    blocks: list[Json] | None = None
    attachments: list[Json] | None = None
    metadata: Json | None = None
    thread_ts: str | None = None
    broadcast: bool = False
    ephemeral_to: str | None = None
    by_bot: bool = False
    subtype: str | None = None
    username: str | None = None
    files: list[str] = field(default_factory=list)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    edited_ts: str | None = None
    notified: set[str] = field(default_factory=set)
    client_msg_id: str | None = None
    #: what each person has chosen and not yet sent: user → block_id → action_id → value
    state: dict[str, dict[str, dict[str, Json]]] = field(default_factory=dict)

    @property
    def is_reply(self) -> bool:
        """Whether it stands in a thread below another message."""
        return self.thread_ts is not None and self.thread_ts != self.ts


@dataclass(kw_only=True)
class Channel:
    """A channel or a direct message, with what was said in it."""

    id: str
    name: str
    kind: Kind = "public"
    created: int = 0
    creator: str = ""
    members: set[str] = field(default_factory=set)
    archived: bool = False
    topic: str = ""
    person: str | None = None
    messages: dict[str, Message] = field(default_factory=dict)
    threads: dict[str, list[str]] = field(default_factory=dict)


@dataclass(kw_only=True)
class File:
    """An upload; `channels` is empty until it is completed."""

    id: str
    name: str
    title: str
    size: int
    owner: str
    created: int
    mimetype: str = "application/octet-stream"
    content: bytes | None = None
    completed: bool = False
    channels: list[str] = field(default_factory=list)


@dataclass(kw_only=True)
class View:
    """A modal or a Home tab."""

    id: str
    user: str
    kind: Literal["modal", "home"]
    body: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    notice: str = ""
    values: dict[str, dict[str, Json]] = field(default_factory=dict)
