"""Errands from a wish to their end: a real store, and a real shell in place of the login node."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.cards.errand import AGAIN, STOP
from bot.errand import ErrandStage
from bot.errands import last_line
from bot.errors import Gone, NotAllowed
from bot.service import errands as wishes
from tests.unit.cards.saying import offers, says
from tests.unit.cluster.test_image_pull import squashfs
from tests.unit.pulling import KNOWN, Scene, scene

__all__ = ["scene"]


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
    await scene.ended()
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
