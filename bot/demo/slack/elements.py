"""Interactive elements: finding one, and what using it sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bot.demo.slack.errors import Refused
from bot.demo.slack.model import Json
from bot.demo.slack.validate.elements import INTERACTIVE

#: elements whose choice is kept and sent along as `state`
_ONE = {
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "plain_text_input": "value",
    "email_text_input": "value",
    "url_text_input": "value",
    "number_input": "value",
    "rich_text_input": "rich_text_value",
}
_MANY = {
    "multi_users_select": "selected_users",
    "multi_conversations_select": "selected_conversations",
    "multi_channels_select": "selected_channels",
    "file_input": "files",
}
_OPTION = {"static_select", "external_select", "radio_buttons"}
_OPTIONS = {"multi_static_select", "multi_external_select", "checkboxes"}
_STATELESS = {"button", "overflow", "icon_button", "feedback_buttons", "workflow_button"}
_ECHOED = ("text", "value", "style", "url", "placeholder", "confirm")


@dataclass(frozen=True, kw_only=True)
class Place:
    """An element and the block it stands in."""

    block_id: str
    element: Json
    silent: bool = False  # in an input block: nothing is sent until the form is

    @property
    def action_id(self) -> str:
        """The name the app gave it."""
        return str(self.element.get("action_id", ""))

    @property
    def keeps_state(self) -> bool:
        """Whether a choice stays chosen."""
        return self.element["type"] not in _STATELESS


def places(tree: Any, block_id: str = "") -> Iterator[Place]:
    """Every interactive element, top to bottom, with the innermost block around it."""
    if isinstance(tree, list):
        for one in tree:
            yield from places(one, block_id)
    elif isinstance(tree, dict):
        if tree.get("type") in INTERACTIVE and "action_id" in tree:
            yield Place(block_id=block_id, element=tree)
            return
        inner = str(tree.get("block_id", block_id))
        silent = tree.get("type") == "input" and not tree.get("dispatch_action")
        for value in tree.values():
            for place in places(value, inner):
                yield replace(place, silent=silent or place.silent)


def find(
    blocks: list[Json], action_id: str, value: Any = None, block_id: str | None = None
) -> Place:
    """The element with that action id, or Refused; `value` and `block_id` tell twins apart."""
    named = [
        one
        for one in places(blocks)
        if one.action_id == action_id and block_id in {None, one.block_id}
    ]
    if not named:
        raise Refused("action_not_found", f"nothing with action_id {action_id!r} is there", 404)
    if value is None:
        return named[0]
    for one in named:
        if one.element["type"] != "button" or str(one.element.get("value")) == str(value):
            return one
    raise Refused("value_not_found", f"no {action_id!r} with value {value!r} is there", 404)


def chosen(place: Place, value: Any) -> Json:
    """What the element holds once `value` was chosen, as Slack names it."""
    kind = place.element["type"]
    if kind in _ONE:
        return {_ONE[kind]: value}
    if kind in _MANY:
        return {_MANY[kind]: _as_list(value)}
    if kind in _OPTION or kind == "overflow":
        return {"selected_option": None if value is None else _option(place.element, value)}
    if kind in _OPTIONS:
        return {"selected_options": [_option(place.element, one) for one in _as_list(value)]}
    if kind == "feedback_buttons":
        return _feedback(place.element, value)
    return {}


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _feedback(element: Json, value: Any) -> Json:
    for name in ("positive_button", "negative_button"):
        if str(element[name].get("value")) == str(value):
            return {"text": element[name]["text"], "value": element[name]["value"]}
    raise Refused("option_not_found", f"no button with value {value!r}", 404)


def options(element: Json) -> list[Json]:
    """All options, grouped or not."""
    groups: list[Json] = element.get("option_groups", [])
    plain: list[Json] = element.get("options", [])
    return plain + [one for group in groups for one in group["options"]]


def _option(element: Json, value: Any) -> Json:
    if isinstance(value, dict) and "external" in element["type"]:
        return value  # it came from the app's own suggestions
    for option in options(element):
        if option.get("value") == value:
            return option
    raise Refused("option_not_found", f"no option with value {value!r} is there", 404)


def initial(place: Place) -> Json | None:
    """What an untouched element holds: its `initial_…`, or nothing chosen."""
    element, kind = place.element, place.element["type"]
    if not place.keeps_state:
        return None
    if kind in _ONE:
        return {_ONE[kind]: _first(element, kind)}
    if kind in _MANY:
        name = _MANY[kind]
        return {name: element.get(name.replace("selected", "initial"), [])}
    if kind in _OPTION:
        return {"selected_option": element.get("initial_option")}
    return {"selected_options": element.get("initial_options", [])}


def _first(element: Json, kind: str) -> Any:
    name = _ONE[kind]
    return element.get("initial_value" if "value" in name else name.replace("selected", "initial"))


def values(blocks: list[Json], touched: dict[str, dict[str, Json]]) -> dict[str, dict[str, Json]]:
    """The `state.values` of a surface: what was chosen, else what was there from the start."""
    state: dict[str, dict[str, Json]] = {}
    for place in places(blocks):
        held = touched.get(place.block_id, {}).get(place.action_id) or initial(place)
        if held is not None:
            kind = place.element["type"]
            state.setdefault(place.block_id, {})[place.action_id] = {"type": kind, **held}
    return state


def action(place: Place, held: Json, action_ts: str) -> Json:
    """The entry of `actions` that using the element sends."""
    element = place.element
    sent: Json = {"type": element["type"], "action_id": place.action_id, "block_id": place.block_id}
    sent |= {name: element[name] for name in _ECHOED if name in element}
    return sent | held | {"action_ts": action_ts}
