"""From an accepted request to what Slurm made of it: submitted, refused, or not known.

Whoever comes may carry a request on: the spool on the cluster, not this process, makes sure that
it is submitted once. A restart carries on whatever was left.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import TypeVar

from bot.cards.request import refused, request_card, submitting, unknown
from bot.cards.retry import line, not_submitted
from bot.cluster import slurm, spool
from bot.cluster.launch import launch, look
from bot.errors import ClusterError, CommandFailed, StoreFailed
from bot.experiment import read_experiment
from bot.job import Job, Observation
from bot.login_node import LoginNode
from bot.mending import case_of_request
from bot.messages import attempt_line, living, under
from bot.model import Experiment, Launch, Request, Stage
from bot.ports import Store, Wanted
from bot.redact import redact
from bot.refusal import explain_refusal
from bot.taken import new_job, unsigned
from bot.workloads import WORKLOADS

logger = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_LOOK, LATER_LOOK = 5.0, 1.0
"""Seconds that one round trip waits for the launcher to end."""
PAUSE = 2.0
"""Seconds between looks at a launcher that takes long."""
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0
"""Seconds between tries to reach a cluster; doubled each time."""
QUIET = timedelta(seconds=0.6)
"""A submission that is quicker than this is told with its job id at once, not in two steps."""
SEARCHES = (0.0, 2.0, 5.0, 10.0, 20.0, 25.0)
"""Seconds before each look for a job whose submission is not certain: past the site's lag."""


News = tuple[tuple[spool.Receipt, ...], Experiment | None, bool]
"""What a launch has come to: its jobs, its experiment, and whether more may follow."""


class Launcher:
    """Carries requests to Slurm, each in a task of its own."""

    def __init__(
        self,
        *,
        store: Store,
        nodes: Mapping[str, LoginNode],
        wake: Callable[[], None],
        follow: Callable[[Sequence[Job]], None],
        pause: float = LONGEST_WAIT,
        clean: Callable[[str], str] = redact,
    ) -> None:
        self._store = store
        self._nodes = nodes
        self._wake = wake
        self._follow = follow
        self._clean = clean
        """Takes secrets out of what was said, before it is kept."""
        self._pause = pause
        self._group: asyncio.TaskGroup | None = None
        self._carried: set[str] = set()

    async def run(self) -> None:
        """Carry on what an earlier life left, then what comes, until cancelled."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            for request in await self._store.requests(Stage.ACCEPTED, Stage.UNKNOWN):
                self.start(request)
            await asyncio.Event().wait()

    def start(self, request: Request) -> None:
        """Carry a request; one that is on its way already stays with who carries it."""
        if self._group is None or request.id in self._carried:
            return
        self._carried.add(request.id)
        self._group.create_task(self._carry(request))

    async def _carry(self, request: Request) -> None:
        try:
            while True:
                try:
                    return await self._advance(request)
                except StoreFailed as error:
                    logger.warning(
                        "a request waits for the database: %s",
                        error.sentence,
                        extra={"action": "launch_not_kept", "request": request.id},
                    )
                except Exception:  # one request that breaks must not stop the others
                    logger.exception(
                        "carrying a request broke; it is taken up again",
                        extra={
                            "action": "launch_broke",
                            "request": request.id,
                            "error_id": secrets.token_hex(4),
                        },
                    )
                # What the cluster has done stays done: the spool tells it again.
                await asyncio.sleep(self._pause)
        finally:
            self._carried.discard(request.id)

    async def _advance(self, request: Request) -> None:
        """Go on from the stage at which the request is now."""
        current = await self._store.request(request.id) or request
        if current.cluster not in self._nodes:
            logger.error(
                "a request names a cluster that is no longer configured",
                extra={"action": "launch_stranded", "request": current.id},
            )
        elif current.stage is Stage.UNKNOWN:
            await self._search(current)
        elif current.stage is Stage.ACCEPTED:
            await self._launch(current)

    async def _launch(self, request: Request) -> None:
        wait, pause = FIRST_LOOK, PAUSE
        told: News | None = None
        while True:
            outcome = await self._patiently(request, partial(self._look, request, wait))
            match outcome:
                case spool.Submitted(finished=finished):
                    before = told
                    request, told = await self._heard(request, outcome, told)
                    if finished:
                        return None
                    # A launcher may stay until its jobs have ended, with nothing new to tell.
                    pause = min(2 * pause, LONGEST_WAIT) if told == before else PAUSE
                case spool.Dead(attempt=attempt):
                    request = request.model_copy(update={"attempt": attempt})
                    await self._store.save_request(request, was=Stage.ACCEPTED)
                    continue
                case spool.Refused():
                    return await self._refused(request, outcome)
                case spool.Unknown():
                    return await self._lost_answer(request, outcome)
                case spool.Running() | spool.NotStarted():
                    pass
            wait = LATER_LOOK
            await asyncio.sleep(pause)

    async def _heard(
        self, request: Request, outcome: spool.Submitted, told: News | None
    ) -> tuple[Request, News]:
        """Keep what is new since `told` of a launch that has jobs."""
        request = _of_experiment(request, outcome.out)
        news = (outcome.jobs, request.experiment, outcome.finished)
        if news != told:
            stage = Stage.SUBMITTED if outcome.finished else Stage.ACCEPTED
            await self._took(request, outcome.jobs, stage)
        return request, news

    async def _look(self, request: Request, wait: float) -> spool.Outcome:
        """One round trip: start the launcher, or join it, and see how far it has come."""
        node = self._nodes[request.cluster]
        spec = await node.spec(WORKLOADS[request.workload], request)
        if spec.secrets and wait == FIRST_LOOK and (refused := await _without(node, request, spec)):
            return refused
        logger.info("launching", extra={"action": "launch_sent", "request": request.id})
        seen = await node.run(launch(request.id, request.attempt, spec, wait))
        logger.info("the spool answers", extra={"action": "launch_answered", "request": request.id})
        return spool.outcome(seen)

    async def _took(
        self, request: Request, receipts: Sequence[spool.Receipt], stage: Stage
    ) -> None:
        """Slurm took jobs; at stage ACCEPTED the launcher may still submit more."""
        jobs = [new_job(request, receipt.job) for receipt in receipts]
        await self._keep(request, jobs, stage)

    async def _keep(self, request: Request, jobs: Sequence[Job], stage: Stage) -> None:
        known = await self._store.jobs_of(request.id)
        there = {job.id for job in known}
        new = [job for job in jobs if job.id not in there]
        taken = request.model_copy(update={"stage": stage, "error": ""})
        extra = {"request": request.id, "jobs": [job.id for job in jobs]}
        logger.info("Slurm took it", extra={"action": "receipt_known", **extra})
        submitted = taken.model_copy(update={"stage": Stage.SUBMITTED})
        wanted = [living(taken, request_card(submitted, [*known, *new]))] if new else []
        if new and request.retry is not None:
            wanted.append(attempt_line(taken, line(submitted, new[0].id)))
        if not await self._store.save_request(taken, *wanted, jobs=new, was=request.stage):
            return  # a person has settled it meanwhile
        logger.info("its jobs are kept", extra={"action": "receipt_stored", **extra})
        self._wake()
        self._follow(new)

    async def _refused(self, request: Request, outcome: spool.Refused) -> None:
        """Nothing was submitted: say why, and offer what mends it."""
        finding = explain_refusal(outcome)
        no = request.model_copy(
            update={"stage": Stage.REFUSED, "error": self._clean(_said(outcome.text, outcome.err))}
        )
        node = self._nodes[request.cluster]
        case = await case_of_request(node, no, finding.actions)
        logger.info(
            "refused",
            extra={"action": "refusal_known", "request": request.id, "label": finding.label},
        )
        wanted = [living(no, refused(no, finding, case))]
        if request.retry is not None:
            told = under(no, "given-up", not_submitted(no, finding.title))
            wanted += [attempt_line(no, line(no)), told]
        await self._store.save_request(no, *wanted, was=request.stage)
        self._wake()

    async def _lost_answer(self, request: Request, outcome: spool.Unknown) -> None:
        """sbatch was called and nobody knows what came of it: look, and never submit again."""
        lost = request.model_copy(
            update={"stage": Stage.UNKNOWN, "error": self._clean(_said(outcome.text, outcome.err))}
        )
        await self._store.save_request(lost, living(lost, unknown(lost)), was=request.stage)
        self._wake()
        await self._search(lost)

    async def _search(self, request: Request) -> None:
        """Look for a request's jobs by its signature, then by name and folder of the lost call."""
        node = self._nodes[request.cluster]
        since = request.created - timedelta(minutes=5)
        ask = slurm.find_by_comment((request.id,), since)
        accounting = True
        for wait in SEARCHES:
            await asyncio.sleep(wait)
            search = await self._patiently(request, lambda: node.run(ask))
            accounting = search.accounting
            if sightings := search.found.get(request.id):
                return await self._sighted(request, sightings)
        if fitting := await self._patiently(request, partial(unsigned, node, self._store, request)):
            return await self._sighted(request, fitting)
        logger.info("not found", extra={"action": "search_ended", "request": request.id})
        current = await self._store.request(request.id)
        if current is not None and current.stage is Stage.UNKNOWN:
            card = unknown(request, searched=True, accounting=accounting)
            await self._want(living(request, card))
        return None

    async def _sighted(self, request: Request, sightings: Sequence[Observation]) -> None:
        jobs = {seen.job: new_job(request, seen.job, seen) for seen in sightings}
        await self._keep(request, list(jobs.values()), Stage.SUBMITTED)

    async def _patiently(self, request: Request, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask until the cluster answers; say once that it does not."""
        wait = FIRST_WAIT
        while True:
            try:
                return await ask()
            except ClusterError as error:
                why = error.sentence.rstrip(".")
            logger.warning(
                "a request waits for the cluster: %s",
                why,
                extra={"action": "launch_waits", "request": request.id},
            )
            if request.stage is Stage.ACCEPTED and not await self._store.jobs_of(request.id):
                await self._want(living(request, submitting(request, trouble=f"{why}.")))
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    async def _want(self, wanted: Wanted) -> None:
        await self._store.want(wanted)
        self._wake()


async def _without(node: LoginNode, request: Request, spec: Launch) -> spool.Refused | None:
    """Put the secrets in place; a refusal when they cannot be, and nothing has run yet."""
    try:
        await node.put_secrets(spec.auth)
    except CommandFailed as error:
        why = error.sentence
    else:
        return None
    if not node.secrets:
        return None
    seen = (await node.run(look((request.id,)))).get(request.id)
    if seen is not None and not isinstance(spool.outcome(seen), spool.NotStarted):
        return None
    return spool.Refused(f"Nothing was submitted: {why}", retry=True)


def _of_experiment(request: Request, said: str) -> Request:
    """Return the request with what its launcher says of the experiment that it made."""
    found = read_experiment(redact(said, ()))
    return request.model_copy(update={"experiment": found}) if found else request


def _said(*texts: str) -> str:
    """Join what was said, each thing once."""
    lines = [line for text in texts for line in text.strip().splitlines()]
    return "\n".join(dict.fromkeys(lines))[-8_000:]
