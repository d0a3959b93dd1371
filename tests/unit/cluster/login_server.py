"""A login node in this process: a real SSH server whose accounts have a real shell."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import asyncssh
from typing_extensions import override

from bot.cluster.login import Login


@dataclass
class LoginServer:
    """Where it listens, what its shells do before the command, and what it saw."""

    folder: Path
    key: Path
    known_hosts: Path
    port: int = 0
    profile: str = ""
    """Commands that the account's profile runs before the one that was asked for."""
    shell: tuple[str, ...] = ("/bin/sh", "-c")
    sftp: bool = True
    """Whether files can be changed over SFTP."""
    commands: list[str] = field(default_factory=list)
    open: int = 0
    most: int = 0
    """Sessions at once, now and at most."""
    connections: list[asyncssh.SSHServerConnection] = field(default_factory=list)
    _listener: asyncssh.SSHAcceptor | None = None

    def login(self, **changes: object) -> Login:
        """Return how to reach it."""
        base = {
            "host": "127.0.0.1",
            "port": self.port,
            "user": "alice",
            "keys": (self.key,),
            "known_hosts": self.known_hosts,
            "connect_timeout": 5.0,
        }
        return Login(**{**base, **changes})  # type: ignore[arg-type]  # checked by the dataclass

    async def start(self) -> None:
        """Listen; a second time on the same port."""
        server = self

        class Door(asyncssh.SSHServer):
            @override
            def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
                server.connections.append(conn)

            @override
            def connection_requested(
                self, dest_host: str, dest_port: int, orig_host: str, orig_port: int
            ) -> bool:
                return True  # a jump host leads on

        self._listener = await asyncssh.listen(
            "127.0.0.1",
            self.port,
            server_factory=Door,
            server_host_keys=[str(self.folder / "host_key")],
            authorized_client_keys=str(self.folder / "authorized_keys"),
            process_factory=self._session,
            sftp_factory=self.sftp,
            encoding=None,
        )
        self.port = self._listener.get_port()

    async def stop(self) -> None:
        """Cut every connection and listen no more."""
        if self._listener is not None:
            self._listener.close()
            await self._listener.wait_closed()
        self.cut()

    def cut(self) -> None:
        """Cut every connection."""
        for connection in self.connections:
            connection.abort()
        self.connections.clear()

    async def _session(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        self.commands.append(process.command or "")
        self.open += 1
        self.most = max(self.most, self.open)
        command = (*self.shell, f"{self.profile}\n{process.command}")
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=self.folder, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        ) as shell:
            assert shell.stdin
            assert shell.stdout
            assert shell.stderr
            try:
                shell.stdin.write(await process.stdin.read())
                shell.stdin.close()
                await asyncio.gather(
                    _pump(shell.stdout, process.stdout), _pump(shell.stderr, process.stderr)
                )
                process.exit(await asyncio.to_thread(shell.wait))
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(shell.pid, signal.SIGKILL)
                self.open -= 1


async def _pump(source: IO[bytes], sink: asyncssh.SSHWriter[bytes]) -> None:
    """Copy until either side is gone."""
    with suppress(OSError, asyncssh.Error):
        while data := await asyncio.to_thread(os.read, source.fileno(), 65536):
            sink.write(data)
            await sink.drain()


@asynccontextmanager
async def login_server(folder: Path) -> AsyncIterator[LoginServer]:
    """Run a login node with a host key, one authorized key, and known hosts that pin it."""
    for name in ("host_key", "key"):
        asyncssh.generate_private_key("ssh-ed25519").write_private_key(folder / name)
    key = asyncssh.read_private_key(folder / "key")
    key.write_public_key(folder / "authorized_keys")
    server = LoginServer(folder, folder / "key", folder / "known_hosts")
    await server.start()
    public = asyncssh.read_private_key(folder / "host_key").export_public_key().decode()
    pinned = f"# pinned\n[127.0.0.1]:{server.port} {public}"
    server.known_hosts.write_text(pinned)
    try:
        yield server
    finally:
        await server.stop()
