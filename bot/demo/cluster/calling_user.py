"""The calling user alone, without any rights: everything below one directory."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.demo.cluster import tree
from bot.demo.cluster.plan import BASE_PATH, Account, Users

_LOGIN = """\
#!/bin/sh
# Start each session in the cluster's home, not in that of whoever runs the cluster.
cd "$HOME" || exit 1
command=$SSH_ORIGINAL_COMMAND
unset SSH_ORIGINAL_COMMAND OLDPWD
case $command in
  "") exec "$SHELL" -l ;;
  internal-sftp*) exec /usr/lib/openssh/sftp-server ;;
  *) exec "$SHELL" -c "$command" ;;
esac
"""


class CallingUser:
    """A place where every daemon runs as one account, which owns all jobs."""

    def __init__(self, directory: Path, run: Path, python: Path) -> None:
        self.outside = self.tree = tree.below(directory, run=run, python=python)
        self.host = socket.gethostname().partition(".")[0]
        name = getpass.getuser()
        self.users = Users(slurm=name, munge=name, database=name, root=name)
        self.accounts: tuple[Account, ...] = (Account(name, os.getuid(), os.getgid()),)
        self.login: str | None = str(self.tree.ssh / "login")

    async def open(self, log: Path) -> None:
        """Write what sends each session to the cluster's home instead of the person's own."""
        del log  # nothing runs
        script = Path(self.tree.ssh / "login")
        script.write_text(_LOGIN)
        script.chmod(0o755)
        if os.geteuid() == 0:
            # The one path that sshd has compiled in; packages make it at boot.
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)

    async def close(self) -> None:
        """Nothing is held open."""

    def own(self, path: Path, user: str) -> None:
        """There is one account only."""

    def argv(self, command: Sequence[str], *, user: str, node: str | None = None) -> list[str]:
        """The command itself."""
        del user, node
        return list(command)

    def environment(self, user: str) -> Mapping[str, str]:
        """Everything that an installed cluster would find in its usual place."""
        return {
            "PATH": f"{self.tree.python}/bin:{self.tree.opt}/bin:{BASE_PATH}",
            "HOME": str(self.tree.home / user),
            "USER": user,
            "LOGNAME": user,
            "LANG": "C.UTF-8",
            "SLURM_CONF": str(self.tree.slurm_conf),
        }
