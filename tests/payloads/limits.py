"""The third way: Slack's limits that neither models nor types know, and rules of our own.

Written from the documentation alone, so that it can disagree with the local Slack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.payloads.recorder import Json

MESSAGE_BLOCKS = 50
MESSAGE_CHARACTERS = 12_000
"""Over all blocks; undocumented, `msg_blocks_too_long`."""
TABLE_CHARACTERS = 10_000
FALLBACK = {"chat.update": 4_000}
"""Characters of `text`; 40,000 elsewhere."""

LENGTHS: Mapping[str, Mapping[str, int]] = {
    "button": {"text": 75, "value": 2_000, "url": 3_000, "action_id": 255},
    "confirm": {"title": 100, "text": 300, "confirm": 30, "deny": 30},
    "context": {"block_id": 255},
    "header": {"text": 150, "block_id": 255},
    "mrkdwn": {"text": 3_000},
    "option": {"text": 75, "value": 150, "description": 75},
    "plain_text": {"text": 3_000},
    "section": {"text": 3_000, "block_id": 255},
    "static_select": {"placeholder": 150, "action_id": 255},
}
"""Characters in a field, by type; confirm dialogs and options carry none of their own."""

COUNTS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "actions": {"elements": (1, 25)},
    "context": {"elements": (1, 10)},
    "section": {"fields": (1, 10)},
    "static_select": {"options": (1, 100)},
    "table": {"rows": (1, 100), "column_settings": (0, 20)},
}
"""Least and most items in a list, by type."""

SECTION_FIELD = 2_000
COLUMNS = 20
ON_MESSAGES = frozenset(
    {
        "actions",
        "card",
        "carousel",
        "container",
        "context",
        "context_actions",
        "data_table",
        "divider",
        "file",
        "header",
        "image",
        "input",
        "markdown",
        "plan",
        "rich_text",
        "section",
        "table",
        "task_card",
        "video",
    }
)
"""Blocks that a message may hold; an alert stands in modals only."""

_CONTROL = re.compile(r"<[^>]*>?|>")
_OURS = re.compile(r"<@[UW][A-Z0-9]+>|<!date\^\d+\^\{date_short_pretty\} \{time\}\|[^<>|]+>")
"""What the bot means when it writes `<…>` into mrkdwn: a person, a time."""


def problems(payload: Json) -> list[str]:
    """Return what breaks a limit or a rule."""
    arguments = payload["arguments"]
    blocks = arguments.get("blocks") or []
    found = list(_of_fallback(arguments.get("text"), FALLBACK.get(payload["method"], 40_000)))
    for rule in RULES:
        found += rule(blocks)
    for place, node in _nodes(blocks, "/blocks"):
        found += [f"{place}{problem}" for problem in (*_lengths(place, node), *_counts(node))]
    return found


def _of_fallback(text: Any, most: int) -> Iterator[str]:
    """A message without `text` has nothing to say in a notification or to a screen reader."""
    if not isinstance(text, str) or not text.strip():
        yield "/text: empty"
    elif len(text) > most:
        yield f"/text: {len(text)} characters, at most {most}"
    elif _CONTROL.search(_OURS.sub("", text)):
        yield f"/text: not escaped: {text[:80]}"


def _surface(blocks: list[Json]) -> Iterator[str]:
    for index, block in enumerate(blocks):
        if block.get("type") not in ON_MESSAGES:
            yield f"/blocks/{index}: no block of a message: {block.get('type')}"


def _totals(blocks: list[Json]) -> Iterator[str]:
    if len(blocks) > MESSAGE_BLOCKS:
        yield f"{len(blocks)} blocks, at most {MESSAGE_BLOCKS}"
    total = sum(_characters(block) for block in blocks)
    if total > MESSAGE_CHARACTERS:
        yield f"{total} characters over all blocks, at most {MESSAGE_CHARACTERS}"


def _tables(blocks: list[Json]) -> Iterator[str]:
    tables = [node for _, node in _nodes(blocks, "") if node.get("type") == "table"]
    if len(tables) > 1:
        yield f"{len(tables)} tables, at most one"
    total = sum(_characters(table["rows"]) for table in tables)
    if total > TABLE_CHARACTERS:
        yield f"{total} characters in the table, at most {TABLE_CHARACTERS}"
    for table in tables:
        widths = {len(row) for row in table["rows"]}
        if len(widths) > 1 or max(widths, default=0) > COLUMNS:
            yield f"rows of {sorted(widths)} columns, at most {COLUMNS} and all the same"


def _emphasis(blocks: list[Json]) -> Iterator[str]:
    buttons = [node for _, node in _nodes(blocks, "") if node.get("type") == "button"]
    primary = [button for button in buttons if button.get("style") == "primary"]
    if len(primary) > 1:
        yield f"{len(primary)} emphasised buttons, at most one"
    for button in buttons:
        if button.get("style") == "danger" and "confirm" not in button:
            yield f"{button['action_id']} hurts and does not ask first"


def _action_ids(blocks: list[Json]) -> Iterator[str]:
    for index, block in enumerate(blocks):
        ids = [node["action_id"] for _, node in _nodes(block, "") if "action_id" in node]
        if len(ids) != len(set(ids)):
            yield f"/blocks/{index}: an action_id twice: {ids}"


def _mrkdwn(blocks: list[Json]) -> Iterator[str]:
    for place, node in _nodes(blocks, "/blocks"):
        if node.get("type") == "mrkdwn" and _CONTROL.search(_OURS.sub("", str(node["text"]))):
            yield f"{place}: not escaped: {node['text'][:80]}"


RULES: tuple[Callable[[list[Json]], Iterator[str]], ...] = (
    _surface,
    _totals,
    _tables,
    _emphasis,
    _action_ids,
    _mrkdwn,
)


def _lengths(place: str, node: Json) -> Iterator[str]:
    for name, most in LENGTHS.get(_kind(place, node), {}).items():
        value = _said(node.get(name))
        if value is not None and len(value) > most:
            yield f"/{name}: {len(value)} characters, at most {most}"
    if node.get("type") in {"plain_text", "mrkdwn", "text", "raw_text"} and not node.get("text"):
        yield ": an empty text"
    for index, field in enumerate(node.get("fields") or ()):
        if len(_said(field) or "") > SECTION_FIELD:
            yield f"/fields/{index}: more than {SECTION_FIELD} characters"


def _counts(node: Json) -> Iterator[str]:
    for name, (least, most) in COUNTS.get(str(node.get("type")), {}).items():
        if name in node and not least <= len(node[name]) <= most:
            yield f"/{name}: {len(node[name])} items, {least} to {most}"


def _kind(place: str, node: Json) -> str:
    if place.endswith("/confirm") and "deny" in node:
        return "confirm"
    return "option" if "/options/" in place and "value" in node else str(node.get("type"))


def _said(value: Any) -> str | None:
    """The characters of a field, whether it is a string or a text object."""
    text = value.get("text") if isinstance(value, dict) else value
    return text if isinstance(text, str) else None


def _characters(tree: Any) -> int:
    return sum(len(node["text"]) for _, node in _nodes(tree, "") if _is_text(node))


def _is_text(node: Json) -> bool:
    return isinstance(node.get("text"), str)


def _nodes(tree: Any, place: str) -> Iterator[tuple[str, Json]]:
    """Every object in a tree, with its JSON pointer."""
    if isinstance(tree, dict):
        yield place, tree
        for name, value in tree.items():
            yield from _nodes(value, f"{place}/{name}")
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _nodes(value, f"{place}/{index}")
