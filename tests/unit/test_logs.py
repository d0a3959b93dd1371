"""The end of a job's log, chosen by source, on this machine's own shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.card import Excerpt, plain
from bot.cluster_settings import ClusterSettings
from bot.errors import InputRefused
from bot.job import Job, State
from bot.login_node import LoginNode
from bot.policy import Policy
from bot.service import checkpoints
from bot.service.logs import Wish, show
from tests.payloads.values import seen, tracked
from tests.unit.cards.saying import says
from tests.unit.cluster.local import LocalShell


class Shell(LocalShell):
    """A cluster with a name."""

    name = "alice"


@pytest.fixture
def node(tmp_path: Path) -> LoginNode:
    """A login node with the logs of job 75, in NeMo-RL's layout."""
    for name, text in (
        ("75/nemo_rl_output.log", "phase\nstep 1\nstep 2\n"),
        ("75/ray-logs/ray-head.log", "head up\n"),
        ("75/ray-logs/ray-worker-1.log", "worker one\n"),
        ("75/ray-logs/ray-worker-2.log", "worker two\n"),
        ("slurm-75.out", "batch\n"),
        ("slurm-76.out", "no such image\n"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
    policy = Policy(cluster="alice", users=(), channels=(), operators=(), ask_above_gpu_hours=1.0)
    return LoginNode(settings=settings, policy=policy, cluster=Shell(tmp_path))


def job(number: int, node: LoginNode, state: State = State.FAILED) -> Job:
    home = str(node._cluster.home)  # type: ignore[attr-defined]
    made = tracked("x", state)
    observed = seen("x", state, workdir=home, stdout=f"{home}/slurm-{number}.out")
    return made.model_copy(update={"id": str(number), "seen": observed})


@pytest.mark.parametrize(
    ("wish", "lines"),
    [
        (Wish(), "phase\nstep 1\nstep 2"),
        (Wish(source="driver", lines=1), "step 2"),
        (Wish(source="training", grep="step"), "2: step 1\n3: step 2"),
        (Wish(source="head"), "head up"),
        (Wish(source="worker"), "worker one"),
        (Wish(source="worker", worker=2), "worker two"),
        (Wish(source="slurm"), "batch"),
    ],
)
async def test_each_source_is_its_own_file(node: LoginNode, wish: Wish, lines: str) -> None:
    card = await show(node, job(75, node), wish)
    assert [part.text for part in card.parts if isinstance(part, Excerpt)] == [lines]


async def test_a_source_that_is_not_there_says_which_are(node: LoginNode) -> None:
    card = await show(node, job(75, node), Wish(source="worker", worker=7))
    assert plain(card.lead) == "Job 75 has no log called worker 7. It has:"
    for source in ("driver", "head", "worker 1", "worker 2", "slurm"):
        assert f"{source}: " in says(card)


async def test_a_job_that_died_before_its_folder_was_made_shows_slurms_output(
    node: LoginNode,
) -> None:
    card = await show(node, job(76, node), Wish(source="driver"))
    assert "ended before it wrote such a log" in plain(card.lead)
    assert "no such image" in says(card)
    running = await show(node, job(76, node, State.RUNNING), Wish(source="driver"))
    assert "has no log called driver" in plain(running.lead)


@pytest.mark.parametrize(
    ("wish", "lines"),
    [
        (Wish(), "second run"),
        (Wish(attempt=1), "first run"),
        (Wish(attempt=2), "second run"),
        (Wish(attempt=1, source="training"), "first run"),
        (Wish(attempt=1, source="slurm"), "both"),
    ],
)
async def test_each_attempt_of_a_requeued_job_has_its_log(
    node: LoginNode, tmp_path: Path, wish: Wish, lines: str
) -> None:
    """NeMo-Run numbers them; what all of them appended to is everybody's."""
    for name, text in (
        ("log-a-a.x_77_0.out", "first run\n"),
        ("log-a-a.x_77_1.out", "second run\n"),
        ("sbatch_a-a.x_77.out", "both\n"),
    ):
        (tmp_path / name).write_text(text)
    card = await show(node, job(77, node), wish)
    [excerpt] = [part for part in card.parts if isinstance(part, Excerpt)]
    assert excerpt.text.rstrip() == lines


async def test_an_attempt_that_there_was_not_is_refused(node: LoginNode) -> None:
    with pytest.raises(InputRefused, match="Job 75 has had 2 attempts, not 3"):
        await show(node, job(75, node), Wish(attempt=3))


async def test_a_pattern_that_grep_refuses_is_said(node: LoginNode) -> None:
    with pytest.raises(InputRefused):
        await show(node, job(75, node), Wish(grep=r"(a)\1"))


async def test_the_launchers_words_are_kept_for_jobs_launched_from_here_only(
    node: LoginNode,
) -> None:
    stranger = job(75, node).model_copy(update={"request": ""})
    for one in (stranger, job(75, node)):
        card = await show(node, one, Wish(source="launcher"))
        assert "Nothing is kept" in plain(card.lead)


async def test_a_job_that_died_before_its_folder_was_made_has_no_checkpoint(
    node: LoginNode,
) -> None:
    card = await checkpoints.show(node, job(76, node))
    assert "ended before it made a folder for checkpoints" in plain(card.lead)
    assert "no such image" in says(card)
    assert "wrote no checkpoint" in plain((await checkpoints.show(node, job(75, node))).lead)


async def test_checkpoints_are_found_by_the_jobs_own_folder(
    node: LoginNode, tmp_path: Path
) -> None:
    (tmp_path / "75/checkpoints/step_10/policy").mkdir(parents=True)
    card = await checkpoints.show(node, job(75, node))
    assert plain(card.lead) == "Job 75 has 1 whole checkpoint, of step 10."
