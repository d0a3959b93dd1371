"""Play all of it on a cluster of its own: python -m tests.failures.making [--python VENV]."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.demo.cluster import EmbeddedCluster
from bot.demo.cluster.slot import claim
from tests.failures.making.faults import FAULTS
from tests.failures.making.jobs import JOBS
from tests.failures.making.libraries import LIBRARIES
from tests.failures.making.megatron import MEGATRON
from tests.failures.making.play import Play
from tests.failures.making.submissions import REFUSED, UNREACHABLE, WAITING
from tests.failures.making.torch import TORCH

HERE = Path(__file__).parents[1]
MADE = HERE / "made"
VAR = Path(__file__).parents[3] / "var"
PLAYS = (*REFUSED, *WAITING, *JOBS, *FAULTS, *TORCH, *LIBRARIES, *MEGATRON, *UNREACHABLE)
PARTITIONS = """
PartitionName=short Nodes=alice-a3m-[0-1] MaxTime=10
PartitionName=closed Nodes=alice-a3u-[0-1] State=DOWN
EnforcePartLimits=ALL
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=urgent Nodes=alice-a3u-1 PriorityTier=10
"""
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED")
SACCT = "JobID,JobName,User,Account,Partition,QOS,State,ExitCode,DerivedExitCode,Reason,Submit,"
SACCT += "Start,End,Elapsed,Timelimit,NNodes,NodeList,AllocTRES,ReqTRES,MaxRSS,ReqMem,WorkDir"


async def furnish(cluster: EmbeddedCluster, conf: Path) -> None:
    """Add partitions and QOS that refuse."""
    with conf.open("a") as text:
        text.write(PARTITIONS)
    await cluster.stop_daemon("slurmctld")
    await cluster.start_daemon("slurmctld")
    manager = ("sacctmgr", "-i")
    for name, limits in (
        ("brief", ("MaxWall=5", "MaxNodesPerJob=1", "Flags=DenyOnLimit")),
        ("narrow", ("MaxTRESPerUser=cpu=1",)),
    ):
        await cluster.run(*manager, "add", "qos", name)
        await cluster.run(*manager, "modify", "qos", name, "set", *limits)
    user = ("user", cluster.address.user)
    await cluster.run(*manager, "modify", *user, "set", "qos=normal,brief,narrow")


class Theatre:
    """Where the plays are given."""

    def __init__(self, cluster: EmbeddedCluster) -> None:
        self._cluster = cluster
        self._user = cluster.address.user
        self._few = asyncio.Semaphore(6)

    async def give(self, play: Play) -> None:
        """Play it, and keep what it left."""
        async with self._few:
            try:
                async with asyncio.timeout(400):
                    log, context = await self._played(play)
            except TimeoutError:
                print(f"{play.name}: took too long")
                return
        keep(play, log, context)

    async def _played(self, play: Play) -> tuple[str, dict[str, Any]]:
        folder = f"{self._cluster.address.home}/made/{play.name}"
        await self._run("mkdir", "-p", folder)
        for name, content in play.files:
            await self._run("tee", f"{folder}/{name}", stdin=content)
        if play.kind == "submit":
            return await self._typed(play, folder)
        script = f"#!/bin/bash\ncd {folder}\n{play.script}\n"
        await self._run("tee", f"{folder}/{play.name}.sbatch", stdin=script)
        command = ["sbatch", "--parsable", f"--chdir={folder}", "--time=10", *play.options]
        job = (await self._run(*command, f"{folder}/{play.name}.sbatch")).strip()
        if play.kind == "pending":
            return await self._waiting(job)
        await self._until(job, "RUNNING", *ENDED)
        if play.meddle is not None:
            await play.meddle(self._cluster, job)
        await self._until(job, *ENDED)
        await asyncio.sleep(3)  # accounting hears of the steps a little later
        log = await self._run("cat", f"{folder}/slurm-{job}.out")
        return log, await self._context(job)

    async def _typed(self, play: Play, folder: str) -> tuple[str, dict[str, Any]]:
        if play.meddle is not None:
            await play.meddle(self._cluster, "")
        line = f"cd {folder}; PORT={self._cluster.address.port}; ({play.script}) 2>&1"
        done = await self._cluster.run("bash", "-c", line, user=self._user, check=False)
        return done.stdout, {}

    async def _waiting(self, job: str) -> tuple[str, dict[str, Any]]:
        await asyncio.sleep(8)  # until the scheduler has said why
        queue = await self._run("squeue", "-j", job)
        context = await self._context(job)
        await self._run("scancel", job)
        return queue, context

    async def _until(self, job: str, *states: str) -> None:
        while True:
            if (await self._shown(job)).get("JobState") in states:
                return
            await asyncio.sleep(0.5)

    async def _shown(self, job: str) -> dict[str, str]:
        shown = await self._run("scontrol", "show", "job", "-o", job)
        return dict(word.partition("=")[::2] for word in shown.split(" ") if "=" in word)

    async def _context(self, job: str) -> dict[str, Any]:
        shown = await self._shown(job)
        rows = await self._run("sacct", "-j", job, "-P", "-D", "-o", SACCT)
        return {
            "state": shown["JobState"],
            "reason": shown["Reason"],
            "exit_code": shown["ExitCode"],
            "partition": shown["Partition"],
            "nodes": int(shown["NumNodes"].split("-")[0]),
            "sacct": rows.splitlines(),
        }

    async def _run(self, *argv: str, stdin: str | None = None) -> str:
        return (await self._cluster.run(*argv, user=self._user, stdin=stdin)).stdout


def keep(play: Play, log: str, context: dict[str, Any]) -> None:
    """Write a log and its answer, in the form of the corpus."""
    lines = [line for line in log.splitlines() if line.strip()]
    proven = [line for line in lines if any(part in line for part in play.proof)]
    if play.proof and not proven and play.label != "none":
        print(f"{play.name}: nothing proves it:\n{log[-600:]}")
    answer = {
        "label": play.label,
        "group": groups()[play.label],
        "kind": "healthy" if play.label == "none" else play.kind,
        "stage": "unknown",
        "evidence": proven,
        "not_evidence": [],
        "remedy": play.truth,
        "transient": play.transient,
        "truth": play.truth,
        "context": context,
        **({"alt_labels": list(play.also)} if play.also else {}),
    }
    MADE.mkdir(exist_ok=True)
    (MADE / f"{play.name}.log").write_text(log, encoding="utf-8")
    text = json.dumps(answer, indent=1, ensure_ascii=False)
    (MADE / f"{play.name}.json").write_text(f"{text}\n", encoding="utf-8")


def groups() -> dict[str, str]:
    """Return the group of each label, from the headings of the taxonomy."""
    found: dict[str, str] = {}
    group = ""
    for line in (HERE / "TAXONOMY.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## ") and line.endswith("`)"):
            group = line.split("`")[1]
        elif line.startswith("* **`"):
            found[line.split("`")[1]] = group
    return found


async def play_all(wanted: Sequence[Play], python: Path) -> None:
    """Give all plays, those that take something away alone and last."""
    with claim(VAR / "made") as directory:
        async with EmbeddedCluster(directory, python=python) as cluster:
            await furnish(cluster, directory / "slurm" / "slurm.conf")
            theatre = Theatre(cluster)
            await asyncio.gather(*(theatre.give(play) for play in wanted if not play.last))
            for play in wanted:
                if play.last:
                    await theatre.give(play)


def main() -> None:
    """Make the logs whose names are given, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--python", type=Path, default=VAR.parent / ".venv-nemo", help="an environment"
    )
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    wanted = [play for play in PLAYS if play.name in options.names or not options.names]
    asyncio.run(play_all(wanted, options.python))


if __name__ == "__main__":
    main()
