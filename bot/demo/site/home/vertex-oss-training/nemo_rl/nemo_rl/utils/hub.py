"""Models of Hugging Face: a gated one wants a token that Hugging Face takes."""

from __future__ import annotations

import os
import urllib.error
import urllib.request

_SITE = "https://huggingface.co"
_GATED = "meta-llama/"
_PATIENCE = 10.0  # seconds


class GatedRepoError(OSError):
    """The token is missing or was refused."""

    __module__ = "huggingface_hub.errors"  # as a traceback names it


class RepositoryNotFoundError(OSError):
    """There is no such model, or none that this token may see."""

    __module__ = "huggingface_hub.errors"


def fetch(model: str) -> None:
    """Ask for the model's configuration, with the token in HF_TOKEN.

    Where HF_ENDPOINT is not set nobody is asked, and a gated model is content with any token.
    """
    token = os.environ.get("HF_TOKEN", "")
    if os.environ.get("HF_ENDPOINT"):
        _ask(model, token)
    elif model.startswith(_GATED) and not token:
        raise _gated(
            _address(model),
            f"Access to model {model} is restricted. You must have access to it and be"
            " authenticated to access it. Please log in.",
        )


def _ask(model: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = _address(model)
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the operator's address
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE):  # noqa: S310 - as above
            return
    except urllib.error.HTTPError as refused:
        if refused.headers.get("X-Error-Code") == "GatedRepo":
            raise _gated(url, refused.headers.get("X-Error-Message", "")) from None
        if refused.code in (401, 404):
            raise RepositoryNotFoundError(
                f"{refused.code} Client Error.\n\nRepository Not Found for url: {url}.\n"
                "Please make sure you specified the correct `repo_id` and `repo_type`."
            ) from None
        raise


def _gated(url: str, said: str) -> GatedRepoError:
    return GatedRepoError(f"401 Client Error.\n\nCannot access gated repo for url {url}.\n{said}")


def _address(model: str) -> str:
    return f"{os.environ.get('HF_ENDPOINT') or _SITE}/{model}/resolve/main/config.json"
