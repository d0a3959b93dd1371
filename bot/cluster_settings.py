"""What can be configured for one cluster: `[clusters.NAME]` and the sections below it."""

from __future__ import annotations

import posixpath
from datetime import timedelta
from typing import Annotated

from pydantic import Field, model_validator

from bot.cluster_types import ClusterType
from bot.section import (
    Channel,
    Channels,
    GpuHours,
    Length,
    Lengths,
    LocalFile,
    Port,
    RemotePath,
    RemotePaths,
    Repository,
    Seconds,
    Secrets,
    Section,
    Template,
    Texts,
    Users,
)
from bot.shape import refused, text
from bot.shapes import Account, GitName, Partition
from bot.workload import Site


class NemoSettings(Section):
    """`[clusters.NAME.nemo]`: where the recipes are and what they run in."""

    dir: RemotePath = "~/vertex-oss-training/nemo"
    python: str = "python3"
    """When this is left out, the environment that `/nemo setup` makes is used once it is there."""
    image: str = ""
    images: str = ""
    cache_dir: str = ""
    slurm_type: ClusterType | None = None
    tokenizer_source: str = "https://s3.amazonaws.com/models.huggingface.co/bert"
    """The folder or address that holds `gpt2-vocab.json` and `gpt2-merges.txt`."""
    repo: Repository = "https://vertex-model-garden.googlesource.com/vertex-oss-training"
    """Where the recipes are cloned from, those of NeMo-RL with them."""
    branch: GitName = "release-allowlist-ga"
    venv: RemotePath = "~/nemo-venv"
    """The virtual environment that `/nemo setup` makes."""
    system_packages: bool = False
    """Whether that environment also sees the packages of the python it is made with."""
    requirement: Annotated[str, Field(min_length=1)] = "git+https://github.com/NVIDIA/NeMo-Run.git"
    """What pip installs into it."""
    pip_options: Texts = ()
    """Such as `--index-url`, or `--no-index --find-links FOLDER`, on a site without internet."""

    @property
    def checkout(self) -> str:
        """The folder of the whole checkout, in which `dir` lies."""
        return posixpath.dirname(self.dir.rstrip("/"))


class ImagesSettings(Section):
    """`[clusters.NAME.images]`: where prebuilt images come from."""

    region: Annotated[str, text(r"[a-z0-9-]*", "a region", "such as `us-central1` or `us`")] = ""
    """The cluster's region; left out, it is read from names of hosts and zones."""
    buckets: Template = "vmds-containers-{region}"
    nemo: Template = "vmds_nemo_squashfs/nemo-20250721.sqsh"
    """The object in the bucket; its last part is the name of the file."""
    nemo_rl: Template = "vmds_nemo_rl_squashfs/nemo_rl-h20260302.sqsh"
    mount: RemotePath = "/gcs"
    """The folder below which buckets are mounted."""


class NemoRlSettings(Section):
    """`[clusters.NAME.nemo_rl]`: where NeMo-RL's launcher is, and the image it runs in."""

    dir: RemotePath = "~/vertex-oss-training/nemo_rl"
    launcher: Annotated[
        str, text(r"[A-Za-z0-9._-]+", "a file name", "letters, digits, `. _ -`")
    ] = "launch.sh"
    """The batch script in `dir`."""
    image: str = ""
    """The image that the launcher takes, below `dir`; empty when any `.sqsh` there will do."""
    repo: Repository = "https://github.com/NVIDIA-NeMo/RL.git"
    """Where NeMo-RL itself is cloned from, into `dir`."""
    ref: GitName | None = None
    """The branch, tag or commit to check out; left out, what the repository gives."""

    @property
    def checkout(self) -> str:
        """The folder of NeMo-RL's checkout."""
        name = posixpath.basename(self.repo.rstrip("/")).removesuffix(".git")
        return posixpath.join(self.dir, name)


class AllowSettings(Section):
    """`[clusters.NAME.allow]`: who may use the cluster; empty means nobody."""

    users: Users = ()
    channels: Channels = ()
    operators: Users = ()
    """May also cancel and rerun what others started."""


class SessionSettings(Section):
    """`[clusters.NAME.sessions]`: interactive jobs."""

    expires: Length = timedelta(hours=8)
    """How long after its start one is released, unless asked otherwise."""
    remind: Lengths = (timedelta(minutes=30), timedelta(minutes=5))
    """How long before its release its owner is told."""
    attach_within: Length = timedelta(minutes=15)
    """After this it is said that the attach script has not come."""
    idle_after: Length = timedelta(minutes=30)
    look_for_idle_every: Length = timedelta(minutes=10)
    command_time: Annotated[int, Field(ge=1, le=600)] = 60
    """Seconds that a command inside a job may take."""


class WarningSettings(Section):
    """`[clusters.NAME.warnings]`: when a job is told of before it fails."""

    no_step_for: Length = timedelta(minutes=10)
    """How long a training may go without a step at least, however short its steps are."""
    held_up_for: Length = timedelta(minutes=5)
    """How long a job waits for a limit, or for nodes that are down, before that is told."""


class ClusterSettings(Section):
    """`[clusters.NAME]`: one Slurm cluster behind a login node."""

    host: Annotated[str, Field(min_length=1)]
    port: Port = 22
    user: str = ""
    key: LocalFile | None = None
    certificate: LocalFile | None = None
    agent: bool = False
    known_hosts: LocalFile = Field(default="~/.ssh/known_hosts", validate_default=True)
    proxy_jump: str = ""
    proxy_command: Texts = ()
    """An argument list whose standard input and output lead to the login node's sshd."""
    ssh_line: str = ""
    """What people type to reach the login node, where that is not what the bot does."""
    connect_timeout: Seconds = 15.0
    keepalive: Seconds = 15.0
    tick_fast: Seconds = 5.0
    """The least time between two looks while something is about to change."""
    tick_slow: Seconds = 60.0
    """The time between two looks when all is quiet."""
    slurm_bin: RemotePath | None = None
    path: RemotePaths = ()
    """Folders put in front of the remote PATH."""
    roots: RemotePaths = ("~",)
    """Folders below which logs, scripts and work directories may lie."""
    home: RemotePath | None = None
    """The login account's home, where the cluster's own answer is not wanted."""
    account: Account | None = None
    default_partition: Partition | None = None
    retry_after: Length = timedelta(minutes=1)
    """The pause before the first attempt of `--retries`; each further one waits twice as long."""
    ask_above_gpu_hours: GpuHours | None = None
    admin_channel: Channel | None = None
    nemo: NemoSettings = NemoSettings()
    nemo_rl: NemoRlSettings = NemoRlSettings()
    images: ImagesSettings = ImagesSettings()
    slurm_types: dict[Partition, ClusterType] = Field(default_factory=dict)
    secrets: Secrets = Field(default_factory=dict)
    """Secrets of this cluster; those of the same name for all clusters give way."""
    sessions: SessionSettings = SessionSettings()
    warnings: WarningSettings = WarningSettings()
    allow: AllowSettings = AllowSettings()

    @model_validator(mode="after")
    def _ticks_in_order(self) -> ClusterSettings:
        if self.tick_fast > self.tick_slow:
            raise refused("`tick_fast` is longer than `tick_slow`", "Raise `tick_slow`")
        return self

    @property
    def all_roots(self) -> tuple[str, ...]:
        """The roots and the configured folders of the recipes, which nobody has to repeat."""
        images = (self.nemo.image, self.nemo_rl.image)
        beside = (posixpath.dirname(image) for image in images if "/" in image)
        folders = (self.nemo.dir, self.nemo_rl.dir, self.nemo.images, self.nemo.cache_dir, *beside)
        return tuple(dict.fromkeys((*self.roots, *filter(None, folders))))

    @property
    def own_python(self) -> str:
        """The python that set-up makes, when it is to be used; empty when another is configured."""
        chosen = "python" in self.nemo.model_fields_set
        return "" if chosen else posixpath.join(self.nemo.venv, "bin", "python")

    @property
    def site(self) -> Site:
        """What launches must know of the cluster."""
        return Site(
            home=self.home or "",
            account=self.account or "",
            partition=self.default_partition or "",
            nemo_dir=self.nemo.dir,
            python=self.nemo.python,
            image=self.nemo.image,
            images=self.nemo.images,
            cache_dir=self.nemo.cache_dir,
            slurm_type=self.nemo.slurm_type or "",
            slurm_types=dict(self.slurm_types),
            nemo_rl_dir=self.nemo_rl.dir,
            nemo_rl_launcher=self.nemo_rl.launcher,
            nemo_rl_image=self.nemo_rl.image,
            session_expires=self.sessions.expires,
        )
