"""Each way of checking notices what it is there for, and takes what is sound."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.payloads import limits, models, oracle, typescript
from tests.payloads.planted import PLANTED, Planted


@pytest.fixture(scope="module")
def compiled() -> Mapping[str, list[str]]:
    """What the compiler says of each planted payload."""
    found = typescript.problems([planted.payload for planted in PLANTED])
    return {planted.about: found.get(number, []) for number, planted in enumerate(PLANTED)}


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.about)
def test_a_bad_payload_is_noticed_by_just_these_ways(
    planted: Planted, compiled: Mapping[str, list[str]]
) -> None:
    """None of the ways is there in vain, and none stands in for another."""
    said = {
        "models": models.problems(planted.payload),
        "types": compiled[planted.about],
        "limits": limits.problems(planted.payload),
        "slack": oracle.problems(planted.payload),
    }

    assert {way for way, problems in said.items() if problems} == planted.ways, said
