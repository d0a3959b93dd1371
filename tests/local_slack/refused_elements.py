"""Elements of an actions block that break one rule each."""

from __future__ import annotations

from tests.local_slack.reasons import at_most, extra, items, kind, missing
from tests.local_slack.samples import (
    Json,
    button,
    mrkdwn,
    option,
    plain,
    select,
    typed,
)

#: elements of an actions block
ELEMENTS: tuple[tuple[str, Json, str, str], ...] = (
    ("long button", {**button(), "text": plain("x" * 76)}, "/text/text", at_most(75)),
    ("mrkdwn button", {**button(), "text": mrkdwn("x")}, "/text/type", kind("mrkdwn")),
    ("long value", button(value="x" * 2001), "/value", at_most(2000)),
    ("number as value", button(value=7), "/value", "must provide a string"),
    ("style", button(style="default"), "/style", "must be one of: primary, danger"),
    ("script as url", button(url="javascript:alert(1)"), "/url", "must be a valid url"),
    ("disabled", button(disabled=True), "", extra("disabled")),
    (
        "confirm without text",
        button(confirm={"title": plain("Sure?")}),
        "/confirm",
        missing("text"),
    ),
    (
        "long confirm",
        button(confirm={"text": plain("x" * 301)}),
        "/confirm/text/text",
        at_most(300),
    ),
    (
        "long deny",
        button(confirm={"text": plain("x"), "deny": plain("x" * 31)}),
        "/confirm/deny/text",
        at_most(30),
    ),
    ("101 options", select(*map(str, range(101))), "/options", items(100)),
    ("no options", select(), "/options", "no fewer than 1 items allowed"),
    (
        "options and groups",
        select("a", option_groups=[{"label": plain("g"), "options": [option("a")]}]),
        "",
        "must provide exactly one of: options, option_groups",
    ),
    ("long option value", select("x" * 151), "/options/0/value", at_most(150)),
    (
        "long option text",
        {**select("a"), "options": [{"text": plain("x" * 76), "value": "a"}]},
        "/options/0/text/text",
        at_most(75),
    ),
    (
        "initial not offered",
        select("a", initial_option=option("b")),
        "",
        "initial option must be one of the options",
    ),
    (
        "6 in an overflow menu",
        {"type": "overflow", "action_id": "o", "options": [option(str(n)) for n in range(6)]},
        "/options",
        items(5),
    ),
    (
        "11 checkboxes",
        {"type": "checkboxes", "action_id": "c", "options": [option(str(n)) for n in range(11)]},
        "/options",
        items(10),
    ),
    (
        "date",
        {"type": "datepicker", "action_id": "d", "initial_date": "2026-13-01"},
        "/initial_date",
        "must be a valid date",
    ),
    (
        "time",
        {"type": "timepicker", "action_id": "t", "initial_time": "25:00"},
        "/initial_time",
        "must be a valid time",
    ),
    (
        "moment in milliseconds",
        {"type": "datetimepicker", "action_id": "t", "initial_date_time": 1700000000000},
        "/initial_date_time",
        "must be less than or equal to 9999999999",
    ),
    (
        "long placeholder",
        select("a", placeholder=plain("x" * 151)),
        "/placeholder/text",
        at_most(150),
    ),
    ("input element in actions", typed(), "/type", kind("plain_text_input")),
)
