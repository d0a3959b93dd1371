"""What to type, or to do, for a remedy whose answer no click can know."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.card import Mono, Text
from bot.cards import parts
from bot.cards.case import Case
from bot.cards.offers import secret_of
from bot.diagnosis import Action, Finding

FLAGS = {
    Action.RESUBMIT_PARTITION: ("partition", "-p PARTITION", "On another partition"),
    Action.RESUBMIT_ACCOUNT: ("account", "--account ACCOUNT", "With another account"),
    Action.RESUBMIT_QOS: ("qos", "--qos QOS", "With another QOS"),
    Action.RESUBMIT_GPUS: ("gpus_per_node", "--gpus-per-node N", "With other GPUs"),
    Action.RESUBMIT_SIZE: ("nodes", "--nodes N", "On another number of nodes"),
    Action.RESUBMIT_CONSTRAINT: ("constraint", "--constraint FEATURES", "With other features"),
    Action.RESUBMIT_DEPENDENCY: ("after", "--after JOB", "After another job"),
    Action.RESUBMIT_CLEAN_ENV: ("clean_env", "--clean-env", "With a clean environment"),
    Action.RESUBMIT_IMAGE: ("image", "--image IMAGE", "With another image"),
    Action.RESUBMIT_MOUNTS: ("data_dir", "--data-dir DIR", "With another data folder"),
    Action.RESUBMIT_OFFLINE: ("env", "--env HF_HUB_OFFLINE=1", "With the Hub offline"),
    Action.RESUBMIT_BLOCKING: ("env", "--env CUDA_LAUNCH_BLOCKING=1", "To find the place"),
    Action.RESUBMIT_OTHER_PORT: ("env", "--env MASTER_PORT=PORT", "With another port"),
    Action.MORE_TIME: ("time", "--time TIME", "With another time limit"),
    Action.MORE_MEMORY: ("mem", "--mem SIZE", "With more memory"),
    Action.EXCLUDE_NODE: ("exclude", "--exclude NODE", "Without a node"),
    Action.PLACE_TOKENIZER: ("cache_dir", "--cache-dir DIR", "With a folder for its cache"),
}
"""The option that does it, how it is typed, and what is different then."""

WHOLE_NODES = "It takes whole nodes, with all their memory and GPUs"
INSTEAD = {
    Action.RESUBMIT_GPUS: f"{WHOLE_NODES}: choose a partition whose nodes have GPUs",
    Action.MORE_MEMORY: f"{WHOLE_NODES}: use fewer data-loader workers, or more nodes",
    Action.RESUBMIT_CLEAN_ENV: "Unset the SLURM_ variables where it is submitted",
    Action.PLACE_TOKENIZER: "Put the two tokenizer files into the folder that the job reads",
}
"""What to do where a workload lacks the option, and changing what is submitted is not enough."""
TELL = "Tell the administrators"
REGISTRY = (
    "An administrator puts the registry's credentials into enroot's credentials file on the "
    "cluster. Never post them here."
)
ON_CLUSTER = {
    "nemo run": "its recipe",
    "nemo-rl run": "the job script",
    "slurm submit": "the script",
}
"""Where what cannot be typed is written, by workload."""


def hint(action: Action, finding: Finding, case: Case) -> Text:
    """Return a sentence on what to do; empty where the finding's own remedy says all there is."""
    own = _OWN.get(action)
    return own(finding, case) if own else _flag(action, case)


def _typed(when: str, line: str) -> Text:
    return parts.fill("{when}: {line}", when=when, line=Mono(text=line))


def _flag(action: Action, case: Case) -> Text:
    option, flag, when = FLAGS[action]
    if action is Action.MORE_TIME and case.can_change("expires"):
        option, flag = "expires", "--expires TIME"
    if not case.workload:
        return _typed("Submit it again with", flag)
    if case.can_change(option):
        return _again(case, flag, when)
    return (f"{INSTEAD[action]}.",) if action in INSTEAD else _written(case)


def _again(case: Case, flag: str, when: str) -> Text:
    """Return how a rerun, or what was refused, is typed with an option."""
    if case.job:
        return _typed(when, f"/slurm rerun {case.job} {flag}")
    return _typed(f"{when}, type it again with", flag)


def _micro(_finding: Finding, case: Case) -> Text:
    if case.settings:
        line = "--set policy.train_micro_batch_size=1"
        return _again(case, line, "With a smaller micro batch")
    return _written(case)


def _option(_finding: Finding, case: Case) -> Text:
    """Return how a program's own setting is changed, where it takes any."""
    if case.settings:
        return _again(case, "--set KEY=VALUE", "With another setting")
    if case.workload == "nemo run":
        return _again(case, "--OPTION=VALUE", "With another option")
    return _written(case)


def _written(case: Case) -> Text:
    """Return how a setting is changed where it is written."""
    where = ON_CLUSTER.get(case.workload, "what is submitted")
    path = str(case.options.get("script") or case.options.get("job_script") or "")
    shown: Text = (Mono(text=path),) if path else (where,)
    if case.workload and case.job:
        return ("Its settings are in ", *shown, " on the cluster. Once all is right, press Rerun.")
    return ("Its settings are in ", *shown, ". Once all is right, submit it again.")


def _secret(finding: Finding, case: Case) -> Text:
    name = secret_of(finding)
    if not name:
        return (REGISTRY,)
    return parts.fill(
        "An administrator gives the bot {name} under {section} in its configuration; "
        "{look} shows whether it is there. Never post it here.",
        name=Mono(text=name),
        section=Mono(text="[secrets]"),
        look=Mono(text="/slurm secrets"),
    )


def _logs(_finding: Finding, case: Case) -> Text:
    if not case.job:
        return ()
    return _typed("To read more of its log", f"/slurm logs {case.job} -n 500")


def _same(_finding: Finding, case: Case) -> Text:
    return () if case.workload else ("Submit it again: it was not launched from here.",)


def _release(_finding: Finding, case: Case) -> Text:
    line = f"scontrol release {case.job or 'JOB'}"
    return _typed("While it is held, this releases it on the login node", line)


_OWN: Mapping[Action, Callable[[Finding, Case], Text]] = {
    Action.SET_SECRET: _secret,
    Action.TELL_ADMIN: lambda _finding, _case: (f"{TELL}.",),
    Action.CHECK_QUEUE: lambda _finding, _case: _typed("Look at the queue", "/slurm jobs all"),
    Action.FETCH_LOG: _logs,
    Action.SHOW_LOG: _logs,
    Action.RELEASE: _release,
    Action.RERUN_SAME: _same,
    Action.RESUME: _same,
    Action.LESS_GPU_MEMORY: _micro,
    Action.RESUBMIT_OPTION: _option,
    Action.FEWER_WORKERS: _option,
}
"""What is not one option of a rerun."""
