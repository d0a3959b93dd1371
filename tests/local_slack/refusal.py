"""Calls of the Web API that are refused: the code, why, and what was sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from bot.demo.slack.model import Message
from bot.demo.slack.server import LocalSlack
from bot.demo.slack.workspace import ADMIN, PRIVATE, TRAINING
from tests.local_slack.samples import Json

Arguments = Callable[[LocalSlack], Json]


@dataclass(frozen=True)
class Refusal:
    """One call and the code it earns; `bearer` in place of the bot's token."""

    code: str
    why: str
    method: str
    arguments: Arguments = lambda _slack: {}
    bearer: str | None = None
    raw: bytes | None = None
    content_type: str = "application/json"


def sent(**arguments: Any) -> Arguments:
    """The same arguments whatever the workspace."""
    return lambda _slack: arguments


def message_of(slack: LocalSlack, user: str, channel: str = TRAINING) -> str:
    workspace = slack.platform.workspace
    message = Message(ts=workspace.clock.ts(), channel=channel, user=user, text="hello")
    return workspace.add(message).ts


def of_person(**more: Any) -> Arguments:
    """About a message of somebody else."""
    return lambda slack: {"channel": TRAINING, "ts": message_of(slack, ADMIN), **more}


def archived(**more: Any) -> Arguments:
    """In a channel that was archived."""

    def build(slack: LocalSlack) -> Json:
        slack.platform.workspace.channels[TRAINING].archived = True
        return {"channel": TRAINING, **more}

    return build


def without_scope(scope: str, **more: Any) -> Arguments:
    """After the app was installed anew without a scope."""

    def build(slack: LocalSlack) -> Json:
        scopes = slack.platform.manifest.scopes - {scope}
        slack.platform.manifest = replace(slack.platform.manifest, scopes=scopes)
        return more

    return build


def without_bot(**more: Any) -> Arguments:
    """In a private channel that the app is not in."""

    def build(slack: LocalSlack) -> Json:
        slack.platform.workspace.channels[PRIVATE].members.discard(slack.platform.bot)
        return {"channel": PRIVATE, **more}

    return build
