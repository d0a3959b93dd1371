"""What the bot sent to Slack in a session of tests, kept for the checks in this folder.

The file belongs to one session: its first line names it. Whoever records for another session
begins the file anew; the processes of one session add to it.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

Json = dict[str, Any]

PAYLOADS = Path(__file__).parents[2] / "artifacts" / "payloads.jsonl"
SESSION = os.environ.get("TEST_RUN") or os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid4().hex
"""`make test` names its run; else xdist does for the processes that run beside each other."""

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


def record(calls: Iterable[Mapping[str, Any]], to: Path = PAYLOADS, session: str = SESSION) -> int:
    """Keep what was drawn in these calls of `/_local/traffic`; returns how many there were."""
    lines = [json.dumps(payload) for payload in drawn(calls)]
    to.parent.mkdir(parents=True, exist_ok=True)
    with to.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if _session_of(file) != session:
            file.truncate(0)
            file.write(json.dumps({"session": session}) + "\n")
        file.writelines(f"{line}\n" for line in lines)
    return len(lines)


def drawn(calls: Iterable[Mapping[str, Any]]) -> list[Json]:
    """Return `{"method", "arguments"}` of each call that draws, its trees decoded.

    A call that a fault struck before it was read has no arguments, and is left out.
    """
    return [
        {"method": call["method"], "arguments": decoded(call["arguments"])}
        for call in calls
        if call["method"] in METHODS and (call["arguments"] or not call["fault"])
    ]


def recorded(at: Path = PAYLOADS) -> list[Json]:
    """Return what was kept, each different payload once, in the order in which it came."""
    lines = at.read_text(encoding="utf-8").splitlines()[1:]
    return [json.loads(line) for line in dict.fromkeys(lines)]


def decoded(arguments: Mapping[str, Any]) -> Json:
    """Return a call's arguments with the trees that travelled as text read back."""
    return {
        name: json.loads(value) if name in _TREES and isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _session_of(file: IO[str]) -> str:
    file.seek(0)
    head = file.readline()
    return str(json.loads(head)["session"]) if head else ""
