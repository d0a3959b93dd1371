"""Errands from a wish to their end: a real store, and a real shell in place of the login node."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.card import Card
from bot.cards.errand import AGAIN, STOP
from bot.cluster_settings import ClusterSettings, ImagesSettings, NemoRlSettings, NemoSettings
from bot.errand import Errand, ErrandStage
from bot.errands import Errands, last_line
from bot.errors import ClusterUnreachable, Gone, InputRefused, NotAllowed
from bot.grammar import Parsed, parse
from bot.login_node import LoginNode
from bot.model import Act, ActKind, Caller
from bot.policy import Policy
from bot.ports import Query
from bot.redact import redact
from bot.service import Service
from bot.service import errands as wishes
from bot.service.plans import plan, region_of
from bot.store.sql_store import SqlStore
from tests.unit.cards.saying import offers, says
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


async def test_a_wish_is_begun_told_and_done(scene: Scene) -> None:
    """One message from the first word to the last."""
    assert await scene.wish(scene.act()) is None
    assert "Starting on alice" in says(await scene.card())
    done = await scene.until(ErrandStage.DONE)
    assert (scene.home / "images/nemo.sqsh").read_bytes() == squashfs()
    said = says(await scene.card())
    assert "Done on alice" in said
    assert f"Image {scene.home}/images/nemo.sqsh" in said
    assert "`" not in said
    assert "/nemo run RECIPE takes it" in said
    assert offers(await scene.card()) == []
    assert done.ended is not None
    assert [(entry.did, entry.request) for entry in await scene.store.audit()] == [
        ("begin nemo image pull", "a1")
    ]


async def test_nothing_is_asked_of_a_cluster_without_errands(scene: Scene) -> None:
    """And the next turn is far away."""
    assert await scene.errands.tick() > 600
    assert scene.login.asked == []


async def test_what_takes_long_is_looked_at_less_often(scene: Scene) -> None:
    """Hours of copying are no reason for thousands of looks."""
    scene.hold()
    await scene.wish(scene.act())
    assert await scene.errands.tick() == 2.0
    for minutes, pause in ((5, 5.0), (60, 15.0)):
        errand = await scene.errand()
        old = errand.model_copy(update={"created": datetime.now(UTC) - timedelta(minutes=minutes)})
        assert await scene.store.save_errand(old)
        assert await scene.errands.tick() == pause


async def test_a_bot_that_was_killed_goes_on_where_the_errand_is(scene: Scene) -> None:
    """At each point: before it was begun, while it runs, after it ended unseen."""
    scene.hold()
    await scene.wish(scene.act())
    scene.restart()
    await scene.until(ErrandStage.RUNNING)
    scene.restart()
    await scene.errands.tick()
    assert (await scene.errand()).stage is ErrandStage.RUNNING
    scene.release()
    await asyncio.sleep(0.5)
    scene.restart()
    await scene.until(ErrandStage.DONE)
    assert scene.login.asked.count("start errand") == 1


async def test_a_cut_connection_is_said_once_and_changes_nothing(scene: Scene) -> None:
    """The errand goes on there; its message says so, and heals."""
    scene.hold()
    await scene.wish(scene.act())
    await scene.until(ErrandStage.RUNNING)
    scene.login.silent = True
    waits = [await scene.errands.tick() for _ in range(6)]
    assert waits == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]
    message = await scene.store.message("errand/a1")
    assert "alice does not answer. Nothing is lost" in says(await scene.card())
    scene.login.silent = False
    scene.release()
    await scene.until(ErrandStage.DONE)
    assert message is not None
    assert "does not answer" not in says(await scene.card())


async def test_the_same_wish_joins_whoever_has_it(scene: Scene) -> None:
    """A second delivery, and another person in another channel."""
    scene.hold()
    await scene.wish(scene.act(id="a1"))
    assert await scene.wish(scene.act(id="a1")) is None
    answer = await scene.wish(scene.act("U2", "C2"))
    assert answer is not None
    assert "at work on alice already: @U1 started it in another channel" in says(answer)
    assert [errand.id for errand in await scene.store.open_errands("alice")] == ["a1"]
    other = await scene.wish(scene.act("U2"), f"image pull {scene.source} --to ~/images/b.sqsh")
    assert other is None


async def test_it_is_stopped_by_who_started_it(scene: Scene) -> None:
    """Nothing of it stays, and the old image does."""
    scene.hold()
    await scene.wish(scene.act())
    await scene.until(ErrandStage.RUNNING)
    assert offers(await scene.card()) == [STOP]
    await wishes.stop(scene.service, scene.act(value="a1"))
    assert "Being stopped by @U1" in says(await scene.card())
    assert offers(await scene.card()) == []
    scene.restart()
    await scene.until(ErrandStage.STOPPED)
    assert "Stopped by @U1" in says(await scene.card())
    assert list((scene.home / "images").iterdir()) == []
    with pytest.raises(Gone):
        await wishes.stop(scene.service, scene.act(value="a1"))


async def test_it_is_stopped_before_it_began(scene: Scene) -> None:
    """It never begins then."""
    await scene.wish(scene.act())
    await wishes.stop(scene.service, scene.act(value="a1"))
    await scene.until(ErrandStage.STOPPED)
    assert scene.login.asked.count("start errand") == 0


async def test_a_wish_to_stop_at_the_moment_of_a_look_is_not_lost(scene: Scene) -> None:
    """Who writes second sees that it has moved on."""
    await scene.wish(scene.act())
    before = await scene.errand()
    await wishes.stop(scene.service, scene.act(value="a1"))
    running = before.model_copy(update={"stage": ErrandStage.RUNNING})
    assert not await scene.store.save_errand(running)
    assert (await scene.errand()).stopper == "U1"


async def test_others_may_not_stop_it_and_operators_may(scene: Scene) -> None:
    """As with jobs."""
    scene.hold()
    await scene.wish(scene.act())
    with pytest.raises(NotAllowed):
        await wishes.stop(scene.service, scene.act("U2", value="a1"))
    await wishes.stop(scene.service, scene.act("U9", value="a1"))
    await scene.until(ErrandStage.STOPPED)


async def test_strangers_may_not_begin_it_again(scene: Scene) -> None:
    """Who is not on the list does nothing here."""
    await scene.wish(scene.act())
    await wishes.stop(scene.service, scene.act(value="a1"))
    await scene.until(ErrandStage.STOPPED)
    with pytest.raises(NotAllowed):
        await wishes.again(scene.service, scene.act("U7", value="a1"))


async def test_what_died_is_said_to_be_dead_and_tried_again(scene: Scene) -> None:
    """Two clicks are one; the old card says who clicked and loses its button."""
    scene.hold()
    await scene.wish(scene.act())
    await scene.until(ErrandStage.RUNNING)
    scene.kill()
    await scene.until(ErrandStage.FAILED)
    assert "the login node restarted" in says(await scene.card())
    assert offers(await scene.card()) == [AGAIN]
    scene.release()
    await wishes.again(scene.service, scene.act("U2", value="a1"))
    await wishes.again(scene.service, scene.act("U2", value="a1"))
    assert "@U2 had it tried again" in says(await scene.card())
    assert offers(await scene.card()) == []
    again = (await scene.store.open_errands("alice"))[0]
    await scene.until(ErrandStage.DONE, name=again.id)
    assert again.caller.user == "U2"


async def test_what_is_at_work_is_not_begun_again(scene: Scene) -> None:
    """The button of an old picture of the card."""
    await scene.wish(scene.act())
    with pytest.raises(Gone):
        await wishes.again(scene.service, scene.act(value="a1"))


async def test_another_at_work_in_the_same_place_is_waited_for(scene: Scene) -> None:
    """Both set-ups use one checkout: the second begins when the first is over."""
    scene.hold()
    await scene.wish(scene.act())
    await scene.until(ErrandStage.RUNNING)
    first = await scene.errand()
    second = first.model_copy(
        update={"id": "b1", "kind": "nemo setup", "stage": ErrandStage.ACCEPTED, "steps": ()}
    )
    second = second.model_copy(update={"args": ("no-python", *second.args, "", "", "", "")})
    await scene.store.add_errand(second)
    await scene.errands.tick()
    assert (await scene.errand("b1")).stage is ErrandStage.ACCEPTED
    assert "Waiting on alice: another errand" in says(await scene.card("b1"))
    scene.release()
    await scene.until(ErrandStage.DONE)
    await scene.until(ErrandStage.FAILED, name="b1")
    assert "There is no Python no-python on the login node" in says(await scene.card("b1"))


async def test_a_failure_says_what_and_what_to_do(scene: Scene) -> None:
    """In words, with the button that tries again."""
    await scene.wish(scene.act(), "image pull gs://b/none.sqsh")
    programs = scene.home / "programs/gcloud"
    programs.write_text("#!/bin/sh\necho 'ERROR: No active account selected.' >&2\nexit 1\n")
    programs.chmod(0o755)
    await scene.until(ErrandStage.FAILED)
    said = says(await scene.card())
    assert "gcloud has no account on the login node" in said
    assert "gcloud auth login" in said
    assert "ERROR: No active account selected." in said
    assert offers(await scene.card()) == [AGAIN]


async def test_a_secret_in_its_output_is_not_kept(scene: Scene) -> None:
    """Neither in the database nor in the message."""
    token = "ghp_" + "a1B2" * 9  # gitleaks:allow
    await scene.wish(scene.act(), "image pull gs://b/none.sqsh")
    programs = scene.home / "programs/gcloud"
    programs.write_text(f"#!/bin/sh\necho 'denied: {token} {KNOWN}' >&2\nexit 1\n")
    programs.chmod(0o755)
    await scene.until(ErrandStage.FAILED)
    for kept in ((await scene.errand()).model_dump_json(), (await scene.card()).model_dump_json()):
        assert "denied" in kept
        assert token not in kept
        assert KNOWN not in kept


async def test_the_region_is_known_or_asked_for(tmp_path: Path) -> None:
    """From the setting, from the name of a host or zone, or from the person."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        for name, region in (("us-central1", "us"), ("europe", "europe")):
            home = tmp_path / name
            home.mkdir()
            assert await region_of(Scene(store, home, region=name).node) == region
    for host, region in (
        ("nic0.login.asia-southeast1-b.c.p.internal.gcpnode.com", "asia"),
        ("login-us-east4", "us"),
    ):
        settings = ClusterSettings(host=host, known_hosts=Path("/dev/null"))
        login = Login(tmp_path)
        node = LoginNode(settings=settings, policy=POLICY, cluster=login)
        assert await region_of(node) == region
        assert login.asked == []
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    node = LoginNode(settings=settings, policy=POLICY, cluster=Login(tmp_path))
    with pytest.raises(InputRefused) as refused:
        await region_of(node)
    assert "--region us" in refused.value.errors[0].hint


@pytest.mark.parametrize(
    ("to", "hint"),
    [
        ("", "Jobs of `/nemo-rl run` take it"),
        (" --to ~/images/other.sqsh", "Jobs of `/nemo-rl run` take `{home}/rl/nemo_rl.sqsh`"),
    ],
)
async def test_an_image_of_nemo_rl_says_whether_jobs_take_it(
    tmp_path: Path, to: str, hint: str
) -> None:
    """They look in one place; elsewhere it helps nobody."""
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        scene = Scene(store, tmp_path, region="us")
        rl = NemoRlSettings(dir="~/rl", image="nemo_rl.sqsh")
        settings = scene.node.settings.model_copy(update={"nemo_rl": rl})
        scene.node = LoginNode(settings=settings, policy=POLICY, cluster=scene.login)
        await scene.wish(scene.act(id="a1"), f"image pull nemo-rl{to}")
        assert (await scene.errand()).hint == hint.format(home=tmp_path)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("image pull /etc/x.sqsh", "image"),
        ("image pull {source} --to /etc/x.sqsh", "to"),
    ],
)
async def test_places_that_may_not_be_used_are_refused_at_once(
    scene: Scene, text: str, field: str
) -> None:
    """Before anything is begun."""
    with pytest.raises(InputRefused) as refused:
        await scene.wish(scene.act(), text.format(source=scene.source))
    assert refused.value.errors[0].field == field
    assert await scene.store.open_errands("alice") == []


@pytest.mark.parametrize(
    ("out", "line"),
    [
        ("", ""),
        ("a\nb\n\n", "b"),
        ("Receiving objects:  10% (1/10)\rReceiving objects:  45% (4/10)\r", "45% (4/10)"),
        ("\x1b[32mdone\x1b[0m\n", "done"),
        ("old\n\n== next\n", ""),
    ],
)
def test_the_last_line_is_what_a_terminal_shows(out: str, line: str) -> None:
    """Of the running step."""
    assert last_line(out).endswith(line)
    assert bool(last_line(out)) == bool(line)
