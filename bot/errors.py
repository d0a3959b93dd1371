"""Every error of the bot. The docstring is the sentence people read when nothing better is known.

SbatchatError
├── UserError                 what a person can put right
│   ├── InputRefused          the words do not make a request (carries one entry per field)
│   ├── NotAllowed            policy says no
│   ├── UnknownJob            no such job in sight
│   └── Gone                  the card was settled before
├── ClusterError
│   ├── ClusterUnreachable    temporary: no connection, dropped, timed out
│   ├── AccessRefused         permanent: host key or login refused
│   └── CommandFailed         the remote command said no
│       ├── SlurmUnreachable  temporary: slurmctld or slurmdbd does not answer
│       └── SlurmRateLimited  temporary: Slurm asks to slow down
├── ChatError
│   ├── ChatUnreachable       temporary, and nobody knows whether the call arrived
│   ├── ChatRateLimited       temporary: nothing happened, come back later
│   ├── MessageRefused        permanent: Slack's error code says why
│   └── FileRefused           permanent: the bot may not read this file
├── StoreFailed               temporary: the database could not take it (disk full, locked, away)
└── ConfigError               the configuration names something impossible
"""

from __future__ import annotations

from dataclasses import dataclass


class SbatchatError(Exception):
    """Something went wrong."""

    @property
    def sentence(self) -> str:
        """What a person reads: the message, or the class's own docstring."""
        return str(self) or (type(self).__doc__ or "").strip()


class UserError(SbatchatError):
    """That cannot be done as asked."""


@dataclass(frozen=True)
class FieldError:
    """One thing that is wrong with what was typed: which field, what, and what to type instead."""

    field: str
    message: str
    hint: str = ""


class InputRefused(UserError):
    """What was typed is not a request."""

    def __init__(self, errors: tuple[FieldError, ...], usage: str = "") -> None:
        super().__init__("; ".join(e.message for e in errors))
        self.errors = errors
        self.usage = usage


class NotAllowed(UserError):
    """You are not on the list of people who may do this."""


class UnknownJob(UserError):
    """There is no such job in sight."""


class Gone(UserError):
    """This was settled before."""


class ClusterError(SbatchatError):
    """The cluster could not do it."""


class ClusterUnreachable(ClusterError):
    """The login node does not answer."""


class AccessRefused(ClusterError):
    """The login node refused the connection, or its host key is not the pinned one."""


class CommandFailed(ClusterError):
    """A command on the login node failed."""

    def __init__(self, message: str, *, status: int | None = None, stderr: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.stderr = stderr


class SlurmUnreachable(CommandFailed):
    """Slurm does not answer."""


class SlurmRateLimited(CommandFailed):
    """Slurm asks to slow down."""


class ChatError(SbatchatError):
    """Slack could not be told."""


class ChatUnreachable(ChatError):
    """Slack does not answer; whether the call arrived is unknown."""


class ChatRateLimited(ChatError):
    """Slack asks to wait."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"Slack asks to wait {retry_after:g} s")
        self.retry_after = retry_after


class MessageRefused(ChatError):
    """Slack refused the message."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code


class FileRefused(ChatError):
    """may not be read by the bot."""


class StoreFailed(SbatchatError):
    """The database could not take it, and nothing of it was kept."""


class ConfigError(SbatchatError):
    """The configuration is not usable."""
