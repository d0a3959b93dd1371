"""A real sshd of one's own, and a link to it that can fall silent."""

from __future__ import annotations

import asyncio
import getpass
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh

from bot.cluster.login import Login

SSHD = "/usr/sbin/sshd"


@dataclass(frozen=True)
class Sshd:
    """Where it listens, and what lies beside it: keys, certificates, pins."""

    folder: Path
    port: int

    @property
    def key(self) -> Path:
        """A private key."""
        return self.folder / "key"

    def pin(self, known_hosts: Path, port: int = 0) -> None:
        """Pin its host key, also for another port that leads to it."""
        public = (self.folder / "host_key.pub").read_text()
        with known_hosts.open("a") as pins:
            pins.write(f"[127.0.0.1]:{port or self.port} {public}\n")

    def login(self, known_hosts: Path, **changes: object) -> Login:
        """Return how to reach it."""
        fields: dict[str, object] = {
            "host": "127.0.0.1",
            "port": self.port,
            "user": getpass.getuser(),
            "known_hosts": known_hosts,
            "keys": (self.key,),
            "connect_timeout": 5.0,
        }
        return Login(**{**fields, **changes})  # type: ignore[arg-type]  # names of Login's fields


@asynccontextmanager
async def sshd(folder: Path, *more: str) -> AsyncIterator[Sshd]:
    """Run an sshd into which one key logs in; `more` are lines of its configuration."""
    folder.mkdir(exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for name in ("host_key", "key"):
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(folder / name)
        (folder / name).chmod(0o600)
        key.write_public_key(folder / f"{name}.pub")
    (folder / "authorized_keys").write_bytes((folder / "key.pub").read_bytes())
    lines = (
        *more,  # of two lines the first counts
        f"Port {port}",
        "ListenAddress 127.0.0.1",
        f"HostKey {folder}/host_key",
        f"AuthorizedKeysFile {folder}/authorized_keys",
        "PidFile none",
        "UsePAM no",
        "StrictModes no",
        "PermitRootLogin prohibit-password",
        "PasswordAuthentication no",
        "Subsystem sftp internal-sftp",
        "LogLevel VERBOSE",
    )
    (folder / "sshd_config").write_text("\n".join([*lines, ""]))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # packages make it at boot
    with (folder / "sshd.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(SSHD, "-D", "-e", "-f", str(folder / "sshd_config")),
            stdin=asyncio.subprocess.DEVNULL,
            stderr=log,
        )
    try:
        await _listens(port)
        yield Sshd(folder, port)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _listens(port: int) -> None:
    async with asyncio.timeout(10):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return


@dataclass
class Link:
    """A way to a port on which, while it is silent, everything is lost and nothing is told."""

    target: int
    port: int = 0
    silent: bool = False
    connections: int = 0
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)

    async def carry(self, here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        """Carry one connection, both ways."""
        self.connections += 1
        reader, writer = await asyncio.open_connection("127.0.0.1", self.target)
        self._writers += [back, writer]
        await asyncio.gather(self._pump(here, writer), self._pump(reader, back))

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if not self.silent:
                    sink.write(data)
                    await sink.drain()
            sink.close()

    def end(self) -> None:
        """Cut what is left."""
        for writer in self._writers:
            writer.close()


@asynccontextmanager
async def link(target: int) -> AsyncIterator[Link]:
    """Lead to a port of this machine."""
    made = Link(target)
    server = await asyncio.start_server(made.carry, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        made.end()
        await asyncio.sleep(0.05)


@asynccontextmanager
async def agent(folder: Path, *keys: Path) -> AsyncIterator[Path]:
    """Run an ssh-agent that holds these keys; gives its socket."""
    path = folder / "agent"
    process = await asyncio.create_subprocess_exec(
        *("ssh-agent", "-D", "-a", str(path)), stdout=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(10):
            while not path.exists():
                await asyncio.sleep(0.02)
        for key in keys:
            await told("ssh-add", "-q", str(key), SSH_AUTH_SOCK=str(path))
        yield path
    finally:
        process.terminate()
        await process.wait()


async def told(*argv: str, **environment: str) -> None:
    """Run a program that must work."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        env={"PATH": "/usr/bin:/bin", **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
