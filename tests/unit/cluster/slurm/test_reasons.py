"""Why a job waits."""

from __future__ import annotations

import pytest

from bot.cluster.slurm import hopeless, reason_in_words
from bot.cluster.slurm.reasons import REASONS


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("Resources", "Not enough nodes are free"),
        ("Priority", "Other jobs are ahead in the queue"),
        (
            (
                "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority"
                " partitions"
            ),
            "The nodes it needs are down, drained or reserved for others",
        ),
        (
            "ReqNodeNotAvail, UnavailableNodes:alice-a3m-1",
            "A node it needs is down, drained or reserved (alice-a3m-1)",
        ),
        (
            "ReqNodeNotAvail,_UnavailableNodes:alice-a3m-1",
            "A node it needs is down, drained or reserved (alice-a3m-1)",
        ),
        (
            "ReqNodeNotAvail, Reserved for maintenance",
            "Its nodes are reserved for maintenance",
        ),
        ("DependencyNeverSatisfied", "The job it depends on did not end as required"),
        ("Dependency", "It waits for another job"),
        ("launch_failed_requeued_held", "It could not be launched on its nodes and is now held"),
        ("QOSMaxGRESPerJob", "It asks for more GPUs than the QOS allows in one job"),
        ("QOSMaxSomethingNew", "A limit of the QOS is reached"),
        ("NeverHeardOf", "Slurm's reason: NeverHeardOf"),
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


def test_the_words_of_each_reason_can_stand_alone() -> None:
    """In a table as they are, in a card with a full stop."""
    for known in REASONS:
        assert known.words[0].isupper()
        assert not known.words.endswith(".")
