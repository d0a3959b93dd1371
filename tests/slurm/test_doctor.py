"""The doctor at a real cluster, well and unwell."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import asyncssh
import pytest

from bot.check import Check
from bot.cluster_settings import ClusterSettings
from bot.demo.cluster import ClusterAddress, EmbeddedCluster
from bot.doctor.cluster import cluster_checks
from tests.cluster_fixture import Person

USER, CHANNEL = "U0RESEARCH1", "C0TRAINING1"
ROOT = Path(__file__).parents[2]


def configured(address: ClusterAddress, **changes: object) -> ClusterSettings:
    """Return the settings of the embedded cluster."""
    return ClusterSettings.model_validate(
        {
            "host": address.host,
            "port": address.port,
            "user": address.user,
            "key": str(address.key),
            "known_hosts": str(address.known_hosts),
            "nemo": {
                "dir": address.workdir,
                "images": address.images,
                "image": "nemo-20250721.sqsh",
            },
            "nemo_rl": {"dir": address.nemo_rl, "image": "nemo_rl-h20260302.sqsh"},
            "images": {"region": address.beyond.zone, "mount": address.gcs},
            "allow": {"users": [USER], "channels": [CHANNEL]},
            **changes,
        },
        context={"base": Path("/")},
    )


async def failing(how: ClusterSettings) -> dict[str, Check]:
    """Return the checks that fail, by what they are about."""
    checks = await cluster_checks("alice", how)
    return {check.name.partition(": ")[2]: check for check in checks if not check.ok}


@pytest.fixture
def how(alice: Person) -> Callable[..., ClusterSettings]:
    """Return settings with changes."""

    def change(**changes: object) -> ClusterSettings:
        return configured(alice.address, **changes)

    return change


async def test_a_sound_cluster_passes(how: Callable[..., ClusterSettings]) -> None:
    """And says what it found."""
    checks = await cluster_checks("alice", how())
    assert [check.line for check in checks if not check.ok] == []
    said = {check.name: check.detail for check in checks}
    assert "cluster alice" in said["alice: Slurm"]
    assert "a3m (" in said["alice: partitions"]
    assert "/sbatch" in said["alice: programs"]
    assert "branch release-allowlist-ga" in said["alice: recipes"]
    assert "lets the account in" in said["alice: git server"]
    assert "can be read" in said["alice: buckets"]
    assert {"alice: run.py", "alice: NeMo-RL", "alice: NeMo-RL image", "alice: gcloud"} < set(said)


async def test_what_is_taken_away_is_missed(
    how: Callable[..., ClusterSettings], alice: Person
) -> None:
    """Credentials, the login at Google Cloud, the end of an image, NeMo-RL's launcher."""
    images, rl = alice.address.images, alice.address.nemo_rl
    image = f"{images}/nemo-20250721.sqsh"
    hidden = (f"{image}", "$HOME/.gitcookies", "$HOME/.config/gcloud", f"{rl}/launch.sh")
    away = " && ".join(f"mv {path} {path}.away" for path in hidden)
    back = " && ".join(f"mv {path}.away {path}" for path in hidden)
    await alice.ssh(f"{away} && head -c 1000000 {image}.away >{image}")
    try:
        found = await failing(how())
    finally:
        await alice.ssh(f"rm -f {image} && {back}")
    assert set(found) == {"image", "git server", "gcloud", "NeMo-RL"}
    assert "cut short" in found["image"].detail
    assert "googlesource.com/new-password" in found["git server"].fix
    assert "gcloud auth login" in found["gcloud"].fix
    assert not await failing(how())


async def test_a_host_key_that_is_not_the_pinned_one(
    how: Callable[..., ClusterSettings], tmp_path: Path, alice: Person
) -> None:
    """Nobody logs in to a stranger."""
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
    address = alice.address
    pinned = tmp_path / "known_hosts"
    pinned.write_text(f"[{address.host}]:{address.port} {other}")
    found = await failing(how(known_hosts=str(pinned)))
    assert list(found) == ["reach"]
    assert f"{pinned}:1" in found["reach"].detail
    assert "ssh-keyscan" in found["reach"].fix


async def test_a_key_that_is_not_authorized(
    how: Callable[..., ClusterSettings], tmp_path: Path
) -> None:
    """The fix names the file to change."""
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(tmp_path / "key")
    found = await failing(how(key=str(tmp_path / "key")))
    assert list(found) == ["reach"]
    assert "authorized_keys" in found["reach"].fix


async def test_nobody_listens(how: Callable[..., ClusterSettings]) -> None:
    """A wrong port, or a login node that is down."""
    found = await failing(how(port=9))
    assert list(found) == ["reach"]
    assert "proxy_jump" in found["reach"].fix


async def test_a_key_file_that_is_no_key(
    how: Callable[..., ClusterSettings], tmp_path: Path
) -> None:
    """Told before anything is tried."""
    (tmp_path / "key").write_text("nothing")
    found = await failing(how(key=str(tmp_path / "key")))
    assert list(found) == ["reach"]


async def test_a_spool_that_others_may_read(
    how: Callable[..., ClusterSettings], alice: Person
) -> None:
    """It holds what people launched."""
    await alice.ssh("mkdir -p ~/.sbatchat && chmod 755 ~/.sbatchat")
    try:
        found = await failing(how())
        assert list(found) == ["spool folder"]
    finally:
        await alice.ssh("chmod 700 ~/.sbatchat")
    assert not await failing(how())


async def test_configuration_that_the_cluster_does_not_know(
    how: Callable[..., ClusterSettings],
) -> None:
    """Each is told by itself."""
    found = await failing(
        how(
            default_partition="general",
            nemo={"dir": "~/nowhere", "image": "none.sqsh"},
            allow={},
        )
    )
    assert set(found) == {"partitions", "recipes", "allow"}
    assert "a3m" in found["partitions"].fix


async def test_slurm_is_down(how: Callable[..., ClusterSettings], cluster: EmbeddedCluster) -> None:
    """The login node is well, and says so."""
    await cluster.stop_daemon("slurmctld")
    try:
        found = await failing(how())
    finally:
        await cluster.start_daemon("slurmctld")
    assert list(found) == ["Slurm"]


async def test_the_command_line(tmp_path: Path, alice: Person) -> None:
    """JSON for scripts, lines for people; status 1 as long as something is to be done."""
    address = alice.address
    file = tmp_path / "sbatchat.toml"
    file.write_text(
        f"""
[store]
url = "sqlite:///{tmp_path}/bot.db"
[clusters.alice]
host = "{address.host}"
port = {address.port}
user = "{address.user}"
key = "{address.key}"
known_hosts = "{address.known_hosts}"
"""
    )
    environment = {
        **os.environ,
        "SBATCHAT_CONFIG": str(file),
        "SLACK_API_URL": "http://127.0.0.1:9/api/",
        "SLACK_BOT_TOKEN": "xoxb-1",
        "SLACK_APP_TOKEN": "xapp-1",
    }
    answers = []
    for options in (["--json"], []):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "doctor", *options),
            cwd=ROOT,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
        )
        stdout, _ = await process.communicate()
        assert process.returncode == 1
        answers.append(stdout.decode())
    checks = json.loads(answers[0])
    assert {"name", "ok", "detail", "fix"} == set(checks[0])
    failed = {check["name"] for check in checks if not check["ok"]}
    assert failed == {"slack: bot token", "alice: allow"}
    assert "FAIL  alice: allow: nobody may use it" in answers[1]
