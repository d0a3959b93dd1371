"""sinfo: partitions and what is free in them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.cluster.slurm import partitions
from bot.errors import SlurmUnreachable
from bot.model import PartitionState
from tests.unit.cluster.slurm.answers import answer, rows


def test_partitions_and_their_nodes() -> None:
    """One row for each partition and state; the default has a star."""
    text = rows(
        ("a3m*", "up", "infinite", "1:00:00", "3", "idle", "gpu:8"),
        ("a3m*", "up", "infinite", "1:00:00", "2", "idle~", "gpu:8"),
        ("a3m*", "up", "infinite", "1:00:00", "4", "mixed", "gpu:h100:8(S:0-1)"),
        ("a3m*", "up", "infinite", "1:00:00", "1", "down*", "gpu:8"),
        ("cpu", "inact", "2-00:00:00", "n/a", "5", "allocated", "(null)"),
    )
    assert answer(partitions(), text) == (
        PartitionState(
            name="a3m",
            up=True,
            default=True,
            nodes=10,
            free=5,
            sleeping=2,
            gpus_per_node=8,
            max_time=None,
            default_time=timedelta(hours=1),
            states=(("idle", 5), ("mixed", 4), ("down", 1)),
        ),
        PartitionState(
            name="cpu",
            up=False,
            default=False,
            nodes=5,
            free=0,
            max_time=timedelta(days=2),
            states=(("allocated", 5),),
        ),
    )


@pytest.mark.parametrize(
    ("word", "free"),
    [
        ("idle", 1),
        ("idle~", 1),
        ("idle#", 1),
        ("idle*", 0),
        ("idle$", 0),
        ("idle%", 0),
        ("idle!", 0),
        ("idle@", 0),
        ("idle^", 0),
        ("idle-", 0),
        ("drained", 0),
        ("drained*", 0),
        ("draining", 0),
        ("drng@", 0),
        ("mix-", 0),
        ("alloc$", 0),
        ("down", 0),
        ("DOWN*", 0),
        ("inval", 0),
        ("reserved", 0),
        ("planned", 0),
        ("maint", 0),
        ("completing", 0),
        ("unknown_next", 0),
    ],
)
def test_which_nodes_are_free(word: str, free: int) -> None:
    """More, on node states: a suffix can turn an idle node into one that nobody gets."""
    (found,) = answer(partitions(), rows(("p", "up", "1:00", "n/a", "1", word, "gpu:8")))
    assert found.free == free
    assert found.nodes == 1


def test_suffixes_do_not_make_new_states() -> None:
    """The words are counted without sinfo's flags."""
    text = rows(
        ("p", "up", "infinite", "n/a", "1", "idle~", "gpu:8"),
        ("p", "up", "infinite", "n/a", "2", "IDLE#", "gpu:8"),
    )
    (found,) = answer(partitions(), text)
    assert found.states == (("idle", 3),)


def test_a_partition_without_nodes() -> None:
    """sinfo shows it with `n/a`."""
    (found,) = answer(partitions(), rows(("p", "up", "infinite", "n/a", "0", "n/a", "")))
    assert (found.nodes, found.free, found.states) == (0, 0, ())


def test_no_answer_is_no_partition() -> None:
    """An outage raises."""
    error = "slurm_load_partitions: Unable to contact slurm controller (connect failure)"
    with pytest.raises(SlurmUnreachable):
        answer(partitions(), "", error, 1)
