"""Rows of the outbox: what is wanted, what is shown, and what is due."""

from __future__ import annotations

from datetime import timedelta

from bot.store.messages import ABREAST
from bot.store.sql_store import SqlStore
from tests.unit.store.makers import NOW, wanted


async def _due(store: SqlStore) -> list[str]:
    return [row.wanted.key for row in await store.due(NOW)]


async def test_a_wanted_message_is_due_until_it_is_shown(store: SqlStore) -> None:
    """It comes back as it was wanted."""
    await store.want(wanted())
    [row] = await store.due(NOW)
    assert row.wanted == wanted()
    assert (row.revision, row.shown, row.ts, row.attempted) == (1, 0, "", None)
    await store.attempting("request/r1", 1, NOW)
    [row] = await store.due(NOW)
    assert row.attempted == NOW
    await store.shown("request/r1", "17.5", 1)
    assert await store.due(NOW) == []
    shown = await store.message("request/r1")
    assert shown is not None
    assert (shown.shown, shown.ts, shown.attempted) == (1, "17.5", None)


async def test_the_same_card_changes_nothing(store: SqlStore) -> None:
    """Neither before nor after it is shown."""
    await store.want(wanted())
    await store.want(wanted(), wanted())
    await store.shown("request/r1", "1.0", 1)
    await store.want(wanted())
    row = await store.message("request/r1")
    assert row is not None
    assert row.revision == 1
    assert await store.due(NOW) == []


async def test_the_newest_card_wins_and_is_due(store: SqlStore) -> None:
    """Cards in between are never told."""
    await store.want(wanted(lead="one"))
    await store.shown("request/r1", "1.0", 1)
    await store.want(wanted(lead="two"), wanted(lead="three"))
    await store.want(wanted(lead="four"))
    [row] = await store.due(NOW)
    assert (row.wanted.card.lead, row.revision, row.shown) == (("four",), 4, 1)


async def test_a_card_that_changes_while_it_is_told_stays_due(store: SqlStore) -> None:
    """Showing an older revision does not settle a newer one."""
    await store.want(wanted(lead="one"))
    await store.want(wanted(lead="two"))
    await store.shown("request/r1", "1.0", 1)
    [row] = await store.due(NOW)
    assert (row.revision, row.shown) == (2, 1)
    await store.shown("request/r1", "1.0", 2)
    await store.shown("request/r1", "1.0", 1)
    assert await store.due(NOW) == []


async def test_a_found_post_shows_what_it_showed_when_it_began(store: SqlStore) -> None:
    """A card that changed since is still due."""
    await store.want(wanted(lead="one"))
    await store.attempting("request/r1", 1, NOW)
    await store.want(wanted(lead="two"))
    await store.attempting("request/r1", 2, NOW)
    await store.found("request/r1", "1.0")
    [row] = await store.due(NOW)
    assert (row.ts, row.shown, row.revision, row.attempted) == ("1.0", 1, 2, None)


async def test_a_post_that_did_not_happen_is_as_if_never_begun(store: SqlStore) -> None:
    """The next one says what it shows."""
    await store.want(wanted(lead="one"))
    await store.attempting("request/r1", 1, NOW)
    await store.not_shown("request/r1")
    [row] = await store.due(NOW)
    assert row.attempted is None
    await store.want(wanted(lead="two"))
    await store.attempting("request/r1", 2, NOW)
    await store.found("request/r1", "1.0")
    assert await store.due(NOW) == []


async def test_a_refused_revision_is_not_due_and_a_newer_one_is(store: SqlStore) -> None:
    """The code is told as long as it is true."""
    await store.want(wanted(lead="one"))
    await store.refused("request/r1", 1, "not_in_channel")
    assert await store.due(NOW) == []
    row = await store.message("request/r1")
    assert row is not None
    assert row.refused == "not_in_channel"
    await store.want(wanted(lead="two"))
    [row] = await store.due(NOW)
    assert (row.refused, row.revision) == ("", 2)


async def test_an_answer_is_due_when_its_parent_is_there(store: SqlStore) -> None:
    """And it knows the parent's ts."""
    await store.want(wanted("root"), wanted("answer", parent="root"))
    assert await _due(store) == ["root"]
    await store.shown("root", "5.0", 1)
    [row] = await store.due(NOW)
    assert (row.wanted.key, row.parent_ts) == ("answer", "5.0")


async def test_an_answer_to_a_refused_parent_comes_without_its_ts(store: SqlStore) -> None:
    """It waits again when the parent is tried again."""
    await store.want(wanted("root"), wanted("answer", parent="root"))
    await store.refused("root", 1, "is_archived")
    [row] = await store.due(NOW)
    assert (row.wanted.key, row.parent_ts) == ("answer", "")
    await store.want(wanted("root", "other"))
    assert await _due(store) == ["root"]


async def test_an_answer_whose_parent_nobody_wanted_waits(store: SqlStore) -> None:
    """Until somebody does."""
    await store.want(wanted("answer", parent="root"))
    assert await _due(store) == []
    await store.want(wanted("root"))
    await store.shown("root", "5.0", 1)
    assert await _due(store) == ["answer"]


async def test_an_answer_under_a_known_ts_waits_for_nothing(store: SqlStore) -> None:
    """It may name the thread itself."""
    await store.want(wanted("answer", thread="3.0"))
    assert await _due(store) == ["answer"]


async def test_a_message_waits_for_its_time_and_its_updates_do_not(store: SqlStore) -> None:
    """Wanting it without a time brings it forward, with the same card too."""
    later = NOW + timedelta(seconds=5)
    await store.want(wanted(not_before=later))
    assert await _due(store) == []
    [row] = await store.due(later)
    assert (row.wanted.not_before, row.revision) == (later, 1)
    await store.want(wanted())
    [row] = await store.due(NOW)
    assert (row.wanted.not_before, row.revision) == (None, 1)
    await store.shown("request/r1", "1.0", 1)
    await store.want(wanted(lead="two", not_before=later))
    assert await _due(store) == ["request/r1"]


async def test_posts_are_due_in_the_order_in_which_they_were_wanted(store: SqlStore) -> None:
    """A card that changed meanwhile keeps its place."""
    keys = [f"m{number}" for number in range(20)]
    await store.want(*(wanted(key) for key in keys[:10]))
    for key in keys[10:]:
        await store.want(wanted(key))
    await store.want(wanted("m0", "other"))
    assert await _due(store) == keys


async def test_a_busy_channel_does_not_hide_another(store: SqlStore) -> None:
    """Nor do its updates hide its posts."""
    many = [f"m{number:03}" for number in range(2 * ABREAST)]
    await store.want(*(wanted(key) for key in many))
    for key in many:
        await store.shown(key, f"{key}.0", 1)
    await store.want(*(wanted(key, "two") for key in many))
    await store.want(*(wanted(f"n{number:03}") for number in range(2 * ABREAST)))
    await store.want(wanted("other", channel="C2"))
    due = await _due(store)
    assert "other" in due
    assert len(due) == 2 * ABREAST + 1


async def test_updates_that_wait_longest_come_first(store: SqlStore) -> None:
    """A message that changes all the time does not push the others back."""
    await store.want(wanted("a"), wanted("b"))
    await store.shown("a", "1.0", 1)
    await store.shown("b", "2.0", 1)
    await store.want(wanted("b", "two"))
    await store.want(wanted("a", "two"))
    await store.want(wanted("b", "three"))
    assert await _due(store) == ["b", "a"]


async def test_a_message_is_known_by_its_place(store: SqlStore) -> None:
    """A click says channel and ts."""
    await store.want(wanted("a"), wanted("b"))
    await store.shown("a", "1.0", 1)
    assert await store.message_at("C1", "1.0") == "a"
    assert await store.message_at("C2", "1.0") == ""
    assert await store.message_at("C1", "") == ""
