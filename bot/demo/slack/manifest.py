"""The app's manifest: which commands, events and scopes the app was installed with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

LONGEST_COMMAND = 32
LONGEST_SHORTCUT, LONGEST_CALLBACK, LONGEST_ABOUT = 24, 255, 150


class BadManifest(ValueError):
    """The manifest cannot be installed."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """One slash command, as people see it in the composer."""

    name: str
    description: str = ""
    usage_hint: str = ""
    should_escape: bool = False


@dataclass(frozen=True, kw_only=True)
class Shortcut:
    """One entry of a message's menu."""

    name: str
    callback_id: str
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What of a manifest decides how Slack behaves."""

    name: str = "local-app"
    bot_name: str = "local-app"
    commands: tuple[Command, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    """Those of messages."""
    scopes: frozenset[str] = field(default_factory=frozenset)
    events: frozenset[str] = field(default_factory=frozenset)
    home_enabled: bool = True

    def command(self, name: str) -> Command | None:
        """The command with that name, slash included."""
        return next((one for one in self.commands if one.name == name), None)

    def shortcut(self, callback_id: str) -> Shortcut | None:
        """The shortcut of messages with that callback."""
        return next((one for one in self.shortcuts if one.callback_id == callback_id), None)


def parse(raw: dict[str, Any]) -> Manifest:
    """Read a manifest's tree; raises BadManifest with the key at fault."""
    try:
        features = raw.get("features", {})
        settings = raw.get("settings", {})
        return Manifest(
            name=raw["display_information"]["name"],
            bot_name=features["bot_user"]["display_name"],
            commands=tuple(_command(one) for one in features.get("slash_commands", [])),
            shortcuts=tuple(
                _shortcut(one) for one in features.get("shortcuts", []) if one["type"] == "message"
            ),
            scopes=frozenset(raw["oauth_config"]["scopes"]["bot"]),
            events=frozenset(settings.get("event_subscriptions", {}).get("bot_events", [])),
            home_enabled=bool(features.get("app_home", {}).get("home_tab_enabled", False)),
        )
    except KeyError as missing:
        raise BadManifest(f"the manifest lacks {missing.args[0]!r}") from missing


def load(path: Path) -> Manifest:
    """Read a manifest from a YAML file."""
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(raw, dict):
        raise BadManifest(f"{path}: not a mapping")
    return parse(raw)


def _command(raw: dict[str, Any]) -> Command:
    name = raw["command"]
    if not name.startswith("/") or len(name) > LONGEST_COMMAND:
        raise BadManifest(
            f"slash command {name!r}: a slash and at most {LONGEST_COMMAND} characters"
        )
    return Command(
        name=name,
        description=raw["description"],
        usage_hint=raw.get("usage_hint", ""),
        should_escape=bool(raw.get("should_escape", False)),
    )


def _shortcut(raw: dict[str, Any]) -> Shortcut:
    one = Shortcut(name=raw["name"], callback_id=raw["callback_id"], description=raw["description"])
    if not 0 < len(one.name) <= LONGEST_SHORTCUT:
        raise BadManifest(f"shortcut {one.name!r}: at most {LONGEST_SHORTCUT} characters")
    if not 0 < len(one.callback_id) <= LONGEST_CALLBACK:
        raise BadManifest(f"callback_id of {one.name!r}: at most {LONGEST_CALLBACK} characters")
    if not 0 < len(one.description) <= LONGEST_ABOUT:
        raise BadManifest(f"description of {one.name!r}: at most {LONGEST_ABOUT} characters")
    return one
