"""Experiments are found by the names that NeMo-Run gives them, and ended as a whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.card import Card, Table, plain
from bot.errors import InputRefused, NotAllowed, UnknownJob
from bot.grammar import Parsed, parse
from bot.job import Job, State
from bot.model import Experiment, Request, Task
from bot.service import experiments, views
from bot.taken import new_job
from handlers.commands import COMMANDS
from tests.unit.cards.saying import says
from tests.unit.slurm_says import sacct, scontrol, squeue
from tests.unit.test_recipes import Desk, desk
from tests.unit.tracking import a_request

ID = "chain_1796059859187830485"
SCANCEL = """#!/bin/sh
for last; do :; done
echo "$last" >>"$HOME/cancelled"
"""


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Desk]:
    """A cluster with an experiment of two jobs, of which the first runs."""
    home = tmp_path / "home"
    home.mkdir()
    async with desk(home) as made:
        made.login.file("bin/scancel", SCANCEL)
        made.login.file("bin/squeue", "#!/bin/sh\n")
        request = with_experiment(a_request())
        await made.service.store.add_request(request)
        first, second = new_job(request, "75"), new_job(request, "76")
        runs = first.seen.model_copy(update={"state": State.RUNNING})
        await made.service.store.save_jobs([first.model_copy(update={"seen": runs}), second])
        yield made


def with_experiment(request: Request) -> Request:
    """A request that NeMo-Run made two jobs of."""
    tasks = (Task(name="pretrain", job="75"), Task(name="tune", job="76"))
    return request.model_copy(update={"experiment": Experiment(id=ID, tasks=tasks)})


async def typed(here: Desk, text: str, **act: object) -> Card:
    """Type this behind `/nemo`, and give the answer."""
    made = here.act(text).model_copy(update=act)
    parsed = parse(made.command, made.text)
    assert isinstance(parsed, Parsed), parsed
    answer = await COMMANDS[parsed.subcommand](here.service, made, parsed)
    assert answer is not None
    return answer


def cancelled(here: Desk) -> list[str]:
    """What scancel was called with, in order."""
    path = here.login.home / "cancelled"
    return path.read_text().split() if path.exists() else []


@pytest.mark.parametrize(
    "text",
    [
        f"experiment status {ID}",
        "experiment status chain",
        f"nemo experiment status {ID}",
        f"nemorun experiment status {ID}",
    ],
)
async def test_an_experiment_is_known_by_its_id_and_its_title(here: Desk, text: str) -> None:
    """As NeMo-Run prints the command, and as people shorten it."""
    card = await typed(here, text)
    assert card.title == "chain"
    assert plain(card.lead) == "2 jobs: 1 running and 1 waiting."
    assert [fact.label for fact in card.facts][:2] == ["pretrain", "tune"]


async def test_an_experiment_that_was_launched_elsewhere_is_found_on_the_cluster(
    here: Desk,
) -> None:
    """In NeMo-Run's own list; the newest of a title."""
    folder = "/w/experiments/by-hand"
    lines = [
        f"{job} = {folder}/{name}/{task}/log*,{folder}/{name}/{task},LocalTunnel,{{}}\n"
        for job, name, task in (
            ("10", "by-hand_1700000000", "old"),
            ("11", "by-hand_1800000000", "a"),
            ("12", "by-hand_1800000000", "b"),
        )
    ]
    here.login.file("nemo/.slurm_jobs", "".join(lines) + "13 = broken\n")
    for job in ("10", "11", "12"):
        here.login.file(f"job.{job}", scontrol(job, "COMPLETED"))
    here.login.file("bin/scontrol", "#!/bin/sh\nfor job; do :; done\nexec cat $HOME/job.$job\n")
    there = await experiments.find(here.service, here.act("x"), here.node, "by-hand_1700000000")
    assert [task.job for task in there.experiment.tasks] == ["10"]
    newest = await experiments.find(here.service, here.act("x"), here.node, "by-hand")
    assert newest.experiment.id == "by-hand_1800000000"
    assert [job.id for job in newest.jobs] == ["11", "12"]


async def test_an_unknown_experiment_is_guessed_at(here: Desk) -> None:
    """Among those that were launched from here."""
    with pytest.raises(UnknownJob, match=r"no experiment `chian`.*Did you mean `chain`\?"):
        await typed(here, "experiment status chian")


async def test_of_several_jobs_it_must_be_said_which_to_cancel(here: Desk) -> None:
    """Nothing is cancelled by a guess."""
    with pytest.raises(InputRefused) as refused:
        await typed(here, f"experiment cancel {ID}")
    assert refused.value.errors[0].hint == ("Add its number (0: job 75 and 1: job 76), or `--all`")
    with pytest.raises(InputRefused, match="no job number 7"):
        await typed(here, f"experiment cancel {ID} 7")
    assert cancelled(here) == []


async def test_one_job_is_cancelled_and_the_others_are_offered(here: Desk) -> None:
    """With one button for all that is left."""
    card = await typed(here, f"experiment cancel {ID} 0")
    assert cancelled(here) == ["75"]
    [button] = card.buttons
    assert (button.action, button.value) == ("cancel_all", "r1")
    assert "job 76" in button.confirm


async def test_all_jobs_are_cancelled_the_waiting_ones_first(here: Desk) -> None:
    """So that none is left to wait for what will never end well."""
    card = await typed(here, f"experiment cancel {ID} --all")
    assert cancelled(here) == ["76", "75"]
    assert plain(card.lead) == "2 of 2 jobs cancelled."
    entries = await here.service.store.audit()
    assert [(entry.did, entry.job) for entry in entries] == [
        ("cancel", "alice:75"),
        ("cancel", "alice:76"),
    ]


async def test_the_button_cancels_all_for_who_may(here: Desk) -> None:
    """Somebody else's experiment is theirs."""
    click = here.act("").model_copy(update={"value": "r1", "action": "cancel_all"})
    stranger = click.caller.model_copy(update={"user": "U2"})
    with pytest.raises(NotAllowed):
        await experiments.cancel_all(here.service, click.model_copy(update={"caller": stranger}))
    assert cancelled(here) == []
    await experiments.cancel_all(here.service, click)
    assert cancelled(here) == ["76", "75"]


async def test_a_log_of_an_experiment_is_that_of_one_of_its_jobs(here: Desk) -> None:
    """The first, unless another is named."""
    for number in ("75", "76"):
        here.login.file(f"slurm-{number}.out", f"log of {number}\n")
    await _with_output(here)
    first = await typed(here, f"experiment logs {ID}")
    second = await typed(here, "experiment logs chain 1")
    assert "75" in plain(first.lead)
    assert "76" in plain(second.lead)


async def _with_output(here: Desk) -> None:
    """Let Slurm have said where the jobs write."""
    store = here.service.store
    jobs: list[Job] = []
    for job in await store.jobs_of("r1"):
        output = f"{here.login.home}/slurm-{job.id}.out"
        jobs.append(job.model_copy(update={"seen": job.seen.model_copy(update={"stdout": output})}))
    await store.save_jobs(jobs)


async def test_a_list_of_jobs_says_which_belong_together(here: Desk) -> None:
    """By their place in the experiment."""
    card = await views.jobs(here.service, here.act("x"), here.node, "mine")
    [table] = [part for part in card.parts if isinstance(part, Table)]
    assert [(row[0], row[2].rpartition(" (")[2]) for row in table.rows] == [
        ("76", "2 of 2)"),
        ("75", "1 of 2)"),
    ]


async def test_an_array_that_ended_is_one_line_of_the_list_of_all(here: Desk) -> None:
    """With its tasks counted; those that the queue still shows are not told twice."""
    [first, _] = await here.service.store.jobs_of("r1")
    array = first.model_copy(
        update={
            "id": "202",
            "seen": first.seen.model_copy(update={"id": "202_3", "state": State.FAILED}),
            "tasks": ((State.COMPLETED, 3), (State.FAILED, 1)),
        }
    )
    await here.service.store.save_jobs([array])
    here.login.file("squeue.out", squeue("75"))
    here.login.file("bin/squeue", "#!/bin/sh\nexec cat $HOME/squeue.out\n")
    card = await views.jobs(here.service, here.act("x"), here.node, "all")
    [table] = [part for part in card.parts if isinstance(part, Table)]
    assert table.head == ("Job", "State", "Name", "Owner", "Where")
    rows = {row[0]: row for row in table.rows}
    assert list(rows) == ["202", "76", "75"]
    assert rows["202"][1] == "3 completed, 1 failed"
    assert rows["75"][3] == "alice"


async def test_a_requeued_jobs_status_lists_the_attempts_before_it(here: Desk) -> None:
    """As accounting knows them; while that is silent, the rest is told all the same."""
    [first, _] = await here.service.store.jobs_of("r1")
    observed = first.seen.model_copy(update={"submitted": None})
    again = first.model_copy(update={"attempt": 2, "seen": observed})
    await here.service.store.save_jobs([again])
    rows = sacct("75", "PREEMPTED", ran=90) + sacct(
        "75", "RUNNING", start="21:50:00", end="Unknown"
    )
    here.login.file("sacct.out", rows)
    here.login.file("bin/sacct", "#!/bin/sh\nexec cat $HOME/sacct.out\n")
    told = await views.status(here.service, here.act("x"), here.node, "75")
    assert "Attempt 1: preempted after 1 min 30 s. Log: /slurm logs 75 --attempt 1" in says(told)
    here.login.file("bin/sacct", "#!/bin/sh\necho 'sacct: error: Unable to connect' >&2\nexit 1\n")
    silent = await views.status(here.service, here.act("x"), here.node, "75")
    assert "/slurm logs 75 --attempt 1" in says(silent)


async def test_a_job_that_runs_again_offers_no_second_rerun(here: Desk) -> None:
    """Its diagnosis says where it went."""
    store = here.service.store
    [first, _] = await store.jobs_of("r1")
    output = here.login.file("slurm-75.out", "torch.cuda.OutOfMemoryError: CUDA out of memory.\n")
    seen = {"state": State.FAILED, "raw": "FAILED", "exit_code": "1:0", "stdout": str(output)}
    failed = first.model_copy(update={"seen": first.seen.model_copy(update=seen)})
    await store.save_jobs([failed])
    offered = await views.why(here.service, here.node, failed)
    assert "show_log" in [button.action for button in offered.buttons]
    later = {"created": first.created + timedelta(minutes=1)}
    again = a_request("r2").model_copy(update={"origin": "75", "change": "nodes: 1 → 2", **later})
    await store.add_request(again)
    await store.save_jobs([new_job(again, "80").model_copy(update=later)])
    spent = await views.why(here.service, here.node, failed)
    assert [button.action for button in spent.buttons] == ["show_log"]
    assert spent.pick is None
    assert plain(spent.foot[0]).startswith("Run again by @U1 (nodes: 1 → 2).")
    assert plain(spent.foot[0]).endswith("It is job 80.")
