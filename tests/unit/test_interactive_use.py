"""What people do with interactive jobs: extend, release, run a command inside, ask for a node."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.card import plain
from bot.errors import Gone, InputRefused, NotAllowed, UserError
from bot.job import Session
from bot.ports import Output
from bot.service import mends, sessions
from tests.unit.cards.saying import offers, says
from tests.unit.interactive import ATTACH, BEGAN, MINUTE, Lab, click, lab, long
from tests.unit.slurm_says import sacct

__all__ = ["lab", "long"]


async def test_an_extension_is_seen_and_the_release_comes_later(lab: Lab) -> None:
    """Up to what Slurm's own limit allows; the thread and the audit log say who did it."""
    await lab.ready()
    await lab.extend(9 * MINUTE)
    assert (await lab.scene.job()).session == Session(stay=10 * MINUTE, attempt=1, attach=ATTACH)
    assert offers(await lab.living()) == ["show_log", "cancel_job"]
    said = await lab.thread("extended/600")
    assert said is not None
    assert "Extended by @U1" in plain(said.lead)
    assert "extend to 10 min" in [entry.did for entry in await lab.scene.store.audit()]
    await lab.at(9 * MINUTE + timedelta(seconds=1))
    assert lab.scene.slurm.cancelled == []


async def test_a_second_click_extends_nothing(lab: Lab) -> None:
    """It saw the stay that has been extended already."""
    await lab.extend(9 * MINUTE)
    with pytest.raises(Gone, match="extended meanwhile"):
        await lab.extend(9 * MINUTE, name="a2")
    with pytest.raises(UserError, match="time limit of 10 min"):
        await lab.extend(10 * MINUTE, name="a3")


async def test_an_extension_is_two_hours_where_slurm_allows(long: Lab) -> None:
    """And reminders begin anew."""
    await long.ready()
    await long.at(91 * MINUTE)
    assert await long.thread("reminder/1800/7200") is not None
    await long.extend(120 * MINUTE)
    await long.at(121 * MINUTE)
    assert long.scene.slurm.cancelled == []
    assert await long.thread("reminder/1800/14400") is None
    await long.at(211 * MINUTE)
    assert await long.thread("reminder/1800/14400") is not None


async def test_a_reminder_whose_button_was_clicked_says_what_was_done(lab: Lab) -> None:
    """And offers no more; clicked again, it extends nothing."""
    await lab.ready()
    await lab.at(5 * MINUTE)
    key = "request/r1/session/75/1/reminder/300/540"
    for message, ts in (("request/r1", "1.0"), (key, "1.1")):
        await lab.scene.store.attempting(message, 1, BEGAN)
        await lab.scene.store.shown(message, ts, 1)
    await lab.extend(9 * MINUTE)
    card = await lab.thread("reminder/300/540")
    assert card is not None
    assert offers(card) == []
    assert "Extended by @U1" in plain(card.foot[0])
    with pytest.raises(Gone):
        await lab.extend(9 * MINUTE, name="a2")


async def test_only_the_owner_or_an_operator_extends(lab: Lab) -> None:
    """Somebody else is told so, and nothing changes."""
    with pytest.raises(NotAllowed):
        await lab.extend(9 * MINUTE, user="U2")
    await lab.extend(9 * MINUTE, user="U9")


async def test_one_that_is_released_by_a_person_says_so(lab: Lab) -> None:
    """By command or button: cancelling is releasing."""
    node, job = lab.scene.node, await lab.scene.job()
    answer = await mends.cancel(lab.service(), click(), node, job)
    assert plain(answer.lead) == "Job 75 train is released, and its nodes with it."
    lab.scene.ends("CANCELLED", "0:15")
    lab.scene.slurm.accounting = [sacct("75", "CANCELLED by 50001")]
    await lab.scene.tracker.tick()
    lead = await lab.scene.lead()
    assert lead.startswith("Released by @U1")
    assert "before there was a way in" in lead


OUT = "Inside job 75, {} ended with status {}."


async def inside(lab: Lab, *words: str, user: str = "U9", name: str = "a1") -> str:
    """Run a command inside the job; what the thread then says."""
    await sessions.inside(
        lab.service(), click(name, user), lab.scene.node, await lab.scene.job(), words
    )
    card = await lab.scene.card(f"inside/{name}")
    return says(card) if card else ""


@pytest.mark.parametrize(("user", "named"), [("U1", "`75` (train)"), ("U2", "")])
async def test_who_does_not_say_which_job_is_shown_their_newest(
    lab: Lab, user: str, named: str
) -> None:
    """Others' jobs are not offered."""
    with pytest.raises(UserError, match=r"Which job\?") as refused:
        await lab.service().job(click(user=user), lab.scene.node, None)
    assert named in refused.value.sentence
    assert ("Your newest" in refused.value.sentence) == bool(named)


async def test_a_command_inside_is_told_in_the_thread(lab: Lab) -> None:
    """What it wrote, and how it ended; the audit log says what ran."""
    await lab.ready()
    lab.scene.slurm.instead["inside"] = Output("ended\x1f3 1\x1fout\nerr\n", "", 0)
    told = await inside(lab, "nvidia-smi")
    assert OUT.format("nvidia-smi", 3) in told
    assert "out\nerr" in told
    assert "Asked for by @U9" in told
    assert [entry.did for entry in await lab.scene.store.audit()] == ["run inside: nvidia-smi"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("nvidia-smi | head",), "nvidia-smi | head"),
        (("ls", "a b", "$HOME"), "ls 'a b' '$HOME'"),
    ],
)
async def test_one_word_is_a_line_and_several_are_words(
    lab: Lab, words: tuple[str, ...], line: str
) -> None:
    """What was quoted as a whole is a shell's; what was not means itself."""
    await lab.ready()
    lab.scene.slurm.instead["inside"] = Output("ended\x1f0 1\x1f", "", 0)
    told = await inside(lab, *words)
    assert OUT.format(line, 0) in told
    assert "It wrote nothing." in told


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("ended\x1f124 60\x1fbegun\nsrun: forcing job termination\n", "was ended after 60 s"),
        ("ended\x1f124 2\x1f", "ended with status 124"),
        ("lost\x1f\x1f", "nobody knows how"),
    ],
)
async def test_a_command_without_an_end_of_its_own_says_so(
    lab: Lab, answer: str, told: str
) -> None:
    """Its time was up, or nobody knows; Slurm's own noise is left out."""
    await lab.ready()
    lab.scene.slurm.instead["inside"] = Output(answer, "", 0)
    said = await inside(lab, "train")
    assert told in said
    assert "srun" not in said


async def test_a_command_is_refused_in_words(lab: Lab) -> None:
    """To who is no operator, before there is a way in, in other jobs, and after the end."""
    with pytest.raises(NotAllowed, match="Only an operator"):
        await inside(lab, "hostname", user="U1")
    with pytest.raises(UserError, match="no way into job 75 yet"):
        await inside(lab, "hostname")
    job = await lab.scene.job()
    other = job.model_copy(update={"session": None})
    with pytest.raises(UserError, match="is not interactive"):
        await sessions.inside(lab.service(), click("a1", "U9"), lab.scene.node, other, ("x",))
    lab.scene.ends("FAILED", "1:0")
    await lab.scene.tracker.tick()
    with pytest.raises(UserError, match="does not run now: it is failed"):
        await inside(lab, "hostname")
    assert "inside" not in lab.scene.slurm.asked
    assert await lab.scene.store.audit() == []


NODES = """\
NodeName=alice-a3m-0 Gres=gpu:8 State=ALLOCATED Partitions=a3m
NodeName=alice-a3m-1 Gres=gpu:8 State=IDLE+POWERED_DOWN Partitions=a3m
NodeName=alice-a3m-2 Gres=gpu:8 State=DOWN+DRAIN Partitions=a3m Reason=Xid
NodeName=alice-a3u-5 Gres=gpu:8 State=IDLE Partitions=a3u
"""


@pytest.mark.parametrize(
    ("index", "partition", "told"),
    [
        (0, "a3m", "Node alice-a3m-0 of a3m is allocated, so the shell will wait"),
        (1, "a3m", "Node alice-a3m-1 of a3m is free, but powered off: it boots first"),
        (2, "a3m", "Node alice-a3m-2 of a3m is down and drain and cannot be had now."),
        (5, "a3u", "Node alice-a3u-5 of a3u is free."),
    ],
)
async def test_a_node_is_looked_at_and_the_lines_are_given(
    lab: Lab, index: int, partition: str, told: str
) -> None:
    """Four lines to type, whatever its state, which is said first."""
    lab.scene.slurm.partitions = SINFO
    lab.scene.slurm.instead["scontrol show node"] = Output(NODES, "", 0)
    card = await sessions.shell(lab.scene.node, index, partition, "")
    assert told in plain(card.lead)
    lines = says(card).splitlines()
    assert f'export CLUSTER_TYPE="hcc-{partition}"' in lines
    assert "cd /home/alice/vertex-oss-training/nemo_rl && source bash_utils.sh" in lines
    assert f"nemorlinteractive {index}" in lines


@pytest.mark.parametrize(
    ("index", "partition", "hint"),
    [
        (7, "a3m", "It has nodes 0 to 2"),
        (0, "a3u", "It has node 5 alone"),
        (0, "zzz", "There is `a3m`, `a3u`, `odd`"),
        (9, "odd", "It has no numbered node"),
    ],
)
async def test_a_node_that_is_not_there_is_refused_with_those_that_are(
    lab: Lab, index: int, partition: str, hint: str
) -> None:
    """Also a partition."""
    lab.scene.slurm.partitions = SINFO
    lab.scene.slurm.instead["scontrol show node"] = Output(NODES, "", 0)
    with pytest.raises(InputRefused) as refusal:
        await sessions.shell(lab.scene.node, index, partition, "")
    assert refusal.value.errors[0].hint == hint


SINFO = "".join(
    f"\x1e{name}\x1fup\x1finfinite\x1f1:00:00\x1f2\x1fidle\x1fgpu:8\x1f\n"
    for name in ("a3m*", "a3u", "odd")
)
