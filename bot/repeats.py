"""Nodes that fail in the same way again: said once a week to those who look after the cluster.

Level, not edge: each turn compares what was kept of failures with what was told of them.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

from bot.blame import WEEK, Again, Blame, again
from bot.card import Excerpt
from bot.cards.repeats import Failure, again_card
from bot.cluster import slurm
from bot.errors import ChatError, ClusterError
from bot.login_node import LoginNode
from bot.messages import answer_key, living_key
from bot.ports import Store, Wanted

logger = logging.getLogger(__name__)

LOOK_EVERY = 15.0
"""Seconds between looks at what was kept; the cluster is asked only when there is news."""
MOST = 10
"""Failures that one message lists, the newest."""

Permalink = Callable[[str, str], Awaitable[str]]
"""Returns the address of a message by its channel and ts; raises ChatError."""


def _now() -> datetime:
    return datetime.now(UTC)


class Repeats:
    """Tells administrators of a node, once per cause and week; what is new changes the message."""

    def __init__(
        self,
        *,
        nodes: Mapping[str, LoginNode],
        store: Store,
        permalink: Permalink,
        wake: Callable[[], None],
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._nodes = nodes
        self._store = store
        self._permalink = permalink
        self._wake = wake
        self._clock = clock
        self._told: dict[str, int] = {}
        """How many failures each message was written for in this life of the bot."""

    async def tick(self) -> float:
        """Look once; return the seconds until the next look."""
        for node in self._nodes.values():
            if node.admin_channel:
                blames = await self._store.blames(node.name, self._clock() - WEEK)
                for one in again(blames):
                    if self._told.get(one.key) != len(one.blames):
                        await self._tell(node, one)
        return LOOK_EVERY

    async def _tell(self, node: LoginNode, one: Again) -> None:
        known = True
        try:
            states = await node.run(slurm.nodes())
        except ClusterError as error:
            # The failures are certain; how the node is now follows when the cluster answers.
            extra = {"action": "node_not_seen", "cluster": node.name, "node": one.newest.node}
            logger.info("how a node is cannot be seen: %s", error.sentence, extra=extra)
            states, known = (), False
        state = next((found for found in states if found.name == one.newest.node), None)
        failures = [await self._failure(blame) for blame in one.blames[-MOST:]]
        card = again_card(one, failures, state)
        await self._store.want(Wanted(key=one.key, channel=node.admin_channel, card=card))
        logger.info(
            "a node failed again in the same way",
            extra={"action": "node_told", "cluster": node.name, "node": one.newest.node},
        )
        if known:
            self._told[one.key] = len(one.blames)
        self._wake()

    async def _failure(self, blame: Blame) -> Failure:
        """Return what can still be found of a failure: its job, its thread, what proved it."""
        job = await self._store.job(blame.cluster, blame.job)
        if job is not None and job.request != blame.request:
            job = None  # Slurm used the id again
        why = await self._store.message(
            answer_key(blame.request, f"{blame.job}/{blame.attempt}/why")
        )
        proof = None
        if why is not None:
            excerpts = (part for part in why.wanted.card.parts if isinstance(part, Excerpt))
            proof = next(excerpts, None)
        return Failure(blame, job, await self._link(blame), proof)

    async def _link(self, blame: Blame) -> str:
        """Return the address of the message that tells of the job, or nothing."""
        request = await self._store.request(blame.request)
        told = await self._store.message(living_key(request)) if request else None
        if told is None or not told.ts:
            return ""
        try:
            return await self._permalink(told.wanted.channel, told.ts)
        except ChatError:
            return ""
