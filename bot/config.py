"""The one place that reads the configuration file and the environment."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from bot.complaints import Complaint, complaints
from bot.errors import ConfigError
from bot.settings import Settings
from bot.shape import shown
from bot.suggest import did_you_mean

__all__ = ["Settings", "from_environment", "load"]

DEFAULT_FILE = "sbatchat.toml"
_FROM_ENVIRONMENT = {
    "SLACK_BOT_TOKEN": "bot_token",
    "SLACK_APP_TOKEN": "app_token",
    "SLACK_SIGNING_SECRET": "signing_secret",
    "SLACK_API_URL": "api_url",
}


def from_environment(*, slack: bool = True) -> Settings:
    """Read the file that SBATCHAT_CONFIG names, and the secrets; raises ConfigError."""
    return load(dict(os.environ), slack=slack)  # noqa: TID251 -- the environment is read here only


def load(environment: Mapping[str, str], *, slack: bool = True) -> Settings:
    """Return the settings; raises ConfigError that names every wrong key.

    Without `slack`, missing tokens are no error.
    """
    file = Path(environment.get("SBATCHAT_CONFIG") or DEFAULT_FILE).expanduser().absolute()
    document = _document(file)
    problems = _secrets_in(document)
    given = {name: value for name in _FROM_ENVIRONMENT if (value := environment.get(name))}
    document["slack"] = {_FROM_ENVIRONMENT[name]: value for name, value in given.items()}
    context = {"base": file.parent, "environment": environment}
    try:
        settings = Settings.model_validate(document, context=context)
    except ValidationError as error:
        problems += [_line(complaint) for complaint in complaints(error)]
        settings = None
    if slack:
        problems += _missing_tokens(environment)
    if settings is not None:
        problems += _contradictions(settings)
    if problems or settings is None:
        listed = "\n".join(f"  {problem}" for problem in problems)
        raise ConfigError(f"{file} cannot be used:\n{listed}")
    return settings


def _document(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(
            f"There is no configuration at {file}. Copy sbatchat.example.toml there, or name"
            " another file in SBATCHAT_CONFIG."
        ) from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not TOML: {error}") from error


def _secrets_in(document: dict[str, Any]) -> list[str]:
    """Refuse a `[slack]` section: whoever can read the file must not hold the tokens."""
    if "slack" not in document:
        return []
    names = ", ".join(_FROM_ENVIRONMENT)
    return [f"slack: does not belong in the file; set {names} in the environment"]


def _missing_tokens(environment: Mapping[str, str]) -> list[str]:
    problems = []
    bot, app = environment.get("SLACK_BOT_TOKEN", ""), environment.get("SLACK_APP_TOKEN", "")
    if not bot:
        problems.append("SLACK_BOT_TOKEN: is missing from the environment (it begins with xoxb-)")
    if bot.startswith("xapp-"):
        problems.append("SLACK_BOT_TOKEN: holds an app token; the bot token begins with xoxb-")
    if app.startswith("xoxb-"):
        problems.append("SLACK_APP_TOKEN: holds a bot token; the app token begins with xapp-")
    if not app and not environment.get("SLACK_SIGNING_SECRET"):
        problems.append(
            "SLACK_APP_TOKEN: is missing from the environment (it begins with xapp-); or set"
            " SLACK_SIGNING_SECRET to receive Slack's requests over HTTP"
        )
    return problems


def _line(complaint: Complaint) -> str:
    """Say it in one line: `clusters.alice.prot: is not known. Did you mean `port`?`."""
    where = [str(part) for part in complaint.where if part != "[key]"]
    key = ".".join(where)
    if where[:1] == ["slack"] and where[1:]:
        key = next(name for name, field in _FROM_ENVIRONMENT.items() if field == where[1])
    hint = complaint.hint
    if complaint.kind == "extra_forbidden":
        hint = did_you_mean(where[-1], _keys_beside(where))
    return f"{key}: {complaint.message}{f'. {hint}' if hint else ''}"


def _keys_beside(where: list[str]) -> Iterator[str]:
    """Yield the keys that the section of this key may have."""
    section: Any = Settings
    for part in where[:-1]:
        if isinstance(section, type) and issubclass(section, BaseModel):
            section = section.model_fields[part].annotation
        else:
            section = get_args(section)[1]
    yield from (name for name in section.model_fields if section is not Settings or name != "slack")


def _contradictions(settings: Settings) -> Iterator[str]:
    """Find what only the whole shows: clusters that are not there, files that are not there."""
    for channel, chosen in settings.channels.items():
        if chosen.cluster not in settings.clusters:
            meant = did_you_mean(chosen.cluster, settings.clusters)
            hint = meant or f"There is {', '.join(settings.clusters) or 'none'}"
            yield f"channels.{channel}.cluster: there is no {shown(chosen.cluster)}. {hint}"
    for name, cluster in settings.clusters.items():
        for field in ("key", "certificate", "known_hosts"):
            file = getattr(cluster, field)
            if file is not None and not file.is_file():
                yield f"clusters.{name}.{field}: there is no file {file}"
