"""A real Slurm of four nodes, with accounting and sshd, on this machine."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from bot.demo.cluster import place, plan, process, reaper
from bot.demo.cluster.address import ClusterAddress
from bot.demo.cluster.daemon import Daemon
from bot.demo.cluster.daemons import DAEMONS
from bot.demo.cluster.errors import ClusterError
from bot.demo.cluster.install import Installation
from bot.demo.cluster.plan import ACCOUNT, CLUSTER, NODES, Plan
from bot.demo.cluster.process import Completed, together

_ROOT = Path(__file__).parents[3]
_PATIENCE = 60.0  # seconds until all nodes must be idle


class EmbeddedCluster:
    """The cluster: ``async with EmbeddedCluster(directory) as cluster: … cluster.address …``."""

    address: ClusterAddress

    def __init__(
        self,
        directory: Path,
        *,
        python: Path = _ROOT / ".venv-nemo",
        accounting: bool = True,
        min_job_age: int = 60,
    ) -> None:
        """*directory* is emptied; *python* is an environment with NeMo-Run; ages in seconds."""
        self._directory = directory.resolve()
        self._log = self._directory / "log"
        self._python = python.resolve()
        self._accounting = accounting
        self._min_job_age = min_job_age
        self._stack = AsyncExitStack()
        # By name, the running one last: what those before it had started may go on.
        self._daemons: dict[str, list[Daemon]] = {name: [] for name in DAEMONS}
        self._place: place.Place
        self._plan: Plan

    async def __aenter__(self) -> Self:
        """Start everything; on failure nothing is left running."""
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop every process that was started, jobs and sessions included."""
        await self._stack.aclose()

    async def _start(self) -> None:
        await self._install()
        self._stack.push_async_callback(self._end)
        await together(
            self._start_accounting(),
            self.start_daemon("sshd"),
            self.start_daemon("tokenizer"),
            self.start_daemon("services"),
        )
        await self.start_daemon("slurmctld")
        await together(*(self.start_daemon(node) for node in NODES))
        await self._idle()

    async def _install(self) -> None:
        if not (self._python / "bin" / "python3").exists():
            raise ClusterError(f"{self._python} is missing; `make setup` builds it")
        await asyncio.to_thread(shutil.rmtree, self._directory, ignore_errors=True)
        self._log.mkdir(parents=True)
        self._directory.chmod(0o755)
        self._stack.push_async_callback(self._clear)
        # Sockets lie here, since their paths must be short.
        run = Path(tempfile.mkdtemp(prefix="sbatchat-"))
        self._stack.callback(shutil.rmtree, run, ignore_errors=True)
        run.chmod(0o755)
        self._place = place.choose(self._directory, run, self._python)
        self._plan = Plan(
            host=self._place.host,
            ports=plan.free_ports(),
            users=self._place.users,
            accounts=self._place.accounts,
            accounting=self._accounting,
            min_job_age=self._min_job_age,
        )
        installation = Installation(self._directory, self._place, self._plan, self._python)
        self.address = installation.address()
        installation.make_folders()
        await installation.write()
        self._stack.push_async_callback(self._place.close)
        await self._place.open(self._log / "place.log")

    async def _start_accounting(self) -> None:
        await self.start_daemon("munged")
        if not self._plan.accounting:
            return
        await self.run(
            "mariadb-install-db",
            "--no-defaults",
            f"--datadir={self._place.tree.database}/data",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            user=self._plan.users.database,
        )
        await self.start_daemon("mariadbd")
        await self.start_daemon("slurmdbd")
        names = ",".join(account.name for account in self._plan.accounts)
        await self.run("sacctmgr", "-i", "add", "cluster", CLUSTER)
        await self.run("sacctmgr", "-i", "add", "account", ACCOUNT, "description=training")
        await self.run("sacctmgr", "-i", "add", "user", names, f"account={ACCOUNT}")
        # Slurm makes root's own default account by itself, in case root is who logs in.
        default = f"defaultaccount={ACCOUNT}"
        await self.run("sacctmgr", "-i", "modify", "user", "set", default, "where", f"user={names}")

    async def _idle(self) -> None:
        """Wait until every node has reported; one whose report was lost starts once more."""
        late = await self._late(_PATIENCE / 3)
        for node in late:
            await self.stop_daemon(node)
            await self.start_daemon(node)
        if late and (still := await self._late(_PATIENCE)):
            told = ", ".join(f"{node} is {state}" for node, state in still.items())
            raise ClusterError(f"after {_PATIENCE:.0f} s {told}; the logs are in {self._log}")

    async def _late(self, patience: float) -> dict[str, str]:
        """Return the nodes that are not idle after so many seconds, and what they are."""
        states = dict.fromkeys(NODES, "not known")
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while set(states.values()) != {"idle"}:
                    await asyncio.sleep(0.1)
                    shown = await self.run("sinfo", "-hN", "-o", "%N %T", check=False)
                    states |= dict(line.split() for line in shown.stdout.splitlines())
        return {node: state for node, state in states.items() if state != "idle"}

    async def _clear(self) -> None:
        """Remove everything but the logs."""
        for each in self._directory.iterdir():
            if each != self._log:
                remove = shutil.rmtree if each.is_dir() else Path.unlink
                await asyncio.to_thread(remove, each)

    async def _end(self) -> None:
        await together(*(daemon.end() for name in DAEMONS for daemon in self._daemons[name]))

    async def run(
        self, *argv: str, user: str | None = None, stdin: str | None = None, check: bool = True
    ) -> Completed:
        """Run a command on the login node, as the operator or as one of the accounts."""
        user = user or self._plan.users.root
        return await process.run(
            self._place.argv(argv, user=user),
            environment=self._place.environment(user),
            stdin=stdin,
            check=check,
        )

    async def start_daemon(self, name: str) -> None:
        """Start a daemon (munged, mariadbd, slurmdbd, slurmctld, sshd, …) or a node."""
        spec = DAEMONS[name](self._plan, self._place.tree, self._place.outside)
        if any(daemon.alive for daemon in self._daemons[name]):
            raise ClusterError(f"{name} is running")
        daemon = Daemon(spec, self._log / f"{name}.log")
        self._daemons[name].append(daemon)
        argv = self._place.argv(spec.argv, user=spec.user, node=spec.node)
        await daemon.start(argv, self._place.environment(spec.user))

    async def stop_daemon(self, name: str) -> None:
        """Stop the daemon alone: jobs of a node, sessions of sshd and detached commands go on."""
        await self._daemons[name][-1].stop()

    async def crash_node(self, name: str) -> None:
        """Kill a node's slurmd and every job process on it, at once.

        Slurm takes SlurmdTimeout (30 s) to notice; revived sooner, the node keeps its dead jobs.
        """
        await together(*(daemon.end() for daemon in self._daemons[name]))

    async def revive_node(self, name: str) -> None:
        """Start a node again after a crash."""
        await self.start_daemon(name)

    def cut_connections(self) -> int:
        """Kill every SSH session's server side and tell how many; what they ran goes on."""
        listeners = [daemon.pid for daemon in self._daemons["sshd"]]
        families = [pid for daemon in self._daemons["sshd"] for pid in daemon.family()]
        cut = [pid for pid in families if pid not in listeners and _is_sshd(pid)]
        for pid in cut:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(cut)


def _is_sshd(pid: int) -> bool:
    try:
        return reaper.name_of(pid).startswith("sshd")
    except OSError:
        return False
