"""The living message before there is a job: what will run, what it costs, how it stands."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.card import Card, Excerpt, Moment, plain
from bot.cards import launch
from bot.cards.case import Limits
from bot.cards.request import proposed, refused, request_card, submitting, unknown, withdrawn
from bot.diagnosis import Action
from bot.model import Launch, Quote, Request, Resources, Stage
from tests.payloads.values import NOW, USER, asked, case_of, finding, partitions
from tests.unit.cards.saying import facts, offers, says, small_print

QUOTE = Quote(free=3, nodes=4, starts=NOW)


def wish(**changes: Any) -> Request:
    """A usual request."""
    usual = {
        "options": {"recipe": "pretrain/llama3p1_2b_pt.py"},
        "typed": "/nemo run pretrain/llama3p1_2b_pt.py -n 2",
        "quote": QUOTE,
        "origin": "",
        "error": "",
    }
    return asked("a3m", **{**usual, **changes})


def test_a_proposal_says_what_runs_where_for_how_much_and_when() -> None:
    """All that somebody must know before they press Submit."""
    card = proposed(wish())

    said = facts(card)
    assert said["Runs"] == "pretrain/llama3p1_2b_pt.py"
    assert said["Partition"] == "a3m, 3 of 4 nodes free"
    assert said["Size"] == "2 nodes × 8 GPUs × 4 h"
    assert Moment(at=NOW) in card.facts[3].value
    assert "64 GPU-hours" in plain(card.lead)
    assert [(b.action, b.value, b.style) for b in card.buttons] == [
        ("submit", "0123456789abcdef0123", "primary"),
        ("withdraw", "0123456789abcdef0123", ""),
    ]


@pytest.mark.parametrize(
    ("resources", "limit_from", "size"),
    [
        (Resources(nodes=1, gpus_per_node=1, time=timedelta(minutes=10)), "", "0.17 GPU-hours"),
        (Resources(nodes=2, gpus_per_node=8), "", "2 nodes × 8 GPUs, no time limit"),
        (Resources(nodes=2, gpus_per_node=0, time=timedelta(hours=1)), "", "no GPUs"),
        (Resources(nodes=2, gpus_per_node=8, time=timedelta(hours=1)), "partition", "default time"),
        (Resources(nodes=2, time=timedelta(hours=1)), "", "2 nodes, 1 h at most"),
    ],
)
def test_the_size_is_as_exact_as_what_is_known(
    resources: Resources, limit_from: str, size: str
) -> None:
    """A limit that nobody asked for says so."""
    quote = Quote(limit_from=limit_from)

    assert size in facts(submitting(wish(resources=resources, quote=quote)))["Size"]


@pytest.mark.parametrize(
    ("resources", "cost"),
    [
        (Resources(nodes=1, gpus_per_node=1, time=timedelta(minutes=10)), "0.17 GPU-hours"),
        (Resources(nodes=1, gpus_per_node=1, time=timedelta(minutes=1)), "under 0.1 GPU-hours"),
        (Resources(nodes=2, gpus_per_node=8), "each hour takes 16 GPU-hours"),
        (Resources(nodes=2, time=timedelta(hours=1)), "not known"),
    ],
)
def test_what_it_may_cost_is_asked_with_the_question(resources: Resources, cost: str) -> None:
    """Without a time limit it is a figure for each hour, without GPUs known none at all."""
    assert cost in plain(proposed(wish(resources=resources)).lead)


def test_what_slurm_says_instead_of_a_start_is_told() -> None:
    """An estimate that failed is no start."""
    refused = proposed(wish(quote=Quote(note="Too many nodes.")))
    assert facts(refused)["Start"] == "none. Too many nodes."
    silent = proposed(wish(quote=Quote(silence="Slurm does not answer.")))
    assert facts(silent)["Start"] == "not known. Slurm does not answer."
    assert "Start" not in facts(proposed(wish(quote=Quote())))


@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_keeps_who_asked_and_how(stage: Stage) -> None:
    """So does what was not done as typed."""
    card = request_card(wish(stage=stage, notes=("Left out.",)))

    if stage is not Stage.SUBMITTED:
        assert small_print(card) == (
            f"Left out.\n@{USER} /nemo run pretrain/llama3p1_2b_pt.py -n 2"
        )


def test_only_what_somebody_must_decide_has_controls() -> None:
    """A request on its way has none, so that nobody presses twice."""
    controls = {stage: offers(request_card(wish(stage=stage))) for stage in Stage}

    assert controls.pop(Stage.PROPOSED) == ["submit", "withdraw"]
    assert set(map(tuple, controls.values())) == {()}


def test_a_lost_answer_is_decided_by_a_person_once_it_was_looked_for() -> None:
    """Until then there is nothing to press; submitting again warns of two jobs."""
    assert offers(unknown(wish())) == []

    searched = unknown(wish(), searched=True)

    assert offers(searched) == ["submit_again", "withdraw"]
    assert "two jobs" in searched.buttons[0].confirm
    without_accounting = unknown(wish(), searched=True, accounting=False)
    assert says(without_accounting) != says(searched)


def test_a_refusal_shows_what_slurm_said_and_offers_other_partitions() -> None:
    """The last lines of it, and first the partition with the most free nodes."""
    lines = "\n".join(f"line {n}" for n in range(100))

    card = refused(
        wish(error=lines),
        finding("a3m has no such thing", actions=(Action.RESUBMIT_PARTITION,)),
        case_of("x", limits=Limits(partitions=partitions("p", 6))),
    )

    [*_, excerpt] = card.parts
    assert isinstance(excerpt, Excerpt)
    assert excerpt.text.splitlines()[-1] == "line 99"
    assert len(excerpt.text.splitlines()) < 20
    assert "a3m has no such thing" in plain(card.lead)
    assert card.pick is not None
    assert [c.value.split("|")[1] for c in card.pick.choices] == ["p4", "p3", "p2", "p1", "p"]


def test_a_request_that_slurm_refused_without_a_known_cause_says_so_plainly() -> None:
    """No cause is named that is not there."""
    nothing = refused(wish(error="sbatch: error: x"))
    healthy = refused(wish(error="sbatch: error: x"), finding("all is well", label="none"))

    assert plain(nothing.lead) == plain(healthy.lead)
    assert "all is well" not in plain(healthy.lead)


def test_trouble_on_the_way_is_told_and_so_is_that_nothing_is_lost() -> None:
    """While the login node is away."""
    assert "The login node does not answer." in plain(
        submitting(wish(), "The login node does not answer.").lead
    )


def test_who_gave_it_up_is_named() -> None:
    """Each way in which a request can be settled reads differently."""
    ways: list[Card] = [
        withdrawn(wish(), USER),
        withdrawn(wish(), USER, unsure=True),
        withdrawn(wish(), USER, unsure=True, again=True),
    ]

    leads = {plain(card.lead) for card in ways}
    assert len(leads) == 3
    assert all(f"@{USER}" in lead for lead in leads)


def test_a_rerun_names_the_job_and_the_change() -> None:
    """It is a new request."""
    assert facts(proposed(wish(origin="75", change="partition a3u")))["Rerun of"] == (
        "job 75, partition a3u"
    )


def test_a_partition_that_does_not_exist_is_answered_with_those_that_do() -> None:
    """Those that are down are not offered."""
    card = launch.no_such_partition(
        wish(resources=Resources(partition="genral")),
        case_of("x", of="0123456789abcdef0123", limits=Limits(partitions=partitions("p"))),
    )

    assert "genral" in plain(card.lead)
    assert card.pick is not None
    assert [(choice.value, choice.label) for choice in card.pick.choices] == [
        ("0123456789abcdef0123|p1", "p1 · 1 of 4 nodes free"),
        ("0123456789abcdef0123|p", "p · 0 of 4 nodes free"),
    ]


@pytest.mark.parametrize("number", [0, 1])
def test_a_cluster_with_nothing_up_offers_nothing(number: int) -> None:
    """An empty select would be refused by Slack, and the answer with it."""
    card = launch.no_such_partition(
        wish(), case_of("x", limits=Limits(partitions=partitions("p", number)))
    )

    assert card.pick is None
    assert "down" in says(card)


def test_a_dry_run_shows_lines_that_can_be_pasted_into_a_shell() -> None:
    """Each argument is quoted as a shell wants it."""
    run = Launch(
        argv=("sbatch", "--wrap", "echo $HOME; rm -rf x"),
        cwd="/home/a b",
        env=(("NAME", "it's"),),
        sbatch_options=("--qos", "high prio"),
    )

    [excerpt] = launch.dry_run(wish(), run).parts

    assert isinstance(excerpt, Excerpt)
    assert excerpt.text.splitlines() == [
        "cd '/home/a b'",
        """export NAME='it'"'"'s'""",
        "sbatch --wrap 'echo $HOME; rm -rf x'",
        "# sbatch also gets: --qos 'high prio'",
    ]


def test_a_delivery_that_comes_again_is_told_how_its_request_stands() -> None:
    """Each stage has words of its own."""
    words = {plain(launch.already(wish(stage=stage)).lead) for stage in Stage}

    assert len(words) == len(Stage)


def test_an_interactive_job_costs_what_its_stay_costs() -> None:
    """Slurm's limit leaves room to extend it, which is no reason to ask for all of that."""
    night = Resources(
        nodes=1, gpus_per_node=8, time=timedelta(hours=4, minutes=20), stay=timedelta(minutes=20)
    )
    card = proposed(wish(resources=night, options={"expires": "20m"}))
    assert "It may take 2.7 GPU-hours." in plain(card.lead)
    assert facts(card)["Size"] == "1 node × 8 GPUs × 20 min"
    assert facts(card)["Stays"].startswith("20 min from its start; Slurm's limit of 4 h 20 min")
    assert "Runs" not in facts(proposed(wish(options={"expires": "20m"})))
    short = night.model_copy(update={"time": timedelta(minutes=15)})
    assert short.gpu_hours == 2  # Slurm ends it first


def test_a_card_is_headed_with_what_it_is() -> None:
    """Where the title alone is a name."""
    assert proposed(wish(title="t1.sqsh", heading="Build t1.sqsh")).title == "Build t1.sqsh"
    assert proposed(wish(title="llama", heading="")).title == "llama"
