"""What is offered against a failure: buttons that do it, lists to choose from, words to type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from bot.card import plain
from bot.cards.case import Case, Limits
from bot.cards.hints import FLAGS
from bot.cards.mend import CHOSEN, SEPARATOR, controls, first, partition_pick
from bot.cards.remedies import REMEDIES
from bot.diagnosis import Action, Finding
from bot.diagnosis.rules import RULES
from bot.grammar.jobs import Rerun
from bot.model import PartitionState
from bot.options import typed_fields
from bot.rerun import changed
from bot.workloads import WORKLOADS
from tests.payloads.values import case_of, finding, partitions

EVERY = [(action, name) for action in Action for name in ("", *WORKLOADS)]
CHANGES = {one.action: one.changes for one in REMEDIES if one.changes}


def case(**known: Any) -> Case:
    """A script's job of which only this much is known."""
    usual = {"options": {"script": "/home/me/train.sh"}, "admins": False, "limits": Limits()}
    return case_of("a3m", **{**usual, **known})


def found(*actions: Action, label: str = "x", **more: Any) -> Finding:
    """A failure against which this helps."""
    return finding("x", label=label, actions=actions, **more)


def labels(one: Finding, of: Case) -> list[str]:
    """What the buttons are called that this failure has, and not every one."""
    always = {"show_log"} if Action.RERUN_SAME in one.actions else {"show_log", "rerun_same"}
    return [b.label for b in controls(one, of).buttons if b.action not in always]


def chosen(one: Finding, of: Case) -> Mapping[str, object]:
    """What the first button changes in the request."""
    button = controls(one, of).buttons[0]
    return CHANGES[button.action](of.options, button.value.partition(SEPARATOR)[2])


@pytest.mark.parametrize(("action", "workload"), EVERY)
@pytest.mark.parametrize("rich", [True, False], ids=["all known", "little known"])
def test_every_remedy_has_a_control_or_a_sentence(
    action: Action, workload: str, rich: bool
) -> None:
    """Whatever launched the job, and however little is known of it."""
    model = WORKLOADS[workload].model if workload else None
    fields = frozenset(model.model_fields) if model else frozenset[str]()
    of = case_of("a3m", workload=workload, fields=fields)
    if not rich:
        of = case(workload=workload, fields=fields, options={}, node_list="", time_limit=None)

    made = controls(found(action), of)

    always = {"show_log", *({"rerun_same"} - {one.action for one in REMEDIES if one.of is action})}
    own = [button for button in made.buttons if button.action not in always]
    assert own or made.pick or made.hints or action is Action.SHOW_LOG
    assert all(plain(words).strip() for words in made.hints)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.label)
def test_every_rule_of_the_catalogue_can_be_acted_on(rule: Any) -> None:
    """With at most five controls, and at most one of them emphasised, which comes first."""
    made = controls(found(*rule.actions, label=rule.label), case_of("a3m", partition="p"))

    styles = [button.style for button in made.buttons]
    assert styles in ([""] * len(styles), ["primary", *[""] * (len(styles) - 1)])
    assert len(styles) + (made.pick is not None) <= 5


def test_a_guess_is_not_emphasised_and_no_job_message_offers_it() -> None:
    """Nor is anything where no cause is known."""
    sure, guess, unknown = (
        controls(found(Action.RERUN_SAME, label=label, confidence=confidence), case())
        for label, confidence in (("x", 0.9), ("x", 0.3), ("cause-not-in-log", 0.9))
    )

    assert first(sure) == sure.buttons[0]
    assert first(guess) is None
    assert first(unknown) is None


def test_what_mends_comes_before_what_only_tells_more() -> None:
    """And the log comes last."""
    one = found(Action.TELL_ADMIN, Action.CHECK_QUEUE, Action.RERUN_SAME)

    assert [b.action for b in controls(one, case(admins=True)).buttons] == [
        *("rerun_same", "tell_admin", "check_queue", "show_log")
    ]


def test_twice_the_time_as_far_as_the_partition_allows_it() -> None:
    """Where it allows no more, another partition or a checkpoint is what is left."""
    one = found(Action.MORE_TIME, label="slurm-time-limit")

    def within(hours: float | None) -> list[str]:
        longest = timedelta(hours=hours) if hours else None
        there = PartitionState(name="a3m", up=True, default=True, nodes=4, free=1, max_time=longest)
        return labels(one, case(limits=Limits(partitions=(there,))))

    assert within(None) == ["Rerun With 8 Hours"]
    assert within(24) == ["Rerun With 8 Hours"]
    assert within(5.5) == ["Rerun With 330 Minutes"]
    assert within(4) == []


def test_half_as_much_memory_again_as_far_as_a_node_has_it() -> None:
    """What was asked for, else what accounting says it had; else all there is."""
    one = found(Action.MORE_MEMORY)
    asked = {"script": "x", "mem": "64G"}

    assert labels(one, case(options=asked)) == ["Rerun With 96 GB"]
    assert labels(one, case(options=asked, limits=Limits(memory=80 * 2**30))) == [
        "Rerun With 80 GB"
    ]
    assert labels(one, case(options=asked, limits=Limits(memory=64 * 2**30))) == []
    assert labels(one, case(memory=3 * 2**30)) == ["Rerun With 5 GB"]
    assert labels(one, case()) == ["Rerun With All Memory of the Node"]
    assert chosen(one, case(options=asked)) == {"mem": "96G"}
    assert chosen(one, case()) == {"mem": "0"}


def test_a_micro_batch_is_halved_where_it_was_given() -> None:
    """Joined to its name or behind it; for a training that takes settings also where it was not."""
    one = found(Action.LESS_GPU_MEMORY, label="cuda-oom")
    joined = {"script": "x", "args": ("--seed=1", "--micro-batch-size=8")}
    apart = {"script": "x", "args": ("--mbs", "4")}
    training = {"fields": frozenset({"args"}), "workload": "nemo-rl run", "settings": True}
    given = {"job_script": "sft.sh", "args": ("policy.train_micro_batch_size=2",)}

    assert labels(one, case(options=joined)) == ["Rerun With Micro Batch 4"]
    assert chosen(one, case(options=joined)) == {"args": ("--seed=1", "--micro-batch-size=4")}
    assert chosen(one, case(options=apart)) == {"args": ("--mbs", "2")}
    assert chosen(one, case(options=given, **training)) == {
        "settings": ("policy.train_micro_batch_size=1",)
    }
    assert chosen(one, case(options={"job_script": "sft.sh"}, **training)) == {
        "settings": ("policy.train_micro_batch_size=1",)
    }
    recipe = {"fields": frozenset({"extra"}), "workload": "nemo run"}
    assert chosen(one, case(options={"extra": ("--mbs", "4")}, **recipe)) == {"extra": ("--mbs=2",)}
    assert labels(one, case()) == []


def test_generation_gets_more_for_its_cache_and_less_when_memory_ran_out() -> None:
    """As GRPO calls it; a share that was given is moved by a tenth."""
    training = {"fields": frozenset({"args"}), "workload": "nemo-rl run", "settings": True}
    grpo: dict[str, object] = {"job_script": "examples/run_grpo.sh"}
    given = {**grpo, "args": ("policy.generation.vllm_cfg.gpu_memory_utilization=0.6",)}
    cache = found(Action.LESS_GPU_MEMORY, label="vllm-kv-cache")
    memory = found(Action.LESS_GPU_MEMORY, label="cuda-oom")

    assert labels(cache, case(options=grpo, **training)) == ["Rerun With 80 % for Generation"]
    assert labels(cache, case(options=given, **training)) == ["Rerun With 70 % for Generation"]
    assert labels(memory, case(options=given, **training))[1] == "Rerun With 50 % for Generation"
    assert chosen(cache, case(options=given, **training)) == {
        "settings": ("policy.generation.vllm_cfg.gpu_memory_utilization=0.7",)
    }


def test_only_the_node_to_blame_is_left_out() -> None:
    """Besides those that were already; not where too few would be left, or nobody knows which."""
    one = found(Action.EXCLUDE_NODE, nodes=("a3m-7",))
    options = {"script": "x", "exclude": "a3m-1"}
    small = Limits(partitions=(PartitionState(name="a3m", up=True, default=True, nodes=2, free=1),))

    assert labels(one, case()) == ["Rerun Without a3m-7"]
    assert chosen(one, case(options=options)) == {"exclude": "a3m-1,a3m-7"}
    assert labels(one, case(limits=small)) == []
    assert labels(found(Action.EXCLUDE_NODE), case(node_list="a3m-[1-2]")) == []
    assert labels(found(Action.EXCLUDE_NODE), case(node_list="a3m-3")) == ["Rerun Without a3m-3"]


def test_a_list_offers_what_could_be_taken_instead() -> None:
    """Accounts and QOS of the login account, and never the one that did not do."""
    there = Limits(accounts=("a", "b"), qos=("long", "short"), partitions=partitions("p"))
    one = found(Action.RESUBMIT_ACCOUNT, Action.RESUBMIT_QOS, Action.RESUBMIT_PARTITION)

    pick = controls(one, case(limits=there, account="a", qos="long", partition="p")).pick

    assert pick is not None
    assert [(c.label, c.value) for c in pick.choices] == [
        ("Account b", "alice:75|account=b"),
        ("QOS short", "alice:75|qos=short"),
        ("Partition p1 · 1 of 4 nodes free", "alice:75|partition=p1"),
    ]
    assert {c.value.partition("|")[2].partition("=")[0] for c in pick.choices} <= set(CHOSEN)


def test_the_node_to_leave_out_can_be_chosen_where_nobody_knows_which() -> None:
    """Among those it ran on, besides those that were left out already."""
    ran = case(node_list="a3m-[1-2]", options={"script": "x", "exclude": "a3m-9"})

    pick = controls(found(Action.EXCLUDE_NODE), ran).pick

    assert pick is not None
    assert [(c.label, c.value) for c in pick.choices] == [
        ("Without a3m-1", "alice:75|exclude=a3m-9,a3m-1"),
        ("Without a3m-2", "alice:75|exclude=a3m-9,a3m-2"),
    ]
    assert controls(found(Action.EXCLUDE_NODE), case(node_list="a3m-1")).pick is None


def test_a_job_can_always_be_run_again_after_a_change_by_hand() -> None:
    """Which is not emphasised, as nothing says that it helps; a refusal has no job to run again."""
    [again, _] = controls(found(Action.RESUBMIT_OPTION), case()).buttons

    assert (again.label, again.style) == ("Rerun", "")
    assert labels(found(Action.RESUBMIT_OPTION), case(of="0123456789abcdef0123")) == []


def test_running_it_as_it_is_is_not_emphasised_where_something_must_change_first() -> None:
    """By hand, or by a choice; where nothing must, it is."""
    change = found(Action.RESUBMIT_OPTION, Action.RESUME)
    choose = found(Action.EXCLUDE_NODE, Action.RERUN_SAME)
    ran = case(node_list="a3m-[1-2]")

    assert first(controls(change, ran)) is None
    assert first(controls(choose, ran)) is None
    assert first(controls(found(Action.TELL_ADMIN, Action.RERUN_SAME), ran)) is not None


def test_a_training_goes_on_from_its_last_checkpoint_where_it_can_be_told_to() -> None:
    """Anything else is run as it is, and finds its checkpoints or does not."""
    one = found(Action.RESUME)

    assert labels(one, case(resumes=True))[0] == "Rerun From the Last Checkpoint"
    assert controls(one, case()).buttons[0].action == "rerun_same"


def test_a_secret_that_the_bot_lacks_is_not_the_first_thing_to_press() -> None:
    """It can be pressed once somebody has set it."""
    one = found(Action.SET_SECRET, Action.RESUBMIT_OFFLINE, label="wandb-auth")

    without, with_it = (
        labels(one, case(secrets=frozenset(names))) for names in ((), ("WANDB_API_KEY",))
    )

    assert without == ["Rerun With W&B Offline", "Check WANDB_API_KEY and Rerun"]
    assert with_it == ["Check WANDB_API_KEY and Rerun", "Rerun With W&B Offline"]


def test_where_the_cause_is_in_no_log_that_was_read_others_can_be() -> None:
    """All that the job has, and the lines that speak of errors."""
    one = found(Action.FETCH_LOG, label="cause-not-in-log")

    pick = controls(one, case(logs=("driver", "worker 1", "slurm"))).pick

    assert pick is not None
    assert [choice.value for choice in pick.choices] == [
        *("alice:75|errors", "alice:75|driver", "alice:75|worker 1", "alice:75|slurm")
    ]
    assert controls(one, case()).pick is None


def test_fewer_nodes_are_offered_where_a_limit_stands_in_the_way() -> None:
    """As many as are allowed, where that is known, else half of them; or one."""
    one = found(Action.RESUBMIT_SIZE, label="slurm-qos-limit")

    guessed = controls(one, case(nodes=8)).pick
    known = controls(one, case(nodes=8, limits=Limits(nodes=6))).pick

    assert guessed is not None
    assert known is not None
    assert [c.label for c in guessed.choices] == ["4 nodes", "1 node"]
    assert [c.label for c in known.choices] == ["6 nodes", "1 node"]


def test_a_time_limit_is_chosen_where_nobody_can_know_which_is_right() -> None:
    """As far as the partition and the QOS allow it, and never the one that did not do."""
    one = found(Action.MORE_TIME, label="slurm-invalid-time-limit")
    there = PartitionState(
        name="a3m", up=True, default=True, nodes=4, free=1, max_time=timedelta(hours=4)
    )

    pick = controls(one, case(limits=Limits(partitions=(there,)))).pick
    shorter = controls(one, case(limits=Limits(time=timedelta(hours=2)))).pick

    assert pick is not None
    assert shorter is not None
    assert [(c.label, c.value) for c in pick.choices] == [
        ("1 Hour", "alice:75|time=60"),
        ("2 Hours", "alice:75|time=120"),
    ]
    assert [c.label for c in shorter.choices] == ["1 Hour", "2 Hours"]


def test_the_longest_time_that_a_qos_allows_is_taken() -> None:
    """Where that is what stood in the way; else a person must say."""
    one = found(Action.MORE_TIME, label="slurm-qos-limit")

    assert labels(one, case(limits=Limits(time=timedelta(hours=3)))) == ["Rerun With 3 Hours"]
    assert labels(one, case(limits=Limits(time=timedelta(hours=4)))) == []
    assert labels(one, case()) == []


def test_other_partitions_are_offered_most_free_nodes_first() -> None:
    """What is down, and the one that did not do, are left out."""
    pick = partition_pick(case(partition="p1", limits=Limits(partitions=partitions("p", 8))))

    assert pick is not None
    assert [choice.value.split(SEPARATOR) for choice in pick.choices] == [
        ["alice:75", name] for name in ("p4", "p3", "p2", "p6", "p", "p5")
    ]
    assert partition_pick(case()) is None


def test_what_writes_or_starts_too_early_asks_first() -> None:
    """The dialog says what happens."""
    place = found(Action.PLACE_TOKENIZER)
    wait = found(Action.RESUBMIT_DEPENDENCY)
    cached, waits = {"cache_dir": "/cache"}, {"script": "x", "after": ("74",)}

    assert "gpt2-vocab.json" in controls(place, case(options=cached)).buttons[0].confirm
    assert "ended" in controls(wait, case(options=waits)).buttons[0].confirm


def test_a_rerun_after_a_failure_that_the_cache_mends_says_so() -> None:
    """The documented remedy of the cross-device link is the same cache dir."""
    same, other = (
        labels(found(Action.RERUN_SAME, label=label), case())
        for label in ("cross-device-link", "port-in-use")
    )

    assert same == ["Rerun With the Same Cache Dir"]
    assert other == ["Rerun"]


def test_what_never_became_a_job_is_submitted_again_and_not_rerun() -> None:
    """A request that was refused has no job to run again."""
    one = found(Action.RERUN_SAME, Action.MORE_MEMORY)
    of = case(of="0123456789abcdef0123", options={"script": "x", "mem": "2G"})

    assert labels(one, of) == ["Submit Again", "Submit With 3 GB"]


def test_every_change_of_a_button_is_one_that_its_workload_takes() -> None:
    """The words of a click are validated like typed ones."""
    submit = WORKLOADS["slurm submit"]
    options = {"script": "/a.sh", "mem": "1G", "constraint": "h100", "args": ("--workers=8",)}
    of = case_of("a3m", options=options, node_list="a3m-1", partition="p")
    before = submit.model.model_validate(options)

    for button in (b for a in Action for b in controls(found(a, label="hf-x"), of).buttons):
        if change := CHANGES.get(button.action):
            changes = change(of.options, button.value.partition(SEPARATOR)[2])
            assert changed(submit, before, changes) is not None, button


def test_every_option_that_a_sentence_names_is_one_of_a_rerun() -> None:
    """Nobody is told to type what is refused."""
    spelt = {flag for _, option in typed_fields(Rerun) for flag in option.flags}

    assert {flag.split()[0] for _, flag, _ in FLAGS.values()} <= spelt
