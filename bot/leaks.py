"""Secrets that people paste where they do not belong: whose they are, and where to revoke them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import re2

from bot.redact import redact

_EDGE = r"(?:^|[^A-Za-z0-9])"


@dataclass(frozen=True)
class Leak:
    """One kind of secret."""

    kind: str
    """The name under which it is remembered; the value never is."""
    what: str
    """With its article: `a Hugging Face token`."""
    revoke: str
    """What to do first, as a sentence without its full stop."""
    name: str = ""
    """The variable by which the bot would hand it to launches."""
    pattern: Any = field(default=None, repr=False, compare=False)


def _leak(kind: str, what: str, revoke: str, pattern: str, name: str = "") -> Leak:
    return Leak(kind, what, revoke, name, re2.compile(pattern))


LEAKS: tuple[Leak, ...] = (
    _leak(
        "hugging_face",
        "a Hugging Face token",
        "Revoke it at https://huggingface.co/settings/tokens and make a new one",
        rf"{_EDGE}hf_[A-Za-z0-9]{{20,}}",
        "HF_TOKEN",
    ),
    _leak(
        "wandb",
        "a Weights & Biases API key",
        "Revoke it at https://wandb.ai/settings and make a new one",
        r"(?i)(?:wandb|w&(?:amp;)?b|biases)['\w. -]{0,24}[ \t:=\"']{1,4}[0-9a-f]{40}\b"
        r"|wandb_v1_[a-z0-9_]{16,}",
        "WANDB_API_KEY",
    ),
    _leak(
        "github",
        "a GitHub token",
        "Revoke it at https://github.com/settings/tokens and make a new one",
        rf"{_EDGE}(?:gh[pousr]_[A-Za-z0-9]{{16,}}|github_pat_[A-Za-z0-9_]{{16,}})",
    ),
    _leak(
        "gitlab",
        "a GitLab token",
        "Revoke it at https://gitlab.com/-/user_settings/personal_access_tokens",
        rf"{_EDGE}glpat-[A-Za-z0-9_.-]{{16,}}",
    ),
    _leak(
        "aws",
        "an AWS access key",
        "Deactivate it at https://console.aws.amazon.com/iam/home#/security_credentials",
        rf"(?i){_EDGE}(?:(?-i:AKIA|ASIA)[A-Z0-9]{{16}}|aws_secret_access_key)",
    ),
    _leak(
        "google",
        "a Google Cloud key or token",
        "Delete it at https://console.cloud.google.com/apis/credentials; "
        "a login is ended with `gcloud auth revoke`",
        rf"{_EDGE}(?:AIza[A-Za-z0-9_-]{{30,}}|ya29\.[A-Za-z0-9_.-]{{16,}}|1//0[A-Za-z0-9_-]{{20,}})",
    ),
    _leak(
        "slack",
        "a Slack token",
        "Revoke it on the app's page at https://api.slack.com/apps and install the app again",
        rf"{_EDGE}(?:xox[a-z](?:\.xox[a-z])?-|x(?:app|wfp)-)[A-Za-z0-9-]{{8,}}",
    ),
    _leak(
        "nvidia",
        "an NVIDIA API key",
        "Revoke it at https://org.ngc.nvidia.com/setup/api-keys and make a new one",
        rf"{_EDGE}nvapi-[A-Za-z0-9_-]{{20,}}",
    ),
    _leak(
        "private_key",
        "a private key",
        "Take its public half out of every place that trusts it, and make a new pair",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY",
    ),
)
_PLACEHOLDER = re2.compile(r"\bYOUR_[A-Z_]{1,40}\b")
"""What documentation prints where a secret belongs."""
OTHER = Leak("other", "a password or key", "Change it wherever it is used")
_BY_KIND = {leak.kind: leak for leak in (*LEAKS, OTHER)}


def leaked(text: str, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the kinds of the secrets that the redactor would take out of this text."""
    text = _PLACEHOLDER.sub("", text)
    if redact(text, known) == text:
        return ()
    kinds = tuple(leak.kind for leak in LEAKS if leak.pattern.search(text))
    return kinds or (OTHER.kind,)


def leak(kind: str) -> Leak:
    """Return what is known of a kind."""
    return _BY_KIND.get(kind, OTHER)
