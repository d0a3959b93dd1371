"""Whether the database can be used is told without spoiling it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.doctor.store import store_check
from bot.store.sql_store import SqlStore


async def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """Whoever asks may be another account than the bot's."""
    file = tmp_path / "new" / "bot.db"
    (check,) = await store_check(f"sqlite:///{file}")
    assert check.ok
    assert not file.exists()
    assert not file.parent.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The bot would not start."""
    tmp_path.chmod(0o500)
    (check,) = await store_check(f"sqlite:///{tmp_path / 'bot.db'}")
    assert not check.ok
    assert str(tmp_path) in check.fix


async def test_a_file_in_the_place_of_a_folder_is_told(tmp_path: Path) -> None:
    """Nothing can be made below it."""
    (tmp_path / "file").touch()
    (check,) = await store_check(f"sqlite:///{tmp_path / 'file' / 'bot.db'}")
    assert not check.ok


async def test_a_sound_database_is_opened(tmp_path: Path) -> None:
    """It can be written, and there is room."""
    url = f"sqlite:///{tmp_path / 'bot.db'}"
    async with SqlStore(url):
        pass
    assert all(check.ok for check in await store_check(url))


async def test_a_running_bot_is_no_fault(tmp_path: Path) -> None:
    """The doctor is asked most while it runs."""
    url = f"sqlite:///{tmp_path / 'bot.db'}"
    async with SqlStore(url):
        checks = await store_check(url)
    assert all(check.ok for check in checks)
    assert "running bot" in checks[0].detail


async def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    """And left as it is."""
    file = tmp_path / "bot.db"
    file.write_text("not a database, by far" * 100)
    checks = await store_check(f"sqlite:///{file}")
    assert not checks[0].ok
    assert file.read_text().startswith("not a database")


async def test_a_server_that_is_away_is_told() -> None:
    """Without the password of its URL."""
    (check,) = await store_check("postgresql://bot:hush-hush@127.0.0.1:9/bot")
    assert not check.ok
    assert "hush" not in check.line
