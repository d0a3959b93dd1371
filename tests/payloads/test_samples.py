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

Made = Mapping[str, Mapping[str, Card]]

LONG = 20_000
"""Characters that only a log has; redacting so many in every field takes its time."""


@pytest.fixture(scope="module")
def made() -> Made:
    """Every sample: what is special about its words → its function and variant → the card."""
    return {"help": help_cards(), **{about: cards(word) for about, word in NASTY.items()}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def payloads(made: Made) -> Mapping[str, Json]:
    """What goes over the wire: usual words in every way, others once for each function."""
    usual = [*made["plain"].values(), *made["help"].values()]
    once = [
        card
        for about, word in NASTY.items()
        for function, card in _fullest(made[about])
        if len(word) < LONG or function == "logs.log_card"
    ]
    return checks.named([*await sent(usual), *await sent(once, in_every_way=False)])


def _fullest(samples: Mapping[str, Card]) -> Iterable[tuple[str, Card]]:
    """The most that each function makes of the same words."""
    for function, group in groupby(sorted(samples), _function):
        yield function, max((samples[name] for name in group), key=_pieces)


def _function(name: str) -> str:
    return name.partition("/")[0]


def _pieces(card: Card) -> int:
    return len(card.facts) + len(card.parts) + len(card.buttons) + len(card.foot)


def test_every_function_that_makes_a_card_has_a_sample(made: Made) -> None:
    """A new card is checked from its first day, or this fails."""
    assert _makers() - set(map(_function, made["plain"])) == set()


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


def test_whatever_the_words_slack_takes_the_card(made: Made) -> None:
    """No text is too long or empty, no list too long, and nothing untrusted is parsed."""
    drawn = {
        f"{name} ({about})": {"method": "chat.postMessage", "arguments": render(card)}
        for about, samples in made.items()
        for name, card in samples.items()
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
