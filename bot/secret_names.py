"""Which names stand in front of a secret: `HF_TOKEN` does, `num_tokens` and `eos_token` do not."""

from __future__ import annotations

import re
from itertools import pairwise

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_REFERENCE = re.compile(
    r"\$\{?[A-Za-z_][A-Za-z0-9_]*\}?|%[A-Z_]+%|\*+|<[^>]*>|\[[A-Z_ ]*\]?|[{(\[]"
)
_NUMBER = re.compile(r"[-+]?[0-9][0-9_,.]*(?:[eE][-+]?[0-9]+)?[,)\]}kKMBT%]*")
_NOTHING = frozenset(
    [
        "none",
        "null",
        "nil",
        "true",
        "false",
        "yes",
        "no",
        "unset",
        "undefined",
        "=",
        "not",
        "is",
        "was",
        "has",
        "must",
        "required",
        "missing",
        "present",
        "absent",
        "empty",
        "set",
        "accepted",
    ]
)

_STRONG = ("secret", "password", "passwd", "passphrase", "apikey")
_KEYS = {
    "access",
    "account",
    "api",
    "auth",
    "client",
    "deploy",
    "encryption",
    "master",
    "ngc",
    "private",
    "secret",
    "signing",
    "storage",
    "wandb",
}
_HOLDERS = {
    "access",
    "api",
    "app",
    "auth",
    "bearer",
    "bot",
    "csrf",
    "deploy",
    "github",
    "gitlab",
    "hf",
    "hub",
    "huggingface",
    "job",
    "ngc",
    "oauth",
    "personal",
    "refresh",
    "registry",
    "secret",
    "security",
    "service",
    "session",
    "slack",
    "user",
    "wandb",
}
"""What a token that opens doors is named after."""
_POINTERS = {
    "arn",
    "count",
    "dir",
    "enabled",
    "file",
    "helper",
    "id",
    "ids",
    "len",
    "length",
    "manager",
    "name",
    "names",
    "path",
    "provider",
    "ref",
    "size",
    "type",
    "url",
    "uri",
}
"""Names that end so say where or what a secret is, not the secret."""
_LONG, _MIXED = 16, 8
_LONGEST = 64
"""Characters that decide whether a value is a number."""


def is_secret(name: str, between: str, value: str) -> bool:
    """Whether `value` must not leave; `between` joins it to the name: `=`, `: `, a space."""
    plain = value.rstrip(",)]};.`")
    if not plain or plain.lower() in _NOTHING or _REFERENCE.fullmatch(value):
        return False
    words = [word.lower() for word in _WORD.findall(name)]
    if not words or words[-1] in _POINTERS:
        return False
    if _is_key(words) or any(word.endswith(_STRONG) for word in words):
        return True
    if not any(word.endswith("token") for word in words) or _NUMBER.fullmatch(value[:_LONGEST]):
        return False
    return _opens_doors(name, words, between) or (words == ["token"] and _random(value))


def _is_key(words: list[str]) -> bool:
    """Whether the name ends in `api key`, `access key` and the like."""
    return any(second == "key" and first in _KEYS for first, second in pairwise(words))


def _opens_doors(name: str, words: list[str], between: str) -> bool:
    """Whether this is a token for a service, and not one of a language model."""
    if _HOLDERS & set(words):
        return True
    return (name.isupper() and "=" in between) or (words == ["token"] and between.isspace())


def _random(value: str) -> bool:
    """Whether a value looks made by a machine."""
    return len(value) >= _LONG or (len(value) >= _MIXED and any(c.isdigit() for c in value))
