"""What must be known of a job or a refused launch before it can be said what mends it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from bot.cards.case import Case, Limits
from bot.cluster import slurm
from bot.cluster.together import together
from bot.diagnosis import Action, Finding
from bot.errors import ClusterError, CommandFailed
from bot.inquiry import tally_of
from bot.job import Job
from bot.login_node import LoginNode
from bot.model import Request
from bot.reading import log_files_of
from bot.rerun import takes_settings
from bot.workload import Workload
from bot.workloads import WORKLOADS

_MEMORY = frozenset({Action.MORE_MEMORY, Action.RESUBMIT_SIZE})
_ASSOCIATIONS = frozenset({Action.RESUBMIT_ACCOUNT, Action.RESUBMIT_QOS})


async def case_of(
    node: LoginNode, job: Job, request: Request | None, finding: Finding, *, log: bool = False
) -> Case:
    """Return the case of a job; raises ClusterError. `log` says whether it has a log.

    On a job that was not launched from here no control can act.
    """
    seen = job.seen
    partition = seen.partition or (request.resources.partition if request else "")
    return replace(
        _launched(request) if request else Case(of=job.key),
        of=job.key,
        partition=partition,
        account=seen.account,
        qos=seen.qos,
        time_limit=seen.time_limit,
        nodes=seen.nodes,
        node_list=seen.node_list,
        memory=await _memory(node, job) if Action.MORE_MEMORY in finding.actions else 0,
        log=log and bool(job.request),
        logs=await _logs(node, job) if Action.FETCH_LOG in finding.actions else (),
        secrets=frozenset(name for name, one in node.secrets.items() if one.value is not None),
        admins=bool(node.admin_channel and job.request),
        limits=await _limits(node, finding.actions, partition=partition, qos=seen.qos),
    )


async def case_of_request(
    node: LoginNode, request: Request, actions: Collection[Action] = ()
) -> Case:
    """Return the case of a launch that came to nothing.

    What the cluster cannot say now is left out: people hear of a refusal at once.
    """
    try:
        limits = await _limits(
            node,
            actions,
            partition=request.resources.partition,
            qos=str(request.options.get("qos") or ""),
        )
    except ClusterError:
        limits = Limits()
    return replace(_launched(request), admins=bool(node.admin_channel), limits=limits)


def _launched(request: Request) -> Case:
    """Return what is known of a launch without asking the cluster."""
    workload = WORKLOADS[request.workload]
    habits = request.options.get("habits") or {}
    return Case(
        of=request.id,
        workload=request.workload,
        fields=frozenset(workload.model.model_fields),
        options=request.options,
        flags=request.flags,
        settings=takes_settings(workload) and bool(habits.get("takes_args")),
        resumes=_resumes(workload, request),
        partition=request.resources.partition,
        account=str(request.options.get("account") or ""),
        qos=str(request.options.get("qos") or ""),
        time_limit=request.resources.time,
        nodes=request.resources.nodes,
    )


def _resumes(workload: Workload[Any], request: Request) -> bool:
    """Whether it can be told from which folder to go on."""
    options = workload.model.model_validate(request.options)
    return workload.resume is not None and workload.resume(options, "/any") is not None


async def _limits(
    node: LoginNode, actions: Collection[Action], *, partition: str, qos: str
) -> Limits:
    """Return what the cluster could give instead, as far as these remedies must know."""
    wanted = frozenset(actions)
    limits = Limits(
        partitions=await node.partitions(),
        memory=await _largest(node, partition) if _MEMORY & wanted else 0,
    )
    return await _allowed(node, limits, qos) if _ASSOCIATIONS & wanted else limits


async def _logs(node: LoginNode, job: Job) -> tuple[str, ...]:
    """Return what the logs of a job are called, the most telling first."""
    found = await log_files_of(node, job)
    return tuple(dict.fromkeys(one.source for one in found if one.attempt == found[0].attempt))


async def _allowed(node: LoginNode, limits: Limits, qos: str) -> Limits:
    """Return with them what the login account may use; nothing new where nobody keeps that."""
    try:
        may, each = await node.run(together(slurm.associations(), slurm.qos_limits()))
    except CommandFailed:
        return limits
    if isinstance(may, slurm.AccountingOff) or isinstance(each, slurm.AccountingOff):
        return limits
    used = qos or next((one.default_qos for one in may if one.default_qos), "")
    limit = next((one for one in each if one.name == used), slurm.QosLimit(name=used))
    return replace(
        limits,
        accounts=tuple(dict.fromkeys(one.account for one in may)),
        qos=tuple(dict.fromkeys(name for one in may for name in one.qos)),
        time=limit.time,
        nodes=limit.nodes,
    )


async def _largest(node: LoginNode, partition: str) -> int:
    """Return the bytes of memory of the partition's largest node."""
    found = await node.run(slurm.nodes())
    return max((one.memory for one in found if partition in one.partitions), default=0)


async def _memory(node: LoginNode, job: Job) -> int:
    """Return the bytes that a job had on each node, or took; 0 where accounting does not tell."""
    tally = await tally_of(node, job)
    return max(tally.asked, tally.used)
