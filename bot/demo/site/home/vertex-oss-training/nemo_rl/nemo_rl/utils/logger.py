"""Where the figures of a run go: Weights & Biases, when it is enabled."""

from __future__ import annotations

import base64
import json
import os
import secrets
import time
import urllib.error
import urllib.request
from pathlib import Path

from nemo_rl.utils.config import Config

_KEY_LENGTH = 40
_PATIENCE = 10.0  # seconds
_VIEWER = json.dumps({"query": "query Viewer { viewer { username entity } }"}).encode()


class UsageError(Exception):
    """There is no key, and nobody to ask for one."""

    __module__ = "wandb.errors.errors"  # as a traceback names it


class AuthenticationError(Exception):
    """The service refused the key."""

    __module__ = "wandb.errors.errors"


class Logger:
    """Takes the figures of each step."""

    def __init__(self, config: Config) -> None:
        settings = config["logger"]
        self._file: Path | None = None
        if settings["wandb_enabled"]:
            self._file = _begin(settings["wandb"]["project"])

    def log(self, step: int, figures: dict[str, float]) -> None:
        """Keep the figures of one step."""
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"_step": step, **figures}) + "\n")


def _begin(project: str) -> Path:
    key = os.environ.get("WANDB_API_KEY", "")
    if not key:
        raise UsageError("api_key not configured (no-tty). call wandb.login(key=[your_api_key])")
    if len(key) < _KEY_LENGTH:
        raise ValueError(f"API key must be {_KEY_LENGTH} characters long, yours was {len(key)}")
    site = os.environ.get("WANDB_BASE_URL")
    user = _viewer(site, key) if site else "researcher"
    run = secrets.token_hex(4)
    folder = Path("wandb") / f"run-{time.strftime('%Y%m%d_%H%M%S')}-{run}"
    folder.mkdir(parents=True)
    print(f"wandb: Currently logged in as: {user}. Use `wandb login --relogin` to force relogin")
    print(f"wandb: Run data is saved locally in {folder.resolve()}")
    if site:
        print(f"wandb: 🚀 View run at {site}/{user}/{project}/runs/{run}")
    return folder / "history.jsonl"


def _viewer(site: str, key: str) -> str:
    word = base64.b64encode(f"api:{key}".encode()).decode()
    request = urllib.request.Request(  # noqa: S310 - the operator chose the service
        f"{site}/graphql",
        data=_VIEWER,
        headers={"Authorization": f"Basic {word}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310 - as above
            viewer = (json.load(answer).get("data") or {}).get("viewer")
    except urllib.error.HTTPError as refused:
        if refused.code not in (401, 403):
            raise
        viewer = None
    if not viewer:
        raise AuthenticationError("API key verification failed. Make sure your API key is valid.")
    return str(viewer.get("username") or viewer.get("entity"))
