"""A card as a message: every piece at its place, and what Slack would refuse left out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.card import (
    Bullets,
    Button,
    Card,
    Choice,
    Excerpt,
    Fact,
    Moment,
    Mono,
    Paragraph,
    Person,
    Pick,
    Strong,
    Table,
    Tone,
)
from handlers.blocks.card import SIGNS, render

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WHOLE = Card(
    title="llama3p1_2b_pt",
    tone=Tone.FAILED,
    lead=(Person(user="U1"), " Job 75: ", Strong(text="no space")),
    facts=(
        Fact(label="Partition", value=(Mono(text="a3m"), "  3 of 4 nodes free")),
        Fact(label="Start", value=(Moment(at=NOON),)),
    ),
    parts=(
        Paragraph(text=("Free some.",)),
        Excerpt(caption=(Mono(text="train.out"), ", line 12"), text="OSError: <no> `space`"),
        Excerpt(text="bare"),
        Bullets(items=(("one",), (Mono(text="two"),))),
        Table(head=("Job", "State"), rows=(("75", ""),)),
    ),
    pick=Pick(
        action="resubmit_partition",
        placeholder="Run it on another partition",
        choices=(Choice(label="a3u · 2 of 2 nodes free", value="alice:75|a3u"),),
    ),
    buttons=(
        Button(action="rerun_same", label="Rerun", value="alice:75", style="primary"),
        Button(
            action="cancel_job",
            label="Cancel Job",
            value="alice:75",
            style="danger",
            confirm="This ends job 75.",
        ),
    ),
    foot=((Person(user="U1"), "  ", Mono(text="/slurm submit <x>")),),
)


def blocks(card: Card) -> list[dict[str, Any]]:
    """The blocks of a card."""
    drawn: list[dict[str, Any]] = render(card)["blocks"]
    return drawn


def plain(text: str) -> dict[str, Any]:
    """A plain_text object."""
    return {"type": "plain_text", "text": text, "emoji": False}


def section(*pieces: dict[str, Any]) -> dict[str, Any]:
    """A rich_text_section."""
    return {"type": "rich_text_section", "elements": list(pieces)}


def text(words: str, **style: bool) -> dict[str, Any]:
    """A piece of rich text."""
    return {"type": "text", "text": words, **({"style": style} if style else {})}


def rich(*parts: dict[str, Any]) -> dict[str, Any]:
    """A rich_text block."""
    return {"type": "rich_text", "elements": list(parts)}


def log(words: str) -> dict[str, Any]:
    """Lines as they are."""
    return {"type": "rich_text_preformatted", "elements": [text(words)]}


def test_a_whole_card_is_drawn_piece_by_piece() -> None:
    """The point, facts, parts, controls, small print, in this order."""
    noon = {
        "type": "date",
        "timestamp": 1772366400,
        "format": "{date_short_pretty} {time}",
        "fallback": "2026-03-01 12:00 UTC",
    }
    assert render(WHOLE) == {
        "text": "llama3p1_2b_pt: <@U1> Job 75: no space",
        "blocks": [
            {"type": "header", "text": plain("llama3p1_2b_pt")},
            rich(
                section(
                    {"type": "emoji", "name": "x"},
                    text(" "),
                    {"type": "user", "user_id": "U1"},
                    text(" Job 75: "),
                    text("no space", bold=True),
                )
            ),
            rich(
                section(
                    text("Partition  ", bold=True),
                    text("a3m", code=True),
                    text("  3 of 4 nodes free"),
                    text("\n"),
                    text("Start  ", bold=True),
                    noon,
                )
            ),
            rich(section(text("Free some."))),
            rich(section(text("train.out", code=True), text(", line 12")), log(OSERROR)),
            rich(log("bare")),
            rich(
                {
                    "type": "rich_text_list",
                    "style": "bullet",
                    "elements": [section(text("one")), section(text("two", code=True))],
                }
            ),
            {
                "type": "table",
                "column_settings": [{"is_wrapped": True}, {"is_wrapped": True}],
                "rows": [
                    [{"type": "raw_text", "text": "Job"}, {"type": "raw_text", "text": "State"}],
                    [{"type": "raw_text", "text": "75"}, {"type": "raw_text", "text": " "}],
                ],
            },
            {
                "type": "actions",
                "elements": [
                    {
                        "type": "static_select",
                        "action_id": "resubmit_partition",
                        "placeholder": plain("Run it on another partition"),
                        "options": [
                            {"text": plain("a3u · 2 of 2 nodes free"), "value": "alice:75|a3u"}
                        ],
                    },
                    {
                        "type": "button",
                        "action_id": "rerun_same",
                        "text": plain("Rerun"),
                        "value": "alice:75",
                        "style": "primary",
                    },
                    {
                        "type": "button",
                        "action_id": "cancel_job",
                        "text": plain("Cancel Job"),
                        "value": "alice:75",
                        "confirm": {
                            "title": plain("Cancel Job"),
                            "text": plain("This ends job 75."),
                            "confirm": plain("Cancel Job"),
                            "deny": plain("Back"),
                            "style": "danger",
                        },
                    },
                ],
            },
            {
                "type": "context",
                "elements": [
                    {"type": "mrkdwn", "text": "<@U1>  `/slurm submit &lt;x&gt;`", "verbatim": True}
                ],
            },
        ],
    }


OSERROR = "OSError: <no> `space`"


def test_the_same_card_is_always_drawn_the_same() -> None:
    """The outbox compares what it sends with what was sent."""
    assert render(WHOLE) == render(Card.model_validate_json(WHOLE.model_dump_json()))


def test_a_bare_card_is_its_lead_alone() -> None:
    """No empty header, list of facts, controls or small print."""
    assert blocks(Card(lead=("Done",))) == [rich(section(text("Done")))]


@pytest.mark.parametrize("tone", list(Tone))
def test_every_tone_but_the_plain_one_has_a_sign_of_its_own(tone: Tone) -> None:
    """Two states never look the same."""
    [lead] = blocks(Card(lead=("x",), tone=tone))

    shown = [piece["name"] for piece in lead["elements"][0]["elements"] if piece["type"] == "emoji"]
    assert shown == ([] if tone is Tone.PLAIN else [SIGNS[tone]])
    assert len(set(SIGNS.values())) == len(SIGNS) == len(Tone) - 1


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        ("<!channel> & <@U1>", "&lt;!channel&gt; &amp; &lt;@U1&gt;"),
        ("x" * 400, f"{'x' * 299}…"),
        ("", "…"),
        (" \n ", "…"),
    ],
)
def test_the_notification_is_escaped_short_and_never_blank(lead: str, said: str) -> None:
    """It is the one text that Slack parses by default."""
    assert render(Card(lead=(lead,)))["text"] == said


def test_a_select_offers_only_what_slack_can_carry() -> None:
    """A value of more than 150 characters cannot be chosen; the other choices can."""
    choices = (Choice(label="long", value="x" * 151), Choice(label="short", value="x" * 150))
    pick = Pick(action="go", placeholder="Pick", choices=choices)

    [_, actions] = blocks(Card(lead=("x",), pick=pick))

    labels = [option["text"]["text"] for option in actions["elements"][0]["options"]]
    assert labels == ["short"]


def test_a_select_without_anything_to_choose_is_left_out() -> None:
    """Slack refuses the whole message for it, as when every partition is down."""
    pick = Pick(action="go", placeholder="Pick", choices=())

    assert len(blocks(Card(lead=("x",), pick=pick))) == 1


def test_labels_and_questions_are_cut_to_what_slack_takes() -> None:
    """A job's name can be of any length."""
    long = "n" * 3_000
    button = Button(action="go", label=long, value="v", confirm=long)

    [header, _, actions] = blocks(Card(title=long, lead=("x",), buttons=(button,)))

    drawn = actions["elements"][0]
    confirm = drawn["confirm"]
    assert len(header["text"]["text"]) == 150
    assert len(drawn["text"]["text"]) == 75
    assert [len(confirm[name]["text"]) for name in ("title", "text", "confirm")] == [100, 300, 30]
