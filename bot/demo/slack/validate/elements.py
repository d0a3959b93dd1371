"""Block elements: what can stand in a block, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.demo.slack.validate.objects import (
    CONFIRM,
    CONVERSATION_FILTER,
    DISPATCH,
    OPTION_GROUP,
    OVERFLOW_OPTION,
    PLAIN_OPTION,
    SLACK_FILE,
    TEXT_OPTION,
    plain,
)
from bot.demo.slack.validate.rich_text import RICH_TEXT
from bot.demo.slack.validate.shape import (
    Check,
    Place,
    anything,
    array,
    boolean,
    both,
    exactly_one,
    integer,
    one_of,
    pattern,
    record,
    string,
    tagged,
    url,
)

_ID = string(1, 255)
_DATE = pattern(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", "must be a valid date")
_TIME = pattern(r"([01]\d|2[0-3]):[0-5]\d", "must be a valid time")
_NUMBER = pattern(r"-?\d+(\.\d+)?", "must be a valid number")
_OPTIONS = array(PLAIN_OPTION, 1, 100)
_CHOICES = array(TEXT_OPTION, 1, 10)
_COLOUR = one_of("primary", "danger")


def _element(
    required: Mapping[str, Check] | None = None, optional: Mapping[str, Check] | None = None
) -> Check:
    return record({"type": anything, **(required or {})}, {"action_id": _ID, **(optional or {})})


_CONFIRM = {"confirm": CONFIRM}
_FOCUS = {"focus_on_load": boolean}
_HINT = {"placeholder": plain(150)}
_DISPATCH = {"dispatch_action_config": DISPATCH}
_MENU = _CONFIRM | _FOCUS | _HINT
_MANY = _MENU | {"max_selected_items": integer(1)}
_TYPED = _DISPATCH | _FOCUS | _HINT


def _menu(initial: str, check: Check, more: Mapping[str, Check] | None = None) -> Check:
    return _element({}, {**_MENU, initial: check, **(more or {})})


def _many(initial: str, check: Check, more: Mapping[str, Check] | None = None) -> Check:
    return _element({}, {**_MANY, initial: array(check), **(more or {})})


def _static(optional: Mapping[str, Check]) -> Check:
    lists = {"options": _OPTIONS, "option_groups": array(OPTION_GROUP, 1, 100)}
    return both(
        _element({}, {**optional, **lists}),
        exactly_one("options", "option_groups"),
        _initial_is_offered,
    )


def _initial_is_offered(value: Any, place: Place) -> None:
    """What is selected at first must be among the options."""
    if not isinstance(value, dict):
        return
    groups = value.get("option_groups") or []
    offered = list(value.get("options") or [])
    offered += [one for group in groups if isinstance(group, dict) for one in group["options"]]
    values = [one.get("value") for one in offered if isinstance(one, dict)]
    first = value.get("initial_options", [])
    chosen = [value["initial_option"]] if "initial_option" in value else first
    for one in chosen if isinstance(chosen, list) else []:
        if isinstance(one, dict) and one.get("value") not in values:
            place.say("initial option must be one of the options")


_CONVERSATION = {
    "default_to_current_conversation": boolean,
    "filter": CONVERSATION_FILTER,
}
_RESPONSE_URL = {"response_url_enabled": boolean}

SELECTS: dict[str, Check] = {
    "static_select": _static({**_MENU, "initial_option": PLAIN_OPTION}),
    "external_select": _menu("initial_option", PLAIN_OPTION, {"min_query_length": integer(0)}),
    "users_select": _menu("initial_user", string(1)),
    "conversations_select": _menu("initial_conversation", string(1), _CONVERSATION | _RESPONSE_URL),
    "channels_select": _menu("initial_channel", string(1), _RESPONSE_URL),
    "multi_static_select": _static({**_MANY, "initial_options": array(PLAIN_OPTION, 1)}),
    "multi_external_select": _many(
        "initial_options", PLAIN_OPTION, {"min_query_length": integer(0)}
    ),
    "multi_users_select": _many("initial_users", string(1)),
    "multi_conversations_select": _many("initial_conversations", string(1), _CONVERSATION),
    "multi_channels_select": _many("initial_channels", string(1)),
}

BUTTON = _element(
    {"text": plain(75)},
    {
        "url": url(3000),
        "value": string(0, 2000),
        "style": _COLOUR,
        "accessibility_label": string(1, 75),
        **_CONFIRM,
    },
)

CHOOSERS: dict[str, Check] = {
    "checkboxes": both(
        _element(
            {"options": _CHOICES}, {"initial_options": array(TEXT_OPTION, 1)} | _CONFIRM | _FOCUS
        ),
        _initial_is_offered,
    ),
    "radio_buttons": both(
        _element({"options": _CHOICES}, {"initial_option": TEXT_OPTION} | _CONFIRM | _FOCUS),
        _initial_is_offered,
    ),
    "datepicker": _menu("initial_date", _DATE),
    "timepicker": _menu("initial_time", _TIME, {"timezone": string(1)}),
    "datetimepicker": _element(
        {}, {"initial_date_time": integer(10**9, 10**10 - 1)} | _CONFIRM | _FOCUS
    ),
}

_WORKFLOW = record(
    {
        "trigger": record(
            {"url": url(3000)},
            {
                "customizable_input_parameters": array(
                    record({"name": string(1), "value": string()})
                )
            },
        )
    }
)

BUTTONS: dict[str, Check] = {
    "button": BUTTON,
    "overflow": _element({"options": array(OVERFLOW_OPTION, 1, 5)}, _CONFIRM),
    "workflow_button": _element(
        {"text": plain(75), "workflow": _WORKFLOW},
        {"style": _COLOUR, "accessibility_label": string(1, 75)},
    ),
}

RICH_TEXT_INPUT = _element(
    {},
    {"initial_value": RICH_TEXT, "min_lines": integer(1, 100), "max_lines": integer(1, 100)}
    | _TYPED,
)

_ENTRIES: dict[str, Check] = {
    "plain_text_input": _element(
        {},
        {
            "initial_value": string(0, 3000),
            "multiline": boolean,
            "min_length": integer(0, 3000),
            "max_length": integer(1, 3000),
            **_TYPED,
        },
    ),
    "email_text_input": _element({}, {"initial_value": string(0, 3000)} | _TYPED),
    "url_text_input": _element({}, {"initial_value": string(0, 3000)} | _TYPED),
    "number_input": _element(
        {"is_decimal_allowed": boolean},
        {"initial_value": _NUMBER, "min_value": _NUMBER, "max_value": _NUMBER} | _TYPED,
    ),
    "rich_text_input": RICH_TEXT_INPUT,
    "file_input": _element({}, {"filetypes": array(string(1), 1), "max_files": integer(1, 10)}),
}

_FEEDBACK = record(
    {"text": plain(75), "value": string(1, 2000)}, {"accessibility_label": string(1, 75)}
)

_IN_CONTEXT: dict[str, Check] = {
    "feedback_buttons": _element({"positive_button": _FEEDBACK, "negative_button": _FEEDBACK}),
    "icon_button": _element(
        {"icon": one_of("trash"), "text": plain(75)},
        {
            "value": string(0, 2000),
            "accessibility_label": string(1, 75),
            "visible_to_user_ids": array(string(1), 1, 10),
            **_CONFIRM,
        },
    ),
}
CONTEXT_ACTIONS = tagged(_IN_CONTEXT)

IMAGE = both(
    record(
        {"type": anything, "alt_text": string(1, 2000)},
        {"image_url": url(3000), "slack_file": SLACK_FILE},
    ),
    exactly_one("image_url", "slack_file"),
)

ACTIONS = tagged({**BUTTONS, **SELECTS, **CHOOSERS, "rich_text_input": RICH_TEXT_INPUT})
ACCESSORY = tagged({**BUTTONS, **SELECTS, **CHOOSERS, "image": IMAGE})
INPUT = tagged({**SELECTS, **CHOOSERS, **_ENTRIES})

#: the types that a person can act on
INTERACTIVE = frozenset({**BUTTONS, **SELECTS, **CHOOSERS, **_ENTRIES, **_IN_CONTEXT})
