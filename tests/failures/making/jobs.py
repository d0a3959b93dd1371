"""How Slurm and the shell end jobs."""

from __future__ import annotations

import asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.failures.making.play import STEPS, Play


async def _owner_cancels(cluster: EmbeddedCluster, job: str) -> None:
    await asyncio.sleep(4)
    await cluster.run("scancel", job, user=cluster.address.user)


async def _admin_cancels(cluster: EmbeddedCluster, job: str) -> None:
    await asyncio.sleep(4)
    await cluster.run("scancel", job)


async def _node_crashes(cluster: EmbeddedCluster, job: str) -> None:
    await asyncio.sleep(4)
    shown = await cluster.run("squeue", "-hj", job, "-o", "%N")
    node = shown.stdout.strip()
    await cluster.crash_node(node)
    await asyncio.sleep(45)  # Slurm takes SlurmdTimeout to notice
    await cluster.revive_node(node)


async def _urgent_comes(cluster: EmbeddedCluster, job: str) -> None:
    await asyncio.sleep(4)
    shown = await cluster.run("squeue", "-hj", job, "-o", "%N")
    node = f"--nodelist={shown.stdout.strip()}"
    urgent = ("sbatch", "--partition=urgent", "--exclusive", node, "--time=1", "--wrap=sleep 5")
    await cluster.run(*urgent, user=cluster.address.user)


JOBS = (
    Play(
        "preempted",
        "slurm-preempted",
        "A job of a partition of higher priority takes the node.",
        STEPS + "srun sleep 600",
        ("--no-requeue", "--nodelist=alice-a3u-1", "--partition=a3u"),
        ("PREEMPTION",),
        meddle=_urgent_comes,
        transient=True,
    ),
    Play(
        "time-limit",
        "slurm-time-limit",
        "It may run for a minute.",
        STEPS + "srun sleep 600",
        ("--time=1",),
        ("DUE TO TIME LIMIT",),
    ),
    Play(
        "time-limit-handled",
        "slurm-time-limit",
        "It is warned, saves, and goes on waiting.",
        "trap 'echo saving checkpoint' USR1\n" + STEPS + "sleep 600 & wait; sleep 600 & wait",
        ("--time=1", "--signal=B:USR1@20"),
        ("DUE TO TIME LIMIT",),
    ),
    Play(
        "cancelled-by-owner",
        "slurm-cancelled",
        "Its owner cancels it.",
        STEPS + "srun sleep 600",
        meddle=_owner_cancels,
        proof=("CANCELLED AT",),
    ),
    Play(
        "cancelled-by-admin",
        "slurm-cancelled",
        "The administrator cancels it.",
        STEPS + "srun sleep 600",
        meddle=_admin_cancels,
        proof=("CANCELLED AT",),
    ),
    Play(
        "node-crashed",
        "slurm-node-fail",
        "The node dies under it.",
        STEPS + "srun sleep 600",
        ("--no-requeue",),
        ("NODE FAILURE", "Node failure"),
        meddle=_node_crashes,
        transient=True,
    ),
    Play(
        "memory-limit",
        "host-oom",
        "It takes more memory than it asked for.",
        'srun python3 -c "import time; b = bytearray(900 << 20); time.sleep(60)"',
        ("--mem=300M",),
        ("exceeded memory limit", "Exceeded job memory", "oom", "memory limit"),
    ),
    Play(
        "killed-bare",
        "host-oom-suspected",
        "Something kills Python with signal 9.",
        STEPS + "bash -c 'kill -9 $$'\nexit $?",
        proof=("Killed",),
    ),
    Play(
        "killed-step",
        "host-oom-suspected",
        "Something kills a task of srun with signal 9.",
        STEPS + "srun bash -c 'kill -9 $$'",
        proof=("Killed", "signal 9"),
    ),
    Play(
        "too-many-tasks",
        "slurm-step-resources",
        "srun asks for more than the job has.",
        "srun -n 4000 hostname",
        proof=("More processors requested",),
    ),
    Play(
        "step-memory",
        "slurm-step-resources",
        "A step asks for more memory than the job has.",
        "srun --mem=200G hostname",
        ("--mem=1G",),
        ("emory required by task", "not available"),
    ),
    Play(
        "no-module-command",
        "command-not-found",
        "The node has no environment modules.",
        "module load cuda/12.8\nnvcc --version\nexit $?",
        proof=("module: command not found", "nvcc: command not found"),
        also=("module-not-found",),
    ),
    Play(
        "srun-no-program",
        "command-not-found",
        "The program is not on the node.",
        "srun --ntasks=2 torchrun-nightly train.py",
        ("--ntasks=2",),
        ("execve", "No such file"),
    ),
    Play(
        "shell-no-program",
        "command-not-found",
        "A slip in the program's name.",
        "set -e\npyhton3 train.py",
        proof=("command not found",),
    ),
    Play(
        "no-script",
        "command-not-found",
        "The script to start is not there.",
        "bash launch/pretrain.sh",
        proof=("No such file or directory",),
        also=("config-file-missing", "unclassified-exception", "dataset-missing"),
    ),
    Play(
        "not-executable",
        "permission-denied",
        "The script lacks the right to be executed.",
        "printf '#!/bin/bash\\ntrue\\n' > go-$SLURM_JOB_ID.sh\n./go-$SLURM_JOB_ID.sh",
        proof=("Permission denied",),
        also=("command-not-found",),
    ),
    Play(
        "bash-quote",
        "bash-syntax",
        "A quotation mark is not closed.",
        'echo starting\npython3 -c "print(1)\nsrun hostname\n',
        proof=("unexpected EOF", "syntax error"),
    ),
    Play(
        "bash-paren",
        "bash-syntax",
        "An unquoted parenthesis in an override.",
        "python3 train.py model.layers=(1 2)\n",
        proof=("syntax error",),
    ),
)
