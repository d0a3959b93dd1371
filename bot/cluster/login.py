"""How a login node is reached, and how that has been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Login:
    """How to reach a login node; paths are the bot's own."""

    host: str
    user: str
    known_hosts: Path
    port: int = 22
    keys: tuple[Path, ...] = ()
    certificates: tuple[Path, ...] = ()
    agent: str | None = None
    """Path of an agent's socket; empty is the one of `SSH_AUTH_SOCK`, None uses no agent."""
    proxy_jump: str = ""
    """`[user@]host[:port]`, checked against the same known hosts."""
    proxy_command: tuple[str, ...] = ()
    connect_timeout: float = 20.0
    keepalive: float = 15.0
    """Seconds; after three without an answer the connection is taken for lost."""
    slurm_bin_dirs: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """Set on the login node for every command."""


@dataclass(frozen=True)
class Health:
    """How the connection has been."""

    last_ok: datetime | None
    failing_since: datetime | None
    why: str = ""
