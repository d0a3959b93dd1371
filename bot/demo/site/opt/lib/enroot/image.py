"""The registry's side of an import: permission, manifest, layers."""

from __future__ import annotations

import json
import os
import re
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request
from base64 import b64encode
from pathlib import Path
from typing import Any

_SITE = Path(__file__).resolve().parents[2] / "etc" / "site.json"
_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"


class Failed(Exception):
    """The image could not be had; the text is enroot's."""


def say(text: str) -> None:
    """Tell how far it has come."""
    print(f"[INFO] {text}", file=sys.stderr, flush=True)


def fetch(host: str, user: str, image: str, work: Path) -> list[Path]:
    """Download the layers of an image, `NAME:TAG`, into a folder."""
    name, _, reference = image.partition(":")
    base = f"https://{host}/v2/{name}"
    say("Querying registry for permission grant")
    token = _permission(f"{base}/manifests/{reference}", host, user)
    headers = {"Accept": _MANIFEST, **({"Authorization": f"Bearer {token}"} if token else {})}
    say("Fetching image manifest list")
    say("Fetching image manifest")
    manifest = json.loads(_get(f"{base}/manifests/{reference}", headers))
    digests = [layer["digest"] for layer in manifest["layers"]]
    say(f"Downloading {len(digests)} missing layers...")
    layers = []
    for digest in digests:
        layer = work / digest.partition(":")[2]
        layer.write_bytes(_get(f"{base}/blobs/{digest}", headers))
        layers.append(layer)
    return layers


def _permission(url: str, host: str, user: str) -> str:
    """The token for an image; a registry that wants none gives an empty one."""
    try:
        _open(url, {"Accept": _MANIFEST}).close()
    except urllib.error.HTTPError as error:
        challenge = dict(re.findall(r'(\w+)="([^"]*)"', error.headers.get("WWW-Authenticate", "")))
        if error.code != 401 or "realm" not in challenge:  # noqa: PLR2004 - unauthorized
            raise Failed(_said(url, error)) from None
    else:
        return ""
    query = {key: challenge[key] for key in ("service", "scope") if key in challenge}
    say(f"Authenticating with user: {user or '<anonymous>'}")
    password = _entry(host, told=True).get("password", "") if user else ""
    code = b64encode(f"{user}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {code}"} if user else {}
    answer: dict[str, Any] = json.loads(
        _get(f"{challenge['realm']}?{urllib.parse.urlencode(query)}", headers)
    )
    say("Authentication succeeded")
    return str(answer["token"])


def user_of(host: str) -> str:
    """Return who logs in to a registry, as the credentials file says; empty when it does not."""
    return _entry(host).get("login", "")


def _entry(host: str, *, told: bool = False) -> dict[str, str]:
    """Return `login` and `password` of a host in `$ENROOT_CONFIG_PATH/.credentials`, a netrc."""
    folder = os.environ.get("ENROOT_CONFIG_PATH") or str(Path("~/.config/enroot").expanduser())
    file = Path(folder, ".credentials")
    words = file.read_text().split() if file.is_file() else []
    for at, word in enumerate(words):
        if word == "machine" and words[at + 1 : at + 2] == [host]:
            if told:
                say(f"Using credentials from file: {file}")
            entry = words[at + 2 : at + 6]
            return dict(zip(entry[::2], entry[1::2], strict=False))
    return {}


def _get(url: str, headers: dict[str, str]) -> bytes:
    try:
        with _open(url, headers) as answer:
            found: bytes = answer.read()
    except urllib.error.HTTPError as error:
        raise Failed(_said(url, error)) from None
    return found


def _open(url: str, headers: dict[str, str]) -> Any:
    proxy = json.loads(_SITE.read_text())["proxy"]
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"https": proxy}),
        urllib.request.HTTPSHandler(
            context=ssl.create_default_context(cafile=_SITE.parent / "ca.pem")
        ),
    )
    try:
        return opener.open(urllib.request.Request(url, headers=headers), timeout=60)  # noqa: S310 - its own
    except urllib.error.HTTPError:
        raise
    except OSError as error:
        host = urllib.parse.urlsplit(url).hostname
        unknown = "No such host" in str(error) or "502" in str(error)
        why = f"curl: (6) Could not resolve host: {host}" if unknown else f"curl: (7) {error}"
        print(why, file=sys.stderr)
        raise Failed(f"URL {url.partition('?')[0]} returned error code: 000") from None


def _said(url: str, error: urllib.error.HTTPError) -> str:
    words = {401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}
    return f"URL {url} returned error code: {error.code} {words.get(error.code, error.reason)}"
