"""manifest.yml against what the bot registers and calls: nothing missing, nothing left over."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack.manifest import parse
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import RESEARCHER, TRAINING
from bot.grammar.commands import COMMANDS, GROUPS
from bot.model import Act, ActKind
from handlers.app import COMMANDS as SLASH_COMMANDS
from handlers.app import EVENTS, register
from handlers.shortcuts import SHORTCUTS

ROOT = Path(__file__).parents[1]
MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
OTHERS_CODE = ("bot/demo/", "bot/bench/")
"""Parts that are not the bot: they play Slack, or a person."""

HISTORY = ("channels:history", "groups:history", "im:history")
SCOPES_OF_METHODS: dict[str, tuple[str, ...]] = {
    "apps_connections_open": (),  # with the app token, whose scope is not in the manifest
    "auth_test": (),
    "chat_getPermalink": (),
    "chat_postEphemeral": ("chat:write",),
    "chat_postMessage": ("chat:write",),
    "chat_update": ("chat:write",),
    "conversations_history": HISTORY,
    "conversations_replies": HISTORY,
}
"""What Slack demands of a bot token for each Web API method, for the channels the bot serves."""
SCOPES_OF_EVENTS = {"app_mention": ("app_mentions:read",), "message.im": ("im:history",)}
FAMILIES: tuple[str, ...] = (
    "api_",
    "apps_",
    "auth_",
    "bots_",
    "chat_",
    "conversations_",
    "files_",
    "pins_",
)
FAMILIES += ("reactions_", "team_", "usergroups_", "users_", "views_")


def test_the_slash_commands_are_those_that_are_listened_to() -> None:
    """A command in one place only would never arrive, or never be answered."""
    named = [command["command"] for command in MANIFEST["features"]["slash_commands"]]
    assert sorted(named) == sorted(SLASH_COMMANDS)
    assert sorted(named) == sorted(f"/{group}" for group in GROUPS)


def test_the_usage_hints_name_every_subcommand_and_no_other() -> None:
    """The hint is what people see while they type."""
    for command in MANIFEST["features"]["slash_commands"]:
        hinted = [part.split()[0] for part in command["usage_hint"].split("|")]
        served = {one.verb.split()[0] for one in COMMANDS if f"/{one.group}" == command["command"]}
        assert sorted(hinted) == sorted([*served, "help"])


def test_the_shortcuts_are_those_that_are_served() -> None:
    """An entry of the menu without a use case would answer with an apology."""
    shortcuts = MANIFEST["features"]["shortcuts"]
    assert {one["type"] for one in shortcuts} == {"message"}
    assert sorted(one["callback_id"] for one in shortcuts) == sorted(SHORTCUTS)


def test_the_events_are_those_that_are_listened_to() -> None:
    """`message.im` arrives as `message`."""
    subscribed = MANIFEST["settings"]["event_subscriptions"]["bot_events"]
    assert sorted({event.partition(".")[0] for event in subscribed}) == sorted(EVENTS)


def test_the_scopes_are_those_that_the_calls_need() -> None:
    """A missing one makes a call fail; one too many is power that nobody asked for."""
    needed = {"commands", "files:read"}  # a shared log is read at its address, by no method
    for method in web_api_methods():
        needed |= set(SCOPES_OF_METHODS[method])
    for event in MANIFEST["settings"]["event_subscriptions"]["bot_events"]:
        needed |= set(SCOPES_OF_EVENTS[event])
    assert set(MANIFEST["oauth_config"]["scopes"]["bot"]) == needed


def test_no_scope_is_named_twice() -> None:
    """Lists are kept in order, so that a difference is seen."""
    scopes = MANIFEST["oauth_config"]["scopes"]["bot"]
    assert scopes == sorted(set(scopes))


def test_interactivity_is_on_since_cards_have_controls() -> None:
    """Without it every button answers with a warning sign."""
    assert MANIFEST["settings"]["interactivity"]["is_enabled"] is True


def test_no_home_tab_is_promised() -> None:
    """An empty Home tab looks broken; nothing publishes one."""
    assert MANIFEST["features"]["app_home"]["home_tab_enabled"] is False
    assert "views_publish" not in web_api_methods()


def test_the_texts_are_as_short_as_slack_wants() -> None:
    """Slack refuses the whole manifest otherwise."""
    shown = MANIFEST["display_information"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert len(MANIFEST["features"]["bot_user"]["display_name"]) <= 80
    for command in MANIFEST["features"]["slash_commands"]:
        assert len(command["command"]) <= 32
        assert len(command["description"]) <= 2_000
        assert len(command["usage_hint"]) <= 1_000


def web_api_methods() -> set[str]:
    """Return every Web API method that the bot's code names, demo and measurements left out."""
    return {name for path in bot_files() for name in methods_in(path)}


def bot_files() -> Iterator[Path]:
    """Yield the bot's own modules."""
    for folder in ("bot", "handlers"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.relative_to(ROOT).as_posix().startswith(OTHERS_CODE):
                yield path


def methods_in(path: Path) -> Iterator[str]:
    """Yield the Web API methods of one module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Attribute)
            and node.attr.startswith(FAMILIES)
            and hasattr(AsyncWebClient, node.attr)
        ):
            yield node.attr


@dataclass(frozen=True)
class Installed:
    """The bot's listeners, installed with manifest.yml in a Slack; what arrived is in `acts`."""

    slack: LocalSlack
    session: aiohttp.ClientSession
    acts: list[Act]

    async def do(self, what: str, **body: Any) -> dict[str, Any]:
        """Act as a person."""
        url = f"{self.slack.platform.base_url}/_local/{what}"
        async with self.session.post(url, json=body) as answer:
            return dict(await answer.json())

    async def arrived(self, kind: ActKind) -> Act:
        """Wait for an act of this kind."""
        async with asyncio.timeout(5):
            while True:
                for act in self.acts:
                    if act.kind is kind:
                        return act
                await asyncio.sleep(0.01)


@pytest.fixture
async def installed() -> AsyncIterator[Installed]:
    """A Slack that has nothing but manifest.yml to go by."""
    acts: list[Act] = []

    async def accept(act: Act) -> bool:
        acts.append(act)
        return True

    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(LocalSlack(assemble(parse(MANIFEST))))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        identity = slack.platform.identity
        client = AsyncWebClient(token=identity.bot_token, base_url=slack.api, session=session)
        app = AsyncApp(client=client, request_verification_enabled=False)
        register(app, accept)
        handler = AsyncSocketModeHandler(app, identity.app_token)
        await handler.connect_async()  # type: ignore[no-untyped-call]  # untyped in Bolt
        stack.push_async_callback(handler.close_async)
        yield Installed(slack, session, acts)


async def test_every_command_of_the_manifest_is_acknowledged(installed: Installed) -> None:
    """An unhandled one would show `dispatch_failed`."""
    for command in MANIFEST["features"]["slash_commands"]:
        done = await installed.do(
            "slash",
            user_id=RESEARCHER,
            channel_id=TRAINING,
            command=command["command"],
            text="help",
        )
        assert done["acked"], done
    assert [act.command for act in installed.acts] == list(SLASH_COMMANDS)


async def test_a_mention_and_a_direct_message_arrive(installed: Installed) -> None:
    """Slack delivers only events that were subscribed to and whose scopes were given."""
    bot = installed.slack.platform.bot
    await installed.do(
        "message", user_id=RESEARCHER, channel_id=TRAINING, text=f"<@{bot}> slurm jobs"
    )
    assert (await installed.arrived(ActKind.MENTION)).text == "slurm jobs"
    installed.acts.clear()
    await installed.do(
        "message", user_id=RESEARCHER, channel_id=f"D{RESEARCHER[1:]}", text="slurm jobs"
    )
    assert (await installed.arrived(ActKind.MENTION)).caller.channel.startswith("D")
