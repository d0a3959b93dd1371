"""The one place that constructs things and owns their lifetimes."""

from __future__ import annotations

import asyncio
import gc
import getpass
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import aiohttp
from aiohttp import web
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.clockwork import Clockwork, Tick
from bot.cluster.launch import sweep
from bot.cluster.login import Login
from bot.cluster.ssh import SshCluster
from bot.cluster_settings import ClusterSettings
from bot.errands import Errands
from bot.errors import ClusterError, ClusterUnreachable
from bot.explaining import Explainer
from bot.inbox import Inbox
from bot.launching import Launcher
from bot.login_node import LoginNode
from bot.model import Stage
from bot.outbox import Outbox
from bot.policy import Policy
from bot.redact import redact, redact_card
from bot.repeats import Repeats
from bot.service import Service, retries
from bot.sessions import Sessions
from bot.settings import Settings
from bot.store.sql_store import SqlStore
from bot.tracker import Tracker
from bot.vouching import Services
from bot.watch import Watch, errands_of, sessions_of
from handlers.app import register
from handlers.chat import SlackChat
from handlers.desk import Desk

logger = logging.getLogger(__name__)

KEPT = timedelta(days=90)
"""How long finished acts and settled messages are remembered."""
RENEW, RENEW_SOON = 3600.0, 60.0
"""Seconds between looks at the secrets on a cluster; the second while it does not answer."""


async def run(settings: Settings, ready: Callable[[], None]) -> None:
    """Run the bot until cancelled; call `ready` once it listens."""
    keep_tasks(asyncio.get_running_loop())
    async with AsyncExitStack() as stack:
        nodes = await login_nodes(settings, stack)
        clean = partial(redact_card, known=settings.secret_values)
        store = await stack.enter_async_context(SqlStore(settings.store.url, clean=clean))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        client = AsyncWebClient(
            token=_revealed(settings.slack.bot_token),
            base_url=settings.slack.api_url,
            session=session,
            # The outbox alone decides about repeating: the SDK would post twice behind its back.
            retry_handlers=[],
        )
        chat = SlackChat(client=client, redact=clean)
        await stack.enter_async_context(_bot(settings, nodes, store, chat))
        # What lives as long as the bot is not looked through again: that pause is 0.1 s and more.
        gc.collect()
        gc.freeze()
        ready()
        await asyncio.Event().wait()


@asynccontextmanager
async def _bot(
    settings: Settings, nodes: Mapping[str, LoginNode], store: SqlStore, chat: SlackChat
) -> AsyncIterator[None]:
    """Build the parts, start them, and end them in the reverse order."""
    outbox = Outbox(store, chat)
    clockwork = Clockwork()
    explainer = Explainer(store=store, nodes=nodes, wake=outbox.wake)
    trackers = {
        name: Tracker(node=node, store=store, wake=outbox.wake, explain=explainer.explain)
        for name, node in nodes.items()
    }
    watch = Watch(trackers, clockwork)
    clean = partial(redact, known=settings.secret_values)
    launcher = Launcher(
        store=store, nodes=nodes, wake=outbox.wake, follow=watch.follow, clean=clean
    )
    service = Service(
        store=store,
        nodes=nodes,
        carrier=launcher,
        wake=outbox.wake,
        watch=watch,
        cluster_of=settings.cluster_of,
        vouch=Services(settings.services.hugging_face, settings.services.wandb).vouch,
    )
    desk = Desk(service=service, chat=chat)
    inbox = Inbox(store, desk.perform, desk.resume, desk.apologise, aside=desk.takes_long)
    app = _app(settings, chat.client)
    register(app, inbox.accept, settings.secret_values)
    async with _running(outbox.run(), launcher.run(), explainer.run(), inbox.run()):
        for name, tracker in trackers.items():
            await tracker.load()
            node, hurry = nodes[name], partial(clockwork.hurry, name)
            errands = Errands(node=node, store=store, wake=outbox.wake, clean=clean)
            sessions = Sessions(node=node, store=store, jobs=tracker, wake=outbox.wake, hurry=hurry)
            ticks: dict[str, Tick] = {
                name: tracker.tick,
                errands_of(name): errands.tick,
                sessions_of(name): sessions.tick,
                f"attempts on {name}": partial(retries.begin_due, service, node),
                f"secrets of {name}": partial(_put_secrets, node),
            }
            for called, tick in ticks.items():
                clockwork.add(called, tick)
        clockwork.add(
            "repeats",
            Repeats(nodes=nodes, store=store, permalink=chat.permalink, wake=outbox.wake).tick,
        )
        clockwork.add("prune", partial(_prune, store, nodes))
        clockwork.start()
        try:
            async with _listening(settings, app):
                yield
        finally:
            clockwork.stop()


async def login_nodes(settings: Settings, stack: AsyncExitStack) -> dict[str, LoginNode]:
    """Return every configured cluster; a connection is made when it is first needed."""
    nodes = {}
    for name, cluster in settings.clusters.items():
        door = await stack.enter_async_context(SshCluster(name, login(cluster)))
        policy = Policy(
            cluster=name,
            users=frozenset(cluster.allow.users),
            channels=frozenset(cluster.allow.channels),
            operators=frozenset(cluster.allow.operators),
            ask_above_gpu_hours=settings.ask_above(name),
        )
        secrets = settings.secrets_of(name)
        nodes[name] = LoginNode(
            settings=cluster,
            policy=policy,
            cluster=door,
            secrets=secrets,
            health=partial(getattr, door, "health"),
            again=partial(SshCluster, name, login(cluster)),
            admin_channel=settings.admin_channel(name),
        )
    return nodes


def login(cluster: ClusterSettings) -> Login:
    """Return how a configured cluster is reached."""
    bin_dirs = (*((cluster.slurm_bin,) if cluster.slurm_bin else ()), *cluster.path)
    return Login(
        host=cluster.host,
        port=cluster.port,
        user=cluster.user or getpass.getuser(),
        known_hosts=cluster.known_hosts,
        keys=(cluster.key,) if cluster.key else (),
        certificates=(cluster.certificate,) if cluster.certificate else (),
        agent="" if cluster.agent else None,
        proxy_jump=cluster.proxy_jump,
        proxy_command=cluster.proxy_command,
        connect_timeout=cluster.connect_timeout,
        keepalive=cluster.keepalive,
        slurm_bin_dirs=bin_dirs,
    )


async def _put_secrets(node: LoginNode) -> float:
    """Renew what the cluster holds; return the seconds until the next time."""
    try:
        await node.renew_secrets()
    except ClusterError as error:
        extra = {"action": "secrets_not_put", "cluster": node.name}
        logger.warning("secrets were not renewed: %s", error.sentence, extra=extra)
        return RENEW_SOON if isinstance(error, ClusterUnreachable) else RENEW
    return RENEW


async def _prune(store: SqlStore, nodes: Mapping[str, LoginNode]) -> float:
    """Forget what is old and settled, here and there; return the seconds until the next time."""
    await store.prune(datetime.now(UTC) - KEPT)
    going = await store.requests(Stage.ACCEPTED, Stage.UNKNOWN)
    for name, node in nodes.items():
        keep = tuple(request.id for request in going if request.cluster == name)
        try:
            gone = await node.run(sweep(KEPT.days, keep))
        except ClusterError as error:
            logger.info(
                "old spools stay: %s",
                error.sentence,
                extra={"action": "sweep_failed", "cluster": name},
            )
        else:
            logger.info("%d old spools removed", gone, extra={"action": "swept", "cluster": name})
    return timedelta(days=1).total_seconds()


def _app(settings: Settings, client: AsyncWebClient) -> AsyncApp:
    return AsyncApp(
        client=client,
        signing_secret=_revealed(settings.slack.signing_secret),
        request_verification_enabled=not settings.slack.socket_mode,
    )


@asynccontextmanager
async def _listening(settings: Settings, app: AsyncApp) -> AsyncIterator[None]:
    """Receive what Slack delivers: over a socket that the bot opens, or over signed HTTP."""
    if settings.slack.socket_mode:
        handler = AsyncSocketModeHandler(app, _revealed(settings.slack.app_token))
        await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped
        logger.info("listening on a socket", extra={"action": "bot_listening"})
        try:
            yield
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt leaves it untyped
        return
    runner = web.AppRunner(app.web_app(path="/slack/events"))
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.http.host, settings.http.port).start()
        where = f"http://{settings.http.host}:{settings.http.port}/slack/events"
        logger.info("listening on %s", where, extra={"action": "bot_listening"})
        yield
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _running(*loops: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run loops beside what happens inside; end them with it. One that breaks ends all."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(loop) for loop in loops]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


def keep_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Hold on to every task until it ends.

    asyncio itself holds tasks weakly, and Bolt starts some without keeping them.
    """
    alive: set[asyncio.Task[Any]] = set()

    def factory(
        loop: asyncio.AbstractEventLoop, coro: Coroutine[Any, Any, Any], **options: Any
    ) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=loop, **options)
        alive.add(task)
        task.add_done_callback(alive.discard)
        return task

    loop.set_task_factory(factory)  # type: ignore[arg-type]  # typeshed wants a protocol of its own


def _revealed(secret: Any) -> str | None:
    return secret.get_secret_value() if secret is not None else None
