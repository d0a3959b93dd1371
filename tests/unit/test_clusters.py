"""`/slurm clusters`: each is asked at once, and one that is dead delays no other."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest

from bot.card import Bullets, Card, plain
from bot.cluster.login import Health
from bot.cluster_settings import ClusterSettings
from bot.errors import AccessRefused, ClusterUnreachable, NotAllowed, SlurmUnreachable
from bot.login_node import LoginNode
from bot.model import Act, ActKind, Caller
from bot.policy import Policy
from bot.ports import Output, Query
from bot.service import Service, clusters
from bot.store.sql_store import SqlStore
from tests.unit.idle import Idle

T = TypeVar("T")
NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
SINFO = (
    "slurm-wlm 22.05.8\nn0 idle\nn1 idle~\nn1 idle~\nn2 mixed\nn3 drained*\nn4 down*\nn5 idle*\n"
)


class Door:
    """A login node that answers, fails, or hangs."""

    def __init__(self, name: str, fault: Exception | None = None, *, hangs: str = "") -> None:
        self.name = name
        self.fault = fault
        self.hangs = hangs

    async def run(self, query: Query[T]) -> T:
        """Answer."""
        if query.name == self.hangs:
            await asyncio.sleep(3600)
        if self.fault is not None and (query.name == "glance" or not _slurms(self.fault)):
            raise self.fault
        return query.parse(Output(SINFO if query.name == "glance" else "", "", 0))

    async def rewrite(self, path: str, change: object) -> bool:
        """Change nothing."""
        del path, change
        return False


def _slurms(fault: Exception) -> bool:
    return isinstance(fault, SlurmUnreachable)


def node(door: Door, *, users: tuple[str, ...] = ("U1",), **settings: object) -> LoginNode:
    """A cluster that these people may use."""
    policy = Policy(door.name, users, ("C1",), (), 8.0)
    how = ClusterSettings.model_validate(
        {"host": "login.example.org", "known_hosts": "/dev/null", "user": "me", **settings},
        context={"base": Path("/")},
    )
    silent = Health(NOW, NOW + timedelta(minutes=5), "x")
    known = silent if isinstance(door.fault, ClusterUnreachable) else Health(NOW, None)
    return LoginNode(settings=how, policy=policy, cluster=door, health=lambda: known)


async def shown(
    *nodes: LoginNode, default: str = "", named: str = "", patience: float = 5.0
) -> Card:
    """Ask for them all."""
    idle = Idle()
    caller = Caller(team="T1", user="U1", channel="C1")
    act = Act(id="a1", kind=ActKind.SLASH, caller=caller, at=NOW)
    async with SqlStore("sqlite:///:memory:") as store:
        service = Service(
            store=store,
            nodes={each.name: each for each in nodes},
            carrier=idle,
            wake=lambda: None,
            watch=idle,
            cluster_of=lambda _channel: default,
        )
        return await clusters.show(service, act, named, patience=patience)


def told(card: Card) -> dict[str, str]:
    """What is said of each cluster, by its name."""
    [items] = [part.items for part in card.parts if isinstance(part, Bullets)]
    return {plain(item[:1]): plain(item[1:]).strip() for item in items}


async def test_a_cluster_that_is_well() -> None:
    """Nodes in several partitions are counted once; a free one may sleep, but must answer."""
    card = await shown(node(Door("alice")), default="alice")
    answers, rest = told(card)["alice"].split(" ms. ")
    assert answers.startswith("(default here) answers in ")
    assert rest == ("Slurm 22.05.8: 6 nodes, 4 up, 2 free. Reached as me@login.example.org.")
    assert plain(card.lead) == "alice answers."


async def test_a_dead_cluster_delays_no_other() -> None:
    """All are asked at once, and each has its time."""
    dead = node(Door("bob", hangs="ping"))
    stuck = node(Door("carol", hangs="glance"))
    began = time.monotonic()
    card = await shown(node(Door("alice")), dead, stuck, patience=0.3)
    assert time.monotonic() - began < 2
    assert plain(card.lead) == "2 of 3 clusters answer."
    assert told(card)["bob"].startswith("does not answer; it last did 2026-03-02 10:00 UTC.")
    assert told(card)["carol"].startswith("answers in ")
    assert "ms. Slurm gave no answer within 0.3 s." in told(card)["carol"]


async def test_a_silence_is_told_since_when_and_why() -> None:
    """As the door has seen it."""
    card = await shown(node(Door("alice", ClusterUnreachable("me@login:22 does not answer"))))
    assert told(card)["alice"] == (
        "has not answered since 2026-03-02 10:05 UTC. me@login:22 does not answer. "
        "Reached as me@login.example.org."
    )
    card = await shown(node(Door("alice", AccessRefused("the host key is not the pinned one"))))
    assert "the host key is not the pinned one." in told(card)["alice"]
    card = await shown(node(Door("alice", SlurmUnreachable("Unable to contact slurm controller"))))
    assert "Unable to contact slurm controller." in told(card)["alice"]


async def test_only_clusters_that_the_caller_may_use_are_shown() -> None:
    """Of the others not even the name."""
    closed = node(Door("bob"), users=())
    card = await shown(node(Door("alice")), closed, default="bob")
    assert list(told(card)) == ["alice"]
    assert "bob" not in card.model_dump_json()
    with pytest.raises(NotAllowed):
        await shown(closed)
    with pytest.raises(NotAllowed):
        await shown(node(Door("alice")), closed, named="bob")


async def test_the_way_there_is_told_without_a_word_on_keys() -> None:
    """Through a bastion, or through a program."""
    jump = node(Door("alice"), proxy_jump="me@bastion:2222", port=2200)
    command = ["/usr/bin/gcloud", "compute", "start-iap-tunnel"]
    tunnel = node(Door("bob"), proxy_command=command, key="/secret/key")
    card = await shown(jump, tunnel)
    assert "Reached as me@login.example.org:2200, through me@bastion:2222." in told(card)["alice"]
    assert "Reached as me@login.example.org, through gcloud." in told(card)["bob"]
    assert "/secret/key" not in card.model_dump_json()
