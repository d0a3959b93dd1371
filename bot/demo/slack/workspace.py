"""The team: who is in it, its channels, and what was said there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from bot.demo.slack.clock import Clock
from bot.demo.slack.errors import SlackError
from bot.demo.slack.identity import Identity
from bot.demo.slack.model import Channel, File, Kind, Message, User

RESEARCHER = "U0RESEARCH1"
ADMIN = "U0ADMIN0001"
OUTSIDER = "U0OUTSIDER1"
TRAINING = "C0TRAINING1"
GENERAL = "C0GENERAL01"
PRIVATE = "C0PRIVATE01"
ADMINS = "C0ADMINS001"

LONGEST_NAME = 80
_CHANNEL_NAME = re.compile(r"[a-z0-9_-]{1,80}")


class Workspace:
    """Users, channels, messages and files, in memory."""

    def __init__(self, identity: Identity, bot_name: str) -> None:
        self.identity = identity
        self.clock = Clock()
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, File] = {}
        self._numbers = itertools.count(1)
        self._furnish(bot_name)

    def _furnish(self, bot_name: str) -> None:
        bot = self.identity.bot_user_id
        self.add_user(User(id=bot, name=bot_name, title="App", is_bot=True))
        self.add_user(User(id=RESEARCHER, name="researcher", title="Trains models"))
        self.add_user(User(id=ADMIN, name="admin", title="Runs the cluster", is_admin=True))
        self.add_user(User(id=OUTSIDER, name="outsider", title="Has no permissions"))
        people = {RESEARCHER, ADMIN, OUTSIDER}
        self.add_channel("training", id_=TRAINING, members=people | {bot}, topic="Training jobs")
        self.add_channel("general", id_=GENERAL, members=people, topic="Everybody is here")
        self.add_channel(
            "private-lab", id_=PRIVATE, kind="private", members={RESEARCHER, ADMIN, bot}
        )
        self.add_channel(
            "cluster-admins",
            id_=ADMINS,
            kind="private",
            members={ADMIN, bot},
            topic="Those who look after the cluster",
        )

    def new_id(self, prefix: str) -> str:
        """A fresh id of Slack's shape."""
        return f"{prefix}0NEW{next(self._numbers):07d}"

    def add_user(self, user: User) -> User:
        """Let a person in and open their direct message with the app."""
        self.users[user.id] = user
        bot = self.identity.bot_user_id
        if not user.is_bot:
            self.add_channel(
                "", id_=f"D{user.id[1:]}", kind="im", members={user.id, bot}, person=user.id
            )
        return user

    def add_channel(
        self,
        name: str,
        *,
        id_: str | None = None,
        kind: Kind = "public",
        members: Iterable[str] = (),
        topic: str = "",
        person: str | None = None,
    ) -> Channel:
        """Create a channel; raises invalid_name…, name_taken."""
        if kind != "im":
            self._check_name(name)
        channel = Channel(
            id=id_ or self.new_id("C"),
            name=name,
            kind=kind,
            created=self.clock.seconds(),
            creator=next(iter(sorted(members)), ""),
            members=set(members),
            topic=topic,
            person=person,
        )
        self.channels[channel.id] = channel
        return channel

    def _check_name(self, name: str) -> None:
        if not name:
            raise SlackError("invalid_name_required")
        if len(name) > LONGEST_NAME:
            raise SlackError("invalid_name_maxlength")
        if not _CHANNEL_NAME.fullmatch(name):
            raise SlackError("invalid_name_specials")
        if any(one.name == name for one in self.channels.values()):
            raise SlackError("name_taken")

    def user(self, user_id: str) -> User:
        """The user, or user_not_found."""
        if user_id not in self.users:
            raise SlackError("user_not_found")
        return self.users[user_id]

    def channel(self, channel_id: str) -> Channel:
        """The channel by its id, or the one by #name; channel_not_found."""
        if channel_id in self.channels:
            return self.channels[channel_id]
        name = channel_id.removeprefix("#")
        for channel in self.channels.values():
            if channel.kind == "public" and channel.name == name:
                return channel
        raise SlackError("channel_not_found")

    def direct(self, user_id: str) -> Channel:
        """The direct message between the app and that person."""
        self.user(user_id)
        for channel in self.channels.values():
            if channel.person == user_id:
                return channel
        raise SlackError("cannot_dm_bot")

    def names(self) -> tuple[dict[str, str], dict[str, str]]:
        """The ids of users and of channels, by name."""
        users = {one.name: one.id for one in self.users.values()}
        return users, {one.name: one.id for one in self.channels.values() if one.name}

    def add(self, message: Message) -> Message:
        """Keep a message under its timestamp."""
        channel = self.channels[message.channel]
        channel.messages[message.ts] = message
        if message.is_reply and message.ephemeral_to is None:
            channel.threads.setdefault(str(message.thread_ts), []).append(message.ts)
        return message

    def remove(self, message: Message) -> None:
        """Forget a message; a thread below it stays."""
        channel = self.channels[message.channel]
        channel.messages.pop(message.ts, None)
        if message.is_reply and message.ts in channel.threads.get(str(message.thread_ts), []):
            channel.threads[str(message.thread_ts)].remove(message.ts)

    def find(self, channel: Channel, ts: str) -> Message | None:
        """The message everybody can see under that timestamp."""
        message = channel.messages.get(ts)
        return message if message is not None and message.ephemeral_to is None else None

    def replies(self, channel: Channel, ts: str) -> list[Message]:
        """What stands below a message, oldest first."""
        return [channel.messages[one] for one in channel.threads.get(ts, [])]

    def newest_first(self, channel: Channel) -> Iterator[Message]:
        """The channel's messages that everybody sees; replies only if broadcast."""
        for message in reversed(channel.messages.values()):
            if message.ephemeral_to is None and (not message.is_reply or message.broadcast):
                yield message
