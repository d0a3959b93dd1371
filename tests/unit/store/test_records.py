"""Acts, requests, jobs and the audit log are kept as they were said."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from bot.errors import StoreFailed
from bot.job import State
from bot.model import Stage
from bot.ports import Store
from bot.store.sql_store import SqlStore
from tests.unit.store.makers import CALLER, NOW, act, job, request, wanted


async def test_the_store_is_what_the_core_asks_for(store: SqlStore) -> None:
    """mypy reads this one."""
    port: Store = store
    assert await port.open_acts() == []


async def test_an_act_is_kept_once(store: SqlStore) -> None:
    """A redelivered envelope finds its act known, even when both come at one time."""
    answers = await asyncio.gather(*(store.accept(act()) for _ in range(8)))
    assert sorted(answers) == [False] * 7 + [True]
    assert await store.open_acts() == [act()]


async def test_a_finished_act_is_not_open_and_still_known(store: SqlStore) -> None:
    """Finishing forgets nothing."""
    await store.accept(act("a1"))
    await store.accept(act("a2"))
    await store.finish("a1")
    assert await store.open_acts() == [act("a2")]
    assert not await store.accept(act("a1"))


async def test_lives_of_an_act_are_counted_and_can_be_taken_back(store: SqlStore) -> None:
    """The first life counts from the start."""
    await store.accept(act("a1"))
    assert await store.begin("a1") == 2
    await store.set_aside("a1")
    assert await store.begin("a1") == 2
    assert await store.begin("a1") == 3


async def test_words_of_any_kind_survive(store: SqlStore) -> None:
    """NUL, emoji, right-to-left text and quotes come back as they went in."""
    odd = "a\0b ‘x’ — 🚀 שלום \x1f '; DROP TABLE acts; --"
    await store.accept(act("a1", text=odd))
    await store.record(act("a1", text=odd), did=odd, job=odd)
    await store.add_request(request("r1"))
    await store.save_jobs([job("75", name=odd)])
    [kept] = await store.open_acts()
    assert kept.text == odd
    [found] = await store.find_jobs("alice", odd)
    assert found.seen.name == odd


async def test_a_request_is_added_once_and_comes_back_as_it_stands(store: SqlStore) -> None:
    """The second click joins the request of the first, and does not set its message back."""
    first = request(stage=Stage.PROPOSED)
    assert await store.add_request(first, wanted(lead="asks")) == first
    moved = first.model_copy(update={"stage": Stage.ACCEPTED})
    assert await store.save_request(moved, wanted(lead="goes"), was=Stage.PROPOSED)
    assert await store.add_request(first, wanted(lead="asks")) == moved
    message = await store.message("request/r1")
    assert message is not None
    assert message.wanted.card.lead == ("goes",)


async def test_an_unknown_request_is_none(store: SqlStore) -> None:
    """No row is no error."""
    assert await store.request("never") is None


async def test_a_request_moves_only_from_where_it_was(store: SqlStore) -> None:
    """Of two who move it, one does; the other changes nothing, jobs and messages included."""
    await store.add_request(request(stage=Stage.PROPOSED))
    accepted = request(stage=Stage.ACCEPTED)
    withdrawn = request(stage=Stage.WITHDRAWN)
    assert await store.save_request(accepted, jobs=[job("75")], was=Stage.PROPOSED)
    moved = await store.save_request(
        withdrawn, wanted(lead="gone"), jobs=[job("76")], was=Stage.PROPOSED
    )
    assert not moved
    assert await store.request("r1") == accepted
    assert await store.message("request/r1") is None
    assert await store.jobs_of("r1") == [job("75")]


async def test_racing_moves_have_one_winner(store: SqlStore) -> None:
    """Submit and Cancel clicked at one time."""
    await store.add_request(request(stage=Stage.PROPOSED))
    moves = [request(stage=stage) for stage in (Stage.ACCEPTED, Stage.WITHDRAWN) * 4]
    won = await asyncio.gather(*(store.save_request(m, was=Stage.PROPOSED) for m in moves))
    assert sum(won) == 1
    assert await store.request("r1") == moves[won.index(True)]


async def test_requests_are_found_by_stage_oldest_first(store: SqlStore) -> None:
    """All of them when no stage is named."""
    stages = (Stage.UNKNOWN, Stage.PROPOSED, Stage.ACCEPTED, Stage.UNKNOWN)
    for number, stage in enumerate(stages):
        await store.add_request(request(f"r{number}", stage))
    found = await store.requests(Stage.ACCEPTED, Stage.UNKNOWN)
    assert [one.id for one in found] == ["r0", "r2", "r3"]
    assert [one.id for one in await store.requests()] == ["r0", "r1", "r2", "r3"]


async def test_jobs_that_exist_stay_as_they_are(store: SqlStore) -> None:
    """The submission may be told twice of; what was observed since is newer."""
    await store.add_request(request())
    await store.save_request(
        request(stage=Stage.SUBMITTED), jobs=[job("75", State.PENDING)], was=Stage.ACCEPTED
    )
    await store.save_jobs([job("75", State.RUNNING)])
    await store.save_request(
        request(stage=Stage.SUBMITTED),
        jobs=[job("75", State.PENDING), job("76", State.PENDING)],
        was=Stage.SUBMITTED,
    )
    assert await store.job("alice", "75") == job("75", State.RUNNING)
    assert await store.jobs_of("r1") == [job("75", State.RUNNING), job("76", State.PENDING)]


async def test_what_comes_after_a_job_is_added_once(store: SqlStore) -> None:
    """With the job and what is told of it; a request that has moved on stays as it is."""
    await store.add_request(request())
    again = request("r2", Stage.WAITING)
    await store.save_jobs([job(settled=True)], [wanted()], requests=[again])
    assert await store.requests(Stage.WAITING) == [again]
    moved = again.model_copy(update={"stage": Stage.ACCEPTED})
    assert await store.save_request(moved, was=Stage.WAITING)
    await store.save_jobs([job(settled=True)], requests=[again])
    assert await store.request("r2") == moved
    with pytest.raises(StoreFailed):
        await store.save_jobs([job("80", of="nobody")], requests=[request("r3", Stage.WAITING)])
    assert await store.request("r3") is None


async def test_a_failed_transaction_leaves_nothing(store: SqlStore) -> None:
    """A job of a request that is not there takes its stage and message back with it."""
    await store.add_request(request())
    with pytest.raises(StoreFailed):
        await store.save_request(
            request(stage=Stage.SUBMITTED),
            wanted(),
            jobs=[job("75"), job("76", of="never")],
            was=Stage.ACCEPTED,
        )
    assert await store.request("r1") == request()
    assert await store.jobs_of("r1") == []
    await store.want(wanted())
    message = await store.message("request/r1")
    assert message is not None
    assert message.revision == 1


async def test_open_jobs_are_those_of_the_cluster_that_are_not_settled(store: SqlStore) -> None:
    """A job that ended is open until its ending was explained."""
    await store.add_request(request())
    kept = [
        job("1"),
        job("2", State.FAILED),
        job("3", State.COMPLETED, settled=True),
        job("4", cluster="bob"),
    ]
    await store.save_jobs(kept)
    assert [one.id for one in await store.open_jobs("alice")] == ["1", "2"]
    await store.save_jobs([job("2", State.FAILED, settled=True)])
    assert [one.id for one in await store.open_jobs("alice")] == ["1"]
    assert [one.id for one in await store.recent_jobs("alice", 2)] == ["3", "2"]
    assert await store.job("bob", "4") == kept[3]
    assert await store.job("alice", "4") is None


async def test_jobs_are_found_by_name_newest_first(store: SqlStore) -> None:
    """The name is the whole name."""
    await store.add_request(request())
    names = ("train", "train2", "train")
    await store.save_jobs([job(str(n), name=name) for n, name in enumerate(names)])
    assert [one.id for one in await store.find_jobs("alice", "train")] == ["2", "0"]
    assert await store.find_jobs("bob", "train") == []


async def test_a_job_may_have_no_request(store: SqlStore) -> None:
    """One that was started elsewhere and is watched."""
    await store.save_jobs([job("9", of="")])
    assert await store.job("alice", "9") == job("9", of="")


async def test_ten_thousand_jobs_come_back_whole_and_in_order(store: SqlStore) -> None:
    """More than one parameter list or one page."""
    await store.add_request(request())
    await store.save_jobs([job(str(n)) for n in range(10_000)])
    found = await store.open_jobs("alice")
    assert [one.id for one in found] == [str(n) for n in range(10_000)]


async def test_the_audit_log_says_who_did_what_newest_first(store: SqlStore) -> None:
    """A button has no words; its action stands for them."""
    click = act("a2", text="").model_copy(
        update={"command": "", "action": "cancel", "value": "alice:75"}
    )
    await store.record(act("a1"), did="listed the jobs")
    await store.record(click, did="cancelled", job="alice:75", request="r1")
    newest, oldest = await store.audit()
    assert (newest.typed, newest.did, newest.job, newest.request) == (
        "cancel alice:75",
        "cancelled",
        "alice:75",
        "r1",
    )
    assert (oldest.act, oldest.typed, oldest.caller) == ("a1", "/slurm jobs", CALLER)
    assert oldest.at <= newest.at
    assert len(await store.audit(1)) == 1


async def test_old_things_are_forgotten_but_not_what_is_open(url: str) -> None:
    """An open job keeps everything since it was made."""
    moment = NOW - timedelta(days=100)
    async with SqlStore(url, clock=lambda: moment) as store:
        for name in ("a1", "a2"):
            await store.accept(act(name))
        await store.finish("a1")
        await store.want(wanted("root"), wanted("answer", parent="root"), wanted("alone"))
        for key in ("root", "alone"):
            await store.shown(key, f"{key}.1", 1)
        old = job("75").model_copy(update={"created": moment - timedelta(days=1)})
        await store.add_request(request(stage=Stage.SUBMITTED))
        await store.save_jobs([old])
        assert await store.prune(NOW) == 0
        await store.save_jobs([old.model_copy(update={"settled": True})])
        # `root` stays: its answer still waits to be posted.
        assert await store.prune(NOW) == 2
        assert await store.accept(act("a1"))
        assert await store.message("alone") is None
        assert await store.message("root") is not None
        assert {one.id for one in await store.open_acts()} == {"a1", "a2"}
