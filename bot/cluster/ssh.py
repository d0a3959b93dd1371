"""The only door to SSH: one connection for each cluster, kept alive, many queries at a time."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

import asyncssh
from typing_extensions import override

from bot.cluster.login import Health, Login
from bot.cluster.shell import COMMAND, Frame, framed, prelude
from bot.cluster.ssh_connect import check, connect, hop, ours
from bot.cluster.ssh_files import Change, rewrite
from bot.cluster.ssh_tunnel import Tunnel
from bot.errors import AccessRefused, ClusterError, ClusterUnreachable, CommandFailed
from bot.ports import Output, Query

logger = logging.getLogger(__name__)
asyncssh.set_log_level(logging.WARNING)  # it would tell each channel
T = TypeVar("T")

_LIMIT = 32 * 1024 * 1024
_SESSIONS = 8  # sshd allows 10 on a connection unless told otherwise
_FIRST, _LONGEST = 1.0, 20.0  # seconds between tries to connect, doubled each time
_CLOSING, _LINGER = 5.0, 1.0
_AHEAD = 1.0  # seconds that a channel opened ahead is kept
_REWRITING = 30.0


class SshCluster:
    """A cluster reached over one SSH connection, which is made when first needed."""

    def __init__(self, name: str, login: Login) -> None:
        self._name = name
        self._login = login
        self._prelude = prelude(login.slurm_bin_dirs, login.env)
        self._slots = asyncio.Semaphore(_SESSIONS)
        self._connecting = asyncio.Lock()
        self._connection: asyncssh.SSHClientConnection | None = None
        self._jump: asyncssh.SSHClientConnection | None = None
        self._tunnel: Tunnel | None = None
        self._next: asyncio.Task[_Session] | None = None
        self._failures = 0
        self._failure: ClusterError = ClusterUnreachable()
        self._not_before = 0.0
        self.calls: Counter[str] = Counter()
        """Number of queries asked, by name."""
        self.health = Health(None, None)

    @property
    def name(self) -> str:
        """The cluster's name in the configuration."""
        return self._name

    async def __aenter__(self) -> Self:
        """Check that the keys can be read; connecting waits for the first query."""
        check(self._login)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection; queries in flight fail."""
        await self.close()

    async def close(self) -> None:
        """Close the connection; the next query makes a new one."""
        if self._next is not None:
            self._drop(self._next)
        for connection in (self._connection, self._jump):
            if connection is not None:
                connection.close()
                try:
                    async with asyncio.timeout(_CLOSING):
                        await connection.wait_closed()
                except TimeoutError:
                    connection.abort()
        self._connection = self._jump = None
        await self._end_tunnel()

    async def _end_tunnel(self) -> None:
        tunnel, self._tunnel = self._tunnel, None
        if tunnel is not None:
            await tunnel.close()

    async def run(self, query: Query[T]) -> T:
        """Ask, once; raises ClusterUnreachable, AccessRefused or what `query.parse` raises."""
        self.calls[query.name] += 1
        where = {"cluster": self._name, "query": query.name}
        logger.debug("asking the cluster", extra={"action": "query_started", **where})
        try:
            output = await self._ask(query)
        except (ClusterUnreachable, AccessRefused) as error:
            self._fails(error)
            raise
        self._works()
        logger.debug("the cluster answered", extra={"action": "query_answered", **where})
        return query.parse(output)

    async def rewrite(self, path: str, change: Change) -> bool:
        """Give a private file new content; see `ssh_files.rewrite`. Raises ClusterError."""
        self.calls["rewrite"] += 1
        try:
            async with self._slots, asyncio.timeout(_REWRITING), await self._sftp() as sftp:
                changed = await rewrite(sftp, path, change)
        except (TimeoutError, OSError, asyncssh.Error) as error:
            lost = ours(error, self._login)
            self._fails(lost)
            raise lost from error
        self._works()
        return changed

    async def _sftp(self) -> asyncssh.SFTPClient:
        """Open an SFTP session, if need be on a new connection."""
        for last in (False, False, True):
            connection = await self._connected()
            try:
                return await connection.start_sftp_client()
            except (OSError, asyncssh.Error) as error:
                if last:
                    raise CommandFailed("the login node lets nobody write files by SFTP") from error
                await self._after(error, connection)
        raise ClusterUnreachable

    async def _ask(self, query: Query[T]) -> Output:
        what = f"{self._name}: {query.name or 'a command'}"
        channel, answer = await self._ahead() or await self._open()
        if query.leads_on:
            self._open_ahead()
        script = framed(self._prelude, query.script, query.args, answer.frame.nonce)
        try:
            async with asyncio.timeout(query.timeout):
                channel.write(script.encode())
                channel.write_eof()
                await answer.done.wait()
        except TimeoutError:
            channel.kill()
            channel.close()
            late = f"{what} was not answered within {query.timeout:g} s"
            raise ClusterUnreachable(late) from None
        except (OSError, asyncssh.Error) as error:
            raise ours(error, self._login) from error
        except asyncio.CancelledError:
            channel.close()
            raise
        # sshd counts the session until its shell has ended, which takes a moment; what the shell
        # has left running may keep the channel open for longer than anybody wants.
        linger = 0.0 if answer.too_long else _LINGER
        asyncio.get_running_loop().call_later(linger, channel.close)
        return answer.output(what)

    async def _open(self) -> _Session:
        """Open a channel, if need be on a new connection: nothing runs before, so this is safe."""
        for last in (False, False, True):
            connection = await self._connected()
            try:
                return await self._session(connection)
            except (TimeoutError, OSError, asyncssh.Error) as error:
                if last:
                    raise ours(error, self._login) from error
                await self._after(error, connection)
        raise ClusterUnreachable

    async def _session(self, connection: asyncssh.SSHClientConnection) -> _Session:
        await self._slots.acquire()
        answer = _Answer(Frame(secrets.token_hex(16)), self._slots.release)
        opened = False
        try:
            async with asyncio.timeout(self._login.connect_timeout):
                channel, _ = await connection.create_session(
                    partial(_same, answer), COMMAND, encoding=None
                )
            opened = True
        finally:
            if not opened:
                answer.free()
        return channel, answer

    def _open_ahead(self) -> None:
        """Open the next query's channel now: sshd, the login shell and its profile take a while."""
        connection = self._connection
        if self._next is None and connection is not None and not self._slots.locked():
            loop = asyncio.get_running_loop()
            self._next = loop.create_task(self._session(connection))
            loop.call_later(_AHEAD, self._drop, self._next)

    async def _ahead(self) -> _Session | None:
        """Return the channel that was opened ahead, unless it is gone."""
        opening, self._next = self._next, None
        if opening is None:
            return None
        try:
            channel, answer = await opening
        except (TimeoutError, OSError, asyncssh.Error):
            return None
        return None if answer.done.is_set() else (channel, answer)

    def _drop(self, opening: asyncio.Task[_Session]) -> None:
        """Close a channel that nobody took: an old one would not notice a dead connection."""
        if self._next is opening:
            self._next = None
            opening.add_done_callback(_closed)

    async def _after(self, error: Exception, connection: asyncssh.SSHClientConnection) -> None:
        """Make the next try meaningful."""
        if isinstance(error, asyncssh.ChannelOpenError):
            # Either the connection is gone, or sshd has not yet let go of an older session.
            await asyncio.sleep(0.05)
        else:
            connection.abort()

    async def _connected(self) -> asyncssh.SSHClientConnection:
        async with self._connecting:
            if self._connection is not None and not self._connection.is_closed():
                return self._connection
            wait = self._not_before - asyncio.get_running_loop().time()
            if wait > 0:
                again = f"{self._failure.sentence}; trying again in {wait:.0f} s"
                raise type(self._failure)(again)
            self._connection = await self._connect()
            return self._connection

    async def _connect(self) -> asyncssh.SSHClientConnection:
        where = {"cluster": self._name, "host": self._login.host}
        logger.info("connecting to the login node", extra={"action": "ssh_connecting", **where})
        if self._jump is not None:
            self._jump.close()
        await self._end_tunnel()
        try:
            before = hop(self._login)
            self._jump = (await connect(before))[0] if before else None
            connection, self._tunnel = await connect(self._login, self._jump)
        except ClusterError as error:
            self._failure = error
            self._back_off()
            raise
        self._failures = 0
        logger.info("connected to the login node", extra={"action": "ssh_connected", **where})
        return connection

    def _back_off(self) -> None:
        delay = min(_LONGEST, _FIRST * 2**self._failures)
        self._failures = min(self._failures + 1, 10)
        jitter = random.uniform(0.7, 1.3)  # noqa: S311 (it spreads retries, it hides nothing)
        self._not_before = asyncio.get_running_loop().time() + delay * jitter

    def _works(self) -> None:
        if self.health.failing_since is not None:
            action = {"action": "cluster_back", "cluster": self._name}
            logger.info("the cluster answers again", extra=action)
        self.health = Health(datetime.now(UTC), None)

    def _fails(self, error: ClusterError) -> None:
        since = self.health.failing_since
        if since is None:
            action = {"action": "cluster_lost", "cluster": self._name}
            logger.warning("the cluster does not answer: %s", error, extra=action)
        self.health = Health(self.health.last_ok, since or datetime.now(UTC), error.sentence)


def _same(answer: _Answer) -> _Answer:
    return answer


def _closed(opening: asyncio.Task[_Session]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result()[0].close()


class _Answer(asyncssh.SSHClientSession[bytes]):
    """Collects both streams of one channel until the answer is complete."""

    def __init__(self, frame: Frame, free: Callable[[], None]) -> None:
        self.frame = frame
        self._free: Callable[[], None] | None = free
        self._stdout = bytearray()
        self._stderr = bytearray()
        self._error: Exception | None = None
        self.too_long = False
        self.done = asyncio.Event()

    @override
    def data_received(self, data: bytes, datatype: int | None) -> None:
        if self.done.is_set():
            return
        stream = self._stderr if datatype == asyncssh.EXTENDED_DATA_STDERR else self._stdout
        stream += data
        self.too_long = len(stream) > _LIMIT
        if self.too_long or self.frame.complete(self._stdout, self._stderr):
            self.done.set()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._error = exc
        self.done.set()
        self.free()

    def free(self) -> None:
        """Give the channel's place to the next query, once."""
        free, self._free = self._free, None
        if free:
            free()

    def output(self, what: str) -> Output:
        """Return the answer; raises CommandFailed when it is too long, or never came to its end."""
        if self.too_long:
            raise CommandFailed(f"{what} answered more than {_LIMIT >> 20} MB")
        found = self.frame.output(bytes(self._stdout), bytes(self._stderr))
        if found is not None:
            return found
        if self._error is not None or not self._stdout:
            raise ClusterUnreachable(f"{what}: the connection was cut") from self._error
        said = self._stderr.decode("utf-8", "replace").strip()[-500:]
        raise ClusterUnreachable(f"{what}: the remote shell was killed. {said}".strip())


_Session = tuple[asyncssh.SSHClientChannel[bytes], _Answer]
