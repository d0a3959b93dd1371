"""What the bot remembers of a cluster, and what it asks again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pydantic import SecretStr

from bot.cluster_settings import ClusterSettings, NemoSettings
from bot.errors import ClusterUnreachable, InputRefused
from bot.login_node import LoginNode
from bot.model import Caller, File, Request
from bot.ports import Query
from bot.secret import Secret
from bot.workloads import WORKLOADS
from tests.unit.cluster.local import LocalShell
from tests.unit.cluster.slurm.answers import rows
from tests.unit.fake_slurm import FakeSlurm
from tests.unit.tracking import POLICY, a_request

T = TypeVar("T")
A3M = ("a3m*", "up", "infinite", "1:00:00", "2", "idle", "gpu:8")
A3U = ("a3u", "up", "1-00:00:00", "n/a", "2", "mixed", "gpu:8")


class LocalLogin:
    """This machine's shell as a login node."""

    name = "alice"

    def __init__(self, home: Path) -> None:
        self._shell = LocalShell(home)
        self.asked: list[str] = []

    async def run(self, query: Query[T]) -> T:
        """Ask."""
        self.asked.append(query.name)
        return await self._shell.run(query)

    async def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> bool:
        """Change a file."""
        return await self._shell.rewrite(path, change)


def login_node(slurm: FakeSlurm, **settings: Any) -> LoginNode:
    """A login node with these settings."""
    whole = ClusterSettings(host="login", known_hosts=Path("/dev/null"), **settings)
    return LoginNode(settings=whole, policy=POLICY, cluster=slurm)


@pytest.fixture
def slurm() -> FakeSlurm:
    """A Slurm with two partitions."""
    made = FakeSlurm()
    made.partitions = rows(A3M, A3U)
    return made


async def test_partitions_seen_just_now_serve_everybody(slurm: FakeSlurm) -> None:
    """A look is good for some seconds, unless somebody wants a fresh one."""
    node = login_node(slurm)
    assert [partition.name for partition in await node.partitions()] == ["a3m", "a3u"]
    await node.partitions()
    assert slurm.count("sinfo") == 1
    await node.partitions(within=0.0)
    assert slurm.count("sinfo") == 2


async def test_a_look_that_failed_is_no_look(slurm: FakeSlurm) -> None:
    """The next one asks again."""
    node = login_node(slurm)
    slurm.instead["sinfo"] = ClusterUnreachable("cut")
    with pytest.raises(ClusterUnreachable):
        await node.partitions()
    del slurm.instead["sinfo"]
    assert len(await node.partitions()) == 2


async def test_a_partition_is_found_by_its_name(slurm: FakeSlurm) -> None:
    """With what is free in it."""
    found = await login_node(slurm).partition("a3m")
    assert found is not None
    assert (found.free, found.gpus_per_node, found.default_time) == (2, 8, timedelta(hours=1))
    assert slurm.count("sinfo") == 1


async def test_an_unknown_partition_is_looked_up_again_at_once(slurm: FakeSlurm) -> None:
    """The administrator may just have made it."""
    node = login_node(slurm)
    assert await node.partition("new") is None
    slurm.partitions += rows(("new", "up", "infinite", "n/a", "1", "idle", "(null)"))
    assert await node.partition("new") is not None
    assert slurm.count("sinfo") == 3


async def test_jobs_that_name_no_partition_go_to_slurms_default(slurm: FakeSlurm) -> None:
    """Unless the configuration wishes another."""
    assert (await login_node(slurm).default_partition()).name == "a3m"
    wished = login_node(slurm, default_partition="a3u")
    assert (await wished.default_partition()).name == "a3u"


@pytest.mark.parametrize("wish", [None, "gone"])
async def test_without_a_default_a_partition_must_be_named(
    slurm: FakeSlurm, wish: str | None
) -> None:
    """The error names those that there are, also when the configured one is gone."""
    slurm.partitions = rows(("a3m", *A3M[1:]), A3U)
    with pytest.raises(InputRefused) as refused:
        await login_node(slurm, default_partition=wish).default_partition()
    [error] = refused.value.errors
    assert (error.field, error.hint) == ("partition", "There is `a3m`, `a3u`")


async def test_the_home_folder_is_asked_once(slurm: FakeSlurm) -> None:
    """And roots below it are absolute; the recipes' own folder need not be named."""
    node = login_node(slurm, roots=("~", "~/images", "/scratch"))
    recipes = "/home/alice/vertex-oss-training/nemo"
    assert await node.roots() == (
        "/home/alice",
        "/home/alice/images",
        "/scratch",
        recipes,
        f"{recipes}_rl",
    )
    assert (await node.site()).home == "/home/alice"
    assert slurm.count("home") == 1


async def test_a_configured_home_folder_is_not_asked_for(slurm: FakeSlurm) -> None:
    """The cluster's own answer is not wanted."""
    node = login_node(slurm, home="/data/alice", nemo=NemoSettings(python="python3"))
    assert (await node.site()).home == "/data/alice"
    assert slurm.asked == []


async def test_an_account_is_named_once_and_a_stranger_stays_a_number(slurm: FakeSlurm) -> None:
    """People are asked about again and again."""
    node = login_node(slurm)
    names = [await node.account(uid) for uid in ("50002", "50002", "4711")]
    assert names == ["bob", "bob", "4711"]
    assert slurm.count("id") == 2


async def test_what_runs_is_made_for_this_site(slurm: FakeSlurm) -> None:
    """The same options give the same launch, with the site's account."""
    node = login_node(slurm, account="research")
    files = (File(path="/home/alice/a.sh", text="true\n"),)
    wish = Request(
        id="r1",
        cluster=node.name,
        workload="slurm submit",
        options={"script": "~/train.sh", "nodes": 2},
        typed="",
        caller=Caller(team="T1", user="U1", channel="C1"),
        created=datetime.now(UTC),
        files=files,
    )
    spec = await node.spec(WORKLOADS["slurm submit"], wish)
    assert spec == await node.spec(WORKLOADS["slurm submit"], wish)
    assert spec.files == files
    assert spec.argv[0] == "sbatch"
    assert "--account=research" in spec.argv
    assert spec.argv[-1] == "/home/alice/train.sh"


def held(value: str) -> dict[str, Secret]:
    """A secret with this value."""
    return {"HF_TOKEN": Secret(source="here", value=SecretStr(value))}


async def test_the_cluster_holds_the_secrets_that_are_configured_and_no_others(
    slurm: FakeSlurm,
) -> None:
    """What has no value now is none; what was taken out of the configuration goes."""
    whole = ClusterSettings(host="login", known_hosts=Path("/dev/null"), home="/home/alice")
    own, auth = "/home/alice/.sbatchat/secrets.sh", "/home/alice/rl/configs/auth.sh"
    slurm.files[auth] = b"export MINE=1\n"
    absent = {"NGC_API_KEY": Secret(source="nowhere")}
    for secrets in (held("hf_a"), {**held("hf_b"), **absent}, {}):
        node = LoginNode(settings=whole, policy=POLICY, cluster=slurm, secrets=secrets)
        await node.put_secrets(auth)
        lines = [line for line in slurm.files[own].decode().splitlines() if line[:1] != "#"]
        given = [line for line in slurm.files[auth].decode().splitlines() if line[:1] != "#"]
        value = secrets["HF_TOKEN"].value if secrets else None
        expected = [f"export HF_TOKEN={value.get_secret_value()}"] if value else []
        assert lines == expected
        assert given == ["export MINE=1", *expected]


async def test_a_renewal_names_secrets_and_shows_none(
    slurm: FakeSlurm, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says what was done."""
    caplog.set_level("DEBUG")
    whole = ClusterSettings(host="login", known_hosts=Path("/dev/null"), home="/home/alice")
    secrets = held("hf_secretvalue")
    node = LoginNode(settings=whole, policy=POLICY, cluster=slurm, secrets=secrets)
    await node.put_secrets()
    await node.put_secrets()
    assert [record.__dict__["names"] for record in caplog.records] == [["HF_TOKEN"]]
    assert not [record for record in caplog.records if "secretvalue" in str(record.__dict__)]


async def test_what_set_up_made_is_used_once_it_is_there(tmp_path: Path) -> None:
    """Unless another python is configured; it is looked for again when a set-up has ended."""
    login = LocalLogin(tmp_path)
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    node = LoginNode(settings=settings, policy=POLICY, cluster=login)
    assert (await node.site()).python == "python3"
    python = tmp_path / "nemo-venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    assert (await node.site()).python == "python3"
    node.forget_python()
    assert (await node.site()).python == str(python)
    assert login.asked == ["home", "home"]
    chosen = settings.model_copy(update={"nemo": NemoSettings(python="/opt/python3")})
    node = LoginNode(settings=chosen, policy=POLICY, cluster=login)
    assert (await node.site()).python == "/opt/python3"


@pytest.mark.parametrize(
    ("workload", "options", "lacking"),
    [
        ("nemo-rl run", {"job_script": "dpo", "partition": "a3m"}, {"WANDB_API_KEY"}),
        ("slurm submit", {"script": "train.sh"}, set()),
    ],
)
async def test_a_launch_lacks_what_it_would_have_been_given(
    tmp_path: Path, workload: str, options: dict[str, str], lacking: set[str]
) -> None:
    """A script of one's own is given no secrets, so that it lacks none."""
    held = {
        "HF_TOKEN": Secret(source="a file", value=SecretStr("hf_x")),
        "WANDB_API_KEY": Secret(source="a file"),
    }
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    node = LoginNode(settings=settings, policy=POLICY, cluster=LocalLogin(tmp_path), secrets=held)
    request = a_request().model_copy(update={"workload": workload, "options": options})
    assert await node.lacking(WORKLOADS[workload], request) == lacking
