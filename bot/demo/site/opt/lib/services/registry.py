"""Container registries in the protocol of Docker's second version: two want a Google account."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import tarfile
from base64 import b64decode
from functools import cached_property
from urllib.parse import parse_qs

from accounts import Google
from front import Answer, Request

IMAGES = {
    "us-docker.pkg.dev": {"alice-training/images/nemo-custom": ("25.07", "latest")},
    "gcr.io": {"alice-training/nemo-custom": ("25.07",)},
    "registry-1.docker.io": {"library/ubuntu": ("24.04",)},
    "nvcr.io": {"nvidia/nemo": ("25.07",), "nvidia/nemo-rl": ("v0.5.0",)},
}
"""Per host: repositories with their tags."""
FORBIDDEN = "alice-training/secret/"
"""Repositories below this exist, and nobody here may read them."""
_HUB = "registry-1.docker.io"
_PUBLIC = {"nvcr.io", _HUB}
_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
_SIZE = 3 << 20
"""Bytes of the largest layer, so that a download takes a moment."""


class Registry:
    """One host."""

    def __init__(self, host: str, google: Google) -> None:
        self._host = host
        self._google = google

    def answer(self, request: Request) -> Answer:
        """Tokens, manifests and blobs."""
        if request.path == "/v2/token":
            return self._token(request)
        kind = next((kind for kind in ("manifests", "blobs") if f"/{kind}/" in request.path), "")
        if not request.path.startswith("/v2/") or not kind:
            return _refused(404, "UNSUPPORTED")
        name, _, reference = request.path.removeprefix("/v2/").rpartition(f"/{kind}/")
        if request.headers.get("Authorization", "") != f"Bearer {self._pass(name)}":
            realm = f'Bearer realm="https://{self._host}/v2/token",service="{self._host}"'
            scope = f',scope="repository:{name}:pull"'
            return _refused(401, "UNAUTHORIZED", {"WWW-Authenticate": realm + scope})
        if name not in IMAGES[self._host]:
            # Docker Hub does not tell whether a name is unknown or private.
            return _refused(401 if self._host == _HUB else 404, "NAME_UNKNOWN")
        return self._manifest(name, reference) if kind == "manifests" else self._blob(reference)

    def _token(self, request: Request) -> Answer:
        scope = parse_qs(request.query).get("scope", [""])[0]
        name = scope.removeprefix("repository:").removesuffix(":pull")
        user, _, password = _basic(request).partition(":")
        known = user == "oauth2accesstoken" and self._google.account(password)
        if not known and self._host not in _PUBLIC:
            return _refused(401, "UNAUTHORIZED")
        if name.startswith(FORBIDDEN):
            return _refused(403, "DENIED")
        return _json(200, {"token": self._pass(name)})

    def _pass(self, name: str) -> str:
        return self._google.sign(f"{self._host} {name}")

    def _manifest(self, name: str, reference: str) -> Answer:
        config, *layers = self._blobs
        entry = {"mediaType": "application/octet-stream"}
        manifest = {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": {**entry, "digest": config, "size": len(self._blobs[config])},
            "layers": [{**entry, "digest": one, "size": len(self._blobs[one])} for one in layers],
        }
        body = json.dumps(manifest).encode()
        digest = _digest(body)
        if reference not in {*IMAGES[self._host][name], digest}:
            return _refused(404, "MANIFEST_UNKNOWN")
        headers = {"Content-Type": _MANIFEST, "Docker-Content-Digest": digest}
        return Answer(200, body, headers)

    def _blob(self, digest: str) -> Answer:
        found = self._blobs.get(digest)
        return _refused(404, "BLOB_UNKNOWN") if found is None else Answer(200, found)

    @cached_property
    def _blobs(self) -> dict[str, bytes]:
        """By digest: the configuration, then the layers."""
        noise = random.Random(self._host).randbytes(_SIZE)  # noqa: S311 - content, not a secret
        blobs = (
            json.dumps({"architecture": "amd64", "os": "linux"}).encode(),
            _layer("etc/os-release", f'NAME="from {self._host}"\n'.encode()),
            _layer("opt/model/weights", noise),
        )
        return {_digest(blob): blob for blob in blobs}


def _layer(path: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        entry = tarfile.TarInfo(path)
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), 1, mtime=0)


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _basic(request: Request) -> str:
    kind, _, code = request.headers.get("Authorization", "").partition(" ")
    return b64decode(code).decode(errors="replace") if kind.lower() == "basic" else ""


def _refused(status: int, code: str, headers: dict[str, str] | None = None) -> Answer:
    body = json.dumps({"errors": [{"code": code, "message": code.lower()}]}).encode()
    return Answer(status, body, {"Content-Type": "application/json", **(headers or {})})


def _json(status: int, value: object) -> Answer:
    return Answer(status, json.dumps(value).encode(), {"Content-Type": "application/json"})
