"""A node that fails in the same way again is told of: once a week, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.blame import Blame, again, blames_of
from bot.card import Bullets, Card, Excerpt, Link, plain
from bot.cards.repeats import again_card, with_past
from bot.cluster.slurm import NodeState
from bot.cluster_settings import ClusterSettings
from bot.diagnosis import Finding
from bot.errors import ChatUnreachable, ClusterUnreachable
from bot.explaining import same_before
from bot.following import explained
from bot.job import Job, State
from bot.login_node import LoginNode
from bot.messages import under
from bot.model import Stage
from bot.policy import Policy
from bot.ports import Output, Posted, Wanted
from bot.repeats import Repeats
from bot.store.sql_store import SqlStore
from tests.unit.fake_slurm import FakeSlurm
from tests.unit.store.makers import job, request

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)  # a Wednesday
NODE = "alice-a3m-1"
ECC = Finding(
    label="gpu-ecc",
    group="hardware",
    title="A GPU has memory errors.",
    confidence=0.9,
    nodes=(NODE,),
)
PROOF = Card(lead=("x",), parts=(Excerpt(caption=("train.log",), text="ECC error"),))


def failed(
    number: str, at: datetime = NOW, *, attempt: int = 1, finding: Finding = ECC, of: str = "r1"
) -> Job:
    """Return a job that a node ended."""
    one = job(number, State.FAILED, of=of, settled=True)
    seen = one.seen.model_copy(update={"ended": at, "user": "trainer"})
    update = {"seen": seen, "caller": "U1", "attempt": attempt, **explained(finding)}
    return one.model_copy(update=update)


@dataclass
class Site:
    """A cluster whose administrators have a channel, and the one life of the bot that watches."""

    store: SqlStore
    slurm: FakeSlurm
    node: LoginNode
    links: list[str] = field(default_factory=list)

    def life(self, now: datetime = NOW) -> Repeats:
        """Begin a new life of the bot."""
        return Repeats(
            nodes={"alice": self.node},
            store=self.store,
            permalink=self.permalink,
            wake=lambda: None,
            clock=lambda: now,
        )

    async def permalink(self, channel: str, ts: str) -> str:
        """Return where a message is."""
        self.links.append(ts)
        return f"https://slack.example/{channel}/{ts}"

    async def told(self) -> list[Posted]:
        """Return what the administrators' channel shall show."""
        return [one for one in await self.store.due(NOW) if one.wanted.channel == "CADMINS"]

    def asked(self) -> int:
        """Return how often the cluster was asked."""
        return len(self.slurm.asked)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    """Nothing has failed yet."""
    slurm = FakeSlurm()
    slurm.instead["scontrol show node"] = Output(f"NodeName={NODE} State=IDLE\n", "", 0)
    policy = Policy(cluster="alice", users=(), channels=(), operators=(), ask_above_gpu_hours=8.0)
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    node = LoginNode(settings=settings, policy=policy, cluster=slurm, admin_channel="CADMINS")
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db", clock=lambda: NOW) as store:
        for name in ("r1", "r2"):
            await store.add_request(request(name, Stage.SUBMITTED))
        yield Site(store, slurm, node)


def state(word: str = "idle", *flags: str, reason: str = "") -> NodeState:
    """Return how Slurm shows the node."""
    return NodeState(
        name=NODE,
        partitions=("a3m",),
        state=word,
        flags=flags,
        gpus=8,
        gpus_used=0,
        reason=reason,
    )


async def test_one_failure_is_nobodys_business(site: Site) -> None:
    """Nor are two of other kinds, on other nodes, or more than a week apart."""
    old = NOW - timedelta(days=7, seconds=1)
    other_node = Finding(**{**vars(ECC), "nodes": ("alice-a3m-2",)})
    other_cause = Finding(**{**vars(ECC), "label": "gpu-lost"})
    nobodys = Finding(**{**vars(ECC), "nodes": ()})
    await site.store.save_jobs(
        [
            failed("71"),
            failed("72", old),
            failed("73", finding=other_node),
            failed("74", finding=other_cause),
            failed("75", finding=nobodys),
        ]
    )
    assert await site.life().tick() > 0
    assert await site.told() == []
    assert site.asked() == 0


async def test_the_second_is_told_with_all_that_an_administrator_needs(site: Site) -> None:
    """Node, cause, jobs with owner and link, the line that proves it, its state, what to type."""
    first, second = failed("71", NOW - timedelta(days=1)), failed("72", of="r2")
    await site.store.save_jobs([first], [under(request("r1"), "71/1/why", PROOF)])
    await site.store.want(Wanted(key="request/r1", channel="C1", card=Card(lead=("x",))))
    await site.store.shown("request/r1", "10.1", 1)
    await site.store.save_jobs([second])

    await site.life().tick()

    [posted] = await site.told()
    card = posted.wanted.card
    assert plain(card.lead) == (
        f"Node {NODE} of alice failed twice in the same way within a week. A GPU has memory errors."
    )
    assert plain(card.facts[0].value) == "idle"
    bullets, proof, line = card.parts
    assert isinstance(bullets, Bullets)
    assert isinstance(proof, Excerpt)
    assert isinstance(line, Excerpt)
    assert [plain(item) for item in bullets.items] == [
        "Job 71 of @U1 (account trainer), 2026-03-03 12:00 UTC",
        "Job 72 of @U1 (account trainer), 2026-03-04 12:00 UTC",
    ]
    assert bullets.items[0][0] == Link(text="Job 71", url="https://slack.example/C1/10.1")
    assert proof.text == "ECC error"
    assert line.text == f'scontrol update nodename={NODE} state=drain reason="gpu-ecc"'


async def test_it_is_told_once_and_the_message_grows(site: Site) -> None:
    """A third failure in the same week edits it; another life repeats nothing."""
    life = site.life()
    await site.store.save_jobs([failed("71"), failed("72")])
    await life.tick()
    await life.tick()
    await site.life().tick()
    [posted] = await site.told()
    assert posted.revision == 1
    assert site.asked() == 2

    await site.store.save_jobs([failed("73")])
    await life.tick()
    [posted] = await site.told()
    assert posted.revision == 2
    assert "failed 3 times" in plain(posted.wanted.card.lead)


async def test_two_lives_and_several_failures_at_once_make_one_message(site: Site) -> None:
    """Its name follows from what failed."""
    await asyncio.gather(*(site.store.save_jobs([failed(str(n))]) for n in range(71, 76)))
    await asyncio.gather(*(site.life().tick() for _ in range(3)))
    assert len(await site.told()) == 1


async def test_another_week_is_another_message(site: Site) -> None:
    """Somebody may have thought that it was mended."""
    await site.store.save_jobs([failed("71"), failed("72")])
    await site.life().tick()
    later = NOW + timedelta(days=6)
    await site.store.save_jobs([failed("73", later)])
    await site.life(later).tick()
    keys = [one.wanted.key for one in await site.told()]
    assert keys == [
        f"node/alice/{NODE}/gpu-ecc/2026-10",
        f"node/alice/{NODE}/gpu-ecc/2026-11",
    ]


async def test_attempts_of_one_job_count(site: Site) -> None:
    """A requeued job that fails again on the node failed on it twice; what is told twice, once."""
    first = failed("71", attempt=1)
    waits = first.model_copy(
        update={
            "seen": first.seen.model_copy(update={"state": State.PENDING, "ended": None}),
            "attempt": 2,
        }
    )
    await site.store.save_jobs([waits])
    await site.store.save_jobs([waits])
    await site.life().tick()
    assert await site.told() == []
    await site.store.save_jobs([failed("71", attempt=2)])
    await site.life().tick()
    [posted] = await site.told()
    bullets = posted.wanted.card.parts[0]
    assert isinstance(bullets, Bullets)
    assert ", attempt 2" in plain(bullets.items[1])


async def test_a_cluster_that_does_not_answer_holds_nothing_up(site: Site) -> None:
    """How the node is follows when it answers again."""
    life = site.life()
    site.slurm.instead["scontrol show node"] = ClusterUnreachable("away")
    await site.store.save_jobs([failed("71"), failed("72")])
    await life.tick()
    [posted] = await site.told()
    assert posted.wanted.card.facts == ()
    line = f"NodeName={NODE} State=IDLE+DRAIN Reason=checked [root@now]\n"
    site.slurm.instead["scontrol show node"] = Output(line, "", 0)
    await life.tick()
    [posted] = await site.told()
    assert plain(posted.wanted.card.facts[0].value) == "idle + drain: checked"


async def test_a_link_that_slack_does_not_give_is_left_out(site: Site) -> None:
    """The job's number is there all the same."""

    async def silent(channel: str, ts: str) -> str:
        raise ChatUnreachable(channel + ts)

    await site.store.want(Wanted(key="request/r1", channel="C1", card=Card(lead=("x",))))
    await site.store.shown("request/r1", "10.1", 1)
    await site.store.save_jobs([failed("71"), failed("72")])
    nodes = {"alice": site.node}
    life = Repeats(
        nodes=nodes, store=site.store, permalink=silent, wake=lambda: None, clock=lambda: NOW
    )
    await life.tick()
    assert "Job 71" in str((await site.told())[0].wanted.card.parts[0])


async def test_where_administrators_have_no_channel_nobody_is_told(site: Site) -> None:
    """The person's card says it all the same."""
    site.node.admin_channel = ""
    await site.store.save_jobs([failed("71"), failed("72")])
    await site.life().tick()
    assert await site.told() == []
    assert [one.job for one in await same_before(site.store, failed("72"), ECC)] == ["71"]


@pytest.mark.parametrize(
    ("name", "shown", "types"),
    [
        (NODE, state(), True),
        (NODE, None, True),
        (NODE, state("down"), False),
        (NODE, state("idle", "drain"), False),
        ("x; rm -rf ~", None, False),
        ("-x", None, False),
    ],
)
def test_a_line_to_type_is_given_where_it_helps_and_is_safe(
    name: str, shown: NodeState | None, *, types: bool
) -> None:
    """The name may come from a log; a node that is out needs no taking out."""
    finding = Finding(**{**vars(ECC), "nodes": (name,)})
    [one] = again(
        blame for n in ("71", "72") for blame in blames_of(failed(n, finding=finding), NOW)
    )
    card = again_card(one, (), shown)
    assert any("scontrol" in str(part) for part in card.parts) is types


async def test_a_persons_card_says_what_the_node_did_before(site: Site) -> None:
    """The last time, and how often before; not the failure that the card is about."""
    card = Card(lead=("Job 73",), foot=(("Sure.",),))
    assert with_past(card, ()) == card
    for number, days in (("71", 2), ("72", 1), ("73", 0)):
        await site.store.save_jobs([failed(number, NOW - timedelta(days=days))])
    past = await same_before(site.store, failed("73"), ECC)
    assert plain(with_past(card, past).foot[1]) == (
        f"Node {NODE} failed in the same way in job 72, 2026-03-03 12:00 UTC, "
        "and 1 time before that."
    )


async def test_old_failures_are_forgotten_with_the_rest(site: Site) -> None:
    """Nothing grows for ever."""
    await site.store.save_jobs([failed("71", NOW - timedelta(days=90)), failed("72")])
    await site.store.prune(NOW - timedelta(days=80))
    kept = await site.store.blames("alice", NOW - timedelta(days=900))
    assert [blame.job for blame in kept] == ["72"]
    assert kept == [Blame.model_validate(kept[0].model_dump())]
