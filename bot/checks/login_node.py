"""The login node and its Slurm: clock, home, spool, programs, accounting, partitions."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from bot.check import Check
from bot.cluster.survey import Survey
from bot.cluster_settings import ClusterSettings
from bot.errors import ClusterError
from bot.model import PartitionState
from bot.words import storage

LEAST_MB = 50
"""A launch leaves about 50 kB; below this the next one may find no room."""
SKEW = timedelta(seconds=60)
SHARED = ("nfs", "lustre", "gpfs", "beegfs", "fuse", "ceph", "wekafs", "panfs", "afs", "smb")
"""Beginnings of the names that `stat -f` gives to file systems which several machines mount."""

_UTIL_LINUX = "Install util-linux on the login node, or name its folder under `path`."
_FROM = {"flock": _UTIL_LINUX, "setsid": _UTIL_LINUX}


def _clock(name: str, _settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    now = datetime.now(UTC)
    skew = abs((seen.now or now) - now)
    if skew > SKEW:
        fix = "Set both clocks by NTP: jobs are looked for by the time of their submission."
        detail = f"it differs from this machine's by {skew.total_seconds():,.0f} s"
        return (Check(f"{name}: clock", ok=False, detail=detail, fix=fix),)
    return (Check(f"{name}: clock", ok=True, detail="it agrees with this machine's"),)


def _home(name: str, _settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    title, home = f"{name}: home", seen["home"].text
    if not seen["write"].worked:
        fix = f"Make room in {home}, or let the account write there: launches are kept below it."
        said = seen["write"].text or "it cannot be written"
        return (Check(title, ok=False, detail=said, fix=fix),)
    free = seen.free_mb
    if free is not None and free < LEAST_MB:
        fix = f"Make room where {home} is: a launch that finds none is refused."
        return (Check(title, ok=False, detail=f"{storage(free << 20)} are left", fix=fix),)
    kind = seen["filesystem"].text
    shared = kind.lower().startswith(SHARED)
    note = "" if shared else "; see that the compute nodes have the same home"
    room = f", {storage(free << 20)} left" if free is not None else ""
    return (Check(title, ok=True, detail=f"{home} ({kind}){room}{note}"),)


def _spool(name: str, _settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    title = f"{name}: spool folder"
    mode = seen["mode"].text
    if seen["write"].worked and mode != "700":
        fix = "Run `chmod 700 ~/.sbatchat` there: others could read what was launched."
        return (Check(title, ok=False, detail=f"~/.sbatchat has the mode {mode}", fix=fix),)
    if seen["write"].worked and not seen["lock"].worked:
        fix = "Mount the home with locks (NFS: without `nolock`): they show whether a launch lives."
        said = seen["lock"].text or "a file in it cannot be locked"
        return (Check(title, ok=False, detail=said, fix=fix),)
    if not seen["write"].worked:
        return ()  # the home says why
    return (Check(title, ok=True, detail="~/.sbatchat is private, and files in it can be locked"),)


def _programs(name: str, _settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    title = f"{name}: programs"
    missing = seen.missing_programs
    if missing:
        slurm_bin = f"Set clusters.{name}.slurm_bin to the folder of Slurm's programs."
        fix = " ".join(dict.fromkeys(_FROM.get(program, slurm_bin) for program in missing))
        return (Check(title, ok=False, detail=f"not found: {', '.join(missing)}", fix=fix),)
    return (Check(title, ok=True, detail=f"sbatch is {seen['program-sbatch'].text}"),)


def _logout(name: str, _settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    title = f"{name}: logout"
    if seen.kills_processes:
        user = seen["user"].text
        fix = (
            f"Run `loginctl enable-linger {user}` there (as root), or set KillUserProcesses=no in"
            " /etc/systemd/logind.conf: a cut connection would end a launch half way."
        )
        return (Check(title, ok=False, detail="KillUserProcesses is on", fix=fix),)
    return (Check(title, ok=True, detail="what runs survives the end of a connection"),)


def _slurm(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    """Slurm itself: version, accounting, how long it remembers jobs."""
    try:
        config = seen.config()
    except ClusterError as error:
        fix = "See `scontrol ping` on the login node, and ask the cluster's administrators."
        return (Check(f"{name}: Slurm", ok=False, detail=error.sentence, fix=fix),)
    detail = f"{config.version}, cluster {config.cluster}"
    checks = [Check(f"{name}: Slurm", ok=True, detail=detail)]
    title, remembers = f"{name}: accounting", f"{config.min_job_age.total_seconds():g} s"
    if not config.accounting:
        fix = "Run slurmdbd and set AccountingStorageType=accounting_storage/slurmdbd in slurm.conf"
        detail = f"it is off: how a job ended is known for {remembers} only (MinJobAge)"
        checks.append(Check(title, ok=False, detail=detail, fix=f"{fix}."))
    elif not config.keeps_comments:
        fix = "Set AccountingStoreFlags=job_comment in slurm.conf, then `scontrol reconfigure`."
        detail = "it keeps no comments: a submission whose answer was lost may not be found again"
        checks.append(Check(title, ok=False, detail=detail, fix=fix))
    else:
        checks.append(Check(title, ok=True, detail="it is on and keeps comments"))
    least = 2 * timedelta(seconds=settings.tick_slow)
    if config.min_job_age < least and not config.accounting:
        fix = f"Set MinJobAge={least.total_seconds():g} in slurm.conf, or a lower `tick_slow`."
        detail = f"an ended job is forgotten after {remembers}, before the bot may have looked"
        checks.append(Check(f"{name}: memory", ok=False, detail=detail, fix=fix))
    return tuple(checks)


def _partitions(name: str, settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    title = f"{name}: partitions"
    try:
        there = seen.partitions()
    except ClusterError:
        return ()  # Slurm's own check says why
    names = [partition.name for partition in there]
    strange = [one for one in settings.slurm_types if one not in names]
    if settings.default_partition and settings.default_partition not in names:
        strange.insert(0, settings.default_partition)
    if not any(partition.up for partition in there):
        fix = "Ask the cluster's administrators: no job can run now."
        return (Check(title, ok=False, detail="none is up", fix=fix),)
    if strange:
        fix = f"There is {', '.join(names)}: correct default_partition or slurm_types."
        detail = f"configured, but not there: {', '.join(strange)}"
        return (Check(title, ok=False, detail=detail, fix=fix),)
    return (Check(title, ok=True, detail=", ".join(map(_partition, there))),)


def _partition(partition: PartitionState) -> str:
    state = f"{partition.free} of {partition.nodes} nodes free" if partition.up else "down"
    return f"{partition.name} ({state})"


def _quota(name: str, _settings: ClusterSettings, seen: Survey) -> tuple[Check, ...]:
    """What `quota` marks with an asterisk is over; a site without quotas says nothing."""
    if not any(re.search(r"\d\*", line) for line in seen["quota"].text.splitlines()):
        return ()
    fix = "Remove what is no longer needed there, or ask the cluster's administrators for more."
    over = " ".join(seen["quota"].text.splitlines()[-1].split())
    return (Check(f"{name}: quota", ok=False, detail=f"it is used up: {over}", fix=fix),)


Look = Callable[[str, ClusterSettings, Survey], tuple[Check, ...]]
CHECKS: tuple[Look, ...] = (
    _clock,
    _home,
    _quota,
    _spool,
    _programs,
    _logout,
    _slurm,
    _partitions,
)
"""What is read from one survey; each says one thing, or nothing where another said why."""
