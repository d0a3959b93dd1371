"""A card of every kind that `bot.cards` can make, for any words: the functions' names → cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from pydantic import SecretStr

from bot.card import Card, Tone
from bot.cards import (
    checkpoints,
    clusters,
    doctor,
    errand,
    experiment,
    images,
    inside,
    launch,
    lists,
    logs,
    mended,
    recipes,
    request,
    secrets,
    shell_line,
    trouble,
    why,
)
from bot.cards import job as jobs
from bot.cards import session as sessions
from bot.cards.clusters import Standing
from bot.cards.secrets import Account
from bot.check import Check
from bot.cluster.checkpoints import Checkpoint, Found
from bot.cluster.glance import Glance
from bot.cluster.images import Condition, Image
from bot.cluster.inside_job import Ran
from bot.cluster.login import Health
from bot.cluster.recipes import Recipes
from bot.cluster.secret_files import Kind, Seen
from bot.cluster.slurm import Cancellation, Cancelled, NodeState
from bot.cluster.tokenizer import Placed
from bot.diagnosis import Evidence, Finding
from bot.diagnosis.rules import RULES
from bot.errand import Errand, ErrandStage, Growth, Step, StepState
from bot.errors import FieldError, InputRefused, UserError
from bot.grammar import Help, help_card
from bot.grammar.commands import COMMANDS
from bot.job import Job, Observation, Session, State
from bot.leaks import LEAKS
from bot.model import (
    Caller,
    Experiment,
    Launch,
    PartitionState,
    Quote,
    Request,
    Resources,
    Stage,
    Task,
)
from bot.ports import Verdict
from bot.secret import Secret

NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
USER, CHANNEL = "U0RESEARCH1", "C0TRAINING1"
ACTIONS = tuple(sorted({action for rule in RULES for action in (*rule.actions, *rule.again)}))
"""Every remedy that a rule offers."""
MANY = 300


def cards(word: str) -> Mapping[str, Card]:
    """Return the cards that these words can end up in, by `module.function/variant`."""
    made = (
        *_requests(word),
        *_jobs(word),
        *_sessions(word),
        *_lists(word),
        *_answers(word),
        *_reasons(word),
        *_nemo(word),
        *_secrets(word),
        *_clusters(word),
        *_doctor(word),
        *_errands(word),
        *_images(word),
    )
    return dict(made)


def help_cards() -> Mapping[str, Card]:
    """Return every page of help."""
    topics = ("", "nemo", "slurm", *(command.name for command in COMMANDS))
    return {f"help/{topic}": help_card(Help(topic=topic)) for topic in topics}


def asked(word: str, **changes: object) -> Request:
    """Return a request that holds the word wherever words come from outside."""
    fields: dict[str, object] = {
        "id": "0123456789abcdef0123",
        "cluster": "alice",
        "workload": "slurm submit",
        "options": {},
        "typed": word,
        "caller": Caller(team="T1", user=USER, channel=CHANNEL),
        "created": NOW,
        "title": word,
        "resources": Resources(partition=word, nodes=2, gpus_per_node=8, time=timedelta(hours=4)),
        "quote": Quote(free=1, nodes=2, note=word),
        "origin": "75",
        "change": word,
        "error": word,
    }
    return Request.model_validate({**fields, **changes})


def seen(word: str, state: State = State.RUNNING, **changes: object) -> Observation:
    """Return what Slurm may say of a job."""
    fields: dict[str, object] = {
        "id": "75",
        "state": state,
        "raw": word,
        "reason": word,
        "name": word,
        "user": word,
        "account": word,
        "partition": word,
        "nodes": 2,
        "node_list": word,
        "gpus": 16,
        "time_limit": timedelta(hours=4),
        "submitted": NOW,
        "started": NOW,
        "ended": NOW,
        "elapsed": timedelta(minutes=3),
        "exit_code": "1:0",
        "stdout": word,
        "cancelled_by": word,
    }
    return Observation.model_validate({**fields, **changes})


def tracked(word: str, state: State = State.RUNNING, **changes: object) -> Job:
    """Return a job that is followed."""
    fields: dict[str, object] = {
        "cluster": "alice",
        "id": "75",
        "request": "0123456789abcdef0123",
        "channel": CHANNEL,
        "seen": seen(word, state),
        "tasks": ((State.RUNNING, 3), (State.PENDING, 47)),
        "attempt": 2,
        "created": NOW,
        "progress": word,
        "cause": word,
    }
    return Job.model_validate({**fields, **changes})


def partitions(word: str, number: int = 3) -> tuple[PartitionState, ...]:
    """Return partitions; the first has the word for a name, the last is down."""
    return tuple(
        PartitionState(
            name=f"{word}{n or ''}",
            up=n != number - 1,
            default=n == 0,
            nodes=4,
            free=n % 5,
            gpus_per_node=8,
            states=(("idle", n % 5), ("allocated", 4)),
        )
        for n in range(number)
    )


def finding(word: str, **changes: object) -> Finding:
    """Return a diagnosis with every remedy."""
    fields: dict[str, object] = {
        "label": "cross-device-link",
        "group": "storage",
        "title": word,
        "confidence": 0.9,
        "evidence": tuple(Evidence(word, n, word) for n in range(3)),
        "remedy": word,
        "actions": ACTIONS,
    }
    return Finding(**{**fields, **changes})  # type: ignore[arg-type]  # names of Finding's fields


def _requests(word: str) -> Iterator[tuple[str, Card]]:
    one = asked(word)
    for stage in Stage:
        yield f"request.request_card/{stage}", request.request_card(asked(word, stage=stage))
    yield "request.proposed/", request.proposed(one)
    endless = one.resources.model_copy(update={"time": None})
    yield "request.proposed/no limit", request.proposed(asked(word, resources=endless))
    yield "request.submitting/", request.submitting(one)
    yield "request.submitting/trouble", request.submitting(one, trouble=word)
    for searched in (False, True):
        for accounting in (False, True):
            yield (
                f"request.unknown/{searched} {accounting}",
                request.unknown(one, searched=searched, accounting=accounting),
            )
    yield "request.refused/no finding", request.refused(one, None, ())
    yield "request.refused/all", request.refused(one, finding(word), partitions(word))
    many = partitions(word[:200], MANY)
    yield "request.refused/many partitions", request.refused(one, finding(word), many)
    yield "request.withdrawn/", request.withdrawn(one)
    yield "request.withdrawn/by", request.withdrawn(one, USER)
    yield "request.withdrawn/again", request.withdrawn(one, USER, unsure=True, again=True)
    yield "launch.no_such_partition/none", launch.no_such_partition(one, ())
    yield "launch.no_such_partition/many", launch.no_such_partition(one, many)
    what = Launch(
        argv=("sbatch", word.replace("\0", ""), "--wrap"),
        cwd=word,
        env=(("NAME", word),),
        sbatch_options=(word,),
    )
    yield "launch.taken_on/", launch.taken_on()
    yield "launch.dry_run/", launch.dry_run(one, what)
    for stage in Stage:
        yield f"launch.already/{stage}", launch.already(asked(word, stage=stage))


def _jobs(word: str) -> Iterator[tuple[str, Card]]:
    one = asked(word, stage=Stage.SUBMITTED)
    yield "job.job_card/none", jobs.job_card(one, ())
    for state in State:
        job = tracked(word, state)
        yield f"job.job_card/{state}", jobs.job_card(one, [job])
        yield f"job.ended/{state}", jobs.ended(one, job)
        yield f"lists.status_card/{state}", lists.status_card(job)
        yield f"why.healthy_card/{state}", why.healthy_card(job, word)
        for name, card in (
            ("notice", jobs.notice(job, State.RUNNING)),
            ("notice after a wait", jobs.notice(job, State.PENDING)),
            ("stuck", jobs.stuck(one, job)),
        ):
            if card is not None:
                yield f"job.{name.partition(' ')[0]}/{state} {name}", card
    held = tracked("", State.PENDING, seen=seen("", State.PENDING, reason="JobHeldUser"))
    if (stuck := jobs.stuck(one, held)) is not None:
        yield "job.stuck/held", stuck
    bare = Observation(id="75", state=State.COMPLETED, raw="COMPLETED")
    yield "job.job_card/bare", jobs.job_card(one, [tracked(word, seen=bare, tasks=())])
    yield "lists.status_card/bare", lists.status_card(tracked(word, seen=bare, tasks=()))
    yield "job.outage/", jobs.outage("alice", NOW, word)
    yield "job.healed/", jobs.healed("alice", NOW, NOW + timedelta(hours=2))


def _sessions(word: str) -> Iterator[tuple[str, Card]]:
    one = asked(word, stage=Stage.SUBMITTED)
    coming = Session(stay=timedelta(hours=8), attempt=2, told=word)
    for name, known in (
        ("coming up", coming),
        ("ready", coming.model_copy(update={"attach": f"/home/{word}/75/attach.sh"})),
        ("expired", coming.model_copy(update={"expired": True})),
    ):
        for state in (State.PENDING, State.RUNNING, State.CANCELLED):
            job = tracked(word, state, session=known)
            yield f"job.job_card/{state} {name}", jobs.job_card(one, [job])
        yield f"lists.status_card/{name}", lists.status_card(tracked(word, session=known), NOW)
    job = tracked(word, session=coming.model_copy(update={"attach": f"/home/{word}-attach.sh"}))
    yield "session.ready/", sessions.ready(one, job, f"ssh {word}")
    yield "session.late/", sessions.late(one, job, timedelta(minutes=15))
    yield "session.reminder/", sessions.reminder(one, job, timedelta(minutes=5))
    yield "session.idle/", sessions.idle(one, job, NOW)
    yield "session.extended/", sessions.extended(job, USER)
    yield "session.not_released/", sessions.not_released(one, job, word)
    yield (
        "mended.cancelled/session",
        mended.cancelled(job, Cancellation(outcome=Cancelled.DONE, raw="CANCELLED")),
    )
    yield "inside.running/", inside.running(job, word, USER)
    for name, how in (
        ("silent", Ran(0, "")),
        ("failed", Ran(3, f"{word}\n" * MANY)),
        ("late", Ran(None, f"{word}\nsrun: forcing job termination\n", late=True)),
        ("lost", Ran(None, "")),
    ):
        yield f"inside.ran/{name}", inside.ran(job, word, USER, how, 60)
        yield f"inside.pointer/{name}", inside.pointer(job, word, how, 60)
    for word_of_slurm in ("idle", "allocated", "down"):
        node = NodeState(
            name=word,
            partitions=(word,),
            state=word_of_slurm,
            flags=(),
            gpus=8,
            gpus_used=0,
            reason=word,
        )
        yield f"shell_line.lines/{word_of_slurm}", shell_line.lines(node, word, 1, word, word, word)


def _lists(word: str) -> Iterator[tuple[str, Card]]:
    for number in (0, 3, MANY):
        there = partitions(word[:200], number)
        yield f"lists.partitions_card/{number}", lists.partitions_card("alice", there, NOW)
        rows = [
            lists.Row(seen(word[:200], State.FAILED, id=f"{n}_3"), mark=word, whole=n % 2 == 0)
            for n in range(number)
        ]
        yield f"lists.jobs_card/{number}", lists.jobs_card("alice", "failed", rows, NOW)
    yield "lists.partitions_card/note", lists.partitions_card("alice", (), NOW, note=word)
    each = [lists.Row(seen(word, state), ((State.FAILED, 3),)) for state in State]
    yield "lists.jobs_card/each state", lists.jobs_card("alice", "all", each, NOW)


def _answers(word: str) -> Iterator[tuple[str, Card]]:
    wrong = tuple(FieldError(word, word, word) for _ in range(20))
    yield "trouble.refused_input/", trouble.refused_input(InputRefused(wrong, usage=word), word)
    plain = InputRefused((FieldError("", word),))
    yield "trouble.refused_input/plain", trouble.refused_input(plain, word)
    yield "trouble.refused/", trouble.refused(UserError(word))
    for tone in Tone:
        yield f"trouble.said/{tone}", trouble.said(word, tone)
    yield "trouble.broke/", trouble.broke("0badcafe")
    for outcome in Cancelled:
        yield (
            f"mended.cancelled/{outcome.name}",
            mended.cancelled(tracked(word), Cancellation(outcome=outcome)),
        )
    for state in State:
        if state.ended:
            over = tracked(word, state)
            yield f"mended.nothing_to_cancel/{state}", mended.nothing_to_cancel(over)
    yield "mended.tokenizer/", mended.tokenizer(Placed(word, (1_042_301, 456_318), 2), USER)
    spent = why.why_card(tracked(word), finding(word), partitions=partitions(word))
    yield "mended.settled/", mended.settled(spent, mended.rerun(asked(word)))


def _reasons(word: str) -> Iterator[tuple[str, Card]]:
    job = tracked(word, State.FAILED)
    yield (
        "why.why_card/all",
        why.why_card(
            job, finding(word), tail=word, tell=USER, partitions=partitions(word[:200], MANY)
        ),
    )
    yield "why.why_card/nothing", why.why_card(job, finding(word, evidence=(), actions=()))
    unsure = finding(word, label="cause-not-in-log", confidence=0.3)
    yield "why.why_card/unsure", why.why_card(job, unsure)
    for action in ACTIONS:
        offer = finding(word, actions=(action,))
        yield f"why.why_card/{action}", why.why_card(job, offer, partitions=partitions(word))
    for reason in ("", word, "JobHeldUser", "DependencyNeverSatisfied", "Resources"):
        waiting = tracked(word, State.PENDING, seen=seen(word, State.PENDING, reason=reason))
        yield f"why.waits_card/{reason[:20]}", why.waits_card(waiting)
    yield "logs.log_card/", logs.log_card(job, word, word, lines=40)
    yield "logs.log_card/matching", logs.log_card(job, word, word, lines=40, matching=word)
    others = {f"{word}{number}": word for number in range(20)}
    yield "logs.no_log_card/", logs.no_log_card(job, word, others)
    yield "logs.no_log_card/none", logs.no_log_card(job, "", {})
    output = logs.log_card(job, word, word, lines=40)
    yield "logs.before_its_folder/", logs.before_its_folder(job, output)
    yield "logs.no_launcher_card/", logs.no_launcher_card(job)
    yield from _checkpoints(job, word)


def _checkpoints(job: Job, word: str) -> Iterator[tuple[str, Card]]:
    made = tuple(
        Checkpoint(f"/w/{word}{n}", trainer, n, whole, NOW, None if n == 2 else 10**n)
        for n, (trainer, whole) in enumerate(
            [("NeMo-RL", True), ("NeMo", True), ("NeMo-RL", True), ("NeMo", False)] * 9
        )
    )
    name = "checkpoints.checkpoints_card"
    yield f"{name}/all", checkpoints.checkpoints_card(job, Found((word,), made))
    yield f"{name}/nemo", checkpoints.checkpoints_card(job, Found((word,), made[1:]))
    yield f"{name}/partial", checkpoints.checkpoints_card(job, Found((word,), made[3:4]))
    yield "checkpoints.no_checkpoints/", checkpoints.no_checkpoints(job, (word,))
    waiting = tracked(word, State.PENDING, attempt=1)
    yield "checkpoints.no_checkpoints/waits", checkpoints.no_checkpoints(waiting, ())
    output = logs.log_card(job, word, word, lines=40)
    yield "checkpoints.before_its_folder/", checkpoints.before_its_folder(job, output)


def _nemo(word: str) -> Iterator[tuple[str, Card]]:
    told = Experiment(
        id=word, tasks=tuple(Task(name=word, job=str(n), folder=f"/{word}") for n in (75, 76))
    )
    one = asked(word, stage=Stage.SUBMITTED, experiment=told)
    for state in State:
        pair = [tracked(word, state), tracked(word, State.PENDING, id="76", tasks=())]
        yield f"experiment.experiment_card/{state}", experiment.experiment_card(one, pair)
    crowd = [tracked(word[:200], State.RUNNING, id=str(n)) for n in range(1, MANY)]
    yield "experiment.experiment_card/many", experiment.experiment_card(one, crowd)
    yield "experiment.status_card/one", experiment.status_card("alice", told, crowd[:1])
    yield "experiment.status_card/many", experiment.status_card("alice", told, crowd)
    done = Cancellation(outcome=Cancelled.DONE)
    yield "mended.cancelled/others", mended.cancelled(crowd[0], done, one, crowd[1:])
    yield "mended.cancelled_all/none", mended.cancelled_all([])
    yield "mended.cancelled_all/many", mended.cancelled_all([(job, done) for job in crowd])
    none = Recipes("", ())
    yield "recipes.recipes_card/none", recipes.recipes_card("alice", word, none)
    paths = tuple(f"{kind}/{word}{n}.py" for kind in ("pretrain", "sft") for n in range(MANY))
    many = Recipes(word, paths, word, changed=2, launcher=False)
    yield "recipes.recipes_card/many", recipes.recipes_card("alice", word, many)
    yield "recipes.recipes_card/kind", recipes.recipes_card("alice", word, many, "sft")


def _secrets(word: str) -> Iterator[tuple[str, Card]]:
    token = Secret(source=word, value=SecretStr("x"))
    held = {"HF_TOKEN": token, word: Secret(source=word)}
    file = Seen(Kind.FILE, "600", mine=True, digests={"HF_TOKEN": word, word: word})
    for verdict in Verdict:
        found = Account("alice", held, {"HF_TOKEN": verdict}, file, file)
        yield f"secrets.secrets_card/{verdict.value}", secrets.secrets_card(found)
    away = Account("alice", {}, {}, None, None, word)
    yield "secrets.secrets_card/away", secrets.secrets_card(away)
    yield "trouble.pasted/", trouble.pasted(tuple(leak.kind for leak in LEAKS), visible=True)


def _clusters(word: str) -> Iterator[tuple[str, Card]]:
    well, lost = Health(NOW, None), Health(NOW, NOW, word)
    up = Standing("alice", word, well, 0.012, Glance(word, 4, 4, 2))
    away = (
        Standing("bob", word, lost, trouble=word),
        Standing("carol", word, well, trouble=word),
        Standing("dave", word, well, 0.5, trouble=word),
    )
    yield "clusters.clusters_card/one", clusters.clusters_card((up,), "alice")
    yield "clusters.clusters_card/all", clusters.clusters_card((up, up), "")
    yield "clusters.clusters_card/away", clusters.clusters_card((up, *away), "alice")


def _doctor(word: str) -> Iterator[tuple[str, Card]]:
    well = tuple(Check(f"alice: {n}", ok=True, detail=word) for n in range(20))
    ill = tuple(Check(f"alice: {n}", ok=False, detail=word, fix=word or "x") for n in range(12))
    yield "doctor.looking/", doctor.looking("alice")
    yield "doctor.doctor_card/well", doctor.doctor_card("alice", well)
    yield "doctor.doctor_card/ill", doctor.doctor_card("alice", ill)
    yield "doctor.doctor_card/both", doctor.doctor_card("alice", (*ill, *well))


def errand_of(word: str, **changes: object) -> Errand:
    """Return an errand that holds the word wherever words come from outside."""
    ended = NOW + timedelta(minutes=1)
    fields: dict[str, object] = {
        "id": "0123456789abcdef0123",
        "cluster": "alice",
        "kind": "nemo setup",
        "target": word,
        "args": (word,),
        "options": {},
        "typed": word,
        "caller": Caller(team="T1", user=USER, channel=CHANNEL),
        "created": NOW,
        "title": word,
        "hint": word,
        "stage": ErrandStage.RUNNING,
        "steps": (
            Step(name="python", state=StepState.DONE, began=NOW, ended=ended, said=word),
            Step(name="venv", state=StepState.THERE, began=NOW, ended=ended, said=word),
            Step(
                name="recipes",
                state=StepState.KEPT,
                began=NOW,
                ended=ended,
                said="elsewhere",
                detail=word,
            ),
            Step(name="copy", state=StepState.RUNNING, began=NOW),
        ),
        "facts": (("path", word), ("nemo-run", word), ("recipes", word)),
        "line": word,
    }
    return Errand.model_validate({**fields, **changes})


def _errands(word: str) -> Iterator[tuple[str, Card]]:
    growth = Growth(size=3_100_000_000, total=7_200_000_000, left=130.0)
    failed = Step(name=word, state=StepState.FAILED, began=NOW, said=word, detail=word)
    over = {"ended": NOW + timedelta(minutes=2), "growth": None}
    for stage in ErrandStage:
        made = errand_of(word, stage=stage, **({} if stage.open else over), stopper=USER)
        yield f"errand.errand_card/{stage.value}", errand.errand_card(made)
    many = {
        "none": errand_of(word, steps=(), stage=ErrandStage.ACCEPTED),
        "running": errand_of(word),
        "growing": errand_of(word, growth=growth),
        "trouble": errand_of(word, trouble=word),
        "failed": errand_of(
            word, stage=ErrandStage.FAILED, steps=(failed,), failure=word, tail=word, **over
        ),
    }
    for name, one in many.items():
        yield f"errand.errand_card/{name}s", errand.errand_card(one)
    for stage in (ErrandStage.DONE, ErrandStage.FAILED):
        end = errand.notice(errand_of(word, stage=stage, **over))
        assert end
        yield f"errand.notice/{stage.value}", end
    yield "errand.running_already/", errand.running_already(errand_of(word), CHANNEL)


def _images(word: str) -> Iterator[tuple[str, Card]]:
    found = tuple(Image(f"/{word}/{n}", n * 10**9, NOW, kind) for n, kind in enumerate(Condition))
    defaults = {"/nemo run": f"/{word}/0", "/nemo-rl run": f"/{word}/none"}
    yield "images.images_card/none", images.images_card("alice", (), defaults, (word,))
    yield "images.images_card/some", images.images_card("alice", found, defaults, (word,))
    yield "images.images_card/many", images.images_card("alice", found * 25, {}, (word,))
