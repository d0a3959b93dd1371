"""Jobs counted from Slurm itself: the queue with all that ended, and the accounting."""

from __future__ import annotations

from dataclasses import dataclass

from bot.demo.cluster import EmbeddedCluster

_END = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"}


@dataclass(frozen=True)
class Found:
    """One job as Slurm knows it."""

    id: str
    name: str
    state: str
    comment: str

    @property
    def ended(self) -> bool:
        """Whether it will not run again."""
        return self.state.split()[0] in _END


async def jobs_named(cluster: EmbeddedCluster, name: str) -> list[Found]:
    """Every job of this name that Slurm has ever taken; names are the tests' own and unique."""
    found = await all_jobs(cluster)
    return [job for job in found if job.name == name or job.name.endswith(f".{name}")]


async def all_jobs(cluster: EmbeddedCluster) -> list[Found]:
    """Every job since the cluster began, oldest first; the queue's word is newer than sacct's."""
    kept = await cluster.run(
        "sacct", "-a", "-X", "-n", "-P", "-S", "now-1days", "-o", "JobIDRaw,State,JobName,Comment"
    )
    queue = await cluster.run("squeue", "-a", "-h", "-t", "all", "-o", "%i|%T|%j|%k")
    found: dict[str, Found] = {}
    for line in (*kept.stdout.splitlines(), *queue.stdout.splitlines()):
        number, state, name, comment = line.split("|", 3)
        found[number] = Found(number, name, state, comment)
    return [found[number] for number in sorted(found, key=int)]


async def shown(cluster: EmbeddedCluster, job: str) -> dict[str, str]:
    """What scontrol shows of a job, field by field."""
    told = await cluster.run("scontrol", "show", "job", "-o", job)
    return dict(pair.split("=", 1) for pair in told.stdout.split() if "=" in pair)
