"""What Slack says of tokens, scopes and channels, in words of what to do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.check import Check
from bot.demo.slack.manifest import load
from bot.demo.slack.server import LocalSlack, assemble
from bot.demo.slack.workspace import GENERAL, PRIVATE, TRAINING
from bot.doctor.slack import slack_checks
from bot.settings import Settings

ROOT = Path(__file__).parents[3]


@pytest.fixture
async def slack() -> AsyncIterator[LocalSlack]:
    """A Slack with this app installed."""
    async with LocalSlack(assemble(load(ROOT / "manifest.yml"))) as running:
        yield running


def settings(
    slack: LocalSlack, *, channels: tuple[str, ...] = (TRAINING,), **more: str
) -> Settings:
    """Return the settings of a bot that is pointed at this Slack."""
    identity = slack.platform.identity
    tokens = {"bot_token": identity.bot_token, "app_token": identity.app_token, **more}
    known = {name: value for name, value in tokens.items() if value}
    return Settings.model_validate(
        {
            "slack": {"api_url": slack.api, **known},
            "clusters": {"alice": {"host": "login", "allow": {"channels": channels}}},
        }
    )


async def failing(how: Settings) -> dict[str, Check]:
    """Return the checks that fail, by name."""
    return {check.name: check for check in await slack_checks(how) if not check.ok}


async def test_a_sound_app_passes(slack: LocalSlack) -> None:
    """Token, scopes, delivery, channel."""
    found = await slack_checks(settings(slack))
    assert all(check.ok for check in found), [check.line for check in found]
    assert [check.name for check in found] == [
        "slack: bot token",
        "slack: scopes",
        "slack: app token",
        f"slack: channel {TRAINING}",
    ]


async def test_a_wrong_bot_token_is_the_only_thing_told(slack: LocalSlack) -> None:
    """Nothing else can be asked without it."""
    found = await failing(settings(slack, bot_token="xoxb-0-0-wrong"))  # noqa: S106  # it opens nothing
    assert list(found) == ["slack: bot token"]
    assert "invalid_auth" in found["slack: bot token"].detail


async def test_tokens_that_are_swapped_are_told_apart(slack: LocalSlack) -> None:
    """Each has its own beginning."""
    app = slack.platform.identity.app_token
    found = await failing(settings(slack, bot_token=app))
    assert "xoxb-" in found["slack: bot token"].fix
    bot = slack.platform.identity.bot_token
    found = await failing(settings(slack, app_token=bot))
    assert "xapp-" in found["slack: app token"].fix


async def test_scopes_that_were_not_granted_are_named(slack: LocalSlack) -> None:
    """Slack names those it granted in a header of each answer."""
    manifest = slack.platform.manifest
    slack.platform.manifest = replace(manifest, scopes=frozenset({"chat:write", "commands"}))
    found = await failing(settings(slack))
    assert "channels:history" in found["slack: scopes"].detail
    assert "App Manifest" in found["slack: scopes"].fix


async def test_a_scope_too_many_is_no_failure(slack: LocalSlack) -> None:
    """It is worth a word."""
    manifest = slack.platform.manifest
    slack.platform.manifest = replace(manifest, scopes=manifest.scopes | {"files:write"})
    found = await slack_checks(settings(slack))
    scopes = next(check for check in found if check.name == "slack: scopes")
    assert scopes.ok
    assert "files:write could be taken away" in scopes.detail


async def test_a_channel_without_the_bot_is_told(slack: LocalSlack) -> None:
    """A job could not be told of there."""
    found = await failing(settings(slack, channels=(GENERAL, PRIVATE, "C0NOSUCH001")))
    assert set(found) == {f"slack: channel {GENERAL}", "slack: channel C0NOSUCH001"}
    assert "/invite @sbatchat" in found[f"slack: channel {GENERAL}"].fix


async def test_without_an_app_token_slack_calls_the_bot(slack: LocalSlack) -> None:
    """Then requests must be signed."""
    found = await failing(settings(slack, app_token=""))
    assert "SLACK_SIGNING_SECRET" in found["slack: delivery"].fix
    assert not await failing(settings(slack, app_token="", signing_secret="s" * 32))


async def test_a_slack_that_does_not_answer_is_told() -> None:
    """No trace, no token in the words."""
    how = Settings.model_validate(
        {"slack": {"api_url": "http://127.0.0.1:9/api/", "bot_token": "xoxb-secret-token"}}
    )
    found = await failing(how)
    assert "no answer" in found["slack: bot token"].detail
    assert "secret" not in "".join(check.line for check in found.values())


async def test_a_missing_token_is_told() -> None:
    """Where it comes from, too."""
    found = await failing(Settings())
    assert "SLACK_BOT_TOKEN" in found["slack: bot token"].fix
