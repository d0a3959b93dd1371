"""Interactive jobs: extend their stay, run a command inside, say how a node is entered."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.card import Card
from bot.cards import inside as inside_cards
from bot.cards import mended, shell_line
from bot.cards import session as cards
from bot.cluster.inside_job import Ran, run_inside
from bot.cluster.slurm import NodeState, nodes
from bot.errors import ClusterError, FieldError, Gone, InputRefused, UserError
from bot.job import Job, Session, State
from bot.launching import QUIET
from bot.login_node import LoginNode
from bot.messages import living_key, under
from bot.model import Act, ActKind, Request
from bot.service.service import Service
from bot.words import duration

logger = logging.getLogger(__name__)

RETRIES = (1.0, 3.0, 10.0)
"""Seconds between tries to hear how a command inside a job went."""


async def extend(service: Service, act: Act, node: LoginNode, job: Job, stay: timedelta) -> None:
    """Extend the stay that a click saw; a click that saw an older one changes nothing."""
    request = await service.request_of(job)
    node.policy.own(act.caller, request, "extend")
    longer = _longer(job, stay)
    extended = job.model_copy(update={"session": _staying(job.session, longer)})
    said = cards.extended(extended, act.caller.user)
    name = f"session/{job.id}/{job.attempt}/extended/{int(longer.total_seconds())}"
    await service.store.record(
        act, did=f"extend to {duration(longer)}", job=job.key, request=request.id
    )

    def change(session: Session) -> Session | None:
        return _staying(session, longer) if session.stay == stay and not session.expired else None

    if await service.watch.amend(job, change, under(request, name, said)) is None:
        raise Gone("That was settled meanwhile: the job has ended, or was extended already")
    await _settle(service, act, extended)
    service.wake()


def _longer(job: Job, stay: timedelta) -> timedelta:
    """Return the stay after an extension; raises Gone or UserError when there can be none."""
    session = job.session
    if session is None or job.seen.state.ended or session.expired:
        raise Gone(f"Job {job.id} has ended or is being released")
    if session.stay != stay:
        raise Gone("It was extended meanwhile; its message says until when it stays")
    if not job.extension:
        raise UserError(
            f"Slurm's own time limit of {duration(job.seen.time_limit or stay)} ends job {job.id} "
            "then, and only an administrator of Slurm can raise it. A new one can ask for more "
            "with `--time`"
        )
    return stay + job.extension


def _staying(session: Session | None, stay: timedelta) -> Session | None:
    return session.model_copy(update={"stay": stay}) if session is not None else None


async def _settle(service: Service, act: Act, job: Job) -> None:
    """Say on a reminder whose button was clicked that this was done; the living card knows."""
    key = await service.store.message_at(act.caller.channel, act.message_ts)
    clicked = await service.store.message(key) if "/session/" in key else None
    if clicked is not None:
        card = mended.settled(clicked.wanted.card, cards.extended(job, act.caller.user).lead)
        await service.store.want(replace(clicked.wanted, card=card))


async def inside(
    service: Service, act: Act, node: LoginNode, job: Job, command: Sequence[str]
) -> Card | None:
    """Run one command inside an interactive job, once for each act; its thread shows the rest."""
    node.policy.command(act.caller)
    if job.session is None:
        raise UserError(
            f"Job {job.id} is not interactive; commands run only inside jobs of "
            "`/nemo-rl interactive`"
        )
    if job.seen.state is not State.RUNNING:
        raise UserError(f"Job {job.id} does not run now: it is {job.seen.state.value}")
    if not job.attach:
        raise UserError(f"There is no way into job {job.id} yet: its attach.sh has not come")
    request = await service.request_of(job)
    line = command[0] if len(command) == 1 else shlex.join(command)
    seconds = node.settings.sessions.command_time
    await service.store.record(act, did=f"run inside: {line}", job=job.key, request=request.id)
    name = f"inside/{act.id}"
    begun = under(request, name, inside_cards.running(job, line, act.caller.user))
    await service.want(replace(begun, not_before=datetime.now(UTC) + 2 * QUIET))
    try:
        ran = await _run(node, job, act.id, line, seconds)
    except ClusterError:
        ran = Ran(None, "")
    card = inside_cards.ran(job, line, act.caller.user, ran, seconds)
    await service.want(under(request, name, card))
    if act.kind is ActKind.MENTION and await _in_thread(service, act, request):
        return None
    return inside_cards.pointer(job, line, ran, seconds)


async def _run(node: LoginNode, job: Job, act_id: str, line: str, seconds: int) -> Ran:
    """Run a command, and ask again how it went when the connection is cut: it runs once."""
    for wait in RETRIES:
        try:
            return await node.run(run_inside(act_id, job.attach, line, seconds))
        except ClusterError as error:
            extra = {"action": "inside_waits", "job": job.key, "act": act_id}
            logger.warning("a command inside a job: %s", error.sentence, extra=extra)
            await asyncio.sleep(wait)
    return await node.run(run_inside(act_id, job.attach, line, seconds))


async def _in_thread(service: Service, act: Act, request: Request) -> bool:
    """Whether an act was done in the thread of a request."""
    key = await service.store.message_at(act.caller.channel, act.caller.thread)
    return bool(act.caller.thread) and key == living_key(request)


async def shell(node: LoginNode, index: int, partition: str, cluster_type: str) -> Card:
    """Say how the node of this number is, and which lines lead into a container on it."""
    site = await node.site()
    where = partition or (await node.default_partition()).name
    if await node.partition(where) is None:
        names = ", ".join(f"`{one.name}`" for one in await node.partitions())
        problem = f"{node.name} has no partition `{where}`"
        raise InputRefused((FieldError("partition", problem, f"There is {names}"),))
    there = [one for one in await node.run(nodes()) if where in one.partitions]
    found = next((one for one in there if index_of(one.name) == index), None)
    if found is None:
        raise InputRefused((_no_such_node(where, index, there),))
    kind = cluster_type or site.cluster_type(where) or ""
    if not kind:
        problem = f"Which cluster type is partition `{where}`?"
        raise InputRefused((FieldError("cluster_type", problem, "Add `--cluster_type`"),))
    folder = site.path(site.nemo_rl_dir)
    return shell_line.lines(found, where, index, kind, folder, node.ssh_line)


def index_of(name: str) -> int | None:
    """Return the number a node's name ends with: `alice-a3u-1` → 1."""
    digits = name[len(name.rstrip("0123456789")) :]
    return int(digits) if digits else None


def _no_such_node(partition: str, index: int, there: Sequence[NodeState]) -> FieldError:
    numbers = sorted(number for one in there if (number := index_of(one.name)) is not None)
    problem = f"`{partition}` has no node {index}"
    return FieldError("node", problem, f"It has {shell_line.numbers(numbers)}")
