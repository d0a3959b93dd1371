"""Who may do what; an empty list means nobody."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.errors import NotAllowed
from bot.model import Caller, Resources
from bot.policy import Policy
from tests.unit.store.makers import request

POLICY = Policy(
    cluster="alice", users=("U1", "U2"), channels=("C1",), operators=("U9",), ask_above_gpu_hours=16
)
NOBODY = Policy(cluster="alice", users=(), channels=(), operators=(), ask_above_gpu_hours=16)
LAUNCHED = request()
"""By U1."""


def caller(user: str, channel: str = "C1") -> Caller:
    """Somebody, somewhere."""
    return Caller(team="T1", user=user, channel=channel)


@pytest.mark.parametrize("user", ["U1", "U2", "U9"])
def test_people_on_a_list_are_admitted(user: str) -> None:
    """Operators need not be listed twice."""
    POLICY.admit(caller(user))


def test_others_are_told_what_an_administrator_must_write() -> None:
    """Their own id and the key it goes under."""
    with pytest.raises(NotAllowed, match=r"can add U5 under clusters\.alice\.allow\.users"):
        POLICY.admit(caller("U5"))


def test_a_channel_that_is_not_listed_is_refused() -> None:
    """The same for the channel."""
    with pytest.raises(NotAllowed, match=r"can add C5 under clusters\.alice\.allow\.channels"):
        POLICY.admit(caller("U1", "C5"))


def test_direct_messages_need_no_channel_on_a_list() -> None:
    """They are as private as their person, who must be on one all the same."""
    POLICY.admit(caller("U1", "D7"))
    with pytest.raises(NotAllowed):
        POLICY.admit(caller("U5", "D7"))


@pytest.mark.parametrize("channel", ["C1", "D7"])
def test_empty_lists_admit_nobody(channel: str) -> None:
    """Whoever forgets to write them opens nothing."""
    with pytest.raises(NotAllowed):
        NOBODY.admit(caller("U1", channel))


def test_people_act_on_what_they_launched() -> None:
    """And on nothing else."""
    POLICY.own(caller("U1"), LAUNCHED, "cancel")
    with pytest.raises(NotAllowed, match="an operator of alice, may cancel it"):
        POLICY.own(caller("U2"), LAUNCHED, "cancel")


def test_operators_act_on_everything() -> None:
    """Also on jobs that nobody launched from Slack."""
    POLICY.own(caller("U9"), LAUNCHED, "cancel")
    POLICY.operate(caller("U9"), "75")
    with pytest.raises(NotAllowed, match="Job 75 was not launched from here"):
        POLICY.operate(caller("U1"), "75")


def test_who_is_no_longer_admitted_owns_nothing() -> None:
    """Having launched it once is not enough, and neither is the wrong channel."""
    former = replace(POLICY, users=("U2",))
    with pytest.raises(NotAllowed, match="not on the list"):
        former.own(caller("U1"), LAUNCHED, "cancel")
    with pytest.raises(NotAllowed, match="channel"):
        POLICY.operate(caller("U9", "C5"), "75")


@pytest.mark.parametrize(
    ("resources", "asks"),
    [
        (Resources(nodes=2, gpus_per_node=8, time=timedelta(hours=1)), False),
        (Resources(nodes=2, gpus_per_node=8, time=timedelta(hours=1, minutes=1)), True),
        (Resources(nodes=2, gpus_per_node=8), True),
        (Resources(nodes=2, time=timedelta(hours=1)), True),
        (Resources(nodes=2, gpus_per_node=0), False),
        (
            Resources(
                nodes=1, gpus_per_node=8, time=timedelta(hours=9), stay=timedelta(minutes=20)
            ),
            False,
        ),
        (Resources(nodes=1, gpus_per_node=8, stay=timedelta(hours=3)), True),
    ],
    ids=[
        *("at the threshold", "above it", "no time limit", "GPUs unknown", "no GPUs"),
        *("a short stay with room to extend it", "a long stay"),
    ],
)
def test_what_costs_much_or_nobody_knows_what_is_asked_about(
    resources: Resources, asks: bool
) -> None:
    """A job without GPUs costs none, however long."""
    assert POLICY.must_ask(resources) is asks
