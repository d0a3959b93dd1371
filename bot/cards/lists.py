"""Partitions and jobs as tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.card import Card, Fact, Moment, Mono, Table, Text
from bot.cards.job import sentence
from bot.cluster.slurm import reason_in_words
from bot.model import Job, Observation, PartitionState, State
from bot.words import count, duration

ROWS = 30


def partitions_card(
    cluster: str, partitions: Sequence[PartitionState], as_of: datetime, *, note: str = ""
) -> Card:
    """Return sinfo read as an answer: free nodes and GPUs now."""
    ranked = sorted(partitions, key=lambda p: (not p.up, -p.free, p.name))
    rows = tuple(
        (
            f"{p.name}{' (default)' if p.default else ''}",
            f"{p.free} of {p.nodes}" if p.up else "down",
            str(p.free * p.gpus_per_node) if p.up else "0",
            duration(p.max_time) if p.max_time else "unlimited",
            ", ".join(f"{number} {state}" for state, number in p.states),
        )
        for p in ranked
    )
    free = sum(p.free for p in partitions if p.up)
    lead = f"{cluster}: {count(free, 'node')} free now in {count(len(partitions), 'partition')}."
    return Card(
        lead=(note or lead,),
        parts=(
            Table(head=("Partition", "Free nodes", "Free GPUs", "Longest", "States"), rows=rows),
        ),
        foot=(("Most free nodes first, as of ", Moment(at=as_of)),),
    )


KINDS = {
    "mine": ("job launched by you", "jobs launched by you"),
    "all": ("job that runs or waits", "jobs that run or wait"),
    "running": ("running job launched from here", "running jobs launched from here"),
    "failed": ("job launched from here that failed", "jobs launched from here that failed"),
}
"""What is listed, for one and for several."""


def jobs_card(cluster: str, which: str, jobs: Sequence[Observation], as_of: datetime) -> Card:
    """Return jobs, newest first."""
    one, many = KINDS[which]
    if not jobs:
        return Card(
            lead=(f"{cluster}: no {many}.",),
            foot=(("Launch one: ", Mono(text="/slurm submit SCRIPT")),),
        )
    rows = tuple(
        (
            job.id,
            job.name,
            job.state.value if job.state is not State.UNKNOWN else f"unknown ({job.raw})",
            f"{job.partition} × {job.nodes}" if job.nodes else job.partition,
            _remark(job),
        )
        for job in jobs[:ROWS]
    )
    rest = f"; {len(jobs) - ROWS:,} more are not shown" if len(jobs) > ROWS else ""
    return Card(
        lead=(f"{cluster}: {count(len(jobs), one, many)}{rest}.",),
        parts=(Table(head=("Job", "Name", "State", "Where", "Remark"), rows=rows),),
        foot=(("Newest first, as of ", Moment(at=as_of)),),
    )


def _remark(job: Observation) -> str:
    if job.state is State.PENDING:
        return reason_in_words(job.reason)
    if job.state.ended and not job.state.good:
        return f"exit code {job.exit_code}" if job.exit_code else ""
    return job.node_list


def status_card(job: Job) -> Card:
    """Return all that is known of one job."""
    seen = job.seen
    when: Text = (Moment(at=seen.submitted),) if seen.submitted else ("unknown",)
    facts = [
        Fact(label="Name", value=(Mono(text=seen.name),)),
        Fact(label="Owner", value=(f"{seen.user}  account {seen.account or 'none'}",)),
        Fact(label="Partition", value=(Mono(text=seen.partition), f"  on {job.cluster}")),
        Fact(label="Nodes", value=(f"{seen.nodes}  ", Mono(text=seen.node_list))),
        Fact(label="Submitted", value=when),
    ]
    if seen.time_limit:
        facts.append(Fact(label="Time limit", value=(duration(seen.time_limit),)))
    if seen.elapsed is not None:
        facts.append(Fact(label="Ran", value=(duration(seen.elapsed),)))
    if seen.exit_code:
        facts.append(Fact(label="Exit code", value=(seen.exit_code,)))
    if job.progress:
        facts.append(Fact(label="Progress", value=(job.progress,)))
    if seen.stdout:
        facts.append(Fact(label="Output", value=(Mono(text=seen.stdout),)))
    return Card(lead=(f"Job {job.id}: ", *sentence(job)), facts=tuple(facts))
