"""A person's hands and eyes in the local Slack: the control interface and nothing else."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

import aiohttp

from bot.demo.slack.workspace import RESEARCHER, TRAINING

Json = dict[str, Any]


class Hands:
    """One person in one channel."""

    def __init__(
        self,
        base: str,
        session: aiohttp.ClientSession,
        *,
        channel: str = TRAINING,
        user: str = RESEARCHER,
    ) -> None:
        self._base = base
        self._session = session
        self.channel = channel
        self.user = user

    def as_user(self, user: str) -> Hands:
        """Another person in the same channel."""
        return Hands(self._base, self._session, channel=self.channel, user=user)

    def in_channel(self, channel: str) -> Hands:
        """The same person in another channel."""
        return Hands(self._base, self._session, channel=channel, user=self.user)

    async def do(self, what: str, **body: Any) -> Json:
        """POST /_local/WHAT."""
        async with self._session.post(f"{self._base}/_local/{what}", json=body) as answer:
            return dict(await answer.json())

    async def see(self, what: str, **query: Any) -> Json:
        """GET /_local/WHAT."""
        async with self._session.get(f"{self._base}/_local/{what}", params=query) as answer:
            return dict(await answer.json())

    async def slash(self, line: str) -> Json:
        """Type a slash command."""
        command, _, text = line.partition(" ")
        return await self.do(
            "slash", user_id=self.user, channel_id=self.channel, command=command, text=text
        )

    async def click(self, message: Json, action: str, value: str | None = None) -> Json:
        """Press a button of a message, or choose from its select."""
        body: Json = {"message_ts": message["ts"], "action_id": action}
        if value is not None:
            body["value"] = value
        return await self.do("click", user_id=self.user, channel_id=self.channel, **body)

    async def say(self, text: str, thread: str = "") -> Json:
        """Write into the channel or a thread."""
        place = {"thread_ts": thread} if thread else {}
        return await self.do(
            "message", user_id=self.user, channel_id=self.channel, text=text, **place
        )

    async def fault(self, **fault: Any) -> Json:
        """Order a fault of Slack's."""
        return await self.do("faults", **fault)

    async def messages(self, thread: str = "") -> list[Json]:
        """What the channel (or one thread) holds, ephemeral messages to others included."""
        query = {"channel": self.channel, **({"thread_ts": thread} if thread else {})}
        return list((await self.see("messages", **query))["messages"])

    async def online(self) -> bool:
        """Whether the bot is connected."""
        return bool((await self.see("info"))["bot"]["online"])

    async def idle(self, seconds: float) -> bool:
        """Whether nothing went to and fro between bot and Slack for so long."""
        since = f"{time.time() - seconds:.3f}"
        calls = (await self.see("traffic", since=since))["calls"]
        return not calls and not (await self.see("deliveries", since=since))["deliveries"]

    async def whispers(self) -> list[Json]:
        """What this person alone was shown by the bot."""
        shown = await self.messages()
        return [one for one in shown if one["ephemeral"] == self.user and one["by_bot"]]

    async def asked(self, line: str, within: float = 20) -> Json:
        """Type a command and return the ephemeral answer to it."""
        before = {one["ts"] for one in await self.whispers()}
        typed = await self.slash(line)
        assert typed["acked"], typed
        answer: Json = await self.until(
            self.whispers,
            lambda seen: next((m for m in seen if m["ts"] not in before), None),
            within,
        )
        return answer

    async def launched(self, line: str) -> Json:
        """Type a launch and return its new root message."""
        before = {key_of(message) for message in await self.messages()}
        typed = await self.slash(line)
        assert typed["acked"], typed
        return await self.shows(lambda m: is_root(m) and key_of(m) not in before, 30)

    async def pressed(self, message: Json, action: str, value: str | None = None) -> Json:
        """Use a control that launches, and return the new root message."""
        before = {key_of(message) for message in await self.messages()}
        done = await self.click(message, action, value)
        assert done["acked"], done
        return await self.shows(lambda m: is_root(m) and key_of(m) not in before, 30)

    async def becomes(self, message: Json, says: str, within: float = 60) -> Json:
        """Wait until a message, known by its key, says something; return it as it is then."""
        key = key_of(message)
        return await self.shows(lambda m: key_of(m) == key and says in words(m), within)

    async def reply(self, message: Json, says: str, within: float = 30) -> Json:
        """Wait for an answer of the bot in a message's thread."""
        thread = message["thread_ts"] or message["ts"]
        return await self.shows(
            lambda m: m["by_bot"] and m["thread_ts"] == thread and says in words(m), within
        )

    async def newest(self, thread: str, after: int, within: float = 20) -> Json:
        """Wait for the bot's answer after so many messages of a thread."""

        async def look() -> list[Json]:
            return (await self.messages(thread))[after:]

        found: Json = await self.until(
            look, lambda seen: next((m for m in seen if m["by_bot"]), None), within
        )
        return found

    async def shows(self, fits: Callable[[Json], bool], within: float = 60) -> Json:
        """Wait for a message that fits, and return it."""
        found: Json = await self.until(
            self.messages, lambda seen: next(filter(fits, seen), None), within
        )
        return found

    async def until(
        self,
        look: Callable[[], Any],
        find: Callable[[Any], Any],
        within: float,
        pause: float = 0.15,
    ) -> Any:
        """Look until something is found; tells what was seen last when it never is."""
        seen: Any = None
        try:
            async with asyncio.timeout(within):
                while True:
                    seen = await look()
                    if found := find(seen):
                        return found
                    await asyncio.sleep(pause)
        except TimeoutError:
            shown = [words(m) if isinstance(m, dict) else m for m in seen] if seen else seen
            raise AssertionError(f"not seen within {within:g} s; last: {shown}") from None


def key_of(message: Json) -> str:
    """The key that the bot put into a message's metadata; empty for what others wrote."""
    payload = (message.get("metadata") or {}).get("event_payload") or {}
    return str(payload.get("key", ""))


def is_root(message: Json) -> bool:
    """Whether it is the living message of a request: `request/ID`."""
    return key_of(message).startswith("request/") and key_of(message).count("/") == 1


def controls(message: Json) -> list[str]:
    """The action ids of a message's buttons and selects."""
    blocks = message["blocks"] or []
    return [e["action_id"] for b in blocks if b["type"] == "actions" for e in b["elements"]]


def labels(message: Json) -> list[str]:
    """What stands on the buttons of a message."""
    blocks = message["blocks"] or []
    elements = [e for b in blocks if b["type"] == "actions" for e in b["elements"]]
    return [e["text"]["text"] for e in elements if e["type"] == "button"]


def options(message: Json) -> dict[str, str]:
    """The choices of a message's select: label → value."""
    blocks = message["blocks"] or []
    elements = [e for b in blocks if b["type"] == "actions" for e in b["elements"]]
    return {o["text"]["text"]: o["value"] for e in elements for o in e.get("options", ())}


def words(message: Json) -> str:
    """All that a message says, from its blocks; of its text where it has none."""
    found: list[str] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("text"), str):
                found.append(node["text"])
            if node.get("type") == "user":
                found.append(f"<@{node['user_id']}>")
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(message["blocks"])
    return "".join(found) if found else str(message["text"])


def number(message: Json) -> str:
    """The Slurm id that a root message names."""
    found = re.search(r"Job\s+(\d+)", words(message))
    assert found, words(message)
    return found[1]
