"""What a modal or a Home tab may hold, as Slack checks it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bot.demo.slack.arguments import invalid
from bot.demo.slack.errors import SlackError
from bot.demo.slack.model import Json
from bot.demo.slack.validate import surfaces
from bot.demo.slack.validate.blocks import Surface
from bot.demo.slack.validate.objects import plain
from bot.demo.slack.validate.shape import Check, Place, anything, boolean, record, string

LARGEST = 250_000  # bytes of JSON

_SHARED: Mapping[str, Check] = {
    "private_metadata": string(0, 3000),
    "callback_id": string(0, 255),
    "external_id": string(0, 255),
}


def _blocks(surface: Surface) -> Check:
    def check(value: Any, place: Place) -> None:
        surfaces.check(value, surface, place)

    return check


_MODAL = record(
    {"type": anything, "title": plain(24), "blocks": _blocks("modal")},
    {
        **_SHARED,
        "submit": plain(24),
        "close": plain(24),
        "clear_on_close": boolean,
        "notify_on_close": boolean,
    },
)
_HOME = record({"type": anything, "blocks": _blocks("home")}, _SHARED)


def checked(tree: Any, surface: Surface) -> Json:
    """The view, completed; raises invalid_arguments with the reasons, or view_too_large."""
    if len(json.dumps(tree)) > LARGEST:
        raise SlackError("view_too_large")
    place = Place("/view")
    if not isinstance(tree, dict):
        place.say("must provide an object")
    elif tree.get("type") != surface:
        place.at("type").say(f"unsupported type: {tree.get('type')}")
    else:
        (_MODAL if surface == "modal" else _HOME)(tree, place)
        _submit_for_inputs(tree, surface, place)
    if place.problems:
        raise invalid(*(f"[ERROR] {one}" for one in place.problems))
    body: Json = {**tree, "blocks": surfaces.completed(tree["blocks"])}
    return body


def _submit_for_inputs(tree: Json, surface: Surface, place: Place) -> None:
    blocks = tree.get("blocks")
    if surface != "modal" or "submit" in tree or not isinstance(blocks, list):
        return
    if any(isinstance(one, dict) and one.get("type") == "input" for one in blocks):
        place.say("missing required field: submit")
