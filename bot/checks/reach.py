"""Why a login node cannot be reached, and what to do about it."""

from __future__ import annotations

import getpass

from bot.check import Check
from bot.cluster_settings import ClusterSettings
from bot.errors import AccessRefused, ClusterError, ConfigError
from bot.ports import Query


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
    elif isinstance(error, ConfigError) and "jump" in said:
        fix = f"Correct clusters.{name}.proxy_jump, and start the bot again."
    elif isinstance(error, ConfigError):
        fix = f"Set `key` and `known_hosts` under clusters.{name} to files that the bot can read."
    else:
        fix = (
            f"See from the bot's machine: `ssh -p {settings.port} {target} true`; then set `host`,"
            " `port`, `proxy_jump` or `proxy_command`."
        )
    return Check(f"{name}: reach", ok=False, detail=said, fix=fix)


def one_host(name: str, first: str, again: str) -> Check:
    """Say whether two connections arrived at the same host."""
    title = f"{name}: login node"
    if first == again:
        return Check(title, ok=True, detail=f"{first}, for a second connection as well")
    fix = (
        f"Set `host` to one of them, such as {first}: a launch that a crash cut short can be judged"
        " only where it ran."
    )
    return Check(title, ok=False, detail=f"first {first}, then {again}", fix=fix)


def host() -> Query[str]:
    """Ask for the login node's own name."""
    return Query(
        "cat /proc/sys/kernel/hostname", lambda output: output.stdout.strip(), name="hostname"
    )


def _user(settings: ClusterSettings) -> str:
    return settings.user or getpass.getuser()
