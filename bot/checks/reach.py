"""Why a login node cannot be reached, and what to do about it."""

from __future__ import annotations

import getpass

from bot.check import Check
from bot.errors import AccessRefused, ClusterError, ConfigError
from bot.settings import ClusterSettings


def reached(name: str, settings: ClusterSettings, host: str) -> Check:
    """Say where one arrives."""
    where = f"{_user(settings)}@{host}"
    return Check(f"{name}: reach", ok=True, detail=f"{where}, the host key is the pinned one")


def unreached(name: str, settings: ClusterSettings, error: ClusterError | ConfigError) -> Check:
    """Say what stands in the way."""
    said = error.sentence
    target = f"{_user(settings)}@{settings.host}"
    if "host key" in said:
        fix = (
            f"Ask the cluster's administrators for the fingerprint; if it is theirs, put the line"
            f" of `ssh-keyscan -p {settings.port} {settings.host}` into {settings.known_hosts}."
        )
    elif isinstance(error, AccessRefused):
        key = f"{settings.key}.pub" if settings.key else "the public key"
        fix = f"Add {key} to ~/.ssh/authorized_keys of {target}, or set `user` and `key`."
    elif isinstance(error, ConfigError):
        fix = f"Set `key` and `known_hosts` under clusters.{name} to files that the bot can read."
    else:
        fix = (
            f"See from the bot's machine: `ssh -p {settings.port} {target} true`; then set `host`,"
            " `port`, `proxy_jump` or `proxy_command`."
        )
    return Check(f"{name}: reach", ok=False, detail=said, fix=fix)


def _user(settings: ClusterSettings) -> str:
    return settings.user or getpass.getuser()
