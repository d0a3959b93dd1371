"""Errands in the store: one that makes a thing at a time, and no change that is lost."""

from __future__ import annotations

from datetime import timedelta

from bot.errand import Errand, ErrandStage
from bot.store.sql_store import SqlStore
from tests.payloads.values import errand_of
from tests.unit.store.makers import NOW, act, wanted


def errand(name: str, target: str = "/i/a.sqsh", **changes: object) -> Errand:
    """An errand of this id."""
    return errand_of("x", id=name, target=target, **changes)


async def test_an_errand_is_kept_with_its_message(store: SqlStore) -> None:
    """And read back as it was."""
    assert await store.add_errand(errand("e1"), wanted("errand/e1")) == errand("e1")
    assert await store.errand("e1") == errand("e1")
    assert await store.message("errand/e1") is not None
    assert await store.errand("e2") is None


async def test_the_same_id_and_the_same_target_join(store: SqlStore) -> None:
    """Without a message of their own; another kind, cluster or target is another errand."""
    await store.add_errand(errand("e1"))
    assert (await store.add_errand(errand("e1", "/other"), wanted("errand/x"))).id == "e1"
    assert (await store.add_errand(errand("e2"), wanted("errand/e2"))).id == "e1"
    assert await store.message("errand/e2") is None
    for name, other in (
        ("e3", errand("e3", "/i/b.sqsh")),
        ("e4", errand("e4", kind="nemo-rl setup")),
        ("e5", errand("e5", cluster="bob")),
    ):
        assert (await store.add_errand(other)).id == name
    assert [one.id for one in await store.open_errands("alice")] == ["e1", "e3", "e4"]


async def test_one_that_is_over_makes_room(store: SqlStore) -> None:
    """The next of its target begins."""
    await store.add_errand(errand("e1"))
    over = errand("e1", stage=ErrandStage.DONE, ended=NOW)
    assert await store.save_errand(over, wanted("errand/e1"))
    assert (await store.add_errand(errand("e2"))).id == "e2"
    assert [one.id for one in await store.open_errands("alice")] == ["e2"]


async def test_who_saves_second_learns_that_it_moved_on(store: SqlStore) -> None:
    """And nothing of theirs is kept, the message included."""
    await store.add_errand(errand("e1"))
    first = await store.errand("e1")
    assert first is not None
    assert await store.save_errand(first.model_copy(update={"stopper": "U1"}))
    assert not await store.save_errand(first.model_copy(update={"line": "y"}), wanted("errand/y"))
    now = await store.errand("e1")
    assert now is not None
    assert (now.stopper, now.line, now.revision) == ("U1", "x", 1)
    assert await store.message("errand/y") is None
    assert await store.save_errand(now.model_copy(update={"stopper": "U2"}))


async def test_nothing_younger_than_an_open_errand_is_forgotten(store: SqlStore) -> None:
    """Its act and message are still needed."""
    await store.add_errand(errand("e1", created=NOW - timedelta(days=1000)))
    await store.accept(act())
    await store.finish("a1")
    assert await store.prune(NOW + timedelta(days=1000)) == 0
    over = errand("e1", stage=ErrandStage.DONE, created=NOW - timedelta(days=1000))
    await store.save_errand(over)
    assert await store.prune(NOW + timedelta(days=1000)) == 1
