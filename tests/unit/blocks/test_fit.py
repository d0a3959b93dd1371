"""Cards that are too long: cut to what Slack takes, what matters most kept, every cut visible."""

from __future__ import annotations

from typing import Any

import pytest

from bot.card import (
    Bullets,
    Button,
    Card,
    Choice,
    Excerpt,
    Fact,
    Mono,
    Paragraph,
    Pick,
    Table,
    plain,
)
from handlers.blocks.card import render
from handlers.blocks.fit import EXCERPT_LEAST, MESSAGE_TEXT, last

LOG = "\n".join(f"step {n} of 10000" for n in range(1, 10_001))


def texts(tree: Any) -> list[str]:
    """Every text of a message."""
    if isinstance(tree, list):
        return [found for one in tree for found in texts(one)]
    if not isinstance(tree, dict):
        return []
    here = [tree["text"]] if isinstance(tree.get("text"), str) else []
    return here + [found for value in tree.values() for found in texts(value)]


def shown(card: Card) -> str:
    """All that a message says."""
    said = "\n".join(texts(render(card)["blocks"]))
    assert len(said.replace("\n", "")) <= MESSAGE_TEXT
    return said


def test_a_long_log_fills_the_message_with_its_end() -> None:
    """Line breaks cost one character each, like everything else."""
    [_, excerpt] = render(Card(lead=("The end",), parts=(Excerpt(text=LOG),)))["blocks"]

    [text] = texts(excerpt)
    head, *lines = text.splitlines()
    assert MESSAGE_TEXT - 200 < len(text) <= MESSAGE_TEXT
    assert lines == LOG.splitlines()[-len(lines) :]
    assert head == f"… {10_000 - len(lines):,} more lines above"


def test_several_excerpts_share_and_the_last_keeps_its_least() -> None:
    """The evidence comes first and gets more; the tail is never empty."""
    parts = (Excerpt(text=LOG), Excerpt(text=LOG), Excerpt(text="one line"))
    blocks = render(Card(lead=("x",), parts=parts))["blocks"]

    sizes = [len(texts(block)[-1]) for block in blocks[1:]]
    assert sizes[0] > 8_000
    assert EXCERPT_LEAST - 50 < sizes[1] <= EXCERPT_LEAST
    assert sizes[2] == len("one line")


def test_words_are_cut_before_rows_are_left_out() -> None:
    """Thirty jobs with endless names are still thirty jobs."""
    rows = tuple((str(n), "n" * 3_000, "failed", "x" * 3_000) for n in range(30))
    table = Table(head=("Job", "Name", "State", "Remark"), rows=rows)

    said = shown(Card(lead=("30 jobs",), parts=(table,))).splitlines()

    assert [str(n) for n in range(30) if str(n) in said] == [str(n) for n in range(30)]


@pytest.mark.parametrize(
    "card",
    [
        Card(lead=("x",), parts=(Table(head=("A", "B"), rows=(("a", "b"),) * 5_000),)),
        Card(lead=("x",), parts=(Bullets(items=(("an item",),) * 5_000),)),
        Card(lead=("x",), facts=(Fact(label="Job", value=("75",)),) * 5_000),
    ],
    ids=["rows", "items", "facts"],
)
def test_what_is_left_out_of_a_long_list_is_counted(card: Card) -> None:
    """99 of 5,000 stand there, one of them to say so."""
    assert "4,902 more" in shown(card)


def test_a_text_of_very_many_pieces_is_cut_as_a_whole() -> None:
    """A quote in every other character would make thousands of short pieces."""
    pieces = tuple(Mono(text="x") if n % 2 else "y" for n in range(40_000))

    said = shown(Card(lead=pieces, parts=(Paragraph(text=pieces),)))

    assert said.count("…") == 2


def test_a_full_select_and_long_buttons_are_counted_as_well() -> None:
    """Slack counts what stands on controls like any other text."""
    choices = tuple(Choice(label=f"{n:03d} {'n' * 70}", value=str(n)) for n in range(500))
    buttons = tuple(Button(action=str(n), label="b" * 75, value="v") for n in range(5))
    pick = Pick(action="go", placeholder="p" * 150, choices=choices)

    card = Card(lead=("x" * 5_000,), buttons=buttons, pick=pick, parts=(Excerpt(text=LOG),))

    assert "step 10000 of 10000" in shown(card)


def test_a_card_that_fits_is_left_alone() -> None:
    """Down to the spaces."""
    words = "  spaced \n out  "
    card = Card(lead=(words,), parts=(Excerpt(text=words), Paragraph(text=(words,))))

    assert texts(render(card)["blocks"]) == [words, words, words]
    assert plain(card.lead) == words


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("short\n", "short\n"),
        ("x" * 100, f"…{'x' * 10}"),
        ("first\nsecond\n" + "x" * 100, f"… 2 more lines above\n…{'x' * 10}"),
        ("ab\n" * 50, "… 47 more lines above\nab\nab\nab\n"),
    ],
)
def test_the_end_of_a_text_begins_with_a_whole_line_where_one_is_near(text: str, end: str) -> None:
    """Fifty characters, forty of them kept for the line that says what is missing."""
    assert last(text, 50) == end
