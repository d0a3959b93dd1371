"""From validated words to a stored request: check it on the cluster, quote it, ask or go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from bot.card import Card
from bot.cards import launch as cards
from bot.cards.request import proposed, submitting, withdrawn
from bot.cluster import slurm
from bot.cluster.preflight import Checked, Verdict, below, preflight
from bot.cluster.recipes import only_recipes
from bot.duration import duration as length
from bot.errors import ClusterError, FieldError, Gone, InputRefused
from bot.launching import QUIET
from bot.login_node import LoginNode
from bot.messages import living
from bot.model import Act, PartitionState, Quote, Request, Resources, Stage, derive
from bot.options import Options
from bot.service.service import Service
from bot.suggest import did_you_mean
from bot.words import count, duration
from bot.workload import Texts, Workload
from bot.workloads import WORKLOADS


async def launch(service: Service, act: Act, node: LoginNode, draft: Request) -> Card | None:
    """Check a draft, then submit it or ask first; None when a card in the channel says it all."""
    known = await service.store.request(draft.id)
    if known is not None:
        return cards.already(known)
    workload = WORKLOADS[draft.workload]
    options = workload.model.model_validate(draft.options)
    draft = await _checked(node, workload, options, draft)
    wished = [await node.partition(name) for name in draft.resources.partition.split(",")]
    partition = wished[0]
    if partition is None or None in wished:
        return await _no_such_partition(service, node, draft)
    draft = _quoted(_within(workload, draft, partition), partition)
    _fits(draft.resources, partition)
    if getattr(options, "dry_run", False):
        return await _dry_run(node, workload, draft)
    if node.policy.must_ask(draft.resources):
        await _propose(service, node, draft)
        return None
    await accept(service, act, draft)
    return None


def draft(  # noqa: PLR0913  # each is a field of the draft
    act: Act,
    node: LoginNode,
    workload: str,
    options: Options,
    *,
    request_id: str,
    typed: str,
    origin: str = "",
    change: str = "",
    notes: tuple[str, ...] = (),
) -> Request:
    """Return an unchecked request."""
    return Request(
        id=request_id,
        cluster=node.name,
        workload=workload,
        options=options.model_dump(mode="json", exclude_unset=True),
        typed=typed,
        caller=act.caller,
        created=datetime.now(UTC),
        title=WORKLOADS[workload].title(options),
        origin=origin,
        change=change,
        notes=(*notes, *WORKLOADS[workload].notes(options), *_not_yet(options)),
    )


def _not_yet(options: Options) -> tuple[str, ...]:
    """Say which options are kept and not acted on yet."""
    if getattr(options, "retries", 0):
        return ("--retries is kept; the bot does not rerun by itself yet.",)
    return ()


async def accept(service: Service, act: Act, request: Request) -> None:
    """Take a request on: from here the launcher sees to it, whatever happens to this process."""
    now = datetime.now(UTC)
    going = request.model_copy(update={"stage": Stage.ACCEPTED, "accepted": now})
    card = living(going, submitting(going), not_before=now + QUIET)
    kept = await service.store.add_request(going, card)
    await service.store.record(act, did=f"submit {going.workload}", request=going.id)
    if kept.stage is Stage.ACCEPTED:
        service.carrier.start(kept)


async def _propose(service: Service, node: LoginNode, draft: Request) -> None:
    """Ask in the channel before something costly is submitted."""
    asked = await _with_start(node, draft)
    await service.store.add_request(asked, living(asked, proposed(asked)))
    service.wake()


async def confirm(service: Service, act: Act) -> Card | None:
    """Submit a proposed request, on a click."""
    request = await _own(service, act, "submit")
    going = request.model_copy(update={"stage": Stage.ACCEPTED, "accepted": datetime.now(UTC)})
    card = living(going, submitting(going))
    if not await service.store.save_request(going, card, was=Stage.PROPOSED):
        raise Gone("That was settled before")
    await service.store.record(act, did=f"submit {going.workload}", request=going.id)
    service.wake()
    service.carrier.start(going)
    return None


async def withdraw(service: Service, act: Act) -> Card | None:
    """Give up a request that was proposed, or whose submission is not certain."""
    request = await _own(service, act, "cancel")
    gone = request.model_copy(update={"stage": Stage.WITHDRAWN})
    card = living(gone, withdrawn(gone, by=act.caller.user, unsure=request.stage is Stage.UNKNOWN))
    for was in (Stage.PROPOSED, Stage.UNKNOWN):
        if await service.store.save_request(gone, card, was=was):
            await service.store.record(act, did="withdraw", request=gone.id)
            service.wake()
            return None
    raise Gone("That was settled before")


async def submit_again(service: Service, act: Act) -> Card | None:
    """Submit once more what may have been lost, since a person says so."""
    request = await _own(service, act, "submit")
    node = service.nodes[request.cluster]
    again = draft(
        act,
        node,
        request.workload,
        WORKLOADS[request.workload].model.model_validate(request.options),
        request_id=derive(request.id, "again"),
        typed=request.typed,
        origin=request.origin,
        change=request.change,
    )
    closed = request.model_copy(update={"stage": Stage.WITHDRAWN})
    card = living(closed, withdrawn(closed, by=act.caller.user, unsure=True, again=True))
    if not await service.store.save_request(closed, card, was=Stage.UNKNOWN):
        raise Gone("That was settled before")
    kept = ("resources", "quote", "files", "flags", "notes")
    again = again.model_copy(update={name: getattr(request, name) for name in kept})
    await accept(service, act, again)
    service.wake()
    return None


async def _own(service: Service, act: Act, deed: str) -> Request:
    request = await service.store.request(act.value)
    if request is None or request.cluster not in service.nodes:
        raise Gone("This request is no longer known")
    service.nodes[request.cluster].policy.own(act.caller, request, deed)
    return request


async def _checked(
    node: LoginNode, workload: Workload[Any], options: Options, draft: Request
) -> Request:
    """Return the draft with the site's defaults, once its files are known to be there."""
    site = await node.site()
    if not site.partition:
        site = site.model_copy(update={"partition": (await node.default_partition()).name})
    full = workload.complete(options, site)
    roots = await node.roots()
    ask = preflight(workload.needs(full, site), roots)
    checks, manual = await node.asking(ask, workload.program(site))
    taken = workload.by_manual(full, typed_in(options), manual)
    if problems := (*_problems(checks, roots), *taken.errors):
        raise InputRefused(problems)
    texts = {check.need.field: check.text for check in checks if check.text}
    full = await _fitted(node, workload, taken.options, texts)
    resources = workload.resources(full, texts.get(workload.batch, ""))
    if not resources.partition:
        resources = resources.model_copy(update={"partition": site.partition})
    return draft.model_copy(
        update={
            "options": full.model_dump(mode="json"),
            "resources": resources,
            "title": workload.title(full),
            "files": workload.files(full, site, texts),
            "flags": manual.names,
            "notes": (*draft.notes, *taken.notes),
        }
    )


async def _fitted(
    node: LoginNode, workload: Workload[Any], options: Options, texts: Texts
) -> Options:
    """Return the options fitted to the files on the cluster.

    Of a partition that does not exist nothing can be derived: it is left for those that do.
    """
    try:
        return cast("Options", workload.fit(options, texts))
    except InputRefused:
        named = getattr(options, "partition", None)
        if not named or await node.partition(named) is not None:
            raise
        return options


def typed_in(options: Options) -> frozenset[str]:
    """Return the names of the options that say something of their own."""
    fields = type(options).model_fields
    return frozenset(
        name
        for name in options.model_fields_set
        if getattr(options, name) != fields[name].get_default()
    )


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


def _problem(check: Checked, roots: Sequence[str]) -> FieldError:
    need = check.need
    what = _WORDS.get(need.field, need.kind)
    match check.verdict:
        case Verdict.OUTSIDE:
            message = f"`{need.path}` lies outside the folders that may be used"
            hint = f"Use a path below {' or '.join(f'`{root}`' for root in roots)}"
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
            others = only_recipes(check.others) if need.field == "recipe" else check.others
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


async def _with_start(node: LoginNode, draft: Request) -> Request:
    """Return the draft with the start that Slurm expects; no answer is no reason to stop."""
    resources = draft.resources
    if draft.quote.limit_from:
        resources = resources.model_copy(update={"time": None})
    account = str(draft.options.get("account") or "")
    qos = str(draft.options.get("qos") or "")
    try:
        estimate = await node.run(slurm.start_estimate(resources, account, qos))
    except ClusterError as error:
        silent = {"silence": error.sentence}
        return draft.model_copy(update={"quote": draft.quote.model_copy(update=silent)})
    told = {"starts": estimate.start, "note": estimate.refused}
    return draft.model_copy(update={"quote": draft.quote.model_copy(update=told)})


async def _no_such_partition(service: Service, node: LoginNode, draft: Request) -> Card:
    """Keep what was asked, and offer the partitions that there are."""
    kept = draft.model_copy(update={"stage": Stage.REFUSED, "error": "no such partition"})
    await service.store.add_request(kept)
    return cards.no_such_partition(kept, await node.partitions())


async def _dry_run(node: LoginNode, workload: Workload[Any], draft: Request) -> Card:
    asked = await _with_start(node, draft)
    spec = await node.spec(workload, asked)
    return cards.dry_run(asked, spec)
