"""A job's logs as they are shown."""

from __future__ import annotations

from bot.card import Card, Excerpt, plain
from bot.cards.logs import before_its_folder, log_card, no_log_card
from bot.job import State
from tests.payloads.values import tracked
from tests.unit.cards.saying import says

FAILED = tracked("train", State.FAILED)


def excerpts(card: Card) -> list[Excerpt]:
    """The excerpts of a card."""
    return [part for part in card.parts if isinstance(part, Excerpt)]


def test_a_log_is_shown_as_it_is() -> None:
    """Its own line breaks at the end aside."""
    card = log_card(FAILED, "train.out", "a\n  b\n\n", lines=40)

    assert [excerpt.text for excerpt in excerpts(card)] == ["a\n  b"]
    assert "train.out" in plain(card.lead)


def test_a_line_ends_where_its_words_do() -> None:
    """What a terminal was padded to would be empty lines on a phone."""
    card = log_card(FAILED, "the launcher", f"a{' ' * 500}\n{' ' * 512}\n  b\r\n", lines=40)

    assert [excerpt.text for excerpt in excerpts(card)] == ["a\n\n  b"]


def test_an_empty_log_and_one_without_a_match_are_told_apart() -> None:
    """Neither shows an empty frame."""
    empty = log_card(FAILED, "train.out", "\n", lines=40)
    no_match = log_card(FAILED, "train.out", "", lines=40, matching="NaN.*")

    assert empty.parts == no_match.parts == ()
    assert "NaN.*" in plain(no_match.lead)
    assert plain(empty.lead) != plain(no_match.lead)


def test_without_such_a_log_the_others_are_named() -> None:
    """Ten at most."""
    others = {f"/home/a/{n}.log": f"worker {n}" for n in range(30)}
    card = no_log_card(FAILED, "worker 99", others)

    assert says(card).count(".log") == 10
    assert "worker 99" in plain(card.lead)
    assert "worker 3" in says(card)


def test_slurms_own_output_stands_in_for_a_log_that_never_came() -> None:
    """It says so first."""
    card = before_its_folder(FAILED, log_card(FAILED, "slurm-75.out", "no such image", lines=40))

    assert "ended before it wrote such a log" in plain(card.lead)
    assert [excerpt.text for excerpt in excerpts(card)] == ["no such image"]
