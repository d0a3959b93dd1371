"""Models of Hugging Face: a gated one wants a token that Hugging Face takes."""

from __future__ import annotations

import os
import urllib.error
import urllib.request

_GATED = ("meta-llama/",)
_PATIENCE = 10.0  # seconds


class GatedRepoError(OSError):
    """The token is missing or was refused."""

    __module__ = "huggingface_hub.errors"  # as a traceback names it


def fetch(model: str) -> None:
    """Ask for the model's files. Where HF_ENDPOINT is not set, any token in HF_TOKEN will do."""
    if not model.startswith(_GATED):
        return
    token = os.environ.get("HF_TOKEN", "")
    if token and _accepted(token):
        return
    site = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
    raise GatedRepoError(
        "401 Client Error.\n\n"
        f"Cannot access gated repo for url {site}/{model}/resolve/main/config.json.\n"
        f"Access to model {model} is restricted. You must have access to it and be authenticated"
        " to access it. Please log in."
    )


def _accepted(token: str) -> bool:
    site = os.environ.get("HF_ENDPOINT")
    if not site:
        return True
    request = urllib.request.Request(  # noqa: S310 - the operator chose the endpoint
        f"{site}/api/whoami-v2", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE):  # noqa: S310
            return True
    except urllib.error.HTTPError as refused:
        if refused.code in (401, 403):
            return False
        raise
