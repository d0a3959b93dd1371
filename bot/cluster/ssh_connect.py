"""Make an SSH connection: whom to trust, which keys, over which hops; and whose fault it was."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import asyncssh

from bot.cluster.login import Login
from bot.cluster.ssh_tunnel import Tunnel
from bot.errors import AccessRefused, ClusterError, ClusterUnreachable, ConfigError

_JUMP = re.compile(r"(?:(?P<user>[^@]+)@)?(?P<host>[^:@]+)(?::(?P<port>\d+))?")
_PERMANENT = (
    asyncssh.PermissionDenied,
    asyncssh.KeyExchangeFailed,
    asyncssh.IllegalUserName,
    asyncssh.ProtocolNotSupported,
    asyncssh.KeyImportError,
    asyncssh.KeyEncryptionError,
)


def check(login: Login) -> None:
    """Raise ConfigError for what could never work."""
    for path in login.keys:
        try:
            asyncssh.read_private_key(path)
        except (OSError, ValueError) as error:
            raise ConfigError(f"the SSH key {path} cannot be used: {error}") from error
    if not login.known_hosts.is_file():
        raise ConfigError(f"there is no file {login.known_hosts} with the pinned host keys")
    if login.proxy_jump and not _JUMP.fullmatch(login.proxy_jump):
        raise ConfigError(f"the jump host {login.proxy_jump!r} is not [user@]host[:port]")
    if login.proxy_jump and login.proxy_command:
        raise ConfigError("`proxy_jump` and `proxy_command` exclude each other; leave one out")


def hop(login: Login) -> Login | None:
    """Return how the jump host is reached, if there is one."""
    found = _JUMP.fullmatch(login.proxy_jump)
    if found is None:
        return None
    return replace(
        login,
        host=found["host"],
        port=int(found["port"] or 22),
        user=found["user"] or login.user,
        proxy_jump="",
        proxy_command=(),
    )


async def connect(
    login: Login, through: asyncssh.SSHClientConnection | None = None
) -> tuple[asyncssh.SSHClientConnection, Tunnel | None]:
    """Connect, through another connection if one is given; raises our errors.

    A tunnel that comes with it is to be closed after it.
    """
    tunnel = None
    try:
        async with asyncio.timeout(login.connect_timeout):
            tunnel = await Tunnel.open(login.proxy_command) if login.proxy_command else None
            connection = await asyncssh.connect(
                login.host,
                login.port,
                username=login.user,
                tunnel=through or (),
                sock=tunnel.sock if tunnel else None,
                **_trust(login),
            )
    except (TimeoutError, OSError, asyncssh.Error, ValueError) as error:
        said = await tunnel.close() if tunnel else ""
        raise ours(error, login, said) from error
    except BaseException:
        if tunnel:
            await tunnel.close()
        raise
    return connection, tunnel


def _trust(login: Login) -> dict[str, Any]:
    """Return what both hops share: the pinned keys, our keys, no configuration of the account."""
    return {
        "known_hosts": str(login.known_hosts),
        "client_keys": [str(path) for path in login.keys],  # none: those of ~/.ssh and the agent
        "client_certs": [str(path) for path in login.certificates],
        "agent_path": () if login.agent == "" else login.agent,
        "preferred_auth": "publickey",
        "keepalive_interval": login.keepalive,
        "keepalive_count_max": 3,
        "config": None,
    }


def ours(error: Exception, login: Login, said: str = "") -> ClusterError:
    """Return our error for one of asyncssh's or the system's: the only place where they change.

    `said` are the last words of the program that should have led there.
    """
    where = f"{login.user}@{login.host}:{login.port}"
    why = str(error) or type(error).__name__
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return AccessRefused(f"{where}: the host key is not the pinned one: {_pinned(login)}")
    if isinstance(error, _PERMANENT):
        return AccessRefused(f"{where} refuses the login: {why}")
    if isinstance(error, TimeoutError):
        return ClusterUnreachable(f"{where} does not answer{f' ({said})' if said else ''}")
    if isinstance(error, FileNotFoundError) and error.filename:
        return AccessRefused(f"{error.filename} cannot be read, which {where} needs")
    return ClusterUnreachable(f"{where} is not reachable: {said or why}")


def _pinned(login: Login) -> str:
    """Say where the expected host keys stand, line by line."""
    lines = []
    text = login.known_hosts.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        try:
            keys = asyncssh.import_known_hosts(line).match(login.host, "", login.port)
        except ValueError:
            continue
        if any(keys):
            lines.append(f"{login.known_hosts}:{number}")
    if lines:
        return f"see {', '.join(lines)}"
    return f"{login.known_hosts} has no line for it"
