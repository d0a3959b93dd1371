"""Composition objects: texts, options, confirm dialogs, filters."""

from __future__ import annotations

from bot.demo.slack.validate.shape import (
    Check,
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


def plain(most: int) -> Check:
    """A plain_text object."""
    fields = {"type": anything, "text": string(1, most)}
    return tagged({"plain_text": record(fields, {"emoji": boolean})})


def mrkdwn(most: int) -> Check:
    """A mrkdwn object."""
    fields = {"type": anything, "text": string(1, most)}
    return tagged({"mrkdwn": record(fields, {"verbatim": boolean})})


def text(most: int) -> Check:
    """A plain_text or mrkdwn object."""
    fields = {"type": anything, "text": string(1, most)}
    return tagged(
        {
            "plain_text": record(fields, {"emoji": boolean}),
            "mrkdwn": record(fields, {"verbatim": boolean}),
        }
    )


CONFIRM = record(
    {"text": text(300)},
    {
        "title": plain(100),
        "confirm": plain(30),
        "deny": plain(30),
        "style": one_of("primary", "danger"),
    },
)


def option(label: Check, *, links: bool = False) -> Check:
    """An option; only those of an overflow menu may link."""
    more = {"description": text(75)} | ({"url": url(3000)} if links else {})
    return record({"text": label, "value": string(1, 150)}, more)


PLAIN_OPTION = option(plain(75))
TEXT_OPTION = option(text(75))
OVERFLOW_OPTION = option(plain(75), links=True)
OPTION_GROUP = record({"label": plain(75), "options": array(PLAIN_OPTION, 1, 100)})

SLACK_FILE = both(record({}, {"id": string(1), "url": url(3000)}), exactly_one("id", "url"))

CONVERSATION_FILTER = both(
    record(
        {},
        {
            "include": array(one_of("im", "mpim", "private", "public"), 1),
            "exclude_external_shared_channels": boolean,
            "exclude_bot_users": boolean,
        },
    ),
    at_least_one("include", "exclude_external_shared_channels", "exclude_bot_users"),
)

DISPATCH = record(
    {},
    {"trigger_actions_on": array(one_of("on_enter_pressed", "on_character_entered"), 1, 2)},
)
