"""Every way to a login node that can be configured, with real sshds."""

from __future__ import annotations

import asyncio
import getpass
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from bot.cluster.ssh import SshCluster
from bot.cluster_settings import ClusterSettings
from bot.errors import AccessRefused, ClusterUnreachable
from bot.wiring import login
from tests.cluster_fixture import Person
from tests.slurm.doors import login as login_of
from tests.slurm.doors import sh
from tests.slurm.sshds import Sshd, agent, link, sshd, told


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[Sshd]:
    """A login node."""
    async with sshd(tmp_path / "node") as running:
        yield running


@pytest.fixture
def pins(node: Sshd, tmp_path: Path) -> Path:
    """Its pinned host key."""
    path = tmp_path / "known_hosts"
    node.pin(path)
    return path


async def test_through_a_bastion(node: Sshd, pins: Path, tmp_path: Path) -> None:
    """Both host keys are checked; when the bastion has been away, it is used again."""
    async with sshd(tmp_path / "bastion") as bastion:
        bastion.pin(pins)
        keys = (node.key, bastion.key)
        how = node.login(pins, proxy_jump=f"127.0.0.1:{bastion.port}", keys=keys)
        async with SshCluster("alice", how) as door:
            first = await door.run(sh("echo $SSH_CONNECTION"))
            assert first.split()[3] == str(node.port)
            assert await door.rewrite(str(tmp_path / "x"), lambda _old: b"y")
        assert "Accepted publickey" in (bastion.folder / "sshd.log").read_text()
    async with SshCluster("alice", how) as door:
        with pytest.raises(ClusterUnreachable, match=str(bastion.port)):
            await door.run(sh("true"))


async def test_a_bastion_that_is_not_the_pinned_one(node: Sshd, pins: Path, tmp_path: Path) -> None:
    """Nothing passes through a stranger."""
    async with sshd(tmp_path / "bastion") as bastion:
        how = node.login(pins, proxy_jump=f"127.0.0.1:{bastion.port}", keys=(bastion.key,))
        async with SshCluster("alice", how) as door:
            with pytest.raises(AccessRefused, match=rf":{bastion.port}: the host key"):
                await door.run(sh("true"))


async def certified(folder: Path, key: Path, valid: str) -> Path:
    """Let a CA sign a key for the calling user; gives the certificate."""
    await told(
        *(
            "ssh-keygen",
            "-q",
            "-s",
            str(folder / "ca"),
            "-I",
            "bot",
            "-n",
            getpass.getuser(),
            "-V",
            valid,
        ),
        str(key.with_suffix(".pub")),
    )
    return key.with_name(f"{key.name}-cert.pub")


async def test_with_a_certificate(tmp_path: Path) -> None:
    """The key itself is known to nobody; an expired certificate opens nothing."""
    ca = tmp_path / "ca"
    lines = (f"TrustedUserCAKeys {ca}.pub", "AuthorizedKeysFile none")
    await told("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(ca))
    async with sshd(tmp_path / "node", *lines) as node:
        pins = tmp_path / "known_hosts"
        node.pin(pins)
        async with SshCluster("alice", node.login(pins)) as door:
            with pytest.raises(AccessRefused, match="refuses the login"):
                await door.run(sh("true"))
        certificate = await certified(tmp_path, node.key, "-1m:+5m")
        how = node.login(pins, certificates=(certificate,))
        async with SshCluster("alice", how) as door:
            assert await door.run(sh("echo ok")) == "ok"
        await certified(tmp_path, node.key, "-10m:-5m")
        async with SshCluster("alice", how) as door:
            with pytest.raises(AccessRefused):
                await door.run(sh("true"))


async def test_with_an_agent(
    node: Sshd, pins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot reads no key; without the agent nothing opens."""
    bare = ClusterSettings.model_validate(
        {
            "host": "127.0.0.1",
            "port": node.port,
            "agent": True,
            "known_hosts": str(pins),
        },
        context={"base": tmp_path},
    )
    async with agent(tmp_path, node.key) as path:
        node.key.unlink()
        monkeypatch.setenv("SSH_AUTH_SOCK", str(path))
        async with SshCluster("alice", login(bare)) as door:
            assert await door.run(sh("echo ok")) == "ok"
    async with SshCluster("alice", login(bare)) as door:
        with pytest.raises((AccessRefused, ClusterUnreachable)):
            await door.run(sh("true"))


async def test_a_network_that_falls_silent(node: Sshd, pins: Path, tmp_path: Path) -> None:
    """Noticed after three keepalives without an answer, not after each query's own patience."""
    async with link(node.port) as wire:
        node.pin(pins, wire.port)
        how = node.login(pins, port=wire.port, keepalive=0.3, connect_timeout=1.0)
        async with SshCluster("alice", how) as door:
            assert await door.run(sh("echo ok")) == "ok"
            wire.silent = True
            began = time.monotonic()
            results = await asyncio.gather(
                door.run(sh("sleep 0.1; echo late")),
                door.run(sh("echo late")),
                door.rewrite(str(tmp_path / "x"), lambda _old: b"y"),
                return_exceptions=True,
            )
            assert {type(result) for result in results} == {ClusterUnreachable}
            assert time.monotonic() - began < 6
            since = door.health.failing_since
            assert since is not None
            for _ in range(3):
                began = time.monotonic()
                with pytest.raises(ClusterUnreachable):
                    await door.run(sh("true"))
                assert time.monotonic() - began < 4
            assert door.health.failing_since == since
            wire.silent = False
            async with asyncio.timeout(30):
                while door.health.failing_since is not None:
                    await asyncio.sleep(0.2)
                    try:
                        await door.run(sh("echo ok"))
                    except ClusterUnreachable:
                        continue


async def test_a_bastion_that_falls_silent(node: Sshd, pins: Path, tmp_path: Path) -> None:
    """Both hops are watched."""
    async with sshd(tmp_path / "bastion") as bastion, link(bastion.port) as wire:
        bastion.pin(pins, wire.port)
        keys = (node.key, bastion.key)
        jump = f"127.0.0.1:{wire.port}"
        how = node.login(pins, proxy_jump=jump, keys=keys, keepalive=0.3, connect_timeout=1.0)
        async with SshCluster("alice", how) as door:
            assert await door.run(sh("echo ok")) == "ok"
            wire.silent = True
            began = time.monotonic()
            with pytest.raises(ClusterUnreachable):
                await door.run(sh("sleep 60"))
            assert time.monotonic() - began < 6
            with pytest.raises(ClusterUnreachable):
                await door.run(sh("true"))
            wire.silent = False
            async with asyncio.timeout(30):
                while True:
                    try:
                        assert await door.run(sh("echo ok")) == "ok"
                    except ClusterUnreachable:
                        await asyncio.sleep(0.2)
                    else:
                        break


async def test_a_port_that_takes_connections_and_says_nothing(node: Sshd, pins: Path) -> None:
    """Given up after the configured time."""
    async with link(node.port) as wire:
        wire.silent = True
        node.pin(pins, wire.port)
        async with SshCluster("alice", node.login(pins, port=wire.port, connect_timeout=0.5)) as d:
            began = time.monotonic()
            with pytest.raises(ClusterUnreachable, match="does not answer"):
                await d.run(sh("true"))
            assert time.monotonic() - began < 3


def pipe(node: Sshd, *, warns: str = "") -> tuple[str, ...]:
    """A program that leads to the node, and warns in the middle of it."""
    script = """
import os, socket, sys, threading
reached = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def send():
    while piece := os.read(0, 65536):
        reached.sendall(piece)
        os.write(2, sys.argv[2].encode())
threading.Thread(target=send, daemon=True).start()
while piece := reached.recv(65536):
    os.write(1, piece)
"""
    return ("python3", "-c", script, str(node.port), warns)


async def test_what_a_tunnel_warns_of_is_no_part_of_the_connection(
    node: Sshd, pins: Path, tmp_path: Path
) -> None:
    """gcloud says that numpy would be faster, whenever it likes."""
    how = node.login(pins, proxy_command=pipe(node, warns="WARNING: consider NumPy\n"))
    async with SshCluster("alice", how) as door:
        for number in range(20):
            assert await door.run(sh('echo "$1"', str(number))) == str(number)
        assert await door.rewrite(str(tmp_path / "x"), lambda _old: b"y" * 100_000)


def running(mark: str) -> int:
    """How many programs on this machine have this word among their arguments."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += mark.encode() in path.read_bytes().split(b"\0")
    return found


async def test_a_tunnel_ends_with_its_connection(node: Sshd, pins: Path) -> None:
    """Whether it was closed, was never made, or was given up."""
    mark = f"mark-{node.port}"
    async with SshCluster("alice", node.login(pins, proxy_command=pipe(node, warns=mark))) as door:
        assert await door.run(sh("echo ok")) == "ok"
        assert running(mark) == 1
    async with asyncio.timeout(5):
        while running(mark):
            await asyncio.sleep(0.05)
    deaf = ("python3", "-c", "import time; time.sleep(600)", mark)
    how = node.login(pins, proxy_command=deaf, connect_timeout=0.5)
    async with SshCluster("alice", how) as door:
        with pytest.raises(ClusterUnreachable, match="does not answer"):
            await door.run(sh("true"))
        assert running(mark) == 0
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(SshCluster("bob", how).run(sh("true")), 0.2)
    assert running(mark) == 0


async def test_a_tunnel_that_says_why_it_fails(node: Sshd, pins: Path) -> None:
    """Its own words are what a person can act on."""
    script = "import sys; sys.exit('ERROR: (gcloud) You do not have an active account.')"
    how = node.login(pins, proxy_command=("python3", "-c", script))
    async with SshCluster("alice", how) as door:
        with pytest.raises(ClusterUnreachable, match="do not have an active account"):
            await door.run(sh("true"))


async def test_through_a_tunnel_of_google_cloud(alice: Person) -> None:
    """`gcloud compute start-iap-tunnel`, whose standard input and output lead to sshd."""
    tunnel = alice.address.beyond.tunnel()
    async with SshCluster("alice", login_of(alice, proxy_command=tunnel)) as door:
        assert await door.run(sh("id -un")) == alice.login.user
        path = f"{alice.address.home}/through-the-tunnel"
        assert await door.rewrite(path, lambda _old: b"x")
        assert await door.run(sh('cat "$1"; rm "$1"', path)) == "x"


async def test_a_tunnel_that_cannot_be_made(alice: Person) -> None:
    """Its own words are no login; the node counts as not reachable."""
    (*before, _machine, port, listen, project, name, zone, where, _verbosity) = (
        alice.address.beyond.tunnel()
    )
    wrong = (*before, "nobody-001", port, listen, project, name, zone, where)
    async with SshCluster("alice", login_of(alice, proxy_command=wrong)) as door:
        with pytest.raises(ClusterUnreachable, match="nobody-001"):
            await door.run(sh("true"))
    async with SshCluster("alice", login_of(alice, proxy_command=("/nowhere/gcloud",))) as door:
        with pytest.raises((AccessRefused, ClusterUnreachable), match="gcloud"):
            await door.run(sh("true"))
