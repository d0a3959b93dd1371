"""Every card that the bot can make, with words that nobody wants, checked three ways."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Mapping
from itertools import groupby

import pytest
import pytest_asyncio

import bot.cards
from bot.card import Card
from handlers.blocks.card import render
from tests.payloads import checks
from tests.payloads.recorder import Json
from tests.payloads.samples import cards, help_cards
from tests.payloads.sending import sent
from tests.payloads.words import NASTY


@pytest.fixture(scope="module")
def made() -> Mapping[str, Card]:
    """Every sample by its name and what is special about its words."""
    said = {
        f"{name} ({about})": card
        for about, word in NASTY.items()
        for name, card in cards(word).items()
    }
    return {**help_cards(), **said}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def payloads(made: Mapping[str, Card]) -> Mapping[str, Json]:
    """What goes over the wire: usual words in every way, others once for each function."""
    usual = {**cards("train.sh"), **help_cards()}
    others = [_fullest(function) for _, function in groupby(made.items(), _function)]
    return checks.named([*await sent(usual.values()), *await sent(others, in_every_way=False)])


def _function(sample: tuple[str, Card]) -> tuple[str, str]:
    """The function that made a sample, and what is special about its words."""
    name = sample[0]
    return name.partition("/")[0], name.rpartition(" (")[2]


def _fullest(samples: Iterable[tuple[str, Card]]) -> Card:
    return max((card for _, card in samples), key=lambda card: len(card.model_dump_json()))


def test_every_function_that_makes_a_card_has_a_sample(made: Mapping[str, Card]) -> None:
    """A new card is checked from its first day, or this fails."""
    assert _makers() - {name.partition("/")[0] for name in made} == set()


def _makers() -> set[str]:
    """Every public function of `bot.cards` that returns a card."""
    found = set()
    for info in pkgutil.iter_modules(bot.cards.__path__):
        module = importlib.import_module(f"bot.cards.{info.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            ours = function.__module__ == module.__name__ and not name.startswith("_")
            if ours and str(function.__annotations__.get("return", "")).startswith("Card"):
                found.add(f"{info.name}.{name}")
    return found


def test_whatever_the_words_slack_takes_the_card(made: Mapping[str, Card]) -> None:
    """No text is too long or empty, no list too long, and nothing untrusted is parsed."""
    drawn = {
        name: {"method": "chat.postMessage", "arguments": render(card)}
        for name, card in made.items()
    }

    assert checks.by_limits(drawn) == {}
    assert checks.by_slack(drawn) == {}


def test_slack_s_models_write_what_they_read(payloads: Mapping[str, Json]) -> None:
    """slack_sdk knows each block, takes it, and drops nothing of it."""
    assert checks.by_models(payloads) == {}


def test_slack_s_types_compile(payloads: Mapping[str, Json]) -> None:
    """Each payload is a literal of the type of its method's arguments."""
    assert checks.by_types(payloads) == {}


def test_every_limit_is_kept_on_the_wire(payloads: Mapping[str, Json]) -> None:
    """Redacting and sending add nothing that breaks one."""
    assert checks.by_limits(payloads) == {}
