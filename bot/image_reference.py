"""The name of a container image in a registry: as people type it, and as enroot takes it."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator

from bot.model import Value
from bot.shape import refused, shown

HUB = "docker.io"
"""Where names without a registry live …"""
_HUB_HOST = "registry-1.docker.io"
"""… and the host that answers for it."""
LATEST = "latest"
_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::[0-9]{1,5})?|localhost:[0-9]+"
)
_NAME = re.compile(
    r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
)
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LONGEST = 400
_EXAMPLE = "Such as `us-docker.pkg.dev/PROJECT/REPOSITORY/IMAGE:TAG` or `nvcr.io/nvidia/nemo:25.07`"


class ImageReference(Value):
    """One image of a registry."""

    registry: str
    """The registry's host."""
    name: str
    version: str
    """A tag, or a digest `sha256:…`."""

    @property
    def docker(self) -> str:
        """The form that Docker's own tools print."""
        return f"{self.registry}/{self.name}{self._mark}{self.version}"

    @property
    def _mark(self) -> str:
        return "@" if _DIGEST.fullmatch(self.version) else ":"

    @property
    def uri(self) -> str:
        """The form that enroot takes: `#` behind the registry, `:` before a digest as well.

        Without `#` enroot looks for the registry's name among Docker Hub's images.
        """
        host = _HUB_HOST if self.registry == HUB else self.registry
        return f"docker://{host}#{self.name}:{self.version}"

    @property
    def file(self) -> str:
        """The name of the image file, when none is wished: `nemo-25.07.sqsh`."""
        version = self.version.removeprefix("sha256:")[:12] if self._mark == "@" else self.version
        return f"{self.name.rpartition('/')[2]}-{version}.sqsh"


def image_reference(text: str) -> ImageReference:
    """Read a reference; raises a refusal in words."""
    registry, rest = _split(_whole(text))
    name, version = _version(rest)
    if not _NAME.fullmatch(name):
        hint = "Names of images are in small letters" if name != name.lower() else _EXAMPLE
        raise refused(f"{shown(name)} is not possible as the name of an image", hint)
    return ImageReference(registry=registry, name=name, version=version)


def _whole(text: str) -> str:
    """Return the reference without `docker://`; raises a refusal for what is none."""
    if placeholder := re.search(r"\{[^{}]*\}|<[^<>]*>|YOUR_\w+", text):
        named = shown(placeholder.group())
        raise refused(f"{named} stands for something of yours", f"Write it out. {_EXAMPLE}")
    kind, scheme, rest = text.partition("://")
    if scheme and kind.lower() != "docker":
        raise _other_kind(text, kind.lower())
    whole = (rest if scheme else text).strip("/")
    if len(whole) > _LONGEST or not re.fullmatch(r"[\x21-\x7e]+", whole):
        raise refused(f"{shown(text)} is not the name of an image", _EXAMPLE)
    _no_credentials(whole)
    if whole.startswith(("~", "$", ".")) or whole.endswith((".sqsh", ".squashfs")):
        raise _other_kind(text, "file")
    return whole


def _version(rest: str) -> tuple[str, str]:
    """Split `NAME:TAG`, `NAME@sha256:…` and enroot's `NAME:sha256:…`."""
    named, at, digest = rest.partition("@")
    name, colon, tag = named.partition(":")
    if _DIGEST.fullmatch(tag) and not at:
        return name, tag
    if at and not _DIGEST.fullmatch(digest):
        raise refused(f"{shown('@' + digest)} is not a digest", "`@sha256:` and 64 hex digits")
    if colon and not _TAG.fullmatch(tag):
        raise refused(f"{shown(':' + tag)} is not possible as a tag", "Letters, digits and `. _ -`")
    return name, digest or tag or LATEST


def _split(whole: str) -> tuple[str, str]:
    """Return the registry's host and what follows: behind `#`, or behind a first host."""
    host, hash_, name = whole.partition("#")
    if not hash_:
        host, slash, name = whole.partition("/")
        if not slash or not ("." in host or ":" in host):
            host, name = HUB, whole
    host = host.lower()
    if host != HUB and not _HOST.fullmatch(host):
        raise refused(f"{shown(host)} is not a registry", _EXAMPLE)
    return HUB if host == _HUB_HOST else host, name


def _no_credentials(whole: str) -> None:
    """Refuse a user or password in front of the registry; a digest's `@` is none."""
    _, at, rest = whole.partition("@")
    if at and not rest.startswith("sha256"):
        raise refused(
            "A user or password does not belong into the name of an image",
            "Leave out what stands before `@`; the cluster has its own credentials. Revoke a"
            " password that you typed",
        )


def _other_kind(text: str, kind: str) -> Exception:
    if kind == "gs":
        return refused(
            f"{shown(text)} is in a bucket, not in a registry",
            f"Type `/nemo image pull {text[:200]}`",
        )
    if kind == "file":
        return refused(
            f"{shown(text)} is an image file already", "Use it with `/nemo run RECIPE -i FILE`"
        )
    return refused(f"{shown(text)} is not the name of an image in a registry", _EXAMPLE)


def _reference(value: object) -> str:
    return image_reference(str(value)).docker


Reference = Annotated[str, BeforeValidator(_reference)]
"""An image of a registry, in Docker's form and with its registry."""
