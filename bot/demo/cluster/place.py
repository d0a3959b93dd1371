"""How commands run: in private namespaces with real accounts, or all as the calling user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from bot.demo.cluster import namespaces
from bot.demo.cluster.calling_user import CallingUser
from bot.demo.cluster.namespaces import Namespaces
from bot.demo.cluster.plan import Account, Users
from bot.demo.cluster.tree import Tree


class Place(Protocol):
    """Where and as whom the cluster's commands run."""

    outside: Tree  # the folders as this process sees them
    tree: Tree  # the folders as the daemons see them
    host: str
    users: Users
    accounts: tuple[Account, ...]
    login: str | None  # what sshd must run in place of each session's command

    async def open(self, log: Path) -> None:
        """Make the place."""

    async def close(self) -> None:
        """Leave nothing of it."""

    def own(self, path: Path, user: str) -> None:
        """Give a file or folder to an account, folders with what they hold."""

    def argv(self, command: Sequence[str], *, user: str, node: str | None = None) -> list[str]:
        """The command that runs *command* as *user*, on the login node or on a node."""

    def environment(self, user: str) -> Mapping[str, str]:
        """What a session of *user* finds in its environment."""


def choose(directory: Path, run: Path, python: Path) -> Place:
    """Namespaces where the machine allows them, otherwise the calling user."""
    if namespaces.allowed():
        return Namespaces(directory, run, python)
    return CallingUser(directory, run, python)
