"""The record of what was sent: one session's, whole, and nothing else's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.payloads.recorder import record, recorded

BLOCKS = '[{"type": "divider"}]'


def call(method: str, fault: str | None = None, **arguments: Any) -> dict[str, Any]:
    """A call as `/_local/traffic` shows it."""
    return {"method": method, "arguments": arguments, "fault": fault}


def test_what_draws_is_kept_with_its_trees_decoded(tmp_path: Path) -> None:
    """A lookup is not; nor is a call that a fault struck before anybody read it."""
    to = tmp_path / "payloads.jsonl"
    calls = [
        call("conversations.history", channel="C1"),
        call("chat.postMessage", channel="C1", blocks=BLOCKS),
        call("chat.postMessage", fault="500"),
        call("chat.update", fault="accept_then_500", text="x"),
    ]

    assert record(calls, to, "one") == 2

    assert recorded(to) == [
        {
            "method": "chat.postMessage",
            "arguments": {"channel": "C1", "blocks": [{"type": "divider"}]},
        },
        {"method": "chat.update", "arguments": {"text": "x"}},
    ]


def test_a_session_adds_to_its_own_record_and_replaces_another_s(tmp_path: Path) -> None:
    """Two processes of a session record in turn; then comes the next session."""
    to = tmp_path / "payloads.jsonl"
    for session, text in (("one", "a"), ("one", "b"), ("one", "a")):
        record([call("chat.update", text=text)], to, session)
    assert [payload["arguments"]["text"] for payload in recorded(to)] == ["a", "b"]

    for text in ("c", "d"):
        record([call("chat.update", text=text)], to, "two")
    assert [payload["arguments"]["text"] for payload in recorded(to)] == ["c", "d"]
