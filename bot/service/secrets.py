"""The secrets of a cluster: put in place, and shown without their values."""

from __future__ import annotations

import asyncio
import posixpath

from bot.card import Card
from bot.cards.secrets import KNOWN, Account, absent, refused, secrets_card
from bot.cluster.secret_files import AUTH, OWN, Kind, Seen, look
from bot.errors import ClusterError, CommandFailed, UserError
from bot.login_node import LoginNode
from bot.ports import Verdict
from bot.service.service import Service


async def show(service: Service, node: LoginNode) -> Card:
    """Renew what the cluster holds, ask the services, and say how everything is."""
    (own, auth, trouble), verdicts = await asyncio.gather(_put(node), _asked(service, node))
    return secrets_card(
        Account(
            cluster=node.name,
            secrets=node.secrets,
            verdicts=verdicts,
            own=own,
            auth=auth,
            trouble=trouble,
        )
    )


async def require(service: Service, node: LoginNode, name: str) -> None:
    """Raise UserError unless the bot holds this secret and its service does not refuse it."""
    secret = node.secrets.get(name)
    if secret is None or secret.value is None:
        raise UserError(absent(name, secret.source if secret else ""))
    if await service.vouch(name, secret.value) is Verdict.REFUSED:
        raise UserError(refused(name))


async def _asked(service: Service, node: LoginNode) -> dict[str, Verdict]:
    held = {name: secret.value for name, secret in node.secrets.items() if secret.value}
    answers = await asyncio.gather(*(service.vouch(name, value) for name, value in held.items()))
    return dict(zip(held, answers, strict=True))


async def _put(node: LoginNode) -> tuple[Seen | None, Seen | None, str]:
    """Return both files as they are, and what went wrong; NeMo-RL's is None without NeMo-RL."""
    try:
        own, auth, path = await _look(node)
        changed, trouble = await _renewed(node, path)
        if changed:
            own, auth, _ = await _look(node)
    except ClusterError as error:
        return None, None, error.sentence
    return own, auth, trouble


async def _renewed(node: LoginNode, path: str) -> tuple[bool, str]:
    """Return whether a file may have changed, and why one could not be."""
    try:
        return await node.put_secrets(path), ""
    except CommandFailed as error:
        return True, error.sentence


async def _look(node: LoginNode) -> tuple[Seen, Seen | None, str]:
    """Return both files, and the path of the second; empty where there is no NeMo-RL."""
    site = await node.site()
    names = tuple(dict.fromkeys((*node.secrets, *KNOWN)))
    path = posixpath.join(site.path(site.nemo_rl_dir), AUTH)
    own, auth = await node.run(look(names, (posixpath.join(site.home, OWN), path)))
    if auth.kind is Kind.NO_FOLDER:
        return own, None, ""
    return own, auth, path
