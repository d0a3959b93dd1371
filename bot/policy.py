"""Who may do what. An empty list means nobody."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bot.errors import NotAllowed
from bot.model import Caller, Request, Resources


@dataclass(frozen=True)
class Policy:
    """The rules of one cluster: Slack ids of people and channels, and what must be asked first."""

    cluster: str
    users: Collection[str]
    channels: Collection[str]
    operators: Collection[str]
    ask_above_gpu_hours: float

    def admit(self, caller: Caller) -> None:
        """Raise NotAllowed unless this person may use the cluster from this channel."""
        if not self.knows(caller):
            raise NotAllowed(
                f"You are not on the list of people who may use {self.cluster}; its administrators "
                f"can add {caller.user} under clusters.{self.cluster}.allow.users"
            )
        if caller.channel not in self.channels and not _direct(caller.channel):
            raise NotAllowed(
                f"This channel is not one from which {self.cluster} may be used; its "
                f"administrators can add {caller.channel} under "
                f"clusters.{self.cluster}.allow.channels"
            )

    def knows(self, caller: Caller) -> bool:
        """Whether this person is on the list, wherever they ask."""
        return caller.user in self.users or caller.user in self.operators

    def own(self, caller: Caller, request: Request, deed: str) -> None:
        """Raise NotAllowed unless the request is the caller's, or the caller is an operator."""
        self.started(caller, request.caller.user, deed)

    def started(self, caller: Caller, by: str, deed: str) -> None:
        """Raise NotAllowed unless the caller is the one who started it, or an operator."""
        self.admit(caller)
        if caller.user != by and caller.user not in self.operators:
            raise NotAllowed(
                f"Only the person who launched it, or an operator of {self.cluster}, may {deed} it"
            )

    def operate(self, caller: Caller, job: str) -> None:
        """Raise NotAllowed unless the caller may act on a job that nobody launched from Slack."""
        self.admit(caller)
        if caller.user not in self.operators:
            raise NotAllowed(
                f"Job {job} was not launched from here, so only an operator of {self.cluster} may "
                "do that"
            )

    def command(self, caller: Caller) -> None:
        """Raise NotAllowed unless the caller may run commands inside jobs."""
        self.admit(caller)
        if caller.user not in self.operators:
            raise NotAllowed(f"Only an operator of {self.cluster} may run commands inside a job")

    def must_ask(self, resources: Resources, attempts: int = 1) -> bool:
        """Whether a card asks before this is submitted; what has no known cost is asked about.

        All attempts that there may be count.
        """
        if resources.gpus == 0:
            return False
        hours = resources.gpu_hours
        return hours is None or hours * attempts > self.ask_above_gpu_hours


def _direct(channel: str) -> bool:
    """Direct messages with the bot are as private as their person."""
    return channel.startswith("D")
