"""The bot behind a Slack app: all of it but its clusters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from slack_bolt.async_app import AsyncApp

from bot.cluster_settings import ClusterSettings
from bot.demo.slack.workspace import ADMIN, PRIVATE, RESEARCHER, TRAINING
from bot.inbox import Inbox
from bot.login_node import LoginNode
from bot.outbox import Outbox
from bot.policy import Policy
from bot.redact import redact_card
from bot.service import Service
from bot.store.sql_store import SqlStore
from handlers.app import register
from handlers.chat import SlackChat
from handlers.desk import Desk
from tests.unit.fake_slurm import FakeSlurm
from tests.unit.idle import Idle


@asynccontextmanager
async def answering(app: AsyncApp, directory: Path) -> AsyncIterator[SqlStore]:
    """Let the bot answer what comes to an app; gives what it remembers."""
    policy = Policy(
        cluster="alice",
        users={RESEARCHER},
        channels={TRAINING, PRIVATE},
        operators={ADMIN},
        ask_above_gpu_hours=8.0,
    )
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    node = LoginNode(settings=settings, policy=policy, cluster=FakeSlurm())
    async with SqlStore(f"sqlite:///{directory}/bot.db") as store:
        chat = SlackChat(client=app.client, redact=redact_card)
        outbox = Outbox(store, chat)
        service = Service(
            store=store,
            nodes={"alice": node},
            carrier=Idle(),
            wake=outbox.wake,
            watch=Idle(),
            cluster_of=lambda _channel: "alice",
        )
        desk = Desk(service=service, chat=chat)
        inbox = Inbox(store, desk.perform, desk.resume, desk.apologise, aside=desk.takes_long)
        register(app, inbox.accept)
        loops = [asyncio.create_task(loop) for loop in (outbox.run(), inbox.run())]
        try:
            yield store
        finally:
            for loop in loops:
                loop.cancel()
            await asyncio.gather(*loops, return_exceptions=True)
