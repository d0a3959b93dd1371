"""`/slurm secrets`: put in place, and shown without a value."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import SecretStr
from typing_extensions import override

from bot.card import Bullets, Card, plain
from bot.cluster_settings import ClusterSettings
from bot.errors import ClusterUnreachable
from bot.login_node import LoginNode
from bot.ports import Query, Verdict
from bot.redact import redact_card
from bot.secret import Secret
from bot.service import Service, secrets
from bot.store.sql_store import SqlStore
from tests.unit.cluster.local import LocalShell
from tests.unit.idle import Idle
from tests.unit.tracking import POLICY

T = TypeVar("T")
HUB = "HF_TOKEN"
HF, WB = "hf_secretvalue" + "1" * 20, "0123456789abcdef0123456789abcdef01234567"


class Cluster(LocalShell):
    """A login node that can be away."""

    name = "alice"
    away = False

    @override
    async def run(self, query: Query[T]) -> T:
        """Ask."""
        if self.away:
            raise ClusterUnreachable("alice@login:22 does not answer")
        return await super().run(query)


async def vouch(name: str, secret: SecretStr) -> Verdict:
    """Accept one value."""
    if name == "OTHER":
        return Verdict.NOT_ASKED
    return Verdict.ACCEPTED if secret.get_secret_value() == HF else Verdict.REFUSED


class Scene:
    """A login node with a home, and who asks it."""

    def __init__(self, home: Path, service: Service) -> None:
        self.home = home
        self.cluster = Cluster(home)
        self.service = service

    async def shows(self, **values: str) -> tuple[dict[str, str], list[str], Card]:
        """Ask with these secrets; give the rows by secret, and what is to be done."""
        held = {
            name: Secret(source=f"{name} in the bot's environment", value=SecretStr(value) or None)
            for name, value in values.items()
        }
        for name in [name for name, value in values.items() if not value]:
            held[name] = Secret(source=f"{name} in the bot's environment")
        settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
        node = LoginNode(settings=settings, policy=POLICY, cluster=self.cluster, secrets=held)
        card = await secrets.show(self.service, node)
        text = card.model_dump_json()
        assert not [value for value in values.values() if value and value in text]
        assert redact_card(card) == card
        bullets = [part for part in card.parts if isinstance(part, Bullets)]
        rows = {fact.label: plain(fact.value) for fact in card.facts}
        return rows, [plain(item) for part in bullets for item in part.items], card


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A home without anything."""
    idle = Idle()
    async with SqlStore("sqlite:///:memory:") as store:
        service = Service(
            store=store,
            nodes={},
            carrier=idle,
            wake=lambda: None,
            watch=idle,
            cluster_of=lambda _channel: "alice",
            vouch=vouch,
        )
        yield Scene(tmp_path, service)


async def test_all_is_well(scene: Scene) -> None:
    """They are put there by asking; nothing is to be done."""
    rows, todo, card = await scene.shows(HF_TOKEN=HF, WANDB_API_KEY=HF, OTHER="x" * 9)
    assert rows[HUB] == "present (the bot and the cluster); accepted by its service"
    assert rows["OTHER"] == "present (the bot and the cluster)"
    assert todo == []
    assert plain(card.lead) == "The secrets of alice are in place."
    assert (scene.home / ".sbatchat" / "secrets.sh").stat().st_mode & 0o777 == 0o600


async def test_what_is_absent_or_refused_is_named_with_what_to_do(scene: Scene) -> None:
    """Each with its own step."""
    rows, todo, card = await scene.shows(HF_TOKEN="", WANDB_API_KEY=WB)
    assert rows[HUB] == "absent (the bot and the cluster)"
    assert rows["WANDB_API_KEY"] == "present (the bot and the cluster); refused by its service"
    assert todo[0].startswith("HF_TOKEN is absent; put it into HF_TOKEN in the bot's environment")
    assert "wandb.ai/settings" in todo[1]
    assert "2 things" in plain(card.lead)


async def test_nothing_is_configured(scene: Scene) -> None:
    """What training needs most often is named."""
    rows, todo, card = await scene.shows()
    assert rows[HUB] == "not configured (the bot); absent (the cluster)"
    assert "[secrets]" in todo[0]
    assert plain(card.lead) == "No secret is configured for alice."
    assert not (scene.home / ".sbatchat").exists()


async def test_nemo_rls_own_file_is_kept_in_step(scene: Scene) -> None:
    """What people wrote stays; where it overrules the bot, that is said."""
    folder = scene.home / "vertex-oss-training" / "nemo_rl" / "configs"
    folder.mkdir(parents=True)
    (folder / "auth.sh").write_text("export MINE=1\n")
    rows, todo, _ = await scene.shows(HF_TOKEN=HF, WANDB_API_KEY=HF)
    assert rows[HUB] == (
        "present (the bot, the cluster and NeMo-RL's auth.sh); accepted by its service"
    )
    assert todo == []
    with (folder / "auth.sh").open("a") as file:
        file.write("export HF_TOKEN=hf_mine\n")
    rows, todo, _ = await scene.shows(HF_TOKEN=HF, WANDB_API_KEY=HF)
    assert rows[HUB] == (
        "present (the bot and the cluster); another value (NeMo-RL's auth.sh); "
        "accepted by its service"
    )
    assert "configs/auth.sh sets HF_TOKEN once more" in todo[0]
    rows, _, _ = await scene.shows(WANDB_API_KEY=HF)
    assert rows[HUB] == (
        "not configured (the bot); absent (the cluster); "
        "present, not from the bot (NeMo-RL's auth.sh)"
    )
    assert "export MINE=1\n" in (folder / "auth.sh").read_text()


async def test_a_link_in_place_of_the_file_is_told_and_left(scene: Scene) -> None:
    """The other file is in place all the same."""
    folder = scene.home / "vertex-oss-training" / "nemo_rl" / "configs"
    folder.mkdir(parents=True)
    (folder / "auth.sh").symlink_to(scene.home / "elsewhere")
    rows, todo, _ = await scene.shows(HF_TOKEN=HF, WANDB_API_KEY=HF)
    assert rows[HUB] == (
        "present (the bot and the cluster); absent (NeMo-RL's auth.sh); accepted by its service"
    )
    assert "symbolic link" in todo[0]
    assert not (scene.home / "elsewhere").exists()


async def test_a_cluster_that_is_away_hides_nothing_else(scene: Scene) -> None:
    """The bot and the services are shown all the same."""
    scene.cluster.away = True
    rows, todo, _ = await scene.shows(HF_TOKEN=HF, WANDB_API_KEY=HF)
    assert rows[HUB] == ("present (the bot); not known (the cluster); accepted by its service")
    assert todo == ["alice@login:22 does not answer."]


async def test_what_was_taken_out_of_the_configuration_goes_without_a_launch(scene: Scene) -> None:
    """From both files; where NeMo-RL has none yet, none is made."""
    folder = scene.home / "vertex-oss-training" / "nemo_rl" / "configs"
    folder.mkdir(parents=True)
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))

    async def renewed(**values: str) -> bool:
        held = {name: Secret(source="x", value=SecretStr(value)) for name, value in values.items()}
        node = LoginNode(settings=settings, policy=POLICY, cluster=scene.cluster, secrets=held)
        return await node.renew_secrets()

    assert await renewed(HF_TOKEN=HF)
    assert not (folder / "auth.sh").exists()
    (folder / "auth.sh").write_text("export MINE=1\n")
    assert await renewed(HF_TOKEN=HF)
    assert HF in (folder / "auth.sh").read_text()
    assert not await renewed(HF_TOKEN=HF)
    assert await renewed()
    assert (folder / "auth.sh").read_text() == "export MINE=1\n"
    assert HF not in (scene.home / ".sbatchat" / "secrets.sh").read_text()
