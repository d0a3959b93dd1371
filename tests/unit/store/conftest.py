"""One suite over both databases."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.store.sql_store import SqlStore
from tests.unit.store.servers import Postgres, postgres, programs

_names = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    """A real PostgreSQL, or a skip that says why there is none."""
    where = programs()
    if where is None:
        pytest.skip("no PostgreSQL server is installed (/usr/lib/postgresql/*/bin)")
    with postgres(where) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/bot.db"
    running: Postgres = request.getfixturevalue("server")
    return running.create(f"bot{next(_names)}")


@pytest.fixture
async def store(url: str) -> AsyncIterator[SqlStore]:
    """An open store over an empty database."""
    async with SqlStore(url, patience=0.5) as opened:
        yield opened
