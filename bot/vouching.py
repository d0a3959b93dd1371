"""Whether the service a secret belongs to accepts it: the door to Hugging Face and W&B."""

from __future__ import annotations

import logging
from base64 import b64encode
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
from pydantic import SecretStr

from bot.ports import Verdict

logger = logging.getLogger(__name__)

PATIENCE = aiohttp.ClientTimeout(total=5)
_HUGGING_FACE = {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN"}
_WANDB = {"WANDB_API_KEY"}
_VIEWER = {"query": "query Viewer { viewer { id } }"}


@dataclass(frozen=True)
class Services:
    """The services, at their addresses (without a slash at the end)."""

    hugging_face: str
    wandb: str

    async def vouch(self, name: str, secret: SecretStr) -> Verdict:
        """Ask the service that a secret of this name is for; it travels in a header alone."""
        async with aiohttp.ClientSession(timeout=PATIENCE) as session:
            if name in _HUGGING_FACE:
                return await self._ask_hugging_face(session, secret)
            if name in _WANDB:
                return await self._ask_wandb(session, secret)
        return Verdict.NOT_ASKED

    async def _ask_hugging_face(self, session: aiohttp.ClientSession, secret: SecretStr) -> Verdict:
        headers = {"Authorization": f"Bearer {secret.get_secret_value()}"}
        status, _ = await _asked(session, "GET", f"{self.hugging_face}/api/whoami-v2", headers)
        return _verdict(status)

    async def _ask_wandb(self, session: aiohttp.ClientSession, secret: SecretStr) -> Verdict:
        """Ask who it is; W&B answers 200 and nobody for a key that it does not know."""
        login = b64encode(f"api:{secret.get_secret_value()}".encode()).decode()
        headers = {"Authorization": f"Basic {login}"}
        status, body = await _asked(session, "POST", f"{self.wandb}/graphql", headers, _VIEWER)
        if status == HTTPStatus.OK:
            data = body.get("data") if isinstance(body, dict) else None
            known = isinstance(data, dict) and bool(data.get("viewer"))
            return Verdict.ACCEPTED if known else Verdict.REFUSED
        return _verdict(status)


async def _asked(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    headers: dict[str, str],
    query: dict[str, str] | None = None,
) -> tuple[int, Any]:
    """Return the status, 0 without an answer, and what was said in JSON."""
    try:
        # A redirect could carry the header to somebody else.
        async with session.request(
            method, url, headers=headers, json=query, allow_redirects=False
        ) as response:
            body = await response.json(content_type=None) if query else None
            return response.status, body
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        extra = {"action": "service_silent", "url": url, "why": type(error).__name__}
        logger.info("a service gave no answer", extra=extra)
        return 0, None


def _verdict(status: int) -> Verdict:
    if status == HTTPStatus.OK:
        return Verdict.ACCEPTED
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return Verdict.REFUSED
    return Verdict.NOT_REACHED
