"""What every use case needs: the clusters, the store, who carries requests on, who tells Slack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Protocol

from pydantic import SecretStr

from bot import messages
from bot.cards.experiment import chief
from bot.errors import FieldError, InputRefused, NotAllowed, UnknownJob
from bot.job import Job, Session, base_id
from bot.login_node import LoginNode
from bot.model import Act, Request, attempt_id
from bot.ports import Store, Verdict, Vouch, Wanted
from bot.suggest import did_you_mean
from bot.words import listed

RECENT = 100
"""Jobs among which a title is looked for."""
_NAMED = 3
"""Jobs that are named when it is not clear which is meant."""


class Carrier(Protocol):
    """Carries accepted requests to Slurm."""

    def start(self, request: Request) -> None: ...


class Watch(Protocol):
    """Follows jobs on every cluster."""

    def hurry(self, cluster: str) -> None:
        """Look at a cluster soon, since something is about to change there."""

    def see_to_errands(self, cluster: str) -> None:
        """Look at the errands of a cluster soon, since one was wished or is to stop."""

    async def stopping(self, job: Job, user: str) -> None:
        """Remember which Slack user cancels a job."""

    async def amend(
        self, job: Job, change: Callable[[Session], Session | None], *wanted: Wanted
    ) -> Job | None:
        """Change what is known of an interactive job; None when that no longer applies."""


async def _nobody(_name: str, _secret: SecretStr) -> Verdict:
    return Verdict.NOT_ASKED


class Service:
    """The things that use cases share; the use cases are functions in this package."""

    def __init__(  # noqa: PLR0913  # each is a thing that they share
        self,
        *,
        store: Store,
        nodes: Mapping[str, LoginNode],
        carrier: Carrier,
        wake: Callable[[], None],
        watch: Watch,
        cluster_of: Callable[[str], str],
        vouch: Vouch = _nobody,
    ) -> None:
        self.store = store
        self.nodes = nodes
        self.carrier = carrier
        self.wake = wake
        """Tell the outbox that there is something to tell."""
        self.watch = watch
        self.vouch = vouch
        self._cluster_of = cluster_of

    async def want(self, *wanted: Wanted) -> None:
        """Say what messages shall show."""
        await self.store.want(*wanted)
        self.wake()

    def node(self, act: Act, named: str = "") -> LoginNode:
        """Return the cluster that was named, or the channel's; raises unless the caller may."""
        name = named or self._cluster_of(act.caller.channel)
        if not name and self.nodes:
            there = ", ".join(f"`{one}`" for one in self.nodes)
            hint = f"Add `--cluster NAME`; there is {there}"
            raise InputRefused((FieldError("cluster", "Which cluster?", hint),))
        if name not in self.nodes:
            hint = did_you_mean(name, self.nodes) or f"There is {', '.join(self.nodes) or 'none'}"
            raise InputRefused((FieldError("cluster", f"There is no cluster `{name}`", hint),))
        node = self.nodes[name]
        node.policy.admit(act.caller)
        return node

    def welcome(self, act: Act) -> None:
        """Raise NotAllowed unless the caller may use some cluster: for what touches none."""
        if not any(node.policy.knows(act.caller) for node in self.nodes.values()):
            raise NotAllowed(
                "You are not on the list of people who may use this bot; its administrators can "
                f"add {act.caller.user} under `allow.users` of a cluster"
            )

    def admits(self, act: Act) -> bool:
        """Whether the caller may use some cluster from this channel."""
        for node in self.nodes.values():
            with suppress(NotAllowed):
                node.policy.admit(act.caller)
                return True
        return False

    def default_cluster(self, act: Act) -> str:
        """Return the cluster that is meant where none is named; empty where that is not known."""
        return self._cluster_of(act.caller.channel)

    async def job(self, act: Act, node: LoginNode, ref: str | None) -> Job | None:
        """Return the job that is meant, as far as it was launched from here.

        Raises UnknownJob when nothing says which; None for an id that only Slurm may know.
        """
        if ref is None:
            return await self._job_of_thread(act, node)
        number = base_id(ref)
        if number and ref[0].isdigit():
            return await self.store.job(node.name, number)
        named = await self.store.find_jobs(node.name, ref) or await self._titled(node, ref)
        if not named:
            raise UnknownJob(f"No job called `{ref}` was launched from here on {node.name}")
        return named[0]

    async def _titled(self, node: LoginNode, title: str) -> Sequence[Job]:
        """Return jobs whose card has this title: launchers give names of their own."""
        found = []
        for job in await self.store.recent_jobs(node.name, RECENT):
            request = await self.store.request(job.request)
            if request is not None and request.title == title:
                found.append(job)
        return found

    async def _job_of_thread(self, act: Act, node: LoginNode) -> Job:
        key = ""
        if act.caller.thread:
            key = await self.store.message_at(act.caller.channel, act.caller.thread)
        request_id = messages.request_id(key)
        if not request_id:
            raise UnknownJob(await self._which(act, node))
        jobs = await self.jobs_of_newest(request_id)
        if not jobs:
            raise UnknownJob("This request has no job")
        return chief(jobs)

    async def jobs_of_newest(self, request_id: str) -> Sequence[Job]:
        """Return the jobs of the last attempt that has any; the first request names the launch."""
        jobs = await self.store.jobs_of(request_id)
        for number in count(2):
            request = await self.store.request(attempt_id(request_id, number))
            if request is None:
                break
            jobs = await self.store.jobs_of(request.id) or jobs
        return jobs

    async def _which(self, act: Act, node: LoginNode) -> str:
        """Ask which job is meant, and name the person's newest."""
        recent = await self.store.recent_jobs(node.name, RECENT)
        mine = [
            f"`{job.id}` ({job.seen.name[:60]})" for job in recent if job.caller == act.caller.user
        ][:_NAMED]
        newest = f" Your newest: {listed(mine)}." if mine else ""
        return (
            "Which job? Type its id (`/slurm jobs` lists yours), or ask in the job's own thread."
            f"{newest}"
        )

    async def request_of(self, job: Job) -> Request:
        """Return the request a job came from."""
        request = await self.store.request(job.request)
        if request is None:
            raise NotAllowed(f"Job {job.id} was not launched from here")
        return request
