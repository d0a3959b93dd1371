"""This machine's own shell in place of a login node: queries run for real, without SSH."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from bot.cluster.shell import Frame, framed, prelude
from bot.errors import ClusterUnreachable, CommandFailed
from bot.ports import Query

T = TypeVar("T")


@dataclass
class LocalShell:
    """Runs queries under a shell of this machine, with a home of its own."""

    home: Path
    shell: tuple[str, ...] = ("/bin/sh",)
    env: dict[str, str] = field(default_factory=dict)
    bin_dirs: tuple[str, ...] = ()

    async def run(self, query: Query[T]) -> T:
        """Ask; raises ClusterUnreachable when the shell is killed on the way."""
        nonce = secrets.token_hex(16)
        process = await asyncio.create_subprocess_exec(
            *self.shell,
            "-s",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"], **self.env},
            cwd=self.home,
            start_new_session=True,  # as sshd does
        )
        script = framed(prelude(self.bin_dirs, {}), query.script, query.args, nonce)
        stdout, stderr = await process.communicate(script.encode())
        output = Frame(nonce).output(stdout, stderr)
        if output is None:
            raise ClusterUnreachable(f"the shell was killed: {stderr.decode()}")
        return query.parse(output)

    async def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> bool:
        """Change a file of this machine."""
        file = Path(path)
        if file.is_symlink():
            raise CommandFailed(f"{path} is a symbolic link")
        old = file.read_bytes() if file.exists() else b""
        new = change(old)
        if new == old:
            return False
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_bytes(new)
        file.chmod(0o600)
        return True
