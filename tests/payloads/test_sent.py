"""Every payload that the bot sent while the other tests ran, checked three ways."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.payloads import checks
from tests.payloads.recorder import PAYLOADS, Json, recorded


@pytest.fixture(scope="module")
def payloads() -> Mapping[str, Json]:
    """What was sent in the session of tests that sent something last."""
    if not PAYLOADS.exists():
        pytest.skip(f"nothing was sent: tests/e2e writes {PAYLOADS.name}, and did not run here")
    return checks.named(recorded())


def test_something_was_sent_of_each_kind(payloads: Mapping[str, Json]) -> None:
    """The suite posts, updates and answers people alone."""
    methods = {payload["method"] for payload in payloads.values()}

    assert {"chat.postMessage", "chat.update", "response_url"} <= methods


def test_slack_s_models_write_what_they_read(payloads: Mapping[str, Json]) -> None:
    """slack_sdk knows each block, takes it, and drops nothing of it."""
    assert checks.by_models(payloads) == {}


def test_slack_s_types_compile(payloads: Mapping[str, Json]) -> None:
    """Each payload is a literal of the type of its method's arguments."""
    assert checks.by_types(payloads) == {}


def test_every_limit_is_kept(payloads: Mapping[str, Json]) -> None:
    """Those of Slack that neither knows, and our own rules."""
    assert checks.by_limits(payloads) == {}


def test_the_local_slack_refuses_nothing(payloads: Mapping[str, Json]) -> None:
    """Whatever else happened to a call, what it said is sound."""
    assert checks.by_slack(payloads) == {}
