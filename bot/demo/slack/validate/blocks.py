"""The catalogue of blocks: for each type its fields, limits, and the surfaces that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bot.demo.slack.validate import elements, tables
from bot.demo.slack.validate.objects import SLACK_FILE, mrkdwn, plain, text
from bot.demo.slack.validate.rich_text import RICH_TEXT
from bot.demo.slack.validate.shape import (
    Check,
    Place,
    anything,
    array,
    at_least_one,
    boolean,
    both,
    exactly_one,
    one_of,
    record,
    string,
    tagged,
    url,
)

Surface = Literal["message", "modal", "home"]
_EVERYWHERE: frozenset[Surface] = frozenset({"message", "modal", "home"})
_MESSAGE: frozenset[Surface] = frozenset({"message"})
_MESSAGE_HOME: frozenset[Surface] = frozenset({"message", "home"})


@dataclass(frozen=True, kw_only=True)
class BlockType:
    """A type of block."""

    name: str
    check: Check
    surfaces: frozenset[Surface] = _EVERYWHERE


def _block(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    return record({"type": anything, **required}, {"block_id": string(1, 255), **(optional or {})})


_SECTION = both(
    _block(
        {},
        {
            "text": text(3000),
            "fields": array(text(2000), 1, 10),
            "accessory": elements.ACCESSORY,
            "expand": boolean,
        },
    ),
    at_least_one("text", "fields"),
)
_ACTIONS = _block({"elements": array(elements.ACTIONS, 1, 25)})
_IMAGE_ELEMENT = tagged({"image": elements.IMAGE})
_CONTEXT = _block(
    {
        "elements": array(
            tagged(
                {
                    "image": elements.IMAGE,
                    "plain_text": plain(3000),
                    "mrkdwn": mrkdwn(3000),
                }
            ),
            1,
            10,
        )
    }
)
_IMAGE = both(
    _block(
        {"alt_text": string(1, 2000)},
        {"image_url": url(3000), "slack_file": SLACK_FILE, "title": plain(2000)},
    ),
    exactly_one("image_url", "slack_file"),
)
_INPUT = _block(
    {"label": plain(2000), "element": elements.INPUT},
    {"hint": plain(2000), "optional": boolean, "dispatch_action": boolean},
)
_DIVIDER = _block({})
_FILE = _block({"external_id": string(1), "source": one_of("remote")})
_HEADER = _block({"text": plain(150)})
_VIDEO = _block(
    {
        "video_url": url(3000),
        "thumbnail_url": url(3000),
        "alt_text": string(1, 2000),
        "title": plain(200),
    },
    {
        "title_url": url(2000),
        "author_name": string(1, 50),
        "provider_name": string(1, 50),
        "provider_icon_url": url(2000),
        "description": plain(200),
    },
)
_CARD = both(
    _block(
        {},
        {
            "hero_image": _IMAGE_ELEMENT,
            "icon": _IMAGE_ELEMENT,
            "title": text(150),
            "subtitle": text(150),
            "body": text(200),
            "subtext": text(200),
            "actions": array(tagged({"button": elements.BUTTON}), 1, 3),
        },
    ),
    at_least_one("hero_image", "title", "body", "actions"),
)
_TASK_CARD = _block(
    {
        "task_id": string(1),
        "title": string(1),
        "status": one_of("pending", "in_progress", "complete", "error"),
    },
    {
        "details": RICH_TEXT,
        "output": RICH_TEXT,
        "sources": array(
            tagged({"url": record({"type": anything, "url": url(3000), "text": string(1)})})
        ),
    },
)


def _not_pending_alone(value: Any, place: Place) -> None:
    if isinstance(value, dict) and value.get("status") == "pending":
        place.at("status").say("pending is only allowed within a plan")


_IN_CONTAINER = tagged(
    {
        "actions": _ACTIONS,
        "context": _CONTEXT,
        "divider": _DIVIDER,
        "file": _FILE,
        "header": _HEADER,
        "image": _IMAGE,
        "input": _INPUT,
        "rich_text": RICH_TEXT,
        "section": _SECTION,
        "table": tables.TABLE,
        "video": _VIDEO,
    }
)
_CONTAINER = both(
    _block(
        {"child_blocks": array(_IN_CONTAINER, 1, 10)},
        {
            "title": plain(150),
            "rich_text_title": RICH_TEXT,
            "subtitle": text(150),
            "width": one_of("narrow", "standard", "wide", "full"),
            "icon": _IMAGE_ELEMENT,
            "is_collapsible": boolean,
            "default_collapsed": boolean,
            "has_header_divider": boolean,
        },
    ),
    exactly_one("title", "rich_text_title"),
)

BLOCK_TYPES = (
    BlockType(name="actions", check=_ACTIONS),
    BlockType(
        name="alert",
        check=_block(
            {"text": text(200)},
            {"level": one_of("default", "info", "warning", "error", "success")},
        ),
        surfaces=frozenset({"modal"}),
    ),
    BlockType(name="card", check=_CARD),
    BlockType(
        name="carousel",
        check=_block({"elements": array(tagged({"card": _CARD}), 1, 10)}),
        surfaces=_MESSAGE_HOME,
    ),
    BlockType(name="container", check=_CONTAINER, surfaces=_MESSAGE_HOME),
    BlockType(name="context", check=_CONTEXT),
    BlockType(
        name="context_actions",
        check=_block({"elements": array(elements.CONTEXT_ACTIONS, 1, 5)}),
        surfaces=_MESSAGE,
    ),
    BlockType(name="data_table", check=tables.DATA_TABLE, surfaces=_MESSAGE_HOME),
    BlockType(name="divider", check=_DIVIDER),
    BlockType(name="file", check=_FILE, surfaces=_MESSAGE),
    BlockType(name="header", check=_HEADER),
    BlockType(name="image", check=_IMAGE),
    BlockType(name="input", check=_INPUT),
    BlockType(name="markdown", check=_block({"text": string(1, 12_000)}), surfaces=_MESSAGE),
    BlockType(
        name="plan",
        check=_block(
            {"title": string(1)},
            {"tasks": array(tagged({"task_card": _TASK_CARD}), 0, 50)},
        ),
        surfaces=_MESSAGE,
    ),
    BlockType(name="rich_text", check=RICH_TEXT),
    BlockType(name="section", check=_SECTION),
    BlockType(name="table", check=tables.TABLE, surfaces=_MESSAGE_HOME),
    BlockType(name="task_card", check=both(_TASK_CARD, _not_pending_alone), surfaces=_MESSAGE),
    BlockType(name="video", check=_VIDEO),
)

_BY_NAME = {one.name: one for one in BLOCK_TYPES}


def block(surface: Surface) -> Check:
    """Any block that the surface shows."""
    return tagged({one.name: one.check for one in BLOCK_TYPES if surface in one.surfaces})
