"""What can be configured: the sections of the TOML file, and the secrets beside it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr

from bot.cluster_settings import ClusterSettings
from bot.secret import Secret
from bot.section import Address, Channel, GpuHours, Port, Secrets, Section
from bot.shape import refused, shown
from bot.shapes import ClusterName

SLACK_API = "https://slack.com/api/"


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


class AdminSettings(Section):
    """`[admins]`: where those who look after the clusters read."""

    channel: Channel | None = None
    """None: nobody is told."""


class ServiceSettings(Section):
    """`[services]`: where the services are asked whether they accept a secret."""

    hugging_face: Address = "https://huggingface.co"
    wandb: Address = "https://api.wandb.ai"


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
    admins: AdminSettings = AdminSettings()
    clusters: dict[ClusterName, ClusterSettings] = Field(default_factory=dict)
    channels: dict[Channel, ChannelSettings] = Field(default_factory=dict)
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

    def admin_channel(self, cluster: str) -> str:
        """Return where the administrators of a cluster read; empty where nobody is told."""
        return self.clusters[cluster].admin_channel or self.admins.channel or ""

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
