"""Why a job waits."""

from __future__ import annotations

import pytest

from bot.cluster.slurm import hopeless, reason_in_words
from bot.cluster.slurm.reasons import REASONS


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("Resources", "waiting for nodes to become free"),
        ("Priority", "other jobs are ahead in the queue"),
        (
            (
                "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority"
                " partitions"
            ),
            "the nodes it needs are down, drained or reserved for others",
        ),
        (
            "ReqNodeNotAvail, UnavailableNodes:alice-a3m-1",
            "a node it needs is down, drained or reserved (alice-a3m-1)",
        ),
        (
            "ReqNodeNotAvail,_UnavailableNodes:alice-a3m-1",
            "a node it needs is down, drained or reserved (alice-a3m-1)",
        ),
        (
            "ReqNodeNotAvail, Reserved for maintenance",
            "its nodes are reserved for maintenance",
        ),
        ("DependencyNeverSatisfied", "the job it depends on did not end as required"),
        ("Dependency", "waiting for another job"),
        ("launch_failed_requeued_held", "could not be launched on its nodes, now held"),
        ("QOSMaxGRESPerJob", "more GPUs than the QOS allows in one job"),
        ("QOSMaxSomethingNew", "a limit of the QOS is reached"),
        ("NeverHeardOf", "NeverHeardOf"),
        ("None", ""),
        ("", ""),
    ],
)
def test_reasons_in_words(reason: str, words: str) -> None:
    """Also with blanks, commas and node names in them, or scontrol's underscores."""
    assert reason_in_words(reason) == words


@pytest.mark.parametrize(
    ("reason", "never"),
    [
        ("DependencyNeverSatisfied", True),
        ("launch failed requeued held", True),
        ("JobHeldAdmin", True),
        ("JobHeldUser", True),
        ("PartitionTimeLimit", True),
        ("PartitionNodeLimit", True),
        ("Resources", False),
        ("Priority", False),
        ("BeginTime", False),
        ("Dependency", False),
        ("ReqNodeNotAvail, UnavailableNodes:x", False),
        ("NeverHeardOf", False),
        ("", False),
    ],
)
def test_which_reasons_are_hopeless(reason: str, never: bool) -> None:
    """Gotcha 15: such a job waits for ever unless somebody acts."""
    assert hopeless(reason) is never


def test_each_reason_stands_once() -> None:
    """A second entry would never be found."""
    codes = [known.code for known in REASONS]
    assert len(codes) == len(set(codes))
