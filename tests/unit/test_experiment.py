"""What NeMo-Run prints of an experiment, as it was printed."""

from __future__ import annotations

import pytest

from bot.experiment import read_experiment, title_of
from bot.model import Experiment, Task

CHAIN = """\
─── Entering Experiment chain with id: chain_1796059859187830485 ───
[17:31:24] INFO     Launched app: slurm_tunnel://nemo_run/75
[17:31:25] INFO     Launched app: slurm_tunnel://nemo_run/76

Experiment Status for chain_1796059859187830485

Task 0: llama3p1_2b_pt
- Status: PENDING
- Executor: SlurmExecutor on @localhost
- Job id: 75
- Local Directory: /w/experiments/chain/chain_1796059859187830485/llama3p1_2b_pt

[SLURM] Job 75 - State: PENDING, Estimated start: 2026-01-01T00:00:00
Task 1: llama3p1_2b_sft
- Status: PENDING
- Executor: SlurmExecutor on @localhost
- Job id: 76
- Local Directory: /w/experiments/chain/chain_1796059859187830485/llama3p1_2b_sft

# The experiment was run with the following tasks: ['llama3p1_2b_pt', 'llama3p1_2b_sft']
nemo experiment status chain_1796059859187830485
"""


def test_an_experiment_is_read_with_its_tasks() -> None:
    """Names, jobs and folders, whatever other threads print in between."""
    found = read_experiment(CHAIN)
    folder = "/w/experiments/chain/chain_1796059859187830485"
    assert found == Experiment(
        id="chain_1796059859187830485",
        tasks=(
            Task(name="llama3p1_2b_pt", job="75", folder=f"{folder}/llama3p1_2b_pt"),
            Task(name="llama3p1_2b_sft", job="76", folder=f"{folder}/llama3p1_2b_sft"),
        ),
    )
    assert found.folder == folder
    assert found.task("76") == found.tasks[1]
    assert found.task("77") is None


@pytest.mark.parametrize(
    ("printed", "job"),
    [
        ("- Job id: 1980204", "1980204"),
        ("- Job id: 123;nautilus", "123"),
        ("- Job id: sbatch: INFO charged to research\n1980204", "1980204"),
        ("- Job id: sbatch: INFO charged to research\n1980204;nautilus", "1980204"),
        ("- Job id: ", ""),
    ],
)
def test_a_job_id_is_found_where_sites_hide_it(printed: str, job: str) -> None:
    """As measured with NeMo-Run."""
    found = read_experiment(f"Experiment Status for x_1796059859\n\nTask 0: x\n{printed}\n")
    assert found is not None
    assert found.tasks == (Task(name="x", job=job),)


def test_the_last_status_counts() -> None:
    """A launcher that waits prints it again and again."""
    earlier = CHAIN.replace("Job id: 76", "Job id: ")
    found = read_experiment(earlier + CHAIN)
    assert found is not None
    assert [task.job for task in found.tasks] == ["75", "76"]


def test_an_experiment_is_known_before_its_status_is() -> None:
    """From the line with which it begins; other output tells of none."""
    found = read_experiment(CHAIN.partition("Experiment Status")[0])
    assert found == Experiment(id="chain_1796059859187830485")
    assert found.folder == ""
    assert read_experiment("Submitted batch job 75\n") is None


@pytest.mark.parametrize(
    ("experiment_id", "title"),
    [
        ("nemo-demo-run_1796059983", "nemo-demo-run"),
        ("my_run.2_1796059859187830485", "my_run.2"),
        ("run_2024", "run_2024"),
        ("run", "run"),
    ],
)
def test_a_title_is_an_id_without_its_time(experiment_id: str, title: str) -> None:
    """Ten digits of older releases, nineteen of newer ones."""
    assert title_of(experiment_id) == title
