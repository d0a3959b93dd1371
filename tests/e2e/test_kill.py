"""SIGKILL the bot at every step that it names, with a request in flight.

A new step in the source is a new test here by itself. One that the plain story does not reach must
be listed: in `STORIES` with the story that reaches it, or in `ELSEWHERE` with the reason.
"""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Together
from tests.e2e.harm import Harm
from tests.e2e.journal_kill import Death
from tests.e2e.point import ASKS, FLAKY, NEMO, Point
from tests.e2e.steps import known, named_steps

STEPS = named_steps()

STORIES: dict[str, Point] = {
    "bot_listening": Point(id="", deaths=(Death("act_stored"), Death("bot_listening"))),
    "post_looked_for": Point(id="", deaths=(Death("post_answered"), Death("post_looked_for"))),
    "post_found": Point(id="", deaths=(Death("post_answered"), Death("post_found"))),
    "act_known": Point(id="", faults=({"duplicate_envelopes": 1},), deaths=(Death("act_known"),)),
    "act_refused": Point(id="", also="/slurm status 999999", deaths=(Death("act_refused"),)),
    "rate_limited": Point(
        id="",
        faults=({"rule": {"method": "chat.postMessage", "action": "429"}},),
        deaths=(Death("rate_limited"),),
    ),
    "refusal_known": Point(
        id="",
        typed="/slurm submit jobs/sleep.sh -J {name} --qos nosuch",
        deaths=(Death("refusal_known"),),
        ends="Not submitted",
        jobs=0,
    ),
    "search_ended": Point(
        id="", harm=Harm("sbatch", 1, "before"), deaths=(Death("search_ended"),), undecided=True
    ),
    "launch_waits": Point(id="", harm=Harm("mkdir", 1, "cut"), deaths=(Death("launch_waits"),)),
    "cluster_lost": Point(id="", harm=Harm("mkdir", 1, "cut"), deaths=(Death("cluster_lost"),)),
    "cluster_back": Point(id="", harm=Harm("mkdir", 1, "cut"), deaths=(Death("cluster_back"),)),
    "cluster_silent": Point(
        id="", harm=Harm("squeue", 1, "cut"), deaths=(Death("cluster_silent"),)
    ),
    "cluster_answers": Point(
        id="", harm=Harm("squeue", 1, "cut"), deaths=(Death("cluster_answers"),)
    ),
    "peek_failed": Point(id="", harm=Harm("tail", 1, "cut", "--"), deaths=(Death("peek_failed"),)),
    "explanation_waits": Point(
        id="", harm=Harm("stat", 1, "cut", "-L"), deaths=(Death("explanation_waits"),)
    ),
    "retry_begun": Point(id="", typed=FLAKY, deaths=(Death("retry_begun"),), jobs=2),
    "*_trouble": Point(
        id="",
        faults=({"rule": {"method": "chat.postMessage", "action": "500"}},),
        deaths=(Death("slack_trouble"),),
    ),
    "*_well": Point(
        id="",
        faults=({"rule": {"method": "chat.postMessage", "action": "500"}},),
        deaths=(Death("slack_well"),),
    ),
}
"""Steps that need something to happen first."""

ELSEWHERE = {
    "accounting_silent": "the accounting is away; the real-Slurm tests do that",
    "act_broke": "a fault of the bot's own; the inbox's unit tests make one",
    "act_left": "logged while the bot is being stopped, not at work",
    "act_not_kept": "the database fails; the inbox's unit tests do that",
    "act_not_finished": "the database fails; the store's and the inbox's unit tests do that",
    "answer_lost": "an answer to one person; no request hangs on it",
    "card_refused": "a card that Slack never takes is a fault of the bot's own",
    "delivery_failed": "Bolt could not hand a delivery over; nothing was kept",
    "errand_*": "no submission; test_errands.py kills the bot while one is at work",
    "errand_started": "no submission; a second start joins: tests/unit/cluster/test_errand.py",
    "errand_waits": "the cluster is away; the errands' unit tests do that",
    "errands_not_kept": "the database fails; what the cluster did is read again",
    "explanation_broke": "a fault of the bot's own",
    "inside_waits": "a command inside a job; it is not repeated, and says so",
    "launch_broke": "a fault of the bot's own; the launcher's unit tests make one",
    "launch_not_kept": "the database fails; the store's unit tests do that",
    "launch_stranded": "a cluster was taken out of the configuration",
    "message_broke": "a fault of the bot's own; the outbox's unit tests make one",
    "message_refused": "a message that Slack never takes; the outbox's unit tests do that",
    "node_not_seen": "the cluster is away; the message is written all the same",
    "node_told": "no submission; the repeats' unit tests begin a new life there",
    "partition_not_seen": "the cluster is away; a warning waits until it is back",
    "post_not_lookable": "a channel that was left meanwhile; the outbox's unit tests do that",
    "retry_anew": "checkpoints could not be looked for; nothing but a log line hangs on it",
    "retry_given_up": "no submission; the retries' unit tests do that",
    "retry_waits": "the cluster is away; the retries' unit tests do that",
    "secret_pasted": "nothing is run; the desk's unit tests do that",
    "secrets_not_put": "the cluster is away at start; a launch puts them",
    "secrets_put": "only when one has changed; renamed into place, and seen to at each start",
    "service_silent": "a look at a service; no request hangs on it",
    "session_ready": "test_interactive.py kills the bot there",
    "session_released": "test_interactive.py kills the bot there",
    "sessions_wait": "the cluster is away; the sessions' unit tests do that",
    "sweep_failed": "the cluster is away at the daily sweep; nothing hangs on it",
    "swept": "the daily sweep of old spools; killed there, the next day's does it",
    "tick_broke": "a fault of the bot's own",
    "tick_slowed": "Slurm's rate limit, which this version does not have",
}
"""Steps at which no end-to-end test kills, each with the reason."""

AGAIN = (
    "post_marked",
    "post_sent",
    "post_answered",
    "post_stored",
    "update_sent",
    "update_answered",
    "update_stored",
    "job_changed",
    "job_stored",
)
"""Steps that come several times in a request's life; the second is another message or state."""
QUERIES = 9
"""Questions that the plain story certainly asks the cluster."""
FIRST, SECOND = 1, 2


def at(step: str) -> Point:
    """The point for a step, with the story that reaches it."""
    story = STORIES.get(step, Point(id="", deaths=(Death(step),)))
    return _called(step, story)


def _called(name: str, story: Point) -> Point:
    return Point(**{**vars(story), "id": f"bot-{name.replace('*', 'slack')}"})


def points() -> list[Point]:
    """Every step once, and more where it matters."""
    once = [at(step) for step in STEPS if step not in {*ELSEWHERE, "query_started"}]
    again = [_called(f"{step}-2", Point(id="", deaths=(Death(step, SECOND),))) for step in AGAIN]
    asked = [
        _called(f"query_started-{n}", Point(id="", deaths=(Death("query_started", n),)))
        for n in range(FIRST, QUERIES)
    ]
    return [*once, *again, *asked, *_clicked(), *_twice(), *_retried(), *_launched()]


def _clicked() -> list[Point]:
    """The second act of a request, the click on Submit, dies at each of its steps."""
    deaths = {
        "act_received": SECOND,
        "act_stored": SECOND,
        "act_begun": SECOND,
        "act_done": SECOND,
        "act_finished": SECOND,
        "launch_sent": FIRST,
        "receipt_known": FIRST,
        "receipt_stored": FIRST,
        "post_stored": FIRST,
        "update_answered": FIRST,
    }
    return [
        _called(f"click-{step}", Point(id="", typed=ASKS, deaths=(Death(step, nth),), clicks=2))
        for step, nth in deaths.items()
    ]


def _twice() -> list[Point]:
    """Two deaths in a row at the same place: the life that mends dies too."""
    steps = ("launch_sent", "launch_answered", "receipt_known", "post_sent", "act_begun")
    return [
        _called(f"twice-{step}", Point(id="", deaths=(Death(step), Death(step)))) for step in steps
    ]


def _retried() -> list[Point]:
    """The second attempt of a job dies at each step between the failure and its own job."""
    deaths = {
        "job_explained": FIRST,
        "launch_sent": SECOND,
        "launch_answered": SECOND,
        "receipt_known": SECOND,
        "receipt_stored": SECOND,
        "job_stored": SECOND,
    }
    return [
        _called(f"retry-{step}", Point(id="", typed=FLAKY, deaths=(Death(step, nth),), jobs=2))
        for step, nth in deaths.items()
    ]


def _launched() -> list[Point]:
    """NeMo-Run's launcher works for seconds; the bot dies at its beginning, end and after."""
    steps = ("launch_sent", "launch_answered", "receipt_stored")
    return [
        _called(f"nemo-{step}", Point(id="", typed=NEMO, deaths=(Death(step),))) for step in steps
    ]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("point", points(), ids=str)
async def test_a_bot_killed_at_a_step_submits_once_and_tells_once(
    point: Point, together: Together
) -> None:
    """One job in Slurm, one root message in Slack, which shows the right end."""
    outcome = await together.outcome(point)
    strange = {step for step in outcome.steps if not known(step, STEPS)}
    assert not strange, f"steps that reading the source does not find: {strange}"


def test_every_listed_step_is_a_step_of_the_bot() -> None:
    """What was renamed or removed does not stay in the lists above."""
    assert not {*STORIES, *ELSEWHERE, *AGAIN} - STEPS.keys()
