"""A job that ended → its explanation: what the log says, the cause if it failed, the last step."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.blame import WEEK, Blame
from bot.cards.case import Case
from bot.cards.job import ended
from bot.cards.mend import controls, first
from bot.cards.progress import in_words
from bot.cards.repeats import with_past
from bot.cards.request import request_card
from bot.cards.retry import given_up, line, waiting
from bot.cards.why import why_card
from bot.diagnosis import Finding, Source, diagnose, from_observation
from bot.diagnosis.finding import NOT_IN_LOG
from bot.errors import AccessRefused, ClusterError, CommandFailed, StoreFailed
from bot.following import explained
from bot.inquiry import tally_of
from bot.job import Job, State
from bot.login_node import LoginNode
from bot.mending import case_of
from bot.messages import attempt_line, living, under, why_of
from bot.model import Request
from bot.ports import Store, Wanted
from bot.progress import progress
from bot.reading import launched_by, read_logs
from bot.retry import Chances, GivenUp, retry
from bot.workloads import WORKLOADS

logger = logging.getLogger(__name__)

RETRY, LONGEST = 5.0, 60.0
"""Seconds between tries while the cluster does not answer."""


@dataclass(frozen=True)
class Explanation:
    """What the logs and facts of a job come to."""

    finding: Finding | None
    """None for a job that ended well, was cancelled from here, or was lost without a trace."""
    tail: str
    progress: str
    failed_step: str = ""
    """The exit code of a step that failed though the job ended well."""


class Explainer:
    """Explains jobs when they end, each in a task of its own; a restart explains what was left."""

    def __init__(
        self, *, store: Store, nodes: Mapping[str, LoginNode], wake: Callable[[], None]
    ) -> None:
        self._store = store
        self._nodes = nodes
        self._wake = wake
        self._waiting: asyncio.Queue[Job] = asyncio.Queue()

    def explain(self, job: Job) -> None:
        """Explain a job that ended."""
        self._waiting.put_nowait(job)

    async def run(self) -> None:
        """Explain what comes, until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                job = await self._waiting.get()
                group.create_task(self._patiently(job))

    async def _patiently(self, job: Job) -> None:
        wait = RETRY
        while True:
            try:
                await self._explain(job)
            except (ClusterError, StoreFailed) as error:
                logger.warning(
                    "job %s cannot be explained yet: %s",
                    job.key,
                    error.sentence,
                    extra={"action": "explanation_waits", "job": job.key},
                )
                await asyncio.sleep(LONGEST if isinstance(error, AccessRefused) else wait)
                wait = min(2 * wait, LONGEST)
            except Exception:  # one job that breaks must not leave the others unexplained
                logger.exception(
                    "explaining job %s broke; the next life of the bot tries again",
                    job.key,
                    extra={
                        "action": "explanation_broke",
                        "job": job.key,
                        "error_id": secrets.token_hex(4),
                    },
                )
                return
            else:
                return

    async def _explain(self, job: Job) -> None:
        node = self._nodes[job.cluster]
        earlier = await earlier_labels(self._store, job)
        request = await self._store.request(job.request)
        explanation = await explanation_of(node, job, earlier, request)
        finding = explanation.finding
        case = None
        if finding is not None:
            log = bool(explanation.tail or finding.evidence)
            case = await case_of(node, job, request, finding, log=log)
        done = job.model_copy(
            update={
                "settled": True,
                "progress": explanation.progress or job.progress,
                "result": _result(request, job, explanation.tail),
                **explained(finding),
            }
        )
        wanted: Sequence[Wanted] = ()
        further: Request | GivenUp | None = None
        if request is not None:
            others = [j for j in await self._store.jobs_of(request.id) if j.id != job.id]
            further = await _further(node, request, done, others)
            if finding and case and not isinstance(further, Request):
                done = done.model_copy(update={"mend": first(controls(finding, case))})
            done = done.model_copy(update={"last": isinstance(further, GivenUp)})
            wanted = await self._wanted(request, done, others, explanation, case)
            wanted = _with_further(wanted, request, done, further)
        again = [further] if isinstance(further, Request) else []
        await self._store.save_jobs([done], wanted, requests=again)
        logger.info(
            "a job is explained",
            extra={"action": "job_explained", "job": job.key, "label": done.label},
        )
        self._wake()

    async def _wanted(
        self,
        request: Request,
        job: Job,
        others: Sequence[Job],
        explanation: Explanation,
        case: Case | None,
    ) -> Sequence[Wanted]:
        together = sorted([*others, job], key=lambda j: int(j.id))
        root = living(request, request_card(request, together))
        if explanation.finding is None or case is None:
            told = ended(request, job, explanation.failed_step)
            return [root, under(request, f"{job.id}/{job.attempt}/ended", told)]
        card = why_card(
            job, explanation.finding, case=case, tail=explanation.tail, tell=request.caller.user
        )
        past = await same_before(self._store, job, explanation.finding)
        return [root, under(request, why_of(job), with_past(card, past))]


async def _further(
    node: LoginNode, request: Request, job: Job, others: Sequence[Job]
) -> Request | GivenUp | None:
    """Return the next attempt of a launch, or why there is none."""
    partition = await node.partition(job.seen.partition) if job.blamed else None
    chances = Chances(
        now=datetime.now(UTC),
        pause=node.settings.retry_after,
        nodes=partition.nodes if partition else None,
    )
    return retry(request, job, others, chances)


def _with_further(
    wanted: Sequence[Wanted], request: Request, job: Job, further: Request | GivenUp | None
) -> Sequence[Wanted]:
    """Return what is told of an end, the living message first, and of what comes after it."""
    root, *rest = wanted
    if isinstance(further, Request):
        root = replace(root, card=waiting(root.card, further))
        return [root, *rest, attempt_line(further, line(further))]
    if isinstance(further, GivenUp):
        card = given_up(request, further)
        return [*wanted, under(request, f"{job.id}/{job.attempt}/no-further", card)]
    return wanted


def _result(request: Request | None, job: Job, log: str) -> str:
    """Return what a job that ended well made."""
    if request is None or not job.seen.state.good:
        return ""
    workload = WORKLOADS[request.workload]
    return workload.result(workload.model.model_validate(request.options), log)


async def explanation_of(
    node: LoginNode, job: Job, earlier: Sequence[str] = (), request: Request | None = None
) -> Explanation:
    """Read a job's logs and say what they come to; raises ClusterError.

    `request` is what launched it, where that was done from here.
    """
    logs = await read_logs(node, job)
    how_far = progress(logs.end)
    # Nothing is left to do, wherever it stopped.
    words = in_words(replace(how_far, finished=True)) if how_far else ""
    tally = await tally_of(node, job)
    if job.seen.state.good or (job.wished and job.seen.state is State.CANCELLED):
        return Explanation(None, logs.end, words, tally.failed_step if job.attempt == 1 else "")
    lost = job.seen.state is State.LOST
    # Of a job that was lost, Slurm's last word says nothing of how it ended.
    seen = job.seen.model_copy(update={"raw": ""}) if lost else job.seen
    lacking = await node.lacking(WORKLOADS[request.workload], request) if request else frozenset()
    facts = from_observation(seen, earlier=earlier, lacking=lacking, tally=tally)
    # A long log takes a second of computing, in which others must get their turn.
    finding = await asyncio.to_thread(diagnose, logs.sources, facts)
    if finding.label == NOT_IN_LOG and (said := await _launcher(node, job)):
        finding = await asyncio.to_thread(diagnose, [*logs.sources, said], facts)
    finding = replace(finding, unread=logs.unread)
    return Explanation(None if lost and finding.healthy else finding, logs.end, words)


async def _launcher(node: LoginNode, job: Job) -> Source | None:
    """Return what a launcher said that failed; where it did its work well, that is no cause."""
    try:
        run = await launched_by(node, job)
    except CommandFailed:
        return None
    if run is None or not run.exit:
        return None
    return Source("the launcher", (f"{run.out}\n{run.err}".encode(),))


async def same_before(store: Store, job: Job, finding: Finding) -> tuple[Blame, ...]:
    """Return what failed in the same way on a node that this job blames, within a week."""
    if not finding.nodes:
        return ()
    since = (job.seen.ended or datetime.now(UTC)) - WEEK
    return tuple(
        blame
        for blame in await store.blames(job.cluster, since)
        if blame.node in finding.nodes and blame.label == finding.label and not blame.of(job)
    )


async def earlier_labels(store: Store, job: Job) -> tuple[str, ...]:
    """Return how the jobs ended of which this one is a rerun, oldest first."""
    labels: list[str] = []
    request = await store.request(job.request)
    while request is not None and request.origin:
        before = await store.job(request.cluster, request.origin)
        if before is None:
            break
        labels.append(before.label)
        request = await store.request(before.request)
    return tuple(reversed([label for label in labels if label]))
