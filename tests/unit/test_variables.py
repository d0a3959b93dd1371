"""Variables of a job's environment: which can be set, and how they reach it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.rerun import changed, difference, takes_settings
from bot.workload import Site
from bot.workloads import WORKLOADS
from bot.workloads.batch_script import BATCH_SCRIPT, Submit
from bot.workloads.nemo import NEMO, NemoRun
from bot.workloads.nemo_rl.run import RUN, NemoRlRun

SITE = Site(home="/home/alice", nemo_dir="/home/alice/nemo", nemo_rl_dir="/home/alice/rl")


@pytest.mark.parametrize(
    "wrong",
    ["LD_PRELOAD=/tmp/x.so", "BASH_ENV=x", "HF_TOKEN=hf_x", "WANDB_MODE", "WANDB_MODE=$(id)"],
)
def test_what_could_run_a_program_or_hold_a_secret_is_no_variable(wrong: str) -> None:
    """Only names of a list, and plain values."""
    with pytest.raises(ValidationError):
        Submit(script="a.sh", env=(wrong,))


def test_a_variable_is_in_the_environment_of_what_runs_whatever_launches_it() -> None:
    """It is never a word of the command."""
    env = ("WANDB_MODE=offline",)
    launches = (
        BATCH_SCRIPT.launch(Submit(script="a.sh", env=env), SITE),
        NEMO.launch(NemoRun(recipe="pretrain/x.py", env=env), SITE),
        RUN.launch(NemoRlRun(job_script="dpo", env=env), SITE),
    )

    for launch in launches:
        assert ("WANDB_MODE", "offline") in launch.env
        assert not any("WANDB" in word for word in launch.argv)


def test_a_clean_environment_still_has_the_variables_that_were_set() -> None:
    """sbatch takes them by name from where it runs."""
    bare = BATCH_SCRIPT.launch(Submit(script="a.sh", clean_env=True), SITE)
    named = BATCH_SCRIPT.launch(
        Submit(script="a.sh", clean_env=True, env=("NCCL_SOCKET_IFNAME=eth0,eth1",)), SITE
    )

    assert "--export=NONE" in bare.argv
    assert "--export=NCCL_SOCKET_IFNAME" in named.argv


def test_a_rerun_replaces_one_variable_and_one_setting_and_keeps_the_others() -> None:
    """By their names."""
    before = NemoRlRun(job_script="dpo", args=("a.b=1", "c=2"), env=("WANDB_MODE=online",))

    after = changed(
        RUN, before, {"settings": ("a.b=3",), "env": ("WANDB_MODE=offline", "NCCL_DEBUG=INFO")}
    )

    assert after.args == ("c=2", "a.b=3")
    assert after.env == ("WANDB_MODE=offline", "NCCL_DEBUG=INFO")
    assert "environment: WANDB_MODE=online → WANDB_MODE=offline NCCL_DEBUG=INFO" in difference(
        before, after
    )


def test_settings_are_for_workloads_whose_arguments_are_settings() -> None:
    """A script's own arguments are not."""
    assert [name for name, one in WORKLOADS.items() if takes_settings(one)] == ["nemo-rl run"]
