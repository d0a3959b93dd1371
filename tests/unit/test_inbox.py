"""The inbox keeps acts before it does them, and does each until it is done."""

from __future__ import annotations

import asyncio
import logging
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from bot.errors import ClusterUnreachable, StoreFailed
from bot.inbox import Inbox
from bot.model import Act
from bot.store.sql_store import SqlStore
from tests.unit.store.makers import act
from tests.unit.telling import until


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    """An open store."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db", patience=0.05) as opened:
        yield opened


class Diary:
    """What was begun, done and apologised for, in order."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.done: list[str] = []
        self.resumed: list[str] = []
        self.sorry: list[tuple[str, str]] = []
        self.hold: dict[str, asyncio.Event] = {}
        self.break_with: dict[str, Exception] = {}

    async def perform(self, act: Act) -> None:
        """Do it, when it may go on, unless it breaks."""
        self.begun.append(act.id)
        if act.id in self.hold:
            await self.hold[act.id].wait()
        if act.id in self.break_with:
            raise self.break_with[act.id]
        self.done.append(act.id)

    async def resume(self, act: Act) -> None:
        """Do what an earlier life left."""
        self.resumed.append(act.id)
        await self.perform(act)

    async def apologise(self, act: Act, error_id: str) -> None:
        """Say sorry."""
        self.sorry.append((act.id, error_id))


@pytest.fixture
def diary() -> Diary:
    """An empty one."""
    return Diary()


@asynccontextmanager
async def running(
    store: SqlStore, diary: Diary, *, abreast: int = 16, aside: Collection[str] = ()
) -> AsyncIterator[Inbox]:
    """Run an inbox as long as the block lasts; leaving it is a shutdown."""
    inbox = Inbox(
        store,
        diary.perform,
        diary.resume,
        diary.apologise,
        aside=lambda act: act.id in aside,
        abreast=abreast,
    )
    task = asyncio.create_task(inbox.run())
    try:
        yield inbox
    finally:
        assert not task.done(), "the inbox stopped by itself"
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def nothing_open(store: SqlStore) -> Callable[[], Awaitable[bool]]:
    """Return the question whether all acts are finished."""

    async def ask() -> bool:
        return not await store.open_acts()

    return ask


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the named steps in the log."""
    return [getattr(record, "action", "") for record in caplog.records]


async def test_an_act_is_kept_and_done_once(store: SqlStore, diary: Diary) -> None:
    """A redelivery joins it, before and after it is done."""
    async with running(store, diary) as inbox:
        assert await inbox.accept(act())
        assert not await inbox.accept(act())
        await until(nothing_open(store))
        assert not await inbox.accept(act())
        await asyncio.sleep(0.05)
    assert diary.done == ["a1"]


async def test_accepting_does_not_wait_for_the_work(store: SqlStore, diary: Diary) -> None:
    """Slack gets its answer at once."""
    diary.hold["a1"] = asyncio.Event()
    async with running(store, diary) as inbox:
        assert await inbox.accept(act())
        assert [one.id for one in await store.open_acts()] == ["a1"]
        assert diary.done == []


async def test_acts_of_one_person_go_in_order_and_others_do_not_wait(
    store: SqlStore, diary: Diary
) -> None:
    """`run` and then `cancel` mean what they say."""
    diary.hold["a1"] = asyncio.Event()
    async with running(store, diary) as inbox:
        for one in (act("a1"), act("a2"), act("b1", user="U2")):
            await inbox.accept(one)
        await until(lambda: diary.done == ["b1"])
        assert diary.begun == ["a1", "b1"]
        diary.hold["a1"].set()
        await until(nothing_open(store))
    assert diary.done == ["b1", "a1", "a2"]


async def test_what_takes_long_holds_up_nothing_else_of_its_person(
    store: SqlStore, diary: Diary
) -> None:
    """Nor do two such acts wait for one another."""
    diary.hold |= {"a1": asyncio.Event(), "a2": asyncio.Event()}
    async with running(store, diary, aside={"a1", "a2"}) as inbox:
        for one in (act("a1"), act("a2"), act("a3"), act("a4")):
            await inbox.accept(one)
        await until(lambda: diary.done == ["a3", "a4"])
        assert set(diary.begun) == {"a1", "a2", "a3", "a4"}
        diary.hold["a2"].set()
        diary.hold["a1"].set()
        await until(nothing_open(store))


async def test_no_more_than_so_many_are_done_at_one_time(store: SqlStore, diary: Diary) -> None:
    """The rest wait their turn."""
    for number in range(6):
        diary.hold[str(number)] = asyncio.Event()
    async with running(store, diary, abreast=4) as inbox:
        for number in range(6):
            await inbox.accept(act(str(number), user=f"U{number}"))
        await asyncio.sleep(0.1)
        assert len(diary.begun) == 4
        for event in diary.hold.values():
            event.set()
        await until(nothing_open(store))
    assert len(diary.done) == 6


async def test_what_an_earlier_life_left_is_done_first(store: SqlStore, diary: Diary) -> None:
    """With what came while it was being read, once each."""
    for number in range(300):
        await store.accept(act(f"old{number}", user=f"U{number % 7}"))
    inbox = Inbox(store, diary.perform, diary.resume, diary.apologise)
    await inbox.accept(act("early"))
    task = asyncio.create_task(inbox.run())
    for number in range(20):
        await inbox.accept(act(f"new{number}", user=f"U{number}"))
    await until(nothing_open(store))
    task.cancel()
    assert len(diary.done) == 321
    assert len(set(diary.done)) == 321
    assert len(diary.resumed) == 300


async def test_a_shutdown_leaves_the_act_to_the_next_life(store: SqlStore, diary: Diary) -> None:
    """However often it is shut down on purpose, it is not given up."""
    diary.hold["a1"] = asyncio.Event()
    await store.accept(act())
    for _ in range(8):
        diary.begun.clear()
        async with running(store, diary):
            await until(lambda: diary.begun == ["a1"])
    diary.hold["a1"].set()
    async with running(store, diary):
        await until(nothing_open(store))
    assert diary.done == ["a1"]
    assert diary.sorry == []


async def test_a_bug_is_logged_and_told_under_one_id(
    store: SqlStore, diary: Diary, caplog: pytest.LogCaptureFixture
) -> None:
    """And the next act of the same person is done."""
    diary.break_with["a1"] = KeyError("oops")
    async with running(store, diary) as inbox:
        await inbox.accept(act("a1"))
        await inbox.accept(act("a2"))
        await until(nothing_open(store))
    [(told, error_id)] = diary.sorry
    [record] = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert (told, error_id) == ("a1", getattr(record, "error_id", ""))
    assert len(error_id) == 8
    assert record.exc_info is not None
    assert diary.done == ["a2"]


async def test_an_error_of_ours_that_nobody_told_is_told(store: SqlStore, diary: Diary) -> None:
    """Nothing ends in silence."""
    diary.break_with["a1"] = ClusterUnreachable()
    async with running(store, diary) as inbox:
        await inbox.accept(act())
        await until(nothing_open(store))
    assert [told for told, _ in diary.sorry] == ["a1"]


async def test_an_apology_that_breaks_ends_the_act_all_the_same(
    store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Both are in the log; the next act is done."""

    async def broken(act: Act, error_id: str = "") -> None:
        raise ValueError(error_id)

    inbox = Inbox(store, broken, broken, broken)
    task = asyncio.create_task(inbox.run())
    await inbox.accept(act("a1"))
    await inbox.accept(act("a2"))
    await until(nothing_open(store))
    task.cancel()
    assert sum(1 for r in caplog.records if r.levelno == logging.ERROR) == 4


async def test_an_act_that_cannot_be_kept_is_not_accepted(
    store: SqlStore, diary: Diary, tmp_path: Path
) -> None:
    """The caller learns it, and can say so at once."""
    async with running(store, diary) as inbox:
        tool = sqlite3.connect(tmp_path / "bot.db")
        tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreFailed):
            await inbox.accept(act())
        tool.close()
        assert await inbox.accept(act())
        await until(nothing_open(store))
    assert diary.done == ["a1"]


async def test_a_done_act_is_finished_when_the_database_is_back(
    store: SqlStore, diary: Diary, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is not done again meanwhile, and the log says it once."""
    diary.hold["a1"] = asyncio.Event()
    tool = sqlite3.connect(tmp_path / "bot.db")
    async with running(store, diary) as inbox:
        await inbox.accept(act())
        await until(lambda: diary.begun == ["a1"])
        tool.execute("BEGIN IMMEDIATE")
        diary.hold["a1"].set()
        await until(
            lambda: "act_not_finished" in {getattr(r, "action", "") for r in caplog.records}
        )
        tool.rollback()
        await until(nothing_open(store))
    tool.close()
    assert diary.done == ["a1"]
    assert said(caplog).count("act_not_finished") == 1


CRASHER = """
import asyncio, os, signal, sys
from bot.inbox import Inbox
from bot.store.sql_store import SqlStore
from tests.unit.store.makers import act

async def perform(one):
    if one.id == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    print("done", one.id, flush=True)

async def apologise(one, error_id):
    print("sorry", one.id, flush=True)

async def main():
    async with SqlStore(sys.argv[1]) as store:
        inbox = Inbox(store, perform, perform, apologise)
        task = asyncio.create_task(inbox.run())
        await inbox.accept(act("deadly"))
        await inbox.accept(act("harmless"))
        while await store.open_acts():
            await asyncio.sleep(0.01)
        task.cancel()

asyncio.run(main())
"""


async def test_an_act_that_kills_the_bot_is_given_up_after_three_lives(tmp_path: Path) -> None:
    """With an apology; the act behind it is done."""
    url = f"sqlite:///{tmp_path}/bot.db"
    ends = [
        subprocess.run(
            [sys.executable, "-c", CRASHER, url], capture_output=True, text=True, check=False
        )
        for _ in range(4)
    ]
    assert [end.returncode for end in ends] == [-signal.SIGKILL] * 3 + [0]
    assert ends[3].stdout.split("\n")[:-1] == ["sorry deadly", "done harmless"]
