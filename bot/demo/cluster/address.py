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
class Beyond:
    """What answers for the world beyond the cluster; paths are this machine's."""

    hugging_face: str  # base addresses, of which `/api/whoami-v2` …
    wandb: str  # … and `/graphql` answer
    hf_token: Path  # files, readable by their owner alone, with what those accept
    wandb_key: Path
    recipes: str  # the address of the recipes' private repository, as the cluster's git knows it
    gcloud: Path  # the stand-in program, and the configuration in which somebody is logged in
    gcloud_config: Path
    machine: str  # the login node, as `gcloud compute start-iap-tunnel MACHINE 22` names it
    project: str
    zone: str

    def tunnel(self) -> tuple[str, ...]:
        """The command whose standard input and output lead to the login node's sshd."""
        return (
            *("env", f"CLOUDSDK_CONFIG={self.gcloud_config}", str(self.gcloud)),
            *("compute", "start-iap-tunnel", self.machine, "22", "--listen-on-stdin"),
            *("--project", self.project, "--zone", self.zone, "--verbosity=warning"),
        )


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
    gcs: str  # the folder with the mounted buckets; it cannot be listed
    beyond: Beyond

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
            "gcs": self.gcs,
            "tunnel": list(self.beyond.tunnel()),
        }
