"""A chat in this process: what people see, and faults that a test scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from bot.card import Card, plain
from bot.errors import ChatRateLimited, ChatUnreachable


@dataclass
class Message:
    """What people see."""

    ts: str
    channel: str
    thread: str
    key: str
    card: Card
    at: float
    """Loop time of the post."""
    edits: list[float] = field(default_factory=list)

    @property
    def lead(self) -> str:
        """Its first words."""
        return plain(self.card.lead)


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one call; `when` says whether it had arrived."""

    error: Exception | None
    arrives: bool = False
    late: float = 0.0
    """Seconds after the error at which it arrives all the same."""
    hang: float = 0.0
    """Seconds before it answers."""
    meanwhile: Callable[[], None] = lambda: None
    """Something that happens just before the answer."""


def lost() -> Fault:
    """The call never arrives, and nobody knows."""
    return Fault(ChatUnreachable())


def unanswered() -> Fault:
    """The call arrives, and nobody knows."""
    return Fault(ChatUnreachable(), arrives=True)


def limited(seconds: float) -> Fault:
    """Slack asks to wait."""
    return Fault(ChatRateLimited(seconds))


class FakeChat:
    """Speaks the port; answers faults first come, first served, per method."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.calls: list[tuple[str, str, float]] = []
        """Method, key and loop time, in order."""
        self.faults: dict[str, list[Fault]] = {"post": [], "update": [], "find": []}
        self.refusing: dict[str, Exception] = {}
        """Channels (or `update CHANNEL`) that answer with an error as long as they are here."""

    def shown(self) -> list[tuple[str, str]]:
        """Return key and first words of all messages, oldest first."""
        return [(message.key, message.lead) for message in self.messages]

    def of(self, key: str) -> Message:
        """Return the one message of a key."""
        [message] = [message for message in self.messages if message.key == key]
        return message

    def count(self, method: str) -> int:
        """Return how often a method was called."""
        return sum(1 for called, _, _ in self.calls if called == method)

    async def post(self, channel: str, thread: str, card: Card, key: str) -> str:
        """Post, unless a fault says otherwise."""

        def arrive() -> None:
            ts = f"{len(self.messages) + 1}.0"
            self.messages.append(Message(ts, channel, thread, key, card, _time()))

        await self._call("post", key, channel, arrive)
        return self.of(key).ts

    async def update(self, channel: str, ts: str, card: Card, key: str) -> None:
        """Update, unless a fault says otherwise."""

        def arrive() -> None:
            [message] = [one for one in self.messages if (one.channel, one.ts) == (channel, ts)]
            message.card = card
            message.edits.append(_time())

        await self._call("update", key, f"update {channel}", arrive)

    async def find(self, channel: str, thread: str, key: str, since: datetime) -> str:
        """Find by key and place."""
        await self._call("find", key, f"find {channel}", lambda: None)
        places = [
            m for m in self.messages if (m.channel, m.thread, m.key) == (channel, thread, key)
        ]
        return places[0].ts if places else ""

    async def _call(self, method: str, key: str, place: str, arrive: Callable[[], None]) -> None:
        self.calls.append((method, key, _time()))
        if place in self.refusing:
            raise self.refusing[place]
        fault = self.faults[method].pop(0) if self.faults[method] else Fault(None)
        if fault.arrives or fault.error is None:
            arrive()
        # Even a good answer takes a moment.
        await asyncio.sleep(fault.hang)
        fault.meanwhile()
        if fault.late:
            asyncio.get_running_loop().call_later(fault.late, arrive)
        if fault.error is not None:
            raise fault.error


def _time() -> float:
    return asyncio.get_running_loop().time()
