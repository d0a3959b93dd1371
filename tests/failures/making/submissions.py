"""What Slurm refuses, what waits, and how a login node cannot be reached or asked."""

from __future__ import annotations

from bot.demo.cluster import EmbeddedCluster
from tests.failures.making.play import Play


def _refused(name: str, label: str, line: str, *proof: str, truth: str, **more: object) -> Play:
    return Play(name, label, truth, line, proof=proof, kind="submit", **more)  # type: ignore[arg-type]


REFUSED = (
    _refused(
        "partition-sbatch",
        "slurm-invalid-partition",
        "sbatch -p a3mega -N 2 --wrap hostname",
        "invalid partition",
        "Invalid partition",
        truth="There is no partition a3mega.",
    ),
    _refused(
        "partition-srun",
        "slurm-invalid-partition",
        "srun -p gpu-large -N 1 hostname",
        "invalid partition",
        "Invalid partition",
        truth="srun is refused like sbatch.",
    ),
    _refused(
        "partition-salloc",
        "slurm-invalid-partition",
        "salloc --partition=debug -N 1 true",
        "invalid partition",
        "Invalid partition",
        truth="salloc is refused like sbatch.",
    ),
    _refused(
        "account",
        "slurm-invalid-account",
        "sbatch -A physics --wrap hostname",
        "Invalid account",
        truth="The person is not in this account.",
    ),
    _refused(
        "qos",
        "slurm-invalid-qos",
        "sbatch --qos=premium --wrap hostname",
        "Invalid qos",
        truth="There is no such QOS.",
    ),
    _refused(
        "time-above-partition",
        "slurm-invalid-time-limit",
        "sbatch -p short --time=5-00:00:00 --wrap hostname",
        "time limit is invalid",
        truth="The partition's MaxTime is ten minutes.",
    ),
    _refused(
        "time-unreadable",
        "slurm-invalid-time-limit",
        "sbatch --time=tomorrow --wrap hostname",
        "nvalid --time",
        "Invalid time",
        truth="No duration at all.",
    ),
    _refused(
        "gres-type",
        "slurm-invalid-gres",
        "sbatch --gres=gpu:h100:8 --wrap hostname",
        "nvalid generic resource",
        truth="The GPUs have no type here.",
        also=("slurm-node-config",),
    ),
    _refused(
        "gres-name",
        "slurm-invalid-gres",
        "srun --gres=tpu:4 hostname",
        "nvalid generic resource",
        truth="There is no such resource.",
    ),
    _refused(
        "feature",
        "slurm-invalid-feature",
        "sbatch -C 'h200&nvlink' --wrap hostname",
        "nvalid feature",
        truth="No node has such features.",
    ),
    _refused(
        "too-many-nodes",
        "slurm-node-config",
        "sbatch -p a3u -N 40 --wrap hostname",
        "onfiguration is not available",
        "ode count",
        truth="The partition has two nodes.",
    ),
    _refused(
        "too-much-memory",
        "slurm-node-config",
        "sbatch --mem=4T --wrap hostname",
        "onfiguration is not available",
        "emory spec",
        truth="A node has 256 GB.",
    ),
    _refused(
        "too-many-gpus",
        "slurm-node-config",
        "srun --gpus-per-node=16 hostname",
        "onfiguration is not available",
        truth="A node has eight GPUs.",
        also=("slurm-invalid-gres",),
    ),
    _refused(
        "dependency-unreadable",
        "slurm-dependency",
        "sbatch -d afterok:last --wrap hostname",
        "ependency",
        truth="`last` is no job id.",
    ),
    _refused(
        "no-shebang",
        "slurm-bad-script",
        "printf 'srun hostname\\n' > plain.sh; sbatch plain.sh",
        "does not look like a batch script",
        "first line must start",
        "#!",
        truth="The script has no first line.",
    ),
    _refused(
        "empty-script",
        "slurm-bad-script",
        ": > empty.sh; sbatch empty.sh",
        "empty",
        truth="The script is empty.",
    ),
    _refused(
        "dos-script",
        "slurm-bad-script",
        "printf '#!/bin/bash\\r\\nsrun hostname\\r\\n' > dos.sh; sbatch dos.sh",
        "DOS line breaks",
        truth="The script was written on Windows.",
    ),
    _refused(
        "option-unknown",
        "unclassified-exception",
        "sbatch --gpu-per-nodes=8 --wrap hostname",
        "unrecognized option",
        truth="A slip in an option's name.",
        also=("slurm-bad-script", "cause-not-in-log", "slurm-env-conflict", "slurm-invalid-gres"),
    ),
    _refused(
        "qos-max-wall",
        "slurm-qos-limit",
        "sbatch --qos=brief --time=8:00:00 --wrap hostname",
        "QOSMaxWallDurationPerJobLimit",
        "accounting/QOS policy",
        truth="The QOS allows 5 minutes.",
    ),
    _refused(
        "qos-max-nodes",
        "slurm-qos-limit",
        "sbatch --qos=brief -N 2 --time=2 --wrap hostname",
        "QOSMaxNodePerJobLimit",
        "accounting/QOS policy",
        "QOSMax",
        truth="The QOS allows one node.",
    ),
    _refused(
        "env-conflict",
        "slurm-env-conflict",
        "SLURM_MEM_PER_CPU=1000 SLURM_MEM_PER_NODE=9000 srun hostname",
        "mutually exclusive",
        truth="Two variables say how much memory.",
    ),
    _refused(
        "ssh-refused",
        "ssh-error",
        "ssh -p 1 localhost sbatch train.sh",
        "Connection refused",
        truth="Nothing listens there.",
        transient=True,
    ),
    _refused(
        "ssh-unknown-host",
        "ssh-error",
        "ssh login.hpc.invalid sbatch train.sh",
        "Could not resolve",
        truth="The name is not known.",
        transient=True,
    ),
    _refused(
        "ssh-host-key",
        "ssh-error",
        "ssh -o StrictHostKeyChecking=yes -o UserKnownHostsFile=/dev/null -p $PORT localhost squeue",
        "Host key verification failed",
        truth="The host's key is not known.",
    ),
    _refused(
        "ssh-denied",
        "ssh-error",
        "ssh -o StrictHostKeyChecking=no -o BatchMode=yes -p $PORT nobody@localhost squeue",
        "Permission denied",
        truth="The account has no key there.",
    ),
    _refused(
        "bash-syntax-login",
        "bash-syntax",
        "bash -c 'for n in 1 2; do echo $n; don'",
        "syntax error",
        truth="`don` for `done`.",
    ),
)


WAITING = (
    Play(
        "held-by-limit",
        "slurm-pending-limit",
        "The QOS allows one CPU in all.",
        "sleep 600",
        options=("--qos=narrow", "--cpus-per-task=4"),
        proof=("QOSMax", "QOSGrp"),
        kind="pending",
    ),
    Play(
        "partition-down",
        "slurm-pending-node-unavailable",
        "The partition is down.",
        "sleep 600",
        options=("--partition=closed",),
        proof=("PartitionDown",),
        kind="pending",
    ),
    Play(
        "waits-for-other",
        "none",
        "It waits for a job that goes on.",
        "sleep 600",
        options=("--begin=now+2hours",),
        kind="pending",
    ),
    Play(
        "held-by-person",
        "none",
        "Its owner holds it.",
        "sleep 600",
        options=("--hold",),
        kind="pending",
        also=("slurm-pending-limit",),
    ),
)


async def _stop_controller(cluster: EmbeddedCluster, _: str) -> None:
    await cluster.stop_daemon("slurmctld")


async def _stop_munge(cluster: EmbeddedCluster, _: str) -> None:
    await cluster.stop_daemon("munged")


UNREACHABLE = (
    _refused(
        "no-munge-sinfo",
        "slurm-auth",
        "sinfo",
        "unge",
        "uthentication",
        truth="munged is stopped.",
        meddle=_stop_munge,
        last=True,
        transient=True,
        also=("slurm-controller-unreachable",),
    ),
    _refused(
        "no-controller-squeue",
        "slurm-controller-unreachable",
        "squeue --me",
        "Unable to contact slurm controller",
        "onnect",
        truth="slurmctld is stopped.",
        meddle=_stop_controller,
        last=True,
        transient=True,
    ),
)
