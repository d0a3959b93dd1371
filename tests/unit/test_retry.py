"""Whether a job that failed is run again: a function of the request, the job, and the room left."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.job import Job, Observation, State
from bot.model import Experiment, Request, Resources, Task
from bot.retry import Chances, GivenUp, Why, retry
from tests.unit.tracking import a_request

MINUTE = timedelta(minutes=1)
NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
IN_A_FILE = {"resources": Resources(exclude="/shared/bad-nodes")}
CHANCES = Chances(now=NOW, pause=MINUTE, nodes=4)


def asked(retries: int = 3, **options: object) -> Request:
    """A launch of one node."""
    request = a_request()
    return request.model_copy(
        update={
            "options": {**request.options, "retries": retries, **options},
            "resources": Resources(partition="a3m", exclude=str(options.get("exclude") or "")),
        }
    )


def failed(number: int = 75, state: State = State.FAILED, **changes: Any) -> Job:
    """A job that failed a while ago in a way that may pass."""
    seen = Observation(id=str(number), state=state, raw=state.name, nodes=1, ended=NOW)
    fields: dict[str, Any] = {
        "cluster": "alice",
        "id": str(number),
        "request": "r1",
        "seen": seen,
        "created": NOW,
        "label": "port-in-use",
        "cause": "The port is taken.",
        "transient": True,
    }
    return Job.model_validate({**fields, **changes})


def again(request: Request, job: Job, chances: Chances = CHANCES, *others: Job) -> Request:
    """The next attempt, which there is."""
    found = retry(request, job, others, chances)
    assert isinstance(found, Request), found
    return found


def end(request: Request, job: Job, *others: Job, chances: Chances = CHANCES) -> Why:
    """Why there is no next attempt."""
    found = retry(request, job, others, chances)
    assert isinstance(found, GivenUp), found
    return found.why


def test_nothing_happens_unless_it_was_asked_for() -> None:
    """Off by default; and what ended well needs no other attempt."""
    assert retry(asked(0), failed(), (), CHANCES) is None
    assert retry(asked(), failed(state=State.COMPLETED), (), CHANCES) is None


def test_the_next_attempt_is_the_same_launch_with_a_name_of_its_own() -> None:
    """The same id whoever makes it; it belongs to the message of the first."""
    first = asked()
    second = again(first, failed())
    assert second.id == again(first, failed()).id != first.id
    assert (second.root, second.nth, second.attempts) == (first.id, 2, 4)
    assert second.options["script"] == first.options["script"]
    assert (second.origin, second.caller, second.change) == ("75", first.caller, "")
    third = again(second, failed(76))
    assert (third.root, third.nth) == (first.id, 3)
    assert third.retry is not None
    assert [failure.job for failure in third.retry.failures] == ["75", "76"]


def test_each_pause_is_twice_as_long_and_none_longer_than_half_an_hour() -> None:
    """1, 2, 4, 8, 16, 30, 30 minutes after the end."""
    request, pauses = asked(9), []
    for number in range(75, 82):
        request = again(request, failed(number))
        assert request.retry is not None
        pauses.append((request.retry.due - NOW) / MINUTE)
    assert pauses == [1, 2, 4, 8, 16, 30, 30]


def test_a_clock_that_is_ahead_puts_nothing_off() -> None:
    """The cluster says that the job ends in an hour; what counts is that it has ended."""
    job = failed()
    ahead = job.model_copy(
        update={"seen": job.seen.model_copy(update={"ended": NOW + 60 * MINUTE})}
    )
    found = again(asked(), ahead).retry
    assert found is not None
    assert found.due == NOW + MINUTE


@pytest.mark.parametrize(
    ("job", "why"),
    [
        (failed(transient=False), Why.LASTING),
        (failed(state=State.CANCELLED), Why.CANCELLED),
        (failed(stopped_by="U1"), Why.CANCELLED),
        (failed(state=State.LOST), Why.LOST),
        (failed(tasks=((State.FAILED, 1), (State.COMPLETED, 9))), Why.SEVERAL),
    ],
    ids=str,
)
def test_some_ends_are_final(job: Job, why: Why) -> None:
    """What stays wrong, what people ended, what may still run, what is several."""
    assert end(asked(), job) is why


def test_a_launch_of_several_jobs_is_not_run_again() -> None:
    """Whether the others are there already, or only in the launcher's words."""
    assert end(asked(), failed(), failed(76)) is Why.SEVERAL
    tasks = (Task(name="one", job="75"), Task(name="two"))
    chain = asked().model_copy(update={"experiment": Experiment(id="x_1", tasks=tasks)})
    assert end(chain, failed()) is Why.SEVERAL


def test_the_last_attempt_is_the_last() -> None:
    """With one retry there are two attempts."""
    second = again(asked(1), failed())
    assert end(second, failed(76)) is Why.USED_UP


def test_a_node_to_blame_is_left_out_with_those_before_and_the_persons_own() -> None:
    """The union of all."""
    second = again(asked(exclude="n-[7-8]"), failed(blamed=("n-1",)), Chances(NOW, MINUTE, 9))
    assert second.options["exclude"] == "n-[7-8],n-1"
    assert second.change == "exclude: n-[7-8] → n-[7-8],n-1"
    second = second.model_copy(
        update={"resources": Resources(exclude=str(second.options["exclude"]))}
    )
    third = again(second, failed(76, blamed=("n-2",)), Chances(NOW, MINUTE, 9))
    assert third.options["exclude"] == "n-[7-8],n-1,n-2"


def test_a_script_keeps_the_nodes_that_it_avoids_itself() -> None:
    """An option of sbatch replaces the script's own, so that goes into it."""
    request = asked().model_copy(update={"resources": Resources(exclude="n-3")})
    assert again(request, failed(blamed=("n-1",))).options["exclude"] == "n-3,n-1"


def test_what_it_waited_for_has_come_true() -> None:
    """Slurm refuses a job that waits for one that it has forgotten; namesakes may run again."""
    waited = asked(after=["74"], begin="now+1hour", hold=True, dependency="after:73,singleton")
    second = again(waited, failed())
    assert second.options["after"] == []
    assert (second.options["begin"], second.options["hold"]) == (None, False)
    assert second.options["dependency"] == "singleton"
    assert again(asked(dependency="afterany:73"), failed()).options["dependency"] is None
    assert second.change == ""


@pytest.mark.parametrize(
    ("request_", "nodes"),
    [(asked(), 1), (asked(nodelist="n-1"), 4), (asked().model_copy(update=IN_A_FILE), 4)],
    ids=["no other node", "a node that was wished", "a list in a file"],
)
def test_a_node_that_cannot_be_left_out_gets_one_more_chance(request_: Request, nodes: int) -> None:
    """A failure of a node may pass as well; the second in a row on it does not."""
    chances = Chances(NOW, MINUTE, nodes)
    second = again(request_, failed(blamed=("n-1",)), chances)
    assert second.options.get("exclude") == request_.options.get("exclude")
    assert second.retry is not None
    assert second.retry.left == ("n-1",)
    assert end(second, failed(76, blamed=("n-1",)), chances=chances) is Why.SAME_NODES
    other = failed(76, blamed=("n-1",), label="gpu-hardware")
    assert again(second, other, chances).nth == 3
