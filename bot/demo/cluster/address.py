"""What a client must know to use the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Login:
    """Somebody who can log in: the name and the private key, as this machine sees it."""

    user: str
    key: Path


@dataclass(frozen=True)
class ClusterAddress:
    """Where the cluster is reached and what lies on it; plain strings are paths on the cluster."""

    host: str
    port: int
    user: str
    key: Path
    known_hosts: Path  # one line with the pinned host key
    other: Login | None  # another person of the same account, where real accounts are possible
    slurm_conf: Path  # for Slurm's tools on this machine, outside the cluster's namespaces
    home: str
    workdir: str
    nemo_rl: str  # the folder with launch.sh
    images: str
    cache: str
    jobs: str  # example batch scripts
    account: str
    partitions: tuple[str, ...]
    tokenizer_url: str  # the folder with gpt2-vocab.json and gpt2-merges.txt, over HTTP …
    tokenizer_dir: str  # … and as files

    def as_json(self) -> dict[str, object]:
        """The form for scripts."""
        ssh = {"host": self.host, "port": self.port, "user": self.user, "key": str(self.key)}
        other = self.other and {"user": self.other.user, "key": str(self.other.key)}
        return {
            "ssh": {**ssh, "known_hosts": str(self.known_hosts)},
            "other": other,
            "slurm_conf": str(self.slurm_conf),
            "home": self.home,
            "workdir": self.workdir,
            "nemo_rl": self.nemo_rl,
            "images": self.images,
            "cache": self.cache,
            "jobs": self.jobs,
            "account": self.account,
            "partitions": list(self.partitions),
            "tokenizer": {"url": self.tokenizer_url, "dir": self.tokenizer_dir},
        }
