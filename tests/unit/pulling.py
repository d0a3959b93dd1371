"""A cluster on which an image is pulled: a real shell in place of the login node."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.card import Card
from bot.cluster_settings import ClusterSettings, ImagesSettings, NemoSettings
from bot.errand import Errand, ErrandStage
from bot.errands import Errands
from bot.errors import ClusterUnreachable
from bot.grammar import Parsed, parse
from bot.login_node import LoginNode
from bot.model import Act, ActKind, Caller
from bot.policy import Policy
from bot.ports import Query
from bot.redact import redact
from bot.service import Service
from bot.service import errands as wishes
from bot.service.plans import plan
from bot.store.sql_store import SqlStore
from tests.unit.cluster.local import LocalShell
from tests.unit.cluster.test_image_pull import squashfs
from tests.unit.idle import Idle

T = TypeVar("T")
POLICY = Policy(
    cluster="alice",
    users=frozenset({"U1", "U2"}),
    channels=frozenset({"C1", "C2"}),
    operators=frozenset({"U9"}),
    ask_above_gpu_hours=100.0,
)


class Login:
    """A login node that can fall silent."""

    name = "alice"

    def __init__(self, home: Path) -> None:
        self.shell = LocalShell(home, env={"PATH": f"{home}/programs:/usr/bin:/bin"})
        self.silent = False
        self.asked: list[str] = []

    async def run(self, query: Query[T]) -> T:
        """Ask, or not."""
        self.asked.append(query.name)
        if self.silent:
            raise ClusterUnreachable("alice does not answer")
        return await self.shell.run(query)

    async def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> bool:
        """Change a file."""
        return await self.shell.rewrite(path, change)


KNOWN = "the-site-s-own-secret"
"""A secret without a shape that gives it away."""


class Scene:
    """One cluster with a mounted bucket, whose copies wait as long as they shall."""

    def __init__(self, store: SqlStore, home: Path, **images: str) -> None:
        self.home = home
        self.store = store
        self.login = Login(home)
        settings = ClusterSettings(
            host="login",
            known_hosts=Path("/dev/null"),
            nemo=NemoSettings(dir="~/recipes/nemo", images="~/images", image="nemo.sqsh"),
            images=ImagesSettings(mount=f"{home}/gcs", **images),
        )
        self.node = LoginNode(settings=settings, policy=POLICY, cluster=self.login)
        self.service = Service(
            store=store,
            nodes={"alice": self.node},
            carrier=Idle(),
            wake=lambda: None,
            watch=Idle(),
            cluster_of=lambda _channel: "alice",
        )
        self.number = 0
        self.restart()
        source = home / "gcs/b/nemo.sqsh"
        source.parent.mkdir(parents=True)
        source.write_bytes(squashfs())
        programs = home / "programs"
        programs.mkdir()
        copy = f'#!/bin/sh\nwhile [ -e {home}/wait ]; do sleep 0.05; done\nexec /bin/cp "$@"\n'
        (programs / "cp").write_text(copy)
        (programs / "cp").chmod(0o755)
        self.source = str(source)

    def restart(self) -> None:
        """The bot begins a new life, with nothing but its store."""
        clean = partial(redact, known=(KNOWN,))
        self.errands = Errands(node=self.node, store=self.store, wake=lambda: None, clean=clean)

    def act(self, user: str = "U1", channel: str = "C1", **fields: Any) -> Act:
        """Something a person does."""
        self.number += 1
        caller = Caller(team="T1", user=user, channel=channel)
        name = fields.pop("id", f"a{self.number}")
        return Act(id=name, kind=ActKind.SLASH, caller=caller, at=datetime.now(UTC), **fields)

    async def wish(self, act: Act, text: str = "") -> Card | None:
        """Type it."""
        typed = text or f"image pull {self.source}"
        parsed = parse("/nemo", typed)
        assert isinstance(parsed, Parsed)
        options, kind = parsed.options, parsed.subcommand
        errand = await plan(act, self.node, kind, options, errand_id=act.id, typed=f"/nemo {typed}")
        return await wishes.begin(self.service, act, self.node, errand)

    async def errand(self, name: str = "a1") -> Errand:
        """What is known of it."""
        found = await self.store.errand(name)
        assert found is not None
        return found

    async def card(self, name: str = "a1") -> Card:
        """What its message shows."""
        message = await self.store.message(f"errand/{name}")
        assert message is not None
        return message.wanted.card

    async def until(self, *stages: ErrandStage, name: str = "a1") -> Errand:
        """Take turns until it stands so."""
        for _ in range(100):
            await self.errands.tick()
            errand = await self.errand(name)
            if errand.stage in stages:
                return errand
            await asyncio.sleep(0.05)
        raise AssertionError(f"{name} does not come to {stages}")

    async def ended(self, name: str = "a1") -> None:
        """Wait for its script to end, which nobody looks at."""
        async with asyncio.timeout(10):
            while not (self.home / ".sbatchat/errands" / name / "exit").exists():
                await asyncio.sleep(0.02)

    def hold(self) -> None:
        """Copies wait."""
        (self.home / "wait").touch()

    def release(self) -> None:
        """Copies go on."""
        (self.home / "wait").unlink()

    def kill(self, name: str = "a1") -> None:
        """As a restart of the login node does."""
        runner = self.home / ".sbatchat/errands" / name / "runner"
        os.killpg(int(runner.read_text().split()[3]), signal.SIGKILL)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A cluster and a store."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        home = tmp_path / "home"
        home.mkdir()
        yield Scene(store, home)
        if (home / "wait").exists():
            (home / "wait").unlink()
