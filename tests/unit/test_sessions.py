"""Interactive jobs: the way in, reminders, release in time, GPUs without work."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.card import plain
from bot.errors import Gone
from bot.job import State
from bot.ports import Output
from tests.unit.cards.saying import facts, offers, says
from tests.unit.interactive import ATTACH, BEGAN, DOWN, MINUTE, Lab, lab, long
from tests.unit.slurm_says import sacct, scontrol, squeue

__all__ = ["lab", "long"]


async def test_without_interactive_jobs_nothing_is_asked(lab: Lab) -> None:
    """Other jobs are none of its business."""
    lab.scene.slurm.asked.clear()
    other = await lab.scene.job()
    lab.scene.begin()
    lab.scene.tracker.follow([other.model_copy(update={"session": None})])
    lab.begin()
    assert await lab.sessions.tick() == 60.0
    assert lab.scene.slurm.asked == []


async def test_while_it_comes_up_its_message_says_how_far_it_is(lab: Lab) -> None:
    """The newest telling line; the same line again writes nothing."""
    assert "2 to 5 minutes are normal" in facts(await lab.living())["Coming up"]
    lab.scene.slurm.doors["75"] = ("", "[INFO][now] Number of actors online: 1/2\n")
    await lab.at(MINUTE)
    assert facts(await lab.living())["Coming up"] == "Number of actors online: 1/2"
    assert await lab.sessions.tick() == lab.scene.node.settings.tick_fast
    before = lab.scene.woken
    await lab.at(MINUTE, times=3)
    assert lab.scene.woken == before


async def test_the_way_in_is_told_to_its_owner_in_exact_lines(lab: Lab) -> None:
    """The ssh line, and what is typed then; its message shows the way too."""
    await lab.ready()
    card = await lab.thread("ready")
    assert card is not None
    assert plain(card.lead).startswith("@U1 The interactive cluster of job 75 is ready")
    assert "@login\ncd /home/alice; bash 75/attach.sh" in says(card)
    assert facts(await lab.living())["Attach"] == "cd /home/alice; bash 75/attach.sh"
    assert "2026-11-30 21:55" in facts(await lab.living())["Until"]
    assert offers(await lab.living()) == ["show_log", "extend_session", "cancel_job"]
    assert [button.label for button in (await lab.living()).buttons][1] == "Extend 1 min"


async def test_the_way_in_is_looked_for_no_longer_once_it_is_known(lab: Lab) -> None:
    """Also in the next life."""
    await lab.ready()
    await lab.restart()
    await lab.at(MINUTE, times=2)
    assert lab.scene.slurm.count("doors") == 1


async def test_a_script_that_does_not_come_is_told_once_and_still_looked_for(long: Lab) -> None:
    """With what was seen last, and a way to release it; later it may come after all."""
    lab = long
    lab.scene.slurm.doors["75"] = ("", "Waiting for head node container to start...\n")
    await lab.at(14 * MINUTE)
    assert await lab.thread("late") is None
    await lab.at(16 * MINUTE, times=2)
    card = await lab.thread("late")
    assert card is not None
    assert "after 15 min its attach.sh has still not come" in plain(card.lead)
    assert "Waiting for head node container" in says(card)
    assert offers(card) == ["cancel_job", "show_log"]
    lab.scene.slurm.doors["75"] = (ATTACH,)
    await lab.at(20 * MINUTE)
    assert await lab.thread("ready") is not None
    assert lab.scene.slurm.cancelled == []


async def test_a_requeued_job_is_entered_anew(lab: Lab) -> None:
    """The script of the attempt before leads nowhere."""
    await lab.ready()
    lab.scene.slurm.queue = [squeue("75", "PENDING", "BeginTime", node="", start="N/A")]
    lab.scene.slurm.control["75"] = [scontrol("75", "PENDING", "BeginTime", restarts=1, node="")]
    await lab.scene.tracker.tick()
    assert (await lab.scene.job()).attach == ""
    assert "Attach" not in facts(await lab.living())
    lab.scene.slurm.queue = [squeue("75", start="21:50:00")]
    lab.scene.slurm.control["75"] = [scontrol("75", restarts=1, start="21:50:00")]
    await lab.scene.tracker.tick()
    await lab.at(4 * MINUTE)
    assert await lab.thread("ready", attempt=2) is not None
    assert "2026-11-30 21:59" in facts(await lab.living())["Until"]


async def test_its_owner_is_reminded_once_before_it_is_released(lab: Lab) -> None:
    """Five minutes before; thirty would be before it began."""
    await lab.ready()
    await lab.at(3 * MINUTE)
    assert await lab.thread("reminder/300/540") is None
    await lab.at(5 * MINUTE, times=2)
    card = await lab.thread("reminder/300/540")
    assert card is not None
    assert plain(card.lead).startswith("@U1 The interactive job 75 ends")
    assert offers(card) == ["extend_session", "cancel_job"]
    assert [button.style for button in card.buttons] == ["primary", "danger"]  # what is wished
    assert await lab.thread("reminder/1800/540") is None
    await lab.restart()
    before = lab.scene.woken
    await lab.at(6 * MINUTE)
    assert lab.scene.woken == before


async def test_it_is_released_when_its_time_is_up(lab: Lab) -> None:
    """Slurm is told once; its end says why, and needs no diagnosis."""
    await lab.ready()
    await lab.at(9 * MINUTE + timedelta(seconds=1), times=3)
    assert lab.scene.slurm.cancelled == ["75"]
    assert lab.hurried == 1
    lab.scene.ends("CANCELLED", "0:15")
    lab.scene.slurm.accounting = [sacct("75", "CANCELLED by 50001")]
    await lab.scene.tracker.tick()
    lead = await lab.scene.lead()
    assert lead.startswith("Released after")
    assert "since its time was up." in lead
    assert [one.wished for one in lab.scene.explained] == [True]
    (entry, *_) = await lab.scene.store.audit()
    assert (entry.did, entry.job, entry.caller.user) == ("release", "alice:75", "")


async def test_a_release_survives_an_outage_and_a_restart(lab: Lab) -> None:
    """The wish was kept; the next life carries it out."""
    await lab.ready()
    lab.scene.slurm.instead["scancel"] = DOWN
    await lab.at(10 * MINUTE)
    await lab.restart()
    await lab.at(10 * MINUTE)
    assert lab.scene.slurm.cancelled == []
    await lab.restart()
    del lab.scene.slurm.instead["scancel"]
    await lab.at(11 * MINUTE)
    assert lab.scene.slurm.cancelled == ["75"]
    assert len(await lab.scene.store.audit()) == 1


async def test_one_that_cannot_be_released_is_told(lab: Lab) -> None:
    """It belongs to somebody else; once is enough."""
    lab.scene.slurm.instead["scancel"] = Output("\x1d1\x1d", "Access/permission denied", 0)
    await lab.at(10 * MINUTE, times=2)
    card = await lab.thread("not_released")
    assert card is not None
    assert "Slurm did not let the bot end it" in plain(card.lead)


async def test_gpus_without_work_are_told_once(long: Lab) -> None:
    """After half an hour of looks that saw none; the next stretch is told anew."""
    lab = long
    await lab.ready()
    lab.scene.slurm.gpu_use = "0\n" * 24
    began = int((BEGAN + MINUTE).timestamp())
    for minutes in (1, 11, 21):
        lab.begin()
        await lab.at(minutes * MINUTE)
    assert await lab.thread(f"idle/{began}") is None
    lab.begin()
    await lab.at(31 * MINUTE)
    card = await lab.thread(f"idle/{began}")
    assert card is not None
    assert "The GPUs of the interactive job 75 have had no work since" in plain(card.lead)
    assert offers(card) == ["cancel_job"]
    lab.scene.slurm.gpu_use = "0\n55\n" * 12
    lab.begin()
    await lab.at(41 * MINUTE)
    session = (await lab.scene.job()).session
    assert session is not None
    assert session.idle_since is None


@pytest.mark.parametrize(
    "said", ["", "0\n", "[N/A]\n" * 24, "No devices were found\n", "0\n97\n0\n"]
)
async def test_what_nobody_knows_is_no_alarm(lab: Lab, said: str) -> None:
    """Without nvidia-smi, without an answer of each node, or at work: nothing is said."""
    await lab.ready()
    lab.scene.slurm.gpu_use = said
    lab.begin()
    await lab.at(MINUTE)
    session = (await lab.scene.job()).session
    assert session is not None
    assert session.idle_since is None
    assert "gpu use" in lab.scene.slurm.asked


async def test_looks_at_gpus_are_sparse(lab: Lab) -> None:
    """Once in ten minutes, however many turns there are."""
    await lab.ready()
    await lab.at(MINUTE, times=5)
    assert lab.scene.slurm.count("gpu use") == 1


async def test_a_silent_cluster_is_no_fault_of_a_turn(lab: Lab) -> None:
    """Reminders come all the same."""
    lab.scene.slurm.instead["doors"] = DOWN
    await lab.at(5 * MINUTE)
    assert await lab.thread("reminder/300/540") is not None


async def test_an_ended_job_is_left_alone(lab: Lab) -> None:
    """Whatever was due."""
    lab.scene.ends("FAILED", "1:0")
    await lab.scene.tracker.tick()
    assert (await lab.scene.job()).seen.state is State.FAILED
    await lab.at(10 * MINUTE)
    assert lab.scene.slurm.cancelled == []
    assert "before there was a way in" in await lab.scene.lead()
    with pytest.raises(Gone):
        await lab.extend(9 * MINUTE)
