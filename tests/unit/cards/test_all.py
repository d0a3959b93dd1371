"""What holds for every card there is."""

from __future__ import annotations

import pytest

from bot.card import Card, plain
from handlers.actions import ACTIONS
from tests.payloads.samples import cards, help_cards

SAMPLES = {**cards("train.sh"), **help_cards()}
HURTS = frozenset(
    {"cancel_job", "submit_again", "place_tokenizer", "free_singleton", "no_dependency"}
)
"""What ends, doubles or writes something that cannot be taken back."""

every = pytest.mark.parametrize("card", SAMPLES.values(), ids=SAMPLES.keys())


@every
def test_a_card_says_its_point_first(card: Card) -> None:
    """A notification shows the lead and nothing else."""
    assert plain(card.lead).strip()


@every
def test_at_most_one_button_is_emphasised_and_it_comes_first(card: Card) -> None:
    """One thing helps most."""
    emphasised = [n for n, button in enumerate(card.buttons) if button.style == "primary"]

    assert emphasised in ([], [0])


@every
def test_what_hurts_asks_first(card: Card) -> None:
    """A slip of the thumb ends no job."""
    for button in card.buttons:
        if button.action in HURTS or button.style == "danger":
            assert button.confirm.strip(), button.action


@every
def test_every_control_does_something_and_says_to_what(card: Card) -> None:
    """There is a use case behind each; two controls of a card never share an action."""
    used = [button.action for button in card.buttons] + ([card.pick.action] if card.pick else [])

    assert set(used) <= set(ACTIONS)
    assert len(used) == len(set(used))
    assert all(button.value and button.label for button in card.buttons)


def test_the_same_values_always_make_the_same_card() -> None:
    """The outbox writes nothing for a card that has not changed."""
    assert {**cards("train.sh"), **help_cards()} == SAMPLES
