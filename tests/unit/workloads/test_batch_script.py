"""How a batch script is submitted, and what it asks for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.model import Resources
from bot.workload import Site
from bot.workloads.batch_script import Submit, complete, launch, needs, resources

SITE = Site(home="/home/ana", account="research")


def test_sbatch_is_called_with_the_options_then_the_script_then_its_arguments() -> None:
    submit = Submit(
        script="jobs/train.sh",
        args=("--lr", "1e-4", "a b"),
        nodes=2,
        partition="a3m",
        time="04:00:00",
        gpus_per_node="8",
        job_name="eval",
        comment="two words",
        exclusive=True,
        after=("75",),
        dependency="singleton",
        array="0-9%2",
    )
    made = launch(submit, SITE)
    assert made.argv == (
        "sbatch",
        "--nodes=2",
        "--partition=a3m",
        "--time=04:00:00",
        "--account=research",
        "--job-name=eval",
        "--gpus-per-node=8",
        "--array=0-9%2",
        "--comment=two words",
        "--exclusive",
        "--dependency=afterok:75,singleton",
        "/home/ana/jobs/train.sh",
        "--lr",
        "1e-4",
        "a b",
    )
    assert made.cwd == "/home/ana"
    assert made.sbatch_options == ()


def test_paths_are_relative_to_the_folder_it_is_submitted_from() -> None:
    submit = Submit(script="train.sh", chdir="jobs", output="out/%j.log")
    assert launch(submit, SITE).cwd == "/home/ana/jobs"
    assert launch(submit, SITE).argv == (
        "sbatch",
        "--account=research",
        "--output=/home/ana/jobs/out/%j.log",
        "/home/ana/jobs/train.sh",
    )
    assert [need.path for need in needs(submit, SITE)] == [
        "/home/ana/jobs",
        "/home/ana/jobs/train.sh",
        "/home/ana/jobs/out/%j.log",
    ]


def test_completing_twice_changes_nothing() -> None:
    once = complete(Submit(script="a.sh", chdir="x", error="e"), SITE)
    assert complete(once, SITE) == once


SCRIPT = """#!/bin/bash
# a comment
#SBATCH --nodes=4 --partition a3u
#SBATCH -t 1-00:00:00     # a day
#SBATCH --gres=gpu:h100:8,license:2
#SBATCH -Jname

##SBATCH --nodes=9
echo hello
#SBATCH --nodes=16
"""


def test_what_the_script_asks_is_read_from_its_directives() -> None:
    assert resources(Submit(script="a.sh"), SCRIPT) == Resources(
        partition="a3u", nodes=4, gpus_per_node=8, time=timedelta(days=1)
    )


def test_what_was_typed_wins_over_the_directives() -> None:
    typed = Submit(script="a.sh", nodes=2, partition="a3m", gpus="8", time="00:30:00")
    assert resources(typed, SCRIPT) == Resources(
        partition="a3m", nodes=2, gpus_per_node=4, time=timedelta(minutes=30)
    )


@pytest.mark.parametrize(
    ("line", "gpus"),
    [
        ("#SBATCH --gpus-per-node=8", 8),
        ("#SBATCH --gpus-per-node=h100:4", 4),
        ("#SBATCH --gres=gpu", 1),
        ("#SBATCH --gres gpu:2", 2),
        ("#SBATCH --gres=license:2", 0),
        ("#SBATCH -G 16 -N 2", 8),
        ("#SBATCH -G9 -N2", 5),
        ("#SBATCH --exclusive", None),
        ("#SBATCH --mem=1G", 0),
        ("#SBATCH --comment='open", 0),
    ],
)
def test_gpus_are_counted_for_each_node(line: str, gpus: int | None) -> None:
    assert resources(Submit(script="a.sh"), f"#!/bin/sh\n{line}\n").gpus_per_node == gpus


def test_without_the_script_only_the_cluster_can_know() -> None:
    assert resources(Submit(script="a.sh")) == Resources()
    assert resources(Submit(script="a.sh")).gpu_hours is None


@pytest.mark.parametrize(("nodes", "most"), [("2-4", 4), ("2", 2), ("nonsense", 1)])
def test_a_range_of_nodes_counts_as_its_larger_end(nodes: str, most: int) -> None:
    assert resources(Submit(script="a.sh"), f"#SBATCH -N {nodes}\n").nodes == most


def test_the_documentations_conversion_says_which_command_does_it() -> None:
    """Where its script is not on the cluster, which is nearly always."""
    for name, hint in (("enroot-convert.sh", "/nemo image build"), ("train.sh", "")):
        [need] = needs(Submit(script=f"/home/alice/{name}"), Site())
        assert (hint in need.hint) if hint else not need.hint
