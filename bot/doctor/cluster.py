"""Can a cluster be reached, and is there on it what exactly-once and watching rest on?"""

from __future__ import annotations

from bot.cluster.login import Login
from bot.cluster.ssh import SshCluster
from bot.cluster.survey import survey
from bot.doctor.check import Check
from bot.doctor.looks import CHECKS, image
from bot.errors import AccessRefused, ClusterError, ConfigError
from bot.ports import Query
from bot.settings import ClusterSettings
from bot.wiring import login
from bot.words import count


async def cluster_checks(name: str, settings: ClusterSettings) -> tuple[Check, ...]:
    """Look at one cluster over a connection of its own, and at its host name over a second."""
    allowed = _allowed(name, settings)
    try:
        async with SshCluster(name, login(settings)) as first:
            seen = await first.run(survey(settings.nemo.dir, settings.nemo.python, image(settings)))
            async with SshCluster(name, login(settings)) as second:
                again = await second.run(Query(_HOST, lambda output: output.stdout.strip()))
    except (ClusterError, ConfigError) as error:
        return (_unreached(name, login(settings), error), *allowed)
    where = f"{login(settings).user}@{seen.host}"
    reached = Check(f"{name}: reach", ok=True, detail=f"{where}, the host key is the pinned one")
    looked = (check(name, settings, seen) for check in CHECKS)
    return (
        reached,
        _one_host(name, seen.host, again),
        *(check for group in looked for check in group),
        *allowed,
    )


_HOST = "cat /proc/sys/kernel/hostname"


def _unreached(name: str, how: Login, error: ClusterError | ConfigError) -> Check:
    said = error.sentence
    target = f"{how.user}@{how.host}"
    if "host key" in said:
        fix = (
            f"Ask the cluster's administrators for the fingerprint; if it is theirs, put the line"
            f" of `ssh-keyscan -p {how.port} {how.host}` into {how.known_hosts}."
        )
    elif isinstance(error, AccessRefused):
        key = f"{how.keys[0]}.pub" if how.keys else "the public key"
        fix = f"Add {key} to ~/.ssh/authorized_keys of {target}, or set `user` and `key`."
    elif isinstance(error, ConfigError):
        fix = f"Set `key` and `known_hosts` under clusters.{name} to files that the bot can read."
    else:
        fix = (
            f"See from this machine: `ssh -p {how.port} {target} true`; then set `host`, `port`,"
            " `proxy_jump` or `proxy_command`."
        )
    return Check(f"{name}: reach", ok=False, detail=said, fix=fix)


def _one_host(name: str, first: str, again: str) -> Check:
    title = f"{name}: login node"
    if first == again:
        return Check(title, ok=True, detail=f"{first}, twice")
    fix = (
        f"Set `host` to one of them, such as {first}: a launch that a crash cut short can be judged"
        " only where it ran."
    )
    return Check(title, ok=False, detail=f"first {first}, then {again}", fix=fix)


def _allowed(name: str, settings: ClusterSettings) -> tuple[Check, ...]:
    allow = settings.allow
    title, key = f"{name}: allow", f"clusters.{name}.allow"
    if not allow.users and not allow.operators:
        fix = f"Add Slack user ids, such as U0123ABCD, to {key}.users."
        return (Check(title, ok=False, detail="nobody may use it", fix=fix),)
    people = count(len({*allow.users, *allow.operators}), "person", "people")
    if not allow.channels:
        fix = f"Add Slack channel ids, such as C0123ABCD, to {key}.channels."
        detail = f"{people}, and no channel: it can be used in direct messages only"
        return (Check(title, ok=False, detail=detail, fix=fix),)
    detail = f"{people}, {count(len(allow.channels), 'channel')}"
    return (Check(title, ok=True, detail=detail),)
