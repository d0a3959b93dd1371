"""The two databases, and how each runs a transaction. One connection each: one writer."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sqlalchemy import URL, Connection, NullPool, StaticPool, create_engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.errors import ConfigError, StoreFailed

T = TypeVar("T")

OTHER_BOT = "another bot is using this database; each needs one of its own"
CLOSED = "the database is closed"
_ADVISORY = 0x5BA7C4A7
"""The number under which a bot holds a PostgreSQL database for itself."""


class Database(Protocol):
    """Runs functions over a connection, each as one transaction."""

    async def open(self, check: Callable[[Connection], T]) -> T:
        """Connect and run `check`; what it refuses by raising is left as it was.

        Raises ConfigError when the database cannot be ours, StoreFailed when it is away.
        """
        ...

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, commit, and return what it returned; StoreFailed when nothing was kept.

        A caller who is cancelled meanwhile leaves the transaction whole.
        """
        ...

    async def close(self) -> None: ...


def database(url: URL, *, patience: float) -> Database:
    """Return the database of a URL; `patience` is how many seconds to wait for a lock."""
    match url.get_backend_name():
        case "sqlite":
            return Sqlite(url, patience)
        case "postgresql":
            return Postgres(url, patience)
        case other:
            raise ConfigError(f"there is no support for {other!r} databases; use sqlite:///PATH")


@contextmanager
def _failures() -> Iterator[None]:
    """Turn what drivers raise into StoreFailed, without statements or values."""
    try:
        yield
    except (DBAPIError, OSError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        line = next(iter(str(cause).splitlines()), "")
        raise StoreFailed(f"the database failed: {line or type(cause).__name__}") from error


class Sqlite:
    """A file. Its thread makes a transaction one hop, where aiosqlite needs four per statement."""

    def __init__(self, url: URL, patience: float) -> None:
        self._url = url.set(drivername="sqlite+pysqlite")
        self._patience = patience
        self._thread = ThreadPoolExecutor(1, "store")
        self._closed = False
        self._lock: int | None = None
        self._connection: Connection | None = None

    async def open(self, check: Callable[[Connection], T]) -> T:
        """Take the file for ourselves, connect, check, and make it safe."""
        return await self._hop(lambda: self._open(check))

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run one transaction."""
        return await self._hop(lambda: self._transaction(work))

    async def close(self) -> None:
        """Let go of the file, after what was begun."""
        if not self._closed:
            last = self._hop(self._close)
            self._closed = True
            await last
            self._thread.shutdown()

    def _hop(self, work: Callable[[], T]) -> asyncio.Future[T]:
        if self._closed:
            raise StoreFailed(CLOSED)
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _open(self, check: Callable[[Connection], T]) -> T:
        path = self._url.database
        if path and path != ":memory:":
            self._take(Path(path))
        try:
            self._connection = connection = self._connect()
            checked = self._transaction(check)
        except StoreFailed as error:
            if isinstance(error.__cause__, OperationalError):
                raise
            raise ConfigError(f"{path} is not a database of the bot: {error}") from error
        with _failures():
            _pragma(connection, "journal_mode=WAL")
            if path and path != ":memory:":
                Path(path).chmod(0o600)
        return checked

    def _connect(self) -> Connection:
        # The one connection lives in this thread for as long as the store is open.
        engine = create_engine(self._url, poolclass=StaticPool, hide_parameters=True)
        event.listen(engine, "connect", self._set_up)
        event.listen(engine, "begin", _begin)
        with _failures():
            return engine.connect()

    def _take(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ConfigError(f"the database file {path} cannot be used: {error}") from error
        _lock(self._lock, self._patience)

    def _set_up(self, connection: Any, _record: object) -> None:
        # The driver begins transactions by itself, late and not for all statements; we do it.
        connection.isolation_level = None
        wait = int(self._patience * 1000)
        for pragma in (f"busy_timeout={wait}", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        if self._connection is None:
            raise StoreFailed(CLOSED)
        with _failures(), self._connection.begin():
            return work(self._connection)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection.engine.dispose()
            self._connection = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _pragma(connection: Connection, pragma: str) -> None:
    """Set what cannot be set inside a transaction."""
    driver: Any = connection.connection.dbapi_connection
    driver.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _lock(handle: int, patience: float) -> None:
    """Hold the file until the process ends; a predecessor gets `patience` seconds to go."""
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > until:
                raise ConfigError(OTHER_BOT) from error
            time.sleep(0.05)  # noqa: TID251  # in the store's own thread, before anything runs
        else:
            return


class Postgres:
    """A server. The session that writes is the one that holds the database for this bot."""

    def __init__(self, url: URL, patience: float) -> None:
        try:
            self._engine = create_async_engine(
                url.set(drivername="postgresql+asyncpg"), poolclass=NullPool, hide_parameters=True
            )
        except ModuleNotFoundError as error:
            raise ConfigError("PostgreSQL needs the Python package asyncpg") from error
        self._patience = patience
        self._connection: AsyncConnection | None = None
        self._turn = asyncio.Lock()
        self._closed = False

    async def open(self, check: Callable[[Connection], T]) -> T:
        """Connect, take the database for ourselves, and check."""
        return await self.run(check)

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run one transaction; a lost session is replaced first."""
        return await asyncio.shield(self._transaction(work))

    async def close(self) -> None:
        """Let go of the database, after what was begun."""
        async with self._turn:
            self._closed = True
            await self._drop()

    async def _transaction(self, work: Callable[[Connection], T]) -> T:
        async with self._turn:
            connection = await self._connected()
            try:
                with _failures():
                    async with connection.begin():
                        return await connection.run_sync(work)
            except StoreFailed:
                if connection.invalidated:
                    await self._drop()
                raise

    async def _connected(self) -> AsyncConnection:
        if self._closed:
            raise StoreFailed(CLOSED)
        if self._connection is None:
            with _failures():
                connection = await self._engine.connect()
                try:
                    await _hold(connection, self._patience)
                except BaseException:
                    await connection.close()
                    raise
                self._connection = connection
        return self._connection

    async def _drop(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.close()


async def _hold(connection: AsyncConnection, patience: float) -> None:
    """Take the database's advisory lock; PostgreSQL lets go of it when the session ends."""
    loop = asyncio.get_running_loop()
    until = loop.time() + patience
    while True:
        async with connection.begin():
            if await connection.scalar(text("SELECT pg_try_advisory_lock(:n)"), {"n": _ADVISORY}):
                return
        if loop.time() > until:
            raise ConfigError(OTHER_BOT)
        await asyncio.sleep(0.05)
