"""A card of every kind that `bot.cards` can make, for any words: the functions' names → cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta

from bot.blame import Again, blames_of
from bot.card import Button, Card, Excerpt, Tone
from bot.cards import (
    admins,
    checkpoints,
    experiment,
    inside,
    launch,
    lists,
    logs,
    mended,
    pasted,
    recipes,
    repeats,
    request,
    shell_line,
    trouble,
    why,
    worry,
)
from bot.cards import delay as slow
from bot.cards import job as jobs
from bot.cards import retry as retries
from bot.cards import session as sessions
from bot.cards.case import Limits
from bot.cluster.checkpoints import Checkpoint, Found
from bot.cluster.inside_job import Ran
from bot.cluster.recipes import Recipes
from bot.cluster.slurm import Cancellation, Cancelled, NodeState
from bot.cluster.tokenizer import Placed
from bot.course import Course, Worry
from bot.diagnosis import Action
from bot.diagnosis.finding import HEALTHY, NOT_IN_LOG
from bot.errors import FieldError, InputRefused, UserError
from bot.grammar import Help, help_card
from bot.grammar.commands import COMMANDS
from bot.job import Job, Observation, Session, State
from bot.model import (
    Act,
    ActKind,
    Attached,
    Caller,
    Experiment,
    Failure,
    Launch,
    Retry,
    Stage,
    Task,
)
from bot.retry import GivenUp, Why
from bot.waiting import Delay
from bot.workloads import WORKLOADS
from tests.payloads.upkeep import upkeep
from tests.payloads.values import (
    NOW,
    USER,
    asked,
    case_of,
    finding,
    partitions,
    seen,
    tracked,
)

MANY = 300


def cards(word: str) -> Mapping[str, Card]:
    """Return the cards that these words can end up in, by `module.function/variant`."""
    made = (
        *_requests(word),
        *_jobs(word),
        *_sessions(word),
        *_retries(word),
        *_lists(word),
        *_answers(word),
        *_reasons(word),
        *_pasted(word),
        *_repeats(word),
        *_nemo(word),
        *upkeep(word),
    )
    return dict(made)


def help_cards() -> Mapping[str, Card]:
    """Return every page of help."""
    topics = ("", "nemo", "slurm", *(command.name for command in COMMANDS))
    return {f"help/{topic}": help_card(Help(topic=topic)) for topic in topics}


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
    yield "request.refused/no finding", request.refused(one)
    yield "request.refused/all", request.refused(one, finding(word), case_of(word, of=one.id))
    many = case_of(word, of=one.id, limits=Limits(partitions=partitions(word[:200], MANY)))
    yield "request.refused/many partitions", request.refused(one, finding(word), many)
    yield "request.withdrawn/", request.withdrawn(one)
    yield "request.withdrawn/by", request.withdrawn(one, USER)
    yield "request.withdrawn/again", request.withdrawn(one, USER, unsure=True, again=True)
    yield (
        "launch.no_such_partition/none",
        launch.no_such_partition(one, case_of(word, limits=Limits())),
    )
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
    yield from _worries(word)
    alone = seen("", State.PENDING, reason="Dependency", dependency="singleton(unfulfilled)")
    second = tracked("", State.PENDING, seen=alone, tasks=(), namesakes=("73", "74"))
    yield "job.job_card/alone", jobs.job_card(one, [second])
    failed = tracked(word, State.FAILED, mend=Button(action="rerun_same", label=word, value="a:1"))
    yield "job.job_card/mend", jobs.job_card(one, [failed])
    yield "experiment.experiment_card/mend", experiment.experiment_card(one, [failed, failed])
    bare = Observation(id="75", state=State.COMPLETED, raw="COMPLETED")
    yield "job.job_card/bare", jobs.job_card(one, [tracked(word, seen=bare, tasks=())])
    yield "lists.status_card/bare", lists.status_card(tracked(word, seen=bare, tasks=()))
    ended = tracked(word, State.FAILED, caller=USER)
    yield "admins.report/", admins.report(ended, finding(word), USER)
    yield "admins.report/nodes", admins.report(ended, finding(word, nodes=(word,)), USER)
    yield "admins.refusal_report/", admins.refusal_report(one, finding(word), USER)
    yield "admins.told/", admins.told("job 75")
    yield "job.outage/", jobs.outage("alice", NOW, word)
    yield "job.healed/", jobs.healed("alice", NOW, NOW + timedelta(hours=2))


def _worries(word: str) -> Iterator[tuple[str, Card]]:
    one = asked(word, stage=Stage.SUBMITTED)
    known = Course(
        attempt=2,
        former=word,
        step=41,
        total=100_000,
        moved=NOW,
        first=1,
        since=NOW - timedelta(hours=1),
        lines=41,
        pace=90.0,
        worries=tuple(Worry),
    )
    job = tracked(word, course=known)
    yield "job.job_card/worries", jobs.job_card(one, [job])
    for course in (known, known.model_copy(update={"total": None, "pace": None, "lines": 1})):
        for warned in Worry:
            name = f"{warned}" if course is known else f"{warned} bare"
            yield f"worry.worry_card/{name}", worry.worry_card(one, job, course, warned)
    for delay in Delay:
        for reason in (word, "QOSMaxGRESPerUser", "PartitionDown"):
            waits = tracked(word, seen=seen(word, State.PENDING, reason=reason))
            yield f"delay.delay_card/{delay} {reason[:4]}", slow.delay_card(one, waits, NOW, delay)
    later = known.model_copy(update={"step": 42, "moved": NOW + timedelta(minutes=30)})
    yield "worry.went_on/", worry.went_on(job, known, later)


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


def _retries(word: str) -> Iterator[tuple[str, Card]]:
    failures = tuple(
        Failure(job=str(75 + n), label="x", cause=word, blamed=(word,) * n) for n in range(10)
    )
    retry = Retry(of="0123456789abcdef0123", number=11, due=NOW, failures=failures)
    one = asked(word, options={"retries": 10}, stage=Stage.WAITING, retry=retry)
    root = jobs.job_card(asked(word, options={"retries": 10}), [tracked(word, State.FAILED)])
    yield "retry.waiting/", retries.waiting(root, one)
    yield "retry.waiting/trouble", retries.waiting(root, one, word)
    yield "retry.without/", retries.without(root, one, (word,))
    yield "retry.called_off/", retries.called_off(one, retries.stopped_by(USER))
    yield "retry.called_off/again", retries.called_off(one, retries.stopped_by(USER, again=True))
    yield "retry.not_submitted/", retries.not_submitted(one, word)
    left = retry.model_copy(update={"left": (word,)})
    for stage in (Stage.WAITING, Stage.ACCEPTED, Stage.SUBMITTED, Stage.REFUSED):
        moved = one.model_copy(update={"stage": stage})
        yield f"retry.line/{stage}", retries.line(moved, "86")
        yield f"retry.line/{stage} left", retries.line(moved.model_copy(update={"retry": left}))
    for end in Why:
        yield f"retry.given_up/{end.name}", retries.given_up(one, GivenUp(end, failures))
    unknown = GivenUp(Why.LASTING, (Failure(job="75", label=NOT_IN_LOG, cause=word),))
    yield "retry.given_up/no cause", retries.given_up(one, unknown)
    over = tracked(word, State.FAILED)
    yield "mended.nothing_to_cancel/later", mended.nothing_to_cancel(over, tracked(word, nth=2))
    yield "mended.stopped_retrying/", mended.stopped_retrying(tracked(word, State.FAILED), one)
    yield "request.proposed/retries", request.proposed(asked(word, options={"retries": 10}))
    rows = [lists.Row(seen(word))]
    yield "lists.jobs_card/coming", lists.jobs_card("alice", "mine", rows, NOW, [one] * 9)
    yield "lists.status_card/coming", lists.status_card(tracked(word, State.FAILED), coming=one)


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
    yield "mended.released/", mended.released(tracked(word), USER, "")
    yield "mended.released/away", mended.released(tracked(word), USER, word)
    yield "mended.freed/", mended.freed(tracked(word), USER)
    yield "mended.tokenizer/", mended.tokenizer(Placed(word, (1_042_301, 456_318), 2), USER)
    spent = why.why_card(tracked(word), finding(word), case=case_of(word))
    yield "mended.settled/", mended.settled(spent, mended.rerun(asked(word)))


def _reasons(word: str) -> Iterator[tuple[str, Card]]:
    job = tracked(word, State.FAILED)
    many = case_of(word, limits=Limits(partitions=partitions(word[:200], MANY)))
    known = why.why_card(job, finding(word), case=many, tail=word, tell=USER)
    yield "why.why_card/all", known
    bare = case_of(word, log=False)
    silent = finding(word, evidence=(), actions=())
    yield "why.why_card/nothing", why.why_card(job, silent, case=bare)
    unsure = finding(word, label="cause-not-in-log", confidence=0.3)
    yield "why.why_card/unsure", why.why_card(job, unsure, case=bare)
    for action in Action:
        card = why.why_card(job, finding(word, actions=(action,)), case=case_of(word))
        yield f"why.why_card/{action}", card
    for workload in WORKLOADS.values():
        fields = frozenset(workload.model.model_fields)
        case = case_of(word, workload=workload.name, fields=fields)
        yield f"why.why_card/{workload.name}", why.why_card(job, finding(word), case=case)
    for reason in ("", word, "JobHeldUser", "DependencyNeverSatisfied", "Resources"):
        waiting = tracked(word, State.PENDING, seen=seen(word, State.PENDING, reason=reason))
        yield f"why.waits_card/{reason[:20]}", why.waits_card(waiting)
    yield "logs.log_card/", logs.log_card(job, word, word, lines=40)
    yield "logs.log_card/matching", logs.log_card(job, word, word, lines=40, matching=word)
    cut = logs.log_card(job, word, word, lines=1)
    yield "logs.with_more/", logs.with_more(cut, job, word, "driver")
    yield "logs.with_more/all", logs.with_more(cut, job, word)
    others = {f"{word}{number}": word for number in range(20)}
    yield "logs.no_log_card/", logs.no_log_card(job, word, others)
    yield "logs.no_log_card/none", logs.no_log_card(job, "", {})
    output = logs.log_card(job, word, word, lines=40)
    yield "logs.before_its_folder/", logs.before_its_folder(job, output)
    yield "logs.no_launcher_card/", logs.no_launcher_card(job)
    yield from _checkpoints(job, word)


def _pasted(word: str) -> Iterator[tuple[str, Card]]:
    caller = Caller(team="T1", user=USER, channel="C1")
    act = Act(
        id="a1",
        kind=ActKind.SHORTCUT,
        caller=caller,
        at=NOW,
        text=word,
        leaked=("wandb", "other"),
        files=(Attached(name=word),),
    )
    read = ((word, 12), ("the message", 12_000_000))
    yield "pasted.reading/", pasted.reading(act)
    found = {"cause": finding(word), "nothing": finding(word, label=HEALTHY)}
    found["end"] = finding(word, label=NOT_IN_LOG, evidence=())
    for name, one in found.items():
        card = pasted.pasted_card(act, one, tail=word, read=read, unread=((word, word),))
        yield f"pasted.pasted_card/{name}", card
    yield "pasted.nothing_to_read/", pasted.nothing_to_read(())
    yield "pasted.nothing_to_read/files", pasted.nothing_to_read(((word, word),))


def _repeats(word: str) -> Iterator[tuple[str, Card]]:
    one = tracked(word).model_copy(
        update={"blamed": ("alice-a3m-1",), "label": "gpu-ecc", "cause": word}
    )
    often = Again(tuple(blame for _ in range(12) for blame in blames_of(one, NOW)))
    link = "https://slack.example/archives/C1/p1"
    quoted = Excerpt(caption=(word,), text=word * MANY)
    failures = [repeats.Failure(blame, one, link, quoted) for blame in often.blames]
    node = NodeState(
        name="alice-a3m-1",
        partitions=("a3m",),
        state="idle",
        flags=("drain",),
        gpus=8,
        gpus_used=0,
        reason=word,
    )
    for name, state in (("out", node), ("unseen", None)):
        yield f"repeats.again_card/{name}", repeats.again_card(often, failures, state)
    said = trouble.said(word)
    yield "repeats.with_past/", repeats.with_past(said, often.blames)


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
