"""Private mount and host name namespaces, for root: ordinary paths, real accounts, named nodes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.demo.cluster import conf, tree
from bot.demo.cluster.daemon import Daemon, Spec
from bot.demo.cluster.plan import ACCOUNT, BASE_PATH, NODES, Account, Users

_HOST = "alice-login-0"
_ROOT = "/media"
"""Where the namespaces' own root is put together."""
_GROUP = 50001
_ACCOUNTS = (Account("alice", 50001, _GROUP), Account("bob", 50002, _GROUP))


def allowed() -> bool:
    """Whether this process may make private mount and host name namespaces."""
    if os.geteuid() != 0:
        return False
    probe = "mount -t tmpfs none /mnt && hostname probe"
    argv = ["unshare", "--mount", "--uts", "--propagation", "private", "sh", "-c", probe]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


class Namespaces:
    """A place that is seen by nobody outside: nothing of the machine is touched."""

    def __init__(self, directory: Path, run: Path, python: Path) -> None:
        self._directory = directory
        self.outside = tree.below(directory, run=run, python=python)
        self.tree = tree.INSTALLED
        self.host = _HOST
        self.users = Users(slurm="slurm", munge="munge", database="mysql", root="root")
        self.accounts: tuple[Account, ...] = _ACCOUNTS
        self.login: str | None = None
        self._holder: Daemon | None = None

    async def open(self, log: Path) -> None:
        """Hold the namespaces open in a process that sleeps, with everything mounted."""
        etc = self._directory / "etc"
        etc.mkdir()
        machine = Path("/etc")
        etc.joinpath("passwd").write_text(
            conf.passwd((machine / "passwd").read_text(), self.accounts, self.tree)
        )
        etc.joinpath("group").write_text(
            conf.group((machine / "group").read_text(), ACCOUNT, _GROUP)
        )
        etc.joinpath("hosts").write_text(f"127.0.0.1 localhost {_HOST} {' '.join(NODES)}\n")
        for name in ("run", "python"):
            (self._directory / name).mkdir()
        ready = self._directory / "mounted"
        argv = ["unshare", "--mount", "--uts", "--propagation", "private", "sh", "-ec"]
        argv += [self._mounts(), "sh", str(self._directory)]
        argv += [str(self.outside.run), str(self.outside.python)]
        spec = Spec("the private namespace", tuple(argv), "root", socket=ready)
        self._holder = Daemon(spec, log)
        await self._holder.start(argv, {"PATH": BASE_PATH})

    def _mounts(self) -> str:
        """The holder's script: made of constants; the machine's own paths are its arguments."""
        folders = [(name, str(inside)) for name, inside in self.tree.folders()]
        folders += [(f"etc/{name}", f"/etc/{name}") for name in ("passwd", "group", "hosts")]
        folders += [("tmp", "/tmp")]
        return "\n".join(
            [
                f"hostname {_HOST}",
                'mount --bind "$2" "$1/run"',
                'mount --bind "$3" "$1/python"',
                # Gathered below /mnt first: a mount over /home or /tmp may hide the checkout.
                'mount --rbind "$1" /mnt',
                # A root of its own, with all that the machine's has: folders may be added there.
                f"mount -t tmpfs -o mode=755 root {_ROOT}",
                "for each in /*; do",
                f'if [ -L "$each" ]; then cp -P "$each" {_ROOT}/',
                f'elif [ -d "$each" ] && [ "$each" != {_ROOT} ]; then',
                f'mkdir "{_ROOT}$each"; mount --rbind "$each" "{_ROOT}$each"; fi; done',
                *(f"mkdir -p {_ROOT}{inside}" for _, inside in folders if inside == "/gcs"),
                *(f"mount --bind /mnt/{name} {_ROOT}{inside}" for name, inside in folders),
                f"exec chroot {_ROOT} sh -c 'cd / && : > /mnt/mounted && exec sleep infinity'",
            ]
        )

    async def close(self) -> None:
        """End the holder; the namespaces go with their last process."""
        if self._holder is not None:
            await self._holder.end()

    def own(self, path: Path, user: str) -> None:
        """Give a file or folder to an account."""
        names = {account.name: (account.uid, account.gid) for account in self.accounts}
        uid, gid = names.get(user) or (user, None)
        for each in (path, *path.rglob("*")) if path.is_dir() else (path,):
            shutil.chown(each, uid, gid)

    def argv(self, command: Sequence[str], *, user: str, node: str | None = None) -> list[str]:
        """Enter the namespaces, and on a node one more pair with its own name and /tmp."""
        assert self._holder is not None  # noqa: S101 - open() comes first
        pid = str(self._holder.pid)
        entered = ["nsenter", "--target", pid, "--mount", "--uts", "--root", "--wd"]
        if node is not None:
            script = 'hostname "$1"; mount --bind "/mnt/nodes/$1" /tmp; shift; exec "$@"'
            entered += ["unshare", "--mount", "--uts", "--propagation", "private"]
            entered += ["sh", "-ec", script, "sh", node]
        if user != "root":
            entered += ["setpriv", "--reuid", user, "--regid", self._group(user), "--init-groups"]
        return [*entered, *command]

    def _group(self, user: str) -> str:
        return ACCOUNT if any(user == account.name for account in self.accounts) else user

    def environment(self, user: str) -> Mapping[str, str]:
        """An ordinary one: Slurm finds its configuration by itself."""
        home = "/root" if user == "root" else str(self.tree.home / user)
        path = f"{self.tree.opt}/bin:{BASE_PATH}"
        return {"PATH": path, "HOME": home, "USER": user, "LOGNAME": user, "LANG": "C.UTF-8"}
