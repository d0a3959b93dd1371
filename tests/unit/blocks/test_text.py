"""Words as Block Kit's text objects: nothing that people or programs write is parsed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.card import Moment, Mono, Person, Strong, Text
from handlers.blocks.text import SMALL_PRINT, clip, elements, escape, line, mrkdwn, plain_text

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DATE = f"<!date^{int(NOON.timestamp())}^{{date_short_pretty}} {{time}}|2026-03-01 12:00 UTC>"


@pytest.mark.parametrize(
    ("said", "escaped"),
    [
        ("<!channel>", "&lt;!channel&gt;"),
        ("a < b && b > c", "a &lt; b &amp;&amp; b &gt; c"),
        ("&lt;!here&gt;", "&amp;lt;!here&amp;gt;"),
        ("*bold* `code`", "*bold* `code`"),
    ],
)
def test_control_characters_are_escaped_once(said: str, escaped: str) -> None:
    """What was escaped before is escaped again, so that it reads as it was written."""
    assert escape(said) == escaped


def test_nothing_turns_the_direction_in_which_the_rest_is_read() -> None:
    """Neither in a title or a label, nor in rich text, small print or a notification."""
    turned = "a\u202eb\u2066c\u2069\x1b\x00\x9b"
    shown = "a\ufffdb\ufffdc\ufffd"
    assert plain_text(turned, 20)["text"] == shown
    assert [one["text"] for one in elements((turned, Strong(text=turned)))] == [shown, shown]
    assert mrkdwn((Mono(text=turned),)) == f"`{shown}`"
    assert line((turned,), 20) == shown


@pytest.mark.parametrize(
    ("text", "small"),
    [
        (("by ", Person(user="U1"), " at ", Moment(at=NOON)), f"by <@U1> at {DATE}"),
        (("<!channel> ", Strong(text="<@U1>")), "&lt;!channel&gt; *&lt;@U1&gt;*"),
        ((Mono(text="a `b` <c>"),), "`a ´b´ &lt;c&gt;`"),
        ((Mono(text="one\r\ntwo\nthree"),), "`one two three`"),
        (("", Mono(text=""), Strong(text="")), ""),
    ],
)
def test_small_print_is_mrkdwn_in_which_only_our_own_marks_work(text: Text, small: str) -> None:
    """People and times are marked up by us; a code span ends where we end it."""
    assert mrkdwn(text) == small


def test_a_code_span_of_the_small_print_is_cut_before_it_is_escaped() -> None:
    """So neither an entity nor the span is torn apart, and the cut shows."""
    small = mrkdwn((Mono(text="&" * 3_000),))

    assert small == f"`{'&amp;' * (SMALL_PRINT - 1)}…`"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ((Person(user="U1"), " <!channel> ", Mono(text="a&b")), "<@U1> &lt;!channel&gt; a&amp;b"),
        (("started ", Moment(at=NOON)), f"started {DATE}"),
        (("12345678", "90" * 20, Person(user="U1")), f"12345678{'90' * 5}9…"),
        (("12345" * 4, "more"), f"{'12345' * 4}…"),
        (("", Mono(text="")), " "),
    ],
)
def test_a_notification_names_people_and_times_and_escapes_all_else(text: Text, told: str) -> None:
    """Twenty characters of words, cut before they are escaped; the cut shows."""
    assert line(text, 20) == told


def test_rich_text_takes_words_as_they_are() -> None:
    """Slack parses nothing in it; escaping there would show."""
    said: Text = ("<!channel> ", Mono(text="`<x>`"), Strong(text="*"), Person(user="U1"))

    assert elements(said) == [
        {"type": "text", "text": "<!channel> "},
        {"type": "text", "text": "`<x>`", "style": {"code": True}},
        {"type": "text", "text": "*", "style": {"bold": True}},
        {"type": "user", "user_id": "U1"},
    ]


def test_a_time_is_shown_in_the_reader_s_zone_with_a_fallback() -> None:
    """The fallback names its zone."""
    assert elements((Moment(at=NOON),)) == [
        {
            "type": "date",
            "timestamp": 1772366400,
            "format": "{date_short_pretty} {time}",
            "fallback": "2026-03-01 12:00 UTC",
        }
    ]


def test_empty_pieces_are_left_out() -> None:
    """Slack refuses an empty text element."""
    assert elements(("", Mono(text=""), Strong(text=""), "x")) == [{"type": "text", "text": "x"}]


@pytest.mark.parametrize(
    ("text", "shown"), [("", " "), ("short", "short"), ("12345", "12345"), ("123456", "1234…")]
)
def test_a_cut_is_visible_and_nothing_is_empty(text: str, shown: str) -> None:
    """A limit is a limit, dots included."""
    assert clip(text, 5) == shown
    assert plain_text(text, 5) == {"type": "plain_text", "text": shown, "emoji": False}
