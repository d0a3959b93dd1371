"""Slack misbehaves while a request is told: it drops, repeats, refuses, hangs, is silent."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Together
from tests.e2e.journal_kill import Death
from tests.e2e.point import ASKS, Fault, Point

POST, UPDATE, LOOK = "chat.postMessage", "chat.update", "conversations.history"


def rule(method: str, action: str, **more: float) -> Fault:
    """One fault of one call (of `times` calls, `after` some)."""
    return {"rule": {"method": method, "action": action, **more}}


def posts() -> list[Point]:
    """The first post of the root message, then one in its thread, meets each fault."""
    faults = {
        "429": rule(POST, "429"),
        "500": rule(POST, "500"),
        "drop-before": rule(POST, "drop_before"),
        "hang": rule(POST, "hang", seconds=3),
        "accept-then-drop": rule(POST, "accept_then_drop"),
        "accept-then-500": rule(POST, "accept_then_500"),
        "accept-then-hang": rule(POST, "accept_then_hang", seconds=3),
        "delay": rule(POST, "delay", seconds=3),
        "500-thrice": rule(POST, "500", times=3),
    }
    first = [Point(id=f"post-{name}", faults=(fault,)) for name, fault in faults.items()]
    thread = [
        Point(id=f"thread-{action}", faults=(rule(POST, action, after=1),))
        for action in ("500", "accept_then_drop", "accept_then_500")
    ]
    return [*first, *thread]


def updates() -> list[Point]:
    """Updates are repeated until they have arrived."""
    actions = ("429", "500", "drop_before", "accept_then_drop")
    return [Point(id=f"update-{one}", faults=(rule(UPDATE, one, times=2),)) for one in actions]


def doubts() -> list[Point]:
    """A post in doubt, and the look for it fails, or the bot dies in the middle of it."""
    dropped, failed = rule(POST, "accept_then_drop"), rule(POST, "drop_before")
    blind = rule(LOOK, "500")
    late = rule(POST, "delay", seconds=5)
    return [
        Point(id="doubt-and-blind", faults=(dropped, blind)),
        Point(id="doubt-lost-and-blind", faults=(failed, blind)),
        Point(id="doubt-and-killed", faults=(dropped,), deaths=(Death("post_looked_for"),)),
        Point(id="doubt-lost-and-killed", faults=(failed,), deaths=(Death("post_looked_for", 2),)),
        Point(id="doubt-killed-while-slack-works", faults=(late,), deaths=(Death("post_sent"),)),
    ]


def deliveries() -> list[Point]:
    """Envelopes come twice; sockets break before, after and while somebody types."""
    twice, dropped = {"duplicate_envelopes": 1}, {"drop_sockets": True}
    refresh = {"disconnect": "refresh_requested"}
    return [
        Point(id="slash-twice", faults=(twice,)),
        Point(id="sockets-dropped-before", faults=(dropped,)),
        Point(id="sockets-dropped-after", later=(dropped,)),
        Point(id="sockets-refreshed", faults=(refresh,)),
        Point(id="slash-twice-and-killed", faults=(twice,), deaths=(Death("act_done"),)),
        Point(id="click-twice-by-slack", typed=ASKS, later=(twice,)),
        Point(id="click-double", typed=ASKS, clicks=2),
        Point(id="click-five-times", typed=ASKS, clicks=5),
        Point(
            id="click-double-by-slack", typed=ASKS, clicks=2, later=({"duplicate_envelopes": 2},)
        ),
        Point(id="click-sockets-dropped", typed=ASKS, later=(dropped,)),
    ]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("point", [*posts(), *updates(), *doubts(), *deliveries()], ids=str)
async def test_a_slack_that_misbehaves_shows_each_message_once(
    point: Point, together: Together
) -> None:
    """One job, one root message, each notice once, whatever Slack did."""
    await together.outcome(point)
