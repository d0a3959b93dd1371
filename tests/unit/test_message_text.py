"""What a Slack message says, as the person who pasted it saw it."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.message_text import LONGEST, plain, words


@pytest.mark.parametrize(
    ("mrkdwn", "said"),
    [
        ("a &lt;b&gt; &amp; c", "a <b> & c"),
        ("see <https://x.org/a|the log>", "see the log"),
        ("see <https://x.org/a>", "see https://x.org/a"),
        ("```Traceback\nboom```", "Traceback\nboom"),
        ("run.py is <http://run.py|run.py>", "run.py is run.py"),
    ],
)
def test_what_slacks_markup_added_is_taken_away(mrkdwn: str, said: str) -> None:
    """A log is diagnosed as it was pasted."""
    assert plain(mrkdwn) == said


def rich(*parts: dict[str, Any]) -> dict[str, Any]:
    """Return a message of one rich_text block, whose text is only a summary."""
    return {"text": "summary", "blocks": [{"type": "rich_text", "elements": list(parts)}]}


def text(said: str) -> dict[str, str]:
    """Return a span."""
    return {"type": "text", "text": said}


def test_blocks_say_more_than_the_summary_beside_them() -> None:
    """Code blocks keep their lines, lists get one each."""
    code = {"type": "rich_text_preformatted", "elements": [text("a\nb"), text(" <c>")]}
    items = [{"type": "rich_text_section", "elements": [text(item)]} for item in "xy"]
    listed = {"type": "rich_text_list", "elements": items}
    link = {"type": "link", "url": "https://x.org"}
    line = {"type": "rich_text_section", "elements": [text("at "), link]}
    assert words(rich(code, listed, line)) == "a\nb <c>\nx\ny\nat https://x.org"


def test_what_other_bots_attach_is_read() -> None:
    """Title, text, fields and blocks; the fallback where there is nothing else."""
    fields = [{"title": "exit", "value": "1"}]
    message = {
        "text": "job failed",
        "attachments": [
            {"title": "log", "text": "OOM &amp; out", "fields": fields, "fallback": "not this"},
            {"fallback": "only this"},
            {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "in *blocks*"}}]},
        ],
    }
    assert words(message).splitlines() == [
        *("job failed", "log", "OOM & out", "exit: 1", "only this", "in *blocks*"),
    ]


def test_labels_of_controls_are_no_words() -> None:
    """Of a card of ours, `Rerun` says nothing."""
    button = {"type": "button", "text": {"type": "plain_text", "text": "Rerun"}}
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Head"}},
        {"type": "actions", "elements": [button]},
        {"type": "markdown", "text": "a &lt; b"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]},
    ]
    assert words({"text": "", "blocks": blocks}) == "Head\na < b\nx"


@pytest.mark.parametrize("message", [{}, {"text": None, "blocks": None, "attachments": None}])
def test_a_message_without_words_says_nothing(message: dict[str, Any]) -> None:
    """An upload alone is one."""
    assert words(message) == ""


def test_what_is_kept_of_a_message_is_bounded() -> None:
    """Whatever a bot put into its blocks."""
    assert len(words({"text": "x" * (LONGEST + 5)})) == LONGEST
