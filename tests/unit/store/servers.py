"""A PostgreSQL server of the test's own, on a socket in a directory of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Postgres:
    """A running server."""

    def __init__(self, programs: Path, home: Path) -> None:
        self._programs = programs
        self.home = home

    def url(self, name: str) -> str:
        """Return the address of one of its databases."""
        return f"postgresql://postgres@/{name}?host={self.home}"

    def create(self, name: str) -> str:
        """Make an empty database and return its address."""
        self.call("createdb", "-h", str(self.home), "-U", "postgres", name)
        return self.url(name)

    def sql(self, name: str, statement: str) -> str:
        """Run a statement beside the bot."""
        return self.call("psql", "-h", str(self.home), "-U", "postgres", "-Atc", statement, name)

    def call(self, program: str, *arguments: str) -> str:
        """Run one of its programs."""
        done = subprocess.run(
            [self._programs / program, *arguments],
            check=True,
            capture_output=True,
            text=True,
            cwd="/",
            user=account(),
        )
        return done.stdout.strip()


def programs() -> Path | None:
    """Return where the server's programs are, the newest first."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def account() -> str | None:
    """PostgreSQL refuses to run as root."""
    return "postgres" if os.getuid() == 0 else None


@contextmanager
def postgres(where: Path) -> Iterator[Postgres]:
    """Run a server as long as the block lasts."""
    home = Path(tempfile.mkdtemp(prefix="pg-"))
    name = account()
    if name is not None:
        os.chown(home, pwd.getpwnam(name).pw_uid, -1)
    server = Postgres(where, home)
    process = None
    try:
        server.call("initdb", "-D", str(home / "data"), "-U", "postgres", "-A", "trust", "-N")
        process = subprocess.Popen(
            [
                where / "postgres",
                "-D",
                home / "data",
                "-k",
                home,
                "-c",
                "listen_addresses=",
                "-c",
                "fsync=off",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            user=name,
        )
        _await(server)
        yield server
    finally:
        if process is not None:
            # Nothing of it is kept, so it need not be written down.
            process.send_signal(signal.SIGQUIT)
            process.wait(30)
        shutil.rmtree(home)


def _await(server: Postgres) -> None:
    for _ in range(200):
        try:
            server.call("pg_isready", "-h", str(server.home), "-U", "postgres")
        except subprocess.CalledProcessError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("PostgreSQL did not start")
