"""What a remedy offers in a case: the label of its button, the value it chose, what it asks first.

Each function returns what can be done, likeliest first, and nothing where no click can know the
answer; `bot.cards.hints` has the words for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from bot.amounts import length, memory, minutes, more_memory, more_time
from bot.arguments import Argument, argument
from bot.cards.case import Case
from bot.diagnosis import Finding
from bot.model import derive
from bot.nodelist import node_names

SAME_CACHE = "Rerun With the Same Cache Dir"
"""What rerunning is called after a failure that the same cache dir mends."""
SUBMIT_AGAIN = "Submit Again"
"""What rerunning is called for a request that never became a job."""

_MICRO = ("micro_batch_size", "train_micro_batch_size", "mbs")
_SHARE = ("gpu_memory_utilization", "gpu_memory_share")
_WORKERS = ("num_workers", "dataloader_num_workers", "workers")
_MICRO_KEY = "policy.train_micro_batch_size"
_SHARE_KEY = "policy.generation.vllm_cfg.gpu_memory_utilization"
_LEAST_SHARE, _LESS_SHARE, _MORE_SHARE, _MOST_SHARE, _STEP = 0.3, 0.5, 0.8, 0.95, 0.1
_PORTS = (20_000, 10_000)
"""Where ports are looked for: from which on, and how many."""
SECRETS = {"hf-": "HF_TOKEN", "wandb-": "WANDB_API_KEY"}
"""The secret that mends failures whose labels begin so."""


@dataclass(frozen=True)
class Offer:
    """One thing that a click does."""

    label: str
    argument: str = ""
    """The value that was chosen."""
    confirm: str = ""
    likely: bool = True
    """Whether it can well mend the job, as far as that is known."""


def rerun(case: Case, finding: Finding) -> Iterator[Offer]:
    """Run it as it is."""
    if not case.workload:
        return
    if not case.job:
        yield Offer(SUBMIT_AGAIN)
    elif finding.label == "cross-device-link":
        yield Offer(SAME_CACHE)
    else:
        yield Offer("Rerun")


def resume(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Go on from the newest whole checkpoint, where the launcher can be told to."""
    if case.job and case.resumes:
        yield Offer("Rerun From the Last Checkpoint")


def anew(case: Case, finding: Finding) -> Iterator[Offer]:
    """Run it as it is, where that is how it goes on."""
    if not case.resumes:
        yield from rerun(case, finding)


def place_tokenizer(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Put the tokenizer files into the cache dir, then run it."""
    if case.job and case.options.get("cache_dir"):
        yield Offer(
            "Place Tokenizer Files",
            confirm="This puts gpt2-vocab.json and gpt2-merges.txt into the job's cache dir on the "
            "cluster, then reruns the job.",
        )


def exclude_node(case: Case, finding: Finding) -> Iterator[Offer]:
    """Run it without the nodes to blame, where it is known which these are."""
    ran = node_names(case.node_list)
    nodes = finding.nodes or (ran if len(ran) == 1 else ())
    there = case.limits.partition(case.partition)
    enough = there is None or there.nodes - len(nodes) >= max(case.nodes, 1)
    if nodes and enough and case.can_change("exclude"):
        without = f"Without {nodes[0]}" if len(nodes) == 1 else f"Without {len(nodes)} Nodes"
        yield Offer(f"{case.verb} {without}", ",".join(nodes))


def other_time(case: Case, finding: Finding) -> Iterator[Offer]:
    """Ask for twice the time, or for what the partition or the QOS allows at most."""
    if not case.can_change("time") or case.can_change("expires"):
        return
    there = case.limits.partition(case.partition)
    longest = there.max_time if there else None
    wanted: timedelta | None = None
    if finding.label == "slurm-time-limit" and case.time_limit:
        wanted = more_time(case.time_limit, longest)
    elif finding.label == "slurm-invalid-time-limit" and case.time_limit != longest:
        wanted = longest
    elif finding.label == "slurm-qos-limit" and case.limits.time and case.time_limit:
        wanted = case.limits.time if case.limits.time < case.time_limit else None
    if wanted:
        yield Offer(f"{case.verb} With {length(wanted)}", minutes(wanted))


def other_memory(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Ask for half as much again, as far as a node has it."""
    if not case.can_change("mem"):
        return
    had = memory(str(case.options.get("mem") or "")) or case.memory
    if case.options.get("mem") == "0":
        return
    if not had:
        yield Offer(f"{case.verb} With All Memory of the Node", "0")
    elif more := more_memory(had, case.limits.memory):
        yield Offer(f"{case.verb} With {more} GB", f"{more}G")


def memory_that_fits(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Ask for what the largest node has, where more was asked."""
    most = case.limits.memory
    asked = memory(str(case.options.get("mem") or ""))
    if case.can_change("mem") and most and asked > most:
        gigabytes = most // 2**30
        yield Offer(f"{case.verb} With {gigabytes} GB", f"{gigabytes}G")


def micro_batch(case: Case, finding: Finding) -> Iterator[Offer]:
    """Halve the micro batch, where it was given or where it is known how it is."""
    if finding.label == "vllm-kv-cache":
        return
    given = argument(case.words, *_MICRO)
    if given is None:
        if word := _new_word(case, _MICRO, _MICRO_KEY, 1):
            yield Offer(f"{case.verb} With Micro Batch 1", word)
    elif given.number > 1:
        half = given.number // 2
        yield Offer(f"{case.verb} With Micro Batch {half:g}", _word(case, given, half))


def gpu_share(case: Case, finding: Finding) -> Iterator[Offer]:
    """Change what share of a GPU's memory the generation takes: more for its cache, else less."""
    more = finding.label == "vllm-kv-cache"
    given = argument(case.words, *_SHARE)
    if given is None:
        generates = not case.settings or "grpo" in str(case.options.get("job_script"))
        share = _MORE_SHARE if more else _LESS_SHARE
        if generates and (word := _new_word(case, (), _SHARE_KEY, share)):
            yield Offer(_share(case, share), word)
        return
    share = round(min(given.number + _STEP, _MOST_SHARE) if more else given.number - _STEP, 2)
    if share >= _LEAST_SHARE and share != given.number:
        yield Offer(_share(case, share), _word(case, given, share))


def _share(case: Case, share: float) -> str:
    return f"{case.verb} With {share * 100:.0f} % for Generation"


def _word(case: Case, given: Argument, number: float) -> str:
    """Return how a word is changed: as a setting or option of its name, else in its place."""
    if case.settings:
        return f"settings {given.word(number)}"
    if case.can_change("extra"):
        return f"extra {given.name}={number:g}"
    return f"{given.index} {given.word(number)}"


def _new_word(case: Case, names: tuple[str, ...], key: str, number: float) -> str:
    """Return how it is given where it was not; empty where nobody knows how."""
    if case.settings:
        return f"settings {key}={number:g}"
    if not case.can_change("extra"):
        return ""
    flags = (flag for flag in case.flags if flag.lstrip("-").replace("-", "_") in names)
    flag = next(flags, "")
    return f"extra {flag}={number:g}" if flag else ""


def fewer_workers(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Halve the workers that load data, where their number was given."""
    given = argument(case.words, *_WORKERS)
    if given is not None and given.number >= 1:
        half = given.number // 2
        label = f"{case.verb} With {half:g} {'Worker' if half == 1 else 'Workers'}"
        yield Offer(label, _word(case, given, half))


def gpus(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Ask for as many GPUs as a node has."""
    there = case.limits.partition(case.partition)
    if case.can_change("gpus_per_node") and there and there.gpus_per_node:
        number = str(there.gpus_per_node)
        if case.options.get("gpus_per_node") != number or case.options.get("gres"):
            yield Offer(f"{case.verb} With {number} GPUs per Node", number)


def no_constraint(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Leave the constraint out that was asked for from here."""
    if case.can_change("constraint") and case.options.get("constraint"):
        yield Offer(f"{case.verb} Without the Constraint")


def no_dependency(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Wait for nothing, where waiting was asked for from here."""
    if case.options.get("after") or case.options.get("dependency"):
        yield Offer(
            f"{case.verb} Without Waiting",
            confirm="It then starts whether or not the job that it waited for has ended.",
        )


def clean_env(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Leave the login node's environment out."""
    if case.can_change("clean_env") and not case.options.get("clean_env"):
        yield Offer(f"{case.verb} With a Clean Environment")


def without_wandb(case: Case, finding: Finding) -> Iterator[Offer]:
    """Switch W&B off in a copy of the job script, or write what it would send to a folder."""
    if not finding.label.startswith("wandb"):
        return
    if case.can_change("no_wandb"):
        if not case.options.get("no_wandb"):
            yield Offer(f"{case.verb} Without W&B")
    elif case.can_change("env"):
        yield Offer(f"{case.verb} With W&B Offline", "WANDB_MODE=offline")


def hub_offline(case: Case, finding: Finding) -> Iterator[Offer]:
    """Take from the cache what the Hub does not give."""
    if finding.label.startswith("hf-") and case.can_change("env"):
        yield Offer(
            f"{case.verb} With the Hub Offline",
            "HF_HUB_OFFLINE=1",
            "It then takes models and data from the job's cache only; what is not there fails.",
        )


def hub_online(case: Case, finding: Finding) -> Iterator[Offer]:
    """Let it ask the Hub again."""
    if finding.label == "hf-offline" and case.can_change("env"):
        yield Offer(f"{case.verb} With the Hub Online", "HF_HUB_OFFLINE=0")


def fewer_threads(case: Case, finding: Finding) -> Iterator[Offer]:
    """Let each process make one thread."""
    if finding.label == "thread-limit" and case.can_change("env"):
        yield Offer(f"{case.verb} With One Thread Each", "OMP_NUM_THREADS=1")


def blocking(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Let the GPU say where it happens."""
    if case.can_change("env"):
        yield Offer(
            f"{case.verb} to Find the Place",
            "CUDA_LAUNCH_BLOCKING=1",
            "It runs slower, with CUDA_LAUNCH_BLOCKING=1, and its traceback then shows the call "
            "that fails.",
            likely=False,
        )


def other_port(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Take another port; the same one for the same job."""
    if case.can_change("env"):
        start, number = _PORTS
        port = start + int(derive(case.of, "port")[:8], 16) % number
        yield Offer(
            f"{case.verb} With Port {port}",
            f"MASTER_PORT={port}",
            f"It runs with MASTER_PORT={port}. A script that sets a port of its own must be "
            "changed on the cluster instead.",
        )


def set_secret(case: Case, finding: Finding) -> Iterator[Offer]:
    """Look whether the secret is there by now, and run it with it."""
    name = secret_of(finding)
    if name and case.workload:
        yield Offer(f"Check {name} and {case.verb}", name, likely=name in case.secrets)


def secret_of(finding: Finding) -> str:
    """Return the secret that mends a failure; empty where that is none of ours."""
    return next((name for start, name in SECRETS.items() if finding.label.startswith(start)), "")


def check_queue(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Look whether it was submitted after all."""
    if case.workload:
        yield Offer("Look at the Queue", likely=False)


def tell_admin(case: Case, _finding: Finding) -> Iterator[Offer]:
    """Leave it to those who can mend it."""
    if case.admins:
        yield Offer("Tell the Administrators", likely=False)
