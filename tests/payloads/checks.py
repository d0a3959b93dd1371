"""All the ways at once, over many payloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from tests.payloads import limits, models, oracle, typescript
from tests.payloads.recorder import Json

SHOWN = 5
"""Bad payloads that a failed test tells of."""


def by_models(payloads: Mapping[str, Json]) -> Mapping[str, list[str]]:
    """Return what Slack's Python models find, by name of the payload."""
    return _each(models.problems, payloads)


def by_types(payloads: Mapping[str, Json]) -> Mapping[str, list[str]]:
    """Return what the compiler finds."""
    names = list(payloads)
    found = typescript.problems(list(payloads.values()))
    return _few({names[number]: problems for number, problems in found.items()})


def by_limits(payloads: Mapping[str, Json]) -> Mapping[str, list[str]]:
    """Return what breaks a limit or a rule."""
    return _each(limits.problems, payloads)


def by_slack(payloads: Mapping[str, Json]) -> Mapping[str, list[str]]:
    """Return what the local Slack refuses."""
    return _each(oracle.problems, payloads)


def named(payloads: Sequence[Json]) -> Mapping[str, Json]:
    """Return payloads by number and method."""
    return {f"{number} {one['method']}": one for number, one in enumerate(payloads)}


def _each(
    look: Callable[[Json], list[str]], payloads: Mapping[str, Json]
) -> Mapping[str, list[str]]:
    return _few({name: look(payload) for name, payload in payloads.items()})


def _few(found: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    bad = ((name, problems) for name, problems in found.items() if problems)
    return dict(islice(bad, SHOWN))
