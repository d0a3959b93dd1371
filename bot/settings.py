"""What can be configured: the sections of the TOML file, and the secrets beside it."""

from __future__ import annotations

import posixpath
import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    model_validator,
)

from bot.cluster_types import ClusterType
from bot.duration import duration
from bot.secret import HeldSecret, Secret, SecretName
from bot.shapes import Account, ClusterName, GitName, Partition, refused, shown, text
from bot.workload import Site

SLACK_API = "https://slack.com/api/"


class Section(BaseModel):
    """One section of the file: no unknown keys, no guessed types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _file(value: object, info: ValidationInfo) -> object:
    """Read a path of this machine: `~` is the bot's home, relative is beside the file."""
    if not isinstance(value, str):
        return value
    return Path(info.context["base"], Path(value).expanduser()) if info.context else Path(value)


def _remote(value: object) -> object:
    if isinstance(value, str) and not value.startswith(("/", "~", "$HOME")):
        raise refused(f"{shown(value)} is not absolute", "Begin with `/`, `~` or `$HOME`")
    return value


def _repository(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"(?:[a-z+]+://|/|~/|[\w.-]+@)[^\s]+", value):
        raise refused(f"{shown(value)} is no address of a git repository", "Such as `https://…`")
    return value


def _template(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"(?:[A-Za-z0-9._/-]|\{region\})+", value):
        raise refused(
            f"{shown(value)} is not a place in a bucket",
            "Letters, digits and `. _ - /`; `{region}` stands for us, europe or asia",
        )
    return value


Repository = Annotated[str, BeforeValidator(_repository)]
Template = Annotated[str, BeforeValidator(_template)]
LocalFile = Annotated[Path, BeforeValidator(_file)]
RemotePath = Annotated[str, BeforeValidator(_remote)]
RemotePaths = Annotated[tuple[RemotePath, ...], Field(strict=False)]
Texts = Annotated[tuple[str, ...], Field(strict=False)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Port = Annotated[int, Field(ge=1, le=65535)]
GpuHours = Annotated[float, Field(ge=0)]
_Users = Annotated[
    tuple[Annotated[str, text(r"[UW][A-Z0-9]+", "a Slack user", "ids such as `U0123ABCD`")], ...],
    Field(strict=False),
]
_Channel = Annotated[str, text(r"[CGD][A-Z0-9]+", "a Slack channel", "ids such as `C0123ABCD`")]
_Channels = Annotated[tuple[_Channel, ...], Field(strict=False)]


def _store_url(value: object) -> object:
    if isinstance(value, str) and not value.startswith(("sqlite:///", "postgresql://")):
        raise refused(
            "is not a database the bot can use",
            "`sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST/NAME`",
        )
    return value


class StoreSettings(Section):
    """`[store]`: where the bot keeps what it must remember."""

    url: Annotated[str, BeforeValidator(_store_url)] = "sqlite:///sbatchat.db"


class HttpSettings(Section):
    """`[http]`: where Slack's requests arrive when there is no app token."""

    host: str = "127.0.0.1"
    port: Port = 3000


class PolicySettings(Section):
    """`[policy]`: rules for every cluster."""

    ask_above_gpu_hours: GpuHours = 100.0


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


Secrets = dict[SecretName, HeldSecret]


def _address(value: object) -> object:
    if isinstance(value, str) and not value.startswith(("https://", "http://")):
        raise refused(f"{shown(value)} is not an address", "It begins with `https://`")
    return value.rstrip("/") if isinstance(value, str) else value


Address = Annotated[str, BeforeValidator(_address)]


class ServiceSettings(Section):
    """`[services]`: where the services are asked whether they accept a secret."""

    hugging_face: Address = "https://huggingface.co"
    wandb: Address = "https://api.wandb.ai"


class AllowSettings(Section):
    """`[clusters.NAME.allow]`: who may use the cluster; empty means nobody."""

    users: _Users = ()
    channels: _Channels = ()
    operators: _Users = ()
    """May also cancel and rerun what others started."""


def _length(value: object) -> object:
    length = duration(value) if isinstance(value, str) else None
    if length is None:
        raise refused(f"{shown(value)} is not a length of time", "For example `30m` or `8h`")
    return length


Length = Annotated[timedelta, BeforeValidator(_length)]
"""A length of time that people wrote: `30m`, `8h`."""
Lengths = Annotated[tuple[Length, ...], Field(strict=False)]


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
    ask_above_gpu_hours: GpuHours | None = None
    nemo: NemoSettings = NemoSettings()
    nemo_rl: NemoRlSettings = NemoRlSettings()
    images: ImagesSettings = ImagesSettings()
    slurm_types: dict[Partition, ClusterType] = Field(default_factory=dict)
    secrets: Secrets = Field(default_factory=dict)
    """Secrets of this cluster; those of the same name for all clusters give way."""
    sessions: SessionSettings = SessionSettings()
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


class ChannelSettings(Section):
    """`[channels.C123]`: what holds in one channel."""

    cluster: ClusterName


def _api_url(value: object) -> object:
    if isinstance(value, str) and not (
        value.startswith(("http://", "https://")) and value.endswith("/api/")
    ):
        raise refused(f"{shown(value)} is not a Slack address", "It ends in `/api/`")
    return value


class SlackSettings(Section):
    """How Slack is reached; from the environment alone."""

    bot_token: SecretStr | None = None
    app_token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    api_url: Annotated[str, BeforeValidator(_api_url)] = SLACK_API

    @property
    def socket_mode(self) -> bool:
        """Whether the bot calls Slack; otherwise Slack calls the bot over HTTP."""
        return self.app_token is not None


class Settings(Section):
    """All of it."""

    store: StoreSettings = StoreSettings()
    http: HttpSettings = HttpSettings()
    policy: PolicySettings = PolicySettings()
    clusters: dict[ClusterName, ClusterSettings] = Field(default_factory=dict)
    channels: dict[_Channel, ChannelSettings] = Field(default_factory=dict)
    secrets: Secrets = Field(default_factory=dict)
    """What launches on every cluster find in their environment."""
    services: ServiceSettings = ServiceSettings()
    slack: SlackSettings = SlackSettings()

    def secrets_of(self, cluster: str) -> dict[str, Secret]:
        """Return the secrets of a cluster by name."""
        return {**self.secrets, **self.clusters[cluster].secrets}

    def ask_above(self, cluster: str) -> float:
        """GPU-hours from which a card asks first."""
        own = self.clusters[cluster].ask_above_gpu_hours
        return self.policy.ask_above_gpu_hours if own is None else own

    def cluster_of(self, channel: str) -> str:
        """Return the channel's cluster: its default, else the only one there is, else empty."""
        if channel in self.channels:
            return self.channels[channel].cluster
        return next(iter(self.clusters)) if len(self.clusters) == 1 else ""

    @property
    def secret_values(self) -> tuple[str, ...]:
        """Every secret value, for the redactor."""
        slack = (self.slack.bot_token, self.slack.app_token, self.slack.signing_secret)
        sections = (self.secrets, *(cluster.secrets for cluster in self.clusters.values()))
        held = (secret.value for section in sections for secret in section.values())
        values = [value.get_secret_value() for value in (*slack, *held) if value is not None]
        return (*values, *filter(None, [urlsplit(self.store.url).password]))
