"""Where the cluster's folders lie, as one side sees them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Tree:
    """The folders that the cluster uses; the machine's own are never among them."""

    slurm: Path  # slurm.conf, slurmdbd.conf, gres.conf and the empty files that stand for GPUs
    munge: Path  # the key that all daemons share
    ssh: Path  # host key, sshd_config
    run: Path  # sockets and pid files; short, since a socket's path ends at 107 characters
    spool: Path  # what slurmctld and slurmd keep
    database: Path  # MariaDB
    home: Path  # homes of the login accounts
    python: Path  # an environment with NeMo-Run, whose python3 jobs and people use
    opt: Path  # the site's own programs: gcloud, enroot, and the services beyond the cluster
    gcs: Path  # where buckets are mounted

    @property
    def munge_socket(self) -> Path:
        """The socket that authenticates everybody."""
        return self.run / "munge" / "munge.socket.2"

    @property
    def slurm_conf(self) -> Path:
        """Slurm's configuration."""
        return self.slurm / "slurm.conf"

    def folders(self) -> tuple[tuple[str, Path], ...]:
        """Name and path of each folder."""
        return tuple((field.name, getattr(self, field.name)) for field in fields(self))


# Ordinary absolute paths, as on a cluster somebody installed by hand.
INSTALLED = Tree(
    slurm=Path("/etc/slurm"),
    munge=Path("/etc/munge"),
    ssh=Path("/etc/ssh"),
    run=Path("/run"),
    spool=Path("/var/spool"),
    database=Path("/var/lib/mysql"),
    home=Path("/home"),
    python=Path("/usr/local"),
    opt=Path("/opt"),
    gcs=Path("/gcs"),
)


def below(directory: Path, *, run: Path, python: Path) -> Tree:
    """Every folder below one directory, except the short one and the shared one.

    The spool, where slurmd has sockets too, is reached by a link in the short one.
    """
    return Tree(
        slurm=directory / "slurm",
        munge=directory / "munge",
        ssh=directory / "ssh",
        run=run,
        spool=run / "spool",
        database=directory / "database",
        home=directory / "home",
        python=python,
        opt=directory / "opt",
        gcs=directory / "gcs",
    )
