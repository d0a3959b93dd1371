"""What a form's fields may hold: the checks that Slack's own client makes before it submits."""

from __future__ import annotations

import re
from typing import Any

from bot.demo.slack import elements
from bot.demo.slack.model import Json

REQUIRED = "Please complete this required field."
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_URL = re.compile(r"https?://\S+")
_DECIMAL = re.compile(r"-?\d+(\.\d+)?")
_WHOLE = re.compile(r"-?\d+")


def errors(blocks: list[Json], touched: dict[str, dict[str, Json]]) -> dict[str, str]:
    """What is wrong, by block id."""
    values = elements.values(blocks, touched)
    wrong: dict[str, str] = {}
    for block in blocks:
        if block["type"] != "input":
            continue
        block_id, element = str(block["block_id"]), block["element"]
        held = values[block_id][str(element["action_id"])]
        given = next((value for name, value in held.items() if name != "type"), None)
        said = _wrong(element, given, optional=bool(block.get("optional")))
        if said:
            wrong[block_id] = said
    return wrong


def _wrong(element: Json, given: Any, *, optional: bool) -> str:
    if given in (None, "", []):
        return "" if optional else REQUIRED
    match element["type"]:
        case "plain_text_input":
            return _length(element, str(given))
        case "number_input":
            return _number(element, str(given))
        case "email_text_input" if not _EMAIL.fullmatch(str(given)):
            return "Enter a valid email address."
        case "url_text_input" if not _URL.fullmatch(str(given)):
            return "Enter a valid URL."
        case _:
            return _count(element, given)


def _length(element: Json, given: str) -> str:
    if len(given) < element.get("min_length", 0):
        return f"Use at least {element['min_length']} characters."
    most = element.get("max_length", 3000)
    return f"Use at most {most} characters." if len(given) > most else ""


def _number(element: Json, given: str) -> str:
    form = _DECIMAL if element["is_decimal_allowed"] else _WHOLE
    if not form.fullmatch(given):
        return "Enter a number." if element["is_decimal_allowed"] else "Enter a whole number."
    if "min_value" in element and float(given) < float(element["min_value"]):
        return f"Enter a number of at least {element['min_value']}."
    if "max_value" in element and float(given) > float(element["max_value"]):
        return f"Enter a number of at most {element['max_value']}."
    return ""


def _count(element: Json, given: Any) -> str:
    most = element.get("max_selected_items")
    return (
        f"Choose at most {most}." if most and isinstance(given, list) and len(given) > most else ""
    )
