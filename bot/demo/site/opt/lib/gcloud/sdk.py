"""What all of gcloud's commands share: options, properties, the active account and its token."""

from __future__ import annotations

import configparser
import json
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

SITE = Path(__file__).resolve().parents[2] / "etc" / "site.json"
NO_ACCOUNT = """\
You do not currently have an active account selected.
Please run:

  $ gcloud auth login

to obtain new credentials.

If you have already logged in with a different account, run:

  $ gcloud config set account ACCOUNT

to select an already authenticated account to use."""
_SWITCHES = {
    "--listen-on-stdin",
    "--long",
    "-l",
    "--recursive",
    "-r",
    "--quiet",
    "-q",
    "--no-launch-browser",
}


class Failed(Exception):
    """The command could not be done; the text is gcloud's."""


def site() -> dict[str, Any]:
    """Where the services, buckets and machines of this site are."""
    found: dict[str, Any] = json.loads(SITE.read_text())
    return found


def flags(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Split words from options: `--name=value`, `--name value`, and switches."""
    words: list[str] = []
    options: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        part = rest.pop(0)
        name, equals, value = part.partition("=")
        if not part.startswith("-"):
            words.append(part)
        elif equals or part in _SWITCHES:
            options[name] = value
        else:
            options[part] = rest.pop(0) if rest else ""
    return words, options


def folder() -> Path:
    """Where a person's properties and credentials lie."""
    return Path(os.environ.get("CLOUDSDK_CONFIG") or Path("~/.config/gcloud").expanduser())


def value(section: str, name: str) -> str:
    """A property: from the environment, else from the active configuration; empty when unset."""
    given = os.environ.get(f"CLOUDSDK_{section}_{name}".upper())
    if given is not None:
        return given
    properties = configparser.ConfigParser()
    properties.read(folder() / "configurations" / "config_default")
    return properties.get(section, name, fallback="")


def accounts() -> dict[str, str]:
    """The refresh token of each account that has logged in."""
    try:
        found: dict[str, str] = json.loads((folder() / "credentials.json").read_text())
    except FileNotFoundError:
        return {}
    return found


def account() -> str:
    """The active account."""
    name = value("core", "account")
    if name not in accounts():
        raise Failed(NO_ACCOUNT)
    return name


def access_token() -> str:
    """A fresh access token of the active account."""
    place = site()
    form = {"grant_type": "refresh_token", "refresh_token": accounts()[account()]}
    request = urllib.request.Request(
        "https://oauth2.googleapis.com/token", data=urlencode(form).encode()
    )
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"https": place["proxy"]}),
        urllib.request.HTTPSHandler(
            context=ssl.create_default_context(cafile=SITE.parent / "ca.pem")
        ),
    )
    try:
        with opener.open(request, timeout=20) as answer:
            token: str = json.load(answer)["access_token"]
    except urllib.error.HTTPError as error:
        said = json.load(error)
        raise Failed(
            "There was a problem refreshing your current auth tokens: "
            f"('{said['error']}: {said['error_description']}', {json.dumps(said)})\nPlease run:\n\n"
            "  $ gcloud auth login\n\nto obtain new credentials."
        ) from None
    except OSError as error:
        raise Failed(f"There was a problem refreshing your current auth tokens: {error}") from None
    return token
