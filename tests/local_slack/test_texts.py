"""What Slack makes of text: what is stored, whom it calls."""

from __future__ import annotations

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.demo.slack import texts
from bot.demo.slack.workspace import TRAINING
from tests.local_slack.conftest import Hands
from tests.local_slack.samples import paragraph, rich, section, words


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a & b", "a &amp; b"),
        ("a &amp; b", "a &amp; b"),
        ("1 < 2 > 0", "1 &lt; 2 &gt; 0"),
        ("<!channel> look", "<!channel> look"),
        ("&lt;!channel&gt;", "&lt;!channel&gt;"),
        ("<@U123|name> and <#C123>", "<@U123|name> and <#C123>"),
        ("<https://example.org|x> <b>", "<https://example.org|x> &lt;b&gt;"),
        ("<!date^1^{date}|then>", "<!date^1^{date}|then>"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("<javascript:alert(1)|x>", "&lt;javascript:alert(1)|x&gt;"),
        ("& &lt <", "&amp; &amp;lt &lt;"),
    ],
)
def test_stray_markup_is_stored_as_entities(sent: str, kept: str) -> None:
    """Control sequences stay as they are."""
    assert texts.stored(sent) == kept
    assert texts.stored(kept) == kept


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("ask @admin, in #general", "ask <@U1|admin>, in <#C1|general>"),
        ("nobody@nowhere @stranger", "nobody@nowhere @stranger"),
        ("<!channel> & <script>", "&lt;!channel&gt; &amp; &lt;script&gt;"),
        ("@here look", "<!here> look"),
        ("see https://example.org/a?b=1&c=2", "see <https://example.org/a?b=1&amp;c=2>"),
        ("python3 run.py -n 2", "python3 <http://run.py|run.py> -n 2"),
        ("pretrain/llama_2b.py  two\nlines", "pretrain/llama_2b.py  two\nlines"),
        ("<@U0ADMIN0001|admin> given", "<@U0ADMIN0001|admin> given"),
    ],
)
def test_what_a_person_types_is_escaped_and_linked(typed: str, sent: str) -> None:
    """As `should_escape` has it; `run.py` is a domain to Slack."""
    assert texts.typed(typed, {"admin": "U1"}, {"general": "C1"}) == sent


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("<!channel> <!here|here> <!everyone>", {"channel", "here", "everyone"}),
        ("<@U0ADMIN0001> <@W123|name>", {"U0ADMIN0001", "W123"}),
        ("<!subteam^S0TEAM|ops>", {"S0TEAM"}),
        ("&lt;!channel&gt; @channel <!date^1^{date}|x>", set()),
        ("`<!channel>`", {"channel"}),
    ],
)
def test_mentions_are_read_from_text(text: str, whom: set[str]) -> None:
    """Escaped ones call nobody."""
    assert texts.mentions(text) == whom


async def test_a_log_line_calls_nobody_in_rich_text(client: AsyncWebClient, hands: Hands) -> None:
    """The same words in mrkdwn would call everybody."""
    log = "error: <!channel> & <@U0ADMIN0001>"
    safe = rich({"type": "rich_text_preformatted", "elements": [words(log)]})
    await client.chat_postMessage(channel=TRAINING, text="a log", blocks=[safe])
    await client.chat_postMessage(channel=TRAINING, text="a log", blocks=[section(log)])
    await client.chat_postMessage(channel=TRAINING, text=log)
    called = paragraph({"type": "broadcast", "range": "here"}, {"type": "user", "user_id": "U9AA"})
    await client.chat_postMessage(channel=TRAINING, text="x", blocks=[rich(called)])
    assert [one["notified"] for one in await hands.messages(TRAINING)] == [
        [],
        ["U0ADMIN0001", "channel"],
        ["U0ADMIN0001", "channel"],
        ["U9AA", "here"],
    ]


async def test_an_edit_adds_to_whom_was_called(client: AsyncWebClient, hands: Hands) -> None:
    """So a mention cannot be hidden by a later edit."""
    ts = (await client.chat_postMessage(channel=TRAINING, text="<!here>"))["ts"]
    await client.chat_update(channel=TRAINING, ts=ts, text="quiet")
    (message,) = await hands.messages(TRAINING)
    assert message["notified"] == ["here"]
