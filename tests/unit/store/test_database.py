"""What happens to the database when other things go wrong."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import ConfigError, StoreFailed
from bot.store.sql_store import SqlStore
from tests.unit.store.makers import NOW, act, job, request, wanted
from tests.unit.store.servers import Postgres

WRITER = """
import asyncio, sys
from bot.store.sql_store import SqlStore
from tests.unit.store.makers import act

async def main():
    async with SqlStore(sys.argv[1]) as store:
        for number in range(100000):
            await store.accept(act(str(number)))
            print(number, flush=True)

asyncio.run(main())
"""


async def test_what_was_kept_is_there_after_a_kill(url: str) -> None:
    """Each call is durable when it returns, and a dead bot leaves no lock behind."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, url], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(50)]
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.readlines()
    async with SqlStore(url) as store:
        kept = [one.id for one in await store.open_acts()]
    told = [line.strip() for line in said if line.endswith("\n")]
    assert kept[: len(told)] == told
    assert len(kept) <= len(told) + 1


async def test_two_bots_cannot_share_a_database(url: str) -> None:
    """The second waits a little, then says so; when the first has gone, it may."""
    async with SqlStore(url):
        with pytest.raises(ConfigError, match="another bot"):
            await SqlStore(url, patience=0.2).open()
    async with SqlStore(url, patience=0.2) as store:
        assert await store.accept(act())


async def test_a_closed_store_says_so(url: str) -> None:
    """Closing twice is no error."""
    store = SqlStore(url)
    await store.open()
    await store.close()
    await store.close()
    with pytest.raises(StoreFailed, match="closed"):
        await store.accept(act())


async def test_a_store_may_live_in_memory() -> None:
    """For trying things out."""
    async with SqlStore("sqlite://") as store:
        await store.accept(act())
        assert await store.open_acts() == [act()]


async def test_a_successor_waits_for_a_bot_that_is_stopping(url: str) -> None:
    """A restart is no error."""
    first = SqlStore(url)
    await first.open()
    async with asyncio.TaskGroup() as group:
        second = SqlStore(url, patience=10)
        opening = group.create_task(second.open())
        await asyncio.sleep(0.2)
        assert not opening.done()
        await first.close()
    assert await second.accept(act())
    await second.close()


async def test_a_cancelled_caller_leaves_whole_transactions(url: str) -> None:
    """However the cancellation falls, the request and its job are both there or neither."""
    async with SqlStore(url) as store:
        for number in range(40):
            name = f"r{number}"
            await store.add_request(request(name))
            saving = asyncio.create_task(
                store.save_request(
                    request(name),
                    wanted(name, "two"),
                    jobs=[job(str(number), of=name)],
                    was=request().stage,
                )
            )
            await asyncio.sleep(number * 0.00005)
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
            jobs = await store.jobs_of(name)
            message = await store.message(name)
            assert (len(jobs) == 1) == (message is not None)
        assert await store.accept(act())


async def test_a_full_disk_is_an_error_that_keeps_nothing(tmp_path: Path) -> None:
    """And when there is room again, all goes on."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        await store.add_request(request())
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = (tmp_path / "bot.db-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10_000, hard))
        try:
            with pytest.raises(StoreFailed, match=r"disk|full"):
                await store.save_request(
                    request(),
                    *(wanted(f"m{number}", "x" * 500) for number in range(200)),
                    jobs=[job()],
                    was=request().stage,
                )
            assert await store.job("alice", "75") is None
            assert await store.due(NOW) == []
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert await store.save_request(request(), jobs=[job()], was=request().stage)
        assert await store.job("alice", "75") == job()
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as again:
        assert await again.job("alice", "75") == job()


async def test_a_locked_file_is_an_error_that_keeps_nothing(tmp_path: Path) -> None:
    """Somebody has it open with a tool; when they let go, all goes on."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db", patience=0.1) as store:
        tool = sqlite3.connect(tmp_path / "bot.db")
        tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreFailed, match="locked"):
            await store.accept(act())
        tool.close()
        assert await store.accept(act())


async def test_only_the_owner_may_read_the_files(tmp_path: Path) -> None:
    """Whatever the umask or an earlier mode says."""
    path = tmp_path / "deep" / "er" / "bot.db"
    path.parent.mkdir(parents=True)
    path.touch(0o644)
    before = os.umask(0)
    try:
        async with SqlStore(f"sqlite:///{path}") as store:
            await store.accept(act())
            modes = {f.name: stat.S_IMODE(f.stat().st_mode) for f in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert {"bot.db", "bot.db-wal"} <= set(modes)
    assert set(modes.values()) == {0o600}


async def test_the_file_is_as_safe_as_it_is_said_to_be(tmp_path: Path) -> None:
    """WAL lasts in the file; the rest holds for our connection."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        pragmas = ("journal_mode", "synchronous", "foreign_keys")
        told = await store._database.run(
            lambda c: [c.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas]
        )
    assert told == ["wal", 2, 1]


async def test_a_lost_session_is_replaced(server: Postgres) -> None:
    """The call that meets it fails or not; the next one works, and holds the database again."""
    url = server.create("lost")
    async with SqlStore(url, patience=1) as store:
        server.sql(
            "lost",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = 'lost' AND pid <> pg_backend_pid()",
        )
        with pytest.raises(StoreFailed):
            await store.accept(act())
        assert await store.accept(act())
        with pytest.raises(ConfigError, match="another bot"):
            await SqlStore(url, patience=0.1).open()


@pytest.mark.parametrize(
    "url",
    ["postgresql://postgres:hunter2@127.0.0.1:1/x", "postgresql://postgres@/x?host=/nowhere"],
)
async def test_a_server_that_is_away_is_said_without_the_password(url: str) -> None:
    """StoreFailed, since it may come back."""
    with pytest.raises(StoreFailed) as caught:
        await SqlStore(url, patience=0.1).open()
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://u:hunter2@h/x", "hunter2 is no URL", ""])
async def test_a_url_that_is_none_is_said_without_the_password(url: str) -> None:
    """ConfigError, since it will not get better."""
    with pytest.raises(ConfigError) as caught:
        SqlStore(url)
    assert "hunter2" not in str(caught.value)


async def test_the_driver_in_a_url_does_not_matter(tmp_path: Path) -> None:
    """People paste SQLAlchemy's URLs."""
    async with SqlStore(f"sqlite+aiosqlite:///{tmp_path}/bot.db") as store:
        assert await store.accept(act())
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        assert not await store.accept(act())


async def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    """ConfigError that names the path."""
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file"):
        await SqlStore(f"sqlite:///{tmp_path}/file/bot.db").open()
