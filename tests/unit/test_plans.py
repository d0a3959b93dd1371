"""What an errand is given: where from, where to, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cluster.errand import SCRIPTS
from bot.cluster_settings import ClusterSettings, NemoRlSettings
from bot.errors import InputRefused
from bot.login_node import LoginNode
from bot.service.plans import PLANS, region_of
from bot.store.sql_store import SqlStore
from handlers.commands import COMMANDS
from handlers.commands.errands import begin
from tests.unit.pulling import POLICY, Login, Scene, scene

__all__ = ["scene"]


async def test_the_region_is_known_or_asked_for(tmp_path: Path) -> None:
    """From the setting, from the name of a host or zone, or from the person."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        for name, region in (("us-central1", "us"), ("europe", "europe")):
            home = tmp_path / name
            home.mkdir()
            assert await region_of(Scene(store, home, region=name).node) == region
    for host, region in (
        ("nic0.login.asia-southeast1-b.c.p.internal.gcpnode.com", "asia"),
        ("login-us-east4", "us"),
    ):
        settings = ClusterSettings(host=host, known_hosts=Path("/dev/null"))
        login = Login(tmp_path)
        node = LoginNode(settings=settings, policy=POLICY, cluster=login)
        assert await region_of(node) == region
        assert login.asked == []
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    node = LoginNode(settings=settings, policy=POLICY, cluster=Login(tmp_path))
    with pytest.raises(InputRefused) as refused:
        await region_of(node)
    assert "--region us" in refused.value.errors[0].hint


@pytest.mark.parametrize(
    ("to", "hint"),
    [
        ("", "Jobs of `/nemo-rl run` take it"),
        (" --to ~/images/other.sqsh", "Jobs of `/nemo-rl run` take `{home}/rl/nemo_rl.sqsh`"),
    ],
)
async def test_an_image_of_nemo_rl_says_whether_jobs_take_it(
    tmp_path: Path, to: str, hint: str
) -> None:
    """They look in one place; elsewhere it helps nobody."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        scene = Scene(store, tmp_path, region="us")
        rl = NemoRlSettings(dir="~/rl", image="nemo_rl.sqsh")
        settings = scene.node.settings.model_copy(update={"nemo_rl": rl})
        scene.node = LoginNode(settings=settings, policy=POLICY, cluster=scene.login)
        await scene.wish(scene.act(id="a1"), f"image pull nemo-rl{to}")
        assert (await scene.errand()).hint == hint.format(home=tmp_path)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("image pull /etc/x.sqsh", "image"),
        ("image pull {source} --to /etc/x.sqsh", "to"),
    ],
)
async def test_places_that_may_not_be_used_are_refused_at_once(
    scene: Scene, text: str, field: str
) -> None:
    """Before anything is begun."""
    with pytest.raises(InputRefused) as refused:
        await scene.wish(scene.act(), text.format(source=scene.source))
    assert refused.value.errors[0].field == field
    assert await scene.store.open_errands("alice") == []


def test_whatever_can_be_wished_has_a_script_and_a_subcommand() -> None:
    """And no script is left over."""
    begun = {name for name, run in COMMANDS.items() if run is begin}
    assert set(PLANS) == set(SCRIPTS) == begun
