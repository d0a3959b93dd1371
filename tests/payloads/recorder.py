"""What the bot sent to Slack in this session's tests, kept for the checks in this folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

PAYLOADS = Path(__file__).parents[2] / "artifacts" / "payloads.jsonl"

METHODS = frozenset(
    {
        "chat.postMessage",
        "chat.update",
        "chat.postEphemeral",
        "response_url",
        "views.open",
        "views.publish",
        "views.push",
        "views.update",
    }
)
"""The calls that draw something."""

_TREES = ("blocks", "metadata", "view", "attachments")
_begun: set[Path] = set()


def record(calls: Iterable[Mapping[str, Any]], to: Path = PAYLOADS) -> int:
    """Keep what was drawn in these calls of `/_local/traffic`; returns how many there were.

    The first record of a process begins the file anew.
    """
    lines = [
        json.dumps({"method": call["method"], "arguments": decoded(call["arguments"])})
        for call in calls
        if call["method"] in METHODS
    ]
    to.parent.mkdir(parents=True, exist_ok=True)
    with to.open("a" if to in _begun else "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    _begun.add(to)
    return len(lines)


def decoded(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call's arguments with the trees that travelled as text read back."""
    return {
        name: json.loads(value) if name in _TREES and isinstance(value, str) else value
        for name, value in arguments.items()
    }
