"""The parts of the local Slack, put together once and handed to whatever serves a call."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.demo.slack.delivery import Courier
from bot.demo.slack.faults import Faults
from bot.demo.slack.feed import Feed
from bot.demo.slack.identity import Identity
from bot.demo.slack.manifest import Manifest
from bot.demo.slack.model import Channel, Message, View
from bot.demo.slack.rate import Rates
from bot.demo.slack.response_urls import ResponseUrls
from bot.demo.slack.socket_mode import SocketMode
from bot.demo.slack.tasks import Tasks
from bot.demo.slack.traffic import Traffic
from bot.demo.slack.triggers import Triggers
from bot.demo.slack.views import Views
from bot.demo.slack.workspace import Workspace


@dataclass(kw_only=True)
class Platform:
    """Everything that a call can touch."""

    identity: Identity
    manifest: Manifest
    workspace: Workspace
    sockets: SocketMode
    courier: Courier
    tasks: Tasks
    faults: Faults
    feed: Feed
    rates: Rates
    triggers: Triggers = field(default_factory=Triggers)
    response_urls: ResponseUrls = field(default_factory=ResponseUrls)
    traffic: Traffic = field(default_factory=Traffic)
    views: Views = field(default_factory=Views)
    uploads: dict[str, str] = field(default_factory=dict)
    request_url: str | None = None
    base_url: str = ""

    @property
    def bot(self) -> str:
        """The bot's user id."""
        return self.identity.bot_user_id

    @property
    def online(self) -> bool:
        """Whether somebody would take an envelope."""
        return self.request_url is not None or bool(self.sockets.links)

    def changed(self, message: Message) -> None:
        """Tell the pages that a message is new or different."""
        self.feed.publish("message", {"channel": message.channel, "ts": message.ts})
        if message.is_reply:  # its root counts it
            self.feed.publish("message", {"channel": message.channel, "ts": message.thread_ts})

    def moved(self, channel: Channel) -> None:
        """Tell the pages that a channel is new or different."""
        self.feed.publish("channel", {"channel": channel.id})

    def viewed(self, view: View) -> None:
        """Tell the pages that a person's modals or Home are different."""
        self.feed.publish("view", {"user": view.user, "type": view.kind})
