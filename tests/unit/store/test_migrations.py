"""A database of any age becomes one of today, and nothing else is touched."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text

from bot.errors import ConfigError
from bot.store import migrations, tables
from bot.store.sql_store import SqlStore
from tests.unit.store.makers import act
from tests.unit.store.servers import Postgres


def _shape(connection: Connection) -> dict[str, object]:
    """Describe the tables: columns with types, keys, indexes."""
    seen = inspect(connection)
    dialect = connection.dialect
    return {
        table: (
            [
                (column["name"], column["type"].compile(dialect), column["nullable"])
                for column in seen.get_columns(table)
                # The number of a row is typed by each database in its own way.
                if column["name"] != "seq"
            ],
            seen.get_pk_constraint(table)["constrained_columns"],
            sorted(
                (index["name"] or "", tuple(index["column_names"]), bool(index["unique"]))
                for index in seen.get_indexes(table)
                if "duplicates_constraint" not in index
            ),
            sorted(tuple(one["column_names"]) for one in seen.get_unique_constraints(table)),
            [
                (key["constrained_columns"], key["referred_table"])
                for key in seen.get_foreign_keys(table)
            ],
        )
        for table in sorted(seen.get_table_names())
        if table != migrations.applied.name
    }


async def test_the_migrations_come_to_the_tables(store: SqlStore) -> None:
    """What the statements are built on is what the migrations leave."""

    def work(connection: Connection) -> tuple[dict[str, object], dict[str, object]]:
        migrated = _shape(connection)
        tables.metadata.drop_all(connection)
        tables.metadata.create_all(connection)
        return migrated, _shape(connection)

    migrated, declared = await store._database.run(work)
    assert migrated == declared
    assert set(migrated) == {"acts", "requests", "jobs", "blames", "errands", "messages", "audit"}


async def test_a_second_start_changes_nothing(url: str) -> None:
    """And finds what the first one kept."""
    async with SqlStore(url) as store:
        await store.accept(act())
    async with SqlStore(url) as store:
        assert await store.open_acts() == [act()]
        names = await store._database.run(
            lambda c: c.execute(text("SELECT name FROM sbatchat_migrations")).scalars().all()
        )
    assert names == [migration.__name__ for migration in migrations.MIGRATIONS]


async def test_a_migration_that_breaks_leaves_nothing(store: SqlStore) -> None:
    """Its tables and its record are one transaction."""

    def m999_breaks(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half (x INTEGER)"))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await store._database.run(lambda c: migrations.apply(m999_breaks, c))
    assert "half" not in await store._database.run(lambda c: inspect(c).get_table_names())
    assert await store._database.run(migrations.missing) == ()


async def test_a_newer_database_is_refused(url: str) -> None:
    """An older bot does not guess what newer tables mean."""
    async with SqlStore(url) as store:
        await store._database.run(
            lambda c: (
                c.execute(
                    text("INSERT INTO sbatchat_migrations VALUES ('m999_later', '2026-01-01')")
                ).rowcount
            )
        )
    with pytest.raises(ConfigError, match=r"newer version .*m999_later"):
        await SqlStore(url).open()


async def test_a_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    """No byte of it changes, and no mode."""
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (x)")
    other.close()
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"another program .*bookmarks"):
        await SqlStore(f"sqlite:///{path}").open()
    assert path.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o644


async def test_a_database_of_another_program_is_refused(server: Postgres) -> None:
    """On a server too."""
    url = server.create("other")
    server.sql("other", "CREATE TABLE bookmarks (x int)")
    with pytest.raises(ConfigError, match=r"another program .*bookmarks"):
        await SqlStore(url).open()


async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A path mixed up in the configuration costs nothing."""
    path = tmp_path / "notes.txt"
    words = b"dear diary, " * 1000
    path.write_bytes(words)
    with pytest.raises(ConfigError, match="not a database"):
        await SqlStore(f"sqlite:///{path}").open()
    assert path.read_bytes() == words
