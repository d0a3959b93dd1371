"""A draft against the cluster: its files, its launcher's options, its partition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from bot.cluster.preflight import Checked, Verdict, below, preflight
from bot.cluster.recipes import only_recipes
from bot.complaints import complaints
from bot.directives import directives
from bot.duration import duration as length
from bot.errors import FieldError, InputRefused
from bot.login_node import LoginNode
from bot.model import PartitionState, Quote, Request, Resources
from bot.options import Options
from bot.service.naming import misnamed
from bot.suggest import did_you_mean
from bot.words import count, duration
from bot.workload import Found, Site, Workload
from bot.workloads.nemo_rl.wandb import originals


async def checked(
    node: LoginNode, workload: Workload[Any], options: Options, draft: Request
) -> Request:
    """Return the draft with the site's defaults, once the cluster has all that it reads.

    One round trip; raises InputRefused with everything that is wrong, or ClusterError.
    """
    site = await node.site()
    if not site.partition:
        site = site.model_copy(update={"partition": (await node.default_partition()).name})
    full = workload.complete(options, site)
    roots = await node.roots()
    ask = preflight(workload.needs(full, site), roots)
    checks, manual = await node.asking(ask, workload.program(site))
    texts = {check.need.field: check.text for check in checks if check.text}
    fitted = workload.fit(full, Found(typed=typed_in(options), texts=texts, manual=manual))
    problems = _problems(checks, roots)
    if fitted.errors and await _may_be_there(node, full):
        problems += fitted.errors
    problems += (*await misnamed(node, fitted.options), *_misshapen(fitted.options))
    problems += _not_retried(fitted.options, texts.get(workload.batch, ""))
    if problems:
        raise InputRefused(problems)
    full = fitted.options
    resources = workload.resources(full, texts.get(workload.batch, ""))
    resources = resources.model_copy(update={"stay": workload.stay(full)})
    if not resources.partition:
        resources = resources.model_copy(update={"partition": site.partition})
    return draft.model_copy(
        update={
            "options": full.model_dump(mode="json"),
            "resources": resources,
            "title": workload.title(full),
            "heading": workload.heading(full),
            "files": workload.files(full, site, texts),
            "flags": manual.names,
            "notes": (
                *draft.notes,
                *workload.notes(full),
                *fitted.notes,
                *_another_type(site, full),
            ),
        }
    )


def _another_type(site: Site, options: Options) -> tuple[str, ...]:
    """Say that a cluster type is not the one of the partition: its person may know better."""
    partition = getattr(options, "partition", None) or site.partition
    own = site.cluster_type(partition)
    asked = getattr(options, "slurm_type", None) or getattr(options, "cluster_type", None)
    if not own or not asked or own == asked:
        return ()
    return (f"The cluster type is {asked}, though partition {partition} is {own}.",)


def _not_retried(options: Options, script: str) -> tuple[FieldError, ...]:
    """Refuse to run an array again by itself: not all of its tasks need have failed."""
    array = getattr(options, "array", None) or directives(script).get("array")
    if not array or not getattr(options, "retries", 0):
        return ()
    problem = "The tasks of an array are not run again by themselves"
    return (FieldError("retries", problem, "Leave `--retries` out"),)


def _misshapen(options: Options) -> Iterator[FieldError]:
    """Yield what is wrong with what was derived: a name of a long name, a path below the home."""
    try:
        type(options).model_validate(options.model_dump(mode="json"))
    except ValidationError as error:
        for complaint in complaints(error):
            yield FieldError(str(complaint.where[0]), complaint.message, complaint.hint)


async def _may_be_there(node: LoginNode, options: Options) -> bool:
    """Whether the partition that the options name exists.

    From one that does not, nothing can be derived: what is wrong then is left for those that do.
    """
    named = getattr(options, "partition", None)
    return not named or await node.partition(named) is not None


def typed_in(options: Options) -> frozenset[str]:
    """Return the names of the options that say something of their own."""
    fields = type(options).model_fields
    return frozenset(
        name
        for name in options.model_fields_set
        if getattr(options, name) != fields[name].get_default()
    )


def placed(workload: Workload[Any], draft: Request, partition: PartitionState) -> Request:
    """Return a checked draft with what its partition says: its limits, and what is free.

    Raises InputRefused for what this partition can never give.
    """
    draft = _quoted(_within(workload, draft, partition), partition)
    _fits(draft.resources, partition)
    return draft


def _within(workload: Workload[Any], draft: Request, partition: PartitionState) -> Request:
    """Return the draft with its options fitted to the partition, the time limit among them."""
    before = workload.model.model_validate(draft.options)
    options = workload.within(before, partition)
    if options == before:
        return draft
    limit = length(options.time) if options.time else None
    resources = draft.resources.model_copy(update={"time": limit or draft.resources.time})
    return draft.model_copy(
        update={"options": options.model_dump(mode="json"), "resources": resources}
    )


def _quoted(draft: Request, partition: PartitionState) -> Request:
    """Return the draft with what is known of its partition: free nodes, GPUs, default time."""
    resources, limit_from = draft.resources, ""
    gpus = resources.gpus_per_node
    if gpus is None:
        gpus = partition.gpus_per_node
    time = resources.time
    if time is None and (partition.default_time or partition.max_time):
        time, limit_from = partition.default_time or partition.max_time, "partition"
    return draft.model_copy(
        update={
            "resources": resources.model_copy(update={"gpus_per_node": gpus, "time": time}),
            "quote": Quote(free=partition.free, nodes=partition.nodes, limit_from=limit_from),
        }
    )


def _fits(resources: Resources, partition: PartitionState) -> None:
    """Raise InputRefused for what this partition can never give."""
    problems = []
    if resources.nodes > partition.nodes:
        message = (
            f"`{partition.name}` has {count(partition.nodes, 'node')}, not {resources.nodes:,}"
        )
        problems.append(FieldError("nodes", message, f"Ask for at most {partition.nodes}"))
    gpus = resources.gpus_per_node or 0
    if gpus > partition.gpus_per_node:
        message = f"A node of `{partition.name}` has {partition.gpus_per_node} GPUs, not {gpus}"
        problems.append(FieldError("gpus_per_node", message))
    longest = partition.max_time
    if resources.time and longest and resources.time > longest:
        message = f"`{partition.name}` runs jobs for at most {duration(longest)}"
        problems.append(FieldError("time", message, "Ask for less, or take another partition"))
    if not partition.up:
        problems.append(FieldError("partition", f"`{partition.name}` is down"))
    if problems:
        raise InputRefused(tuple(problems))


_WORDS = {
    "recipe": "recipe",
    "script": "script",
    "image": "image",
    "job_script": "job script",
    "launcher": "launcher",
}


def _problems(checks: Sequence[Checked], roots: Sequence[str]) -> tuple[FieldError, ...]:
    """Return what is wrong; what is missing since its folder is, is not said again."""
    wrong = [check for check in checks if check.verdict != Verdict.OK]
    away = [check.need.path for check in wrong if check.need.kind == "folder"]
    return tuple(
        _problem(check, roots)
        for check in wrong
        if check.need.kind == "folder" or not below(check.need.path, away)
    )


_OF_A_KIND: dict[str, Callable[[Iterable[str]], tuple[str, ...]]] = {
    "recipe": only_recipes,
    "job_script": originals,
}
"""Which of the files beside one that is missing can have been meant."""


def _problem(check: Checked, roots: Sequence[str]) -> FieldError:
    need = check.need
    what = _WORDS.get(need.field, need.kind)
    match check.verdict:
        case Verdict.OUTSIDE:
            message = f"`{need.path}` lies outside the folders that may be used"
            outer = [
                root for root in roots if not below(root, [one for one in roots if one != root])
            ]
            hint = f"Use a path below {' or '.join(f'`{root}`' for root in outer)}"
        case Verdict.UNREADABLE:
            message = f"The {what} `{need.path}` may not be read by the login account"
            hint = "Change its rights on the cluster"
        case Verdict.PARTIAL:
            message = f"The {what} `{need.path}` is not whole: it was cut short, or is no image"
            hint = "Copy it again, such as with `/nemo image pull`; `/nemo image list` shows others"
        case Verdict.CLOSED:
            message = f"`{need.path}` may not be written by the login account"
            hint = "Change its rights on the cluster, or name another place"
        case _:
            message = f"There is no {what} `{need.path}` on the cluster"
            if need.kind == "some":
                message = f"There is no {what} (`*{need.suffix}`) in `{need.path}` on the cluster"
            others = _OF_A_KIND.get(need.field, tuple)(check.others)
            hint = did_you_mean(need.path.removeprefix(f"{need.among}/"), others)
            if not hint and others:
                hint = f"There is {', '.join(f'`{other}`' for other in others[:6])}"
            hint = _with(hint, need.hint)
    return FieldError(need.field, message, hint)


def _with(hint: str, what_to_do: str) -> str:
    """Join what was meant and what to do."""
    if not (hint and what_to_do):
        return hint or what_to_do
    return f"{hint}{'' if hint.endswith('?') else '.'} {what_to_do}"
