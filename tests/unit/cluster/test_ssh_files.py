"""Private files over SFTP, against a real server: whole or not at all, read by nobody else."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.cluster.ssh import SshCluster
from bot.errors import ClusterUnreachable, CommandFailed
from tests.unit.cluster.login_server import LoginServer, login_server

SECRET = b"export HF_TOKEN=hf_secretsecretsecret1\n"


def to(content: bytes) -> Callable[[bytes], bytes]:
    """Whatever is there becomes this."""
    return lambda _old: content


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[LoginServer]:
    """A login node."""
    async with login_server(tmp_path) as running:
        yield running


@pytest.fixture
async def cluster(server: LoginServer) -> AsyncIterator[SshCluster]:
    """The door to it."""
    async with SshCluster("alice", server.login()) as door:
        yield door


async def test_a_new_file_and_its_folder_are_private(cluster: SshCluster, tmp_path: Path) -> None:
    """From the first moment on, whatever the account's umask."""
    path = tmp_path / ".sbatchat" / "secrets.sh"
    assert await cluster.rewrite(str(path), to(SECRET))
    assert path.read_bytes() == SECRET
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["secrets.sh"]


async def test_a_file_server_that_only_says_failure_is_put_in_words(
    cluster: SshCluster, tmp_path: Path
) -> None:
    """As it does of a full disk; what was there stays."""
    path = tmp_path / "secrets.sh"
    path.write_bytes(b"old")
    (tmp_path / "secrets.sh.part").mkdir()
    with pytest.raises(CommandFailed, match="disk may be full, its quota used up"):
        await cluster.rewrite(str(path), to(SECRET))
    assert path.read_bytes() == b"old"


async def test_what_is_so_already_is_left_alone(cluster: SshCluster, tmp_path: Path) -> None:
    """Unless others may read it."""
    path = tmp_path / "secrets.sh"
    await cluster.rewrite(str(path), to(SECRET))
    number = path.stat().st_ino
    assert not await cluster.rewrite(str(path), to(SECRET))
    assert path.stat().st_ino == number
    path.chmod(0o644)
    assert await cluster.rewrite(str(path), to(SECRET))
    assert path.stat().st_mode & 0o777 == 0o600


async def test_nothing_leaves_no_file(cluster: SshCluster, tmp_path: Path) -> None:
    """What was removed from the configuration is removed there."""
    path = tmp_path / "secrets.sh"
    assert not await cluster.rewrite(str(path), to(b""))
    await cluster.rewrite(str(path), to(SECRET))
    assert await cluster.rewrite(str(path), to(b""))
    assert not path.exists()


async def test_what_a_cut_left_behind_is_replaced(cluster: SshCluster, tmp_path: Path) -> None:
    """Its content is not kept, nor does it stop anybody."""
    path = tmp_path / "secrets.sh"
    (tmp_path / "secrets.sh.part").write_bytes(b"half")
    (tmp_path / "secrets.sh.part").chmod(0o644)
    assert await cluster.rewrite(str(path), to(SECRET))
    assert path.read_bytes() == SECRET
    assert not (tmp_path / "secrets.sh.part").exists()


async def test_a_link_is_left_alone(cluster: SshCluster, tmp_path: Path) -> None:
    """It could lead anywhere."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("people's own")
    (tmp_path / "auth.sh").symlink_to(elsewhere)
    with pytest.raises(CommandFailed, match="symbolic link"):
        await cluster.rewrite(str(tmp_path / "auth.sh"), to(SECRET))
    assert elsewhere.read_text() == "people's own"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
async def test_somebody_elses_file_is_left_alone(cluster: SshCluster, tmp_path: Path) -> None:
    """Its owner could read what is written into it."""
    path = tmp_path / "auth.sh"
    path.write_text("theirs")
    os.chown(path, 65534, 65534)
    with pytest.raises(CommandFailed, match="another account"):
        await cluster.rewrite(str(path), to(SECRET))
    assert path.read_text() == "theirs"
    assert not (tmp_path / "auth.sh.part").exists()


async def test_a_file_that_changes_meanwhile_is_left_alone(
    cluster: SshCluster, tmp_path: Path
) -> None:
    """What people write is not lost."""
    path = tmp_path / "auth.sh"
    path.write_text("old\n")

    def change(old: bytes) -> bytes:
        path.write_text("a person's new line\n")
        return old + SECRET

    with pytest.raises(CommandFailed, match="meanwhile"):
        await cluster.rewrite(str(path), change)
    assert path.read_text() == "a person's new line\n"
    assert not (tmp_path / "auth.sh.part").exists()


async def test_a_folder_that_is_missing_is_told(cluster: SshCluster, tmp_path: Path) -> None:
    """Only the last folder of the path is made."""
    with pytest.raises(CommandFailed, match="cannot be written"):
        await cluster.rewrite(str(tmp_path / "a" / "b" / "c"), to(SECRET))


async def test_a_login_node_without_sftp_is_told(tmp_path: Path) -> None:
    """Some sites turn it off."""
    async with login_server(tmp_path) as server:
        server.sftp = False
        await server.stop()
        await server.start()
        async with SshCluster("alice", server.login()) as door:
            with pytest.raises(CommandFailed, match="SFTP"):
                await door.rewrite(str(tmp_path / "x"), to(SECRET))


async def test_a_cut_connection_is_an_outage_and_mends(
    server: LoginServer, cluster: SshCluster, tmp_path: Path
) -> None:
    """The file is the old one or the new one."""
    path = tmp_path / "x"
    await cluster.rewrite(str(path), to(b"old"))
    server.cut()
    assert await cluster.rewrite(str(path), to(b"new"))
    await server.stop()
    with pytest.raises(ClusterUnreachable):
        await cluster.rewrite(str(path), to(b"newer"))
    assert path.read_bytes() == b"new"


async def test_many_at_once_share_what_there_is(cluster: SshCluster, tmp_path: Path) -> None:
    """They wait for a session like any query."""
    paths = [tmp_path / str(number) for number in range(20)]
    await asyncio.gather(*(cluster.rewrite(str(path), to(SECRET)) for path in paths))
    assert {path.read_bytes() for path in paths} == {SECRET}


async def test_no_content_is_logged(
    cluster: SshCluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither by us nor by the library."""
    caplog.set_level(logging.DEBUG)
    await cluster.rewrite(str(tmp_path / "x"), to(SECRET))
    assert not [record for record in caplog.records if "secretsecret" in str(record.__dict__)]
