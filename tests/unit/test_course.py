"""When a training that still runs is a worry, and when it is not."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.course import Course, Worry
from bot.following import advance
from bot.job import Job, Observation, State
from bot.progress import look
from bot.training import watched

START = datetime(2026, 11, 30, 21, 46, 49, tzinfo=UTC)
FLOOR = timedelta(minutes=10)
CORPUS = Path(__file__).parents[1] / "failures"
PEEK = 8_192


def line(index: int, *, of: int = 1000, seconds: str = "10.0", loss: str = "3.2") -> str:
    """A line of NeMo 2, whose first step has the index 0."""
    timing = f" | train_step_timing in s: {seconds}" if seconds else ""
    return f"Training epoch 0, iteration {index}/{of - 1} | reduced_train_loss: {loss}{timing}\n"


def lines(until: int, **how: str) -> str:
    """The lines in sight once so many steps are done."""
    return "".join(line(index, **how) for index in range(max(0, until - 20), until))  # type: ignore[arg-type]


def running(limit: timedelta | None = None, **changes: object) -> Job:
    """A job that began at START."""
    seen = Observation(id="75", state=State.RUNNING, raw="RUNNING", started=START, time_limit=limit)
    fields = {"cluster": "alice", "id": "75", "request": "r1", "seen": seen, "created": START}
    return Job.model_validate({**fields, **changes})


def at(seconds: float) -> datetime:
    """So long after START."""
    return START + timedelta(seconds=seconds)


def train(job: Job, steps: range, each: float, **how: str) -> Job:
    """Let the log be looked at after each of these steps."""
    for done in steps:
        job = watched(job, lines(done, **how), at(done * each), FLOOR)
    return job


def course(job: Job) -> Course:
    """What is known of its steps."""
    assert job.course is not None
    return job.course


def test_no_step_for_several_times_the_usual_is_a_stall() -> None:
    """Not before; and it ends with the next step."""
    steady = train(running(), range(1, 31), 200, seconds="200.0")
    last = lines(30, seconds="200.0")
    patient = watched(steady, last, at(30 * 200 + 999), FLOOR)
    assert patient == steady
    stalled = watched(steady, last, at(30 * 200 + 1001), FLOOR)
    assert stalled.worries == (Worry.STALLED,)
    assert watched(stalled, last, at(30 * 200 + 5000), FLOOR) == stalled
    assert course(stalled).usual == timedelta(seconds=200)
    goes_on = watched(stalled, lines(31, seconds="200.0"), at(30 * 200 + 6000), FLOOR)
    assert goes_on.worries == ()


def test_short_steps_have_a_floor() -> None:
    """Ten minutes without a step of a second are the least that is told."""
    steady = train(running(), range(1, 31), 1, seconds="1.0")
    assert watched(steady, lines(30, seconds="1.0"), at(30 + 599), FLOOR) == steady
    late = watched(steady, lines(30, seconds="1.0"), at(30 + 601), FLOOR)
    assert late.worries == (Worry.STALLED,)


def test_four_steps_say_nothing_of_the_usual() -> None:
    job = train(running(), range(1, 5), 1, seconds="1.0")
    assert course(job).usual is None
    assert watched(job, lines(4, seconds="1.0"), at(90_000), FLOOR).worries == ()


def test_a_pause_that_was_seen_before_is_usual() -> None:
    """An evaluation that takes 15 minutes is patience for half an hour."""
    job = train(running(), range(1, 31), 1, seconds="1.0")
    evaluated = watched(job, lines(40, seconds="1.0"), at(30 + 900 + 10), FLOOR)
    last, then = lines(40, seconds="1.0"), 30 + 900 + 10
    assert course(evaluated).longest == pytest.approx(901)
    assert watched(evaluated, last, at(then + 1700), FLOOR) == evaluated
    assert watched(evaluated, last, at(then + 1900), FLOOR).worries == (Worry.STALLED,)


def test_hours_in_which_nobody_looked_are_no_pause() -> None:
    """The steps done meanwhile account for them."""
    job = train(running(), range(1, 31), 10)
    looked = watched(job, lines(750), at(750 * 10), FLOOR)
    assert course(looked).longest == pytest.approx(10)


@pytest.mark.parametrize(
    "said",
    [
        "saving checkpoint at iteration      30 to checkpoints in torch format\n",
        "Validation: iteration 1/50\n",
        "▶ Starting validation at step 30...\n",
        "Saving checkpoint for step 30...\n",
    ],
)
def test_a_save_or_an_evaluation_may_take_thrice_as_long(said: str) -> None:
    """But not for ever: storage hangs, too."""
    job = train(running(), range(1, 31), 1, seconds="1.0")
    last = lines(30, seconds="1.0") + said
    assert watched(job, last, at(30 + 1700), FLOOR) == job
    assert watched(job, last, at(30 + 1900), FLOOR).worries == (Worry.STALLED,)


def test_what_cannot_be_seen_is_no_stall() -> None:
    """The log cannot be read, or other lines have pushed the steps out of sight."""
    job = train(running(), range(1, 31), 1, seconds="1.0")
    for end in ("", "a warning\n" * 500):
        assert watched(job, end, at(90_000), FLOOR) == job


@pytest.mark.parametrize("end", ["`Trainer.fit` stopped: `max_steps=30` reached.\n", ""])
def test_a_training_that_is_done_does_not_stall(end: str) -> None:
    """It exports, or evaluates a last time."""
    log = "".join(line(index, of=30, seconds="1.0") for index in range(30)) + end
    job = watched(running(), log, at(30), FLOOR)
    assert watched(job, log, at(90_000), FLOOR).worries == ()


def test_a_trainer_that_does_not_say_the_time_is_watched() -> None:
    """The usual time is then what was seen, once that is much."""
    job = train(running(), range(1, 31), 30, seconds="")
    assert course(job).usual == timedelta(seconds=30)
    assert watched(job, lines(30, seconds=""), at(900 + 601), FLOOR).worries == (Worry.STALLED,)


MEGATRON = (
    " iteration {:8}/    1000 | elapsed time per iteration (ms): 12000.0 | lm loss: 3.1E+00 |"
    " number of skipped iterations:   0 | number of nan iterations:   0 |\n"
)


def test_a_trainer_that_prints_each_hundredth_step_is_given_time() -> None:
    """A line comes every 20 minutes."""
    log = "".join(MEGATRON.format(step) for step in range(100, 700, 100))
    job = watched(running(), log, at(7200), FLOOR)
    assert course(job).usual == timedelta(minutes=20)
    assert watched(job, log, at(7200 + 5900), FLOOR) == job
    assert watched(job, log, at(7200 + 6100), FLOOR).worries == (Worry.STALLED,)


@pytest.mark.parametrize(
    ("losses", "worries"),
    [
        (("3.2", "nan", "nan"), (Worry.DIVERGED,)),
        (("3.2", "inf", "nan"), (Worry.DIVERGED,)),
        (("nan",), (Worry.DIVERGED,)),
        (("3.2", "nan"), ()),
        (("nan", "nan", "3.2"), ()),
    ],
)
def test_a_loss_that_is_no_number_is_told(losses: tuple[str, ...], worries: object) -> None:
    """One single step among good ones is not."""
    log = "".join(line(index, loss=loss) for index, loss in enumerate(losses))
    assert watched(running(), log, at(60), FLOOR).worries == worries


def test_a_count_of_nan_steps_is_no_loss() -> None:
    log = "".join(MEGATRON.format(step) for step in range(100, 700, 100))
    found = look(log)
    assert found is not None
    assert not found.diverged


def test_a_time_limit_that_does_not_suffice_is_told_and_does_not_flap() -> None:
    """1000 steps of 10 s need 2 h 47 min."""
    for limit, worries in (
        (timedelta(hours=2), (Worry.LATE,)),
        (timedelta(hours=2, minutes=40), ()),
        (timedelta(hours=3), ()),
        (None, ()),
    ):
        assert train(running(limit), range(1, 31), 10).worries == worries
    job = train(running(timedelta(hours=2)), range(1, 31), 10)
    need = course(job).need
    assert need == timedelta(seconds=970 * 10)
    quicker = watched(job, lines(400), at(1000), FLOOR)
    assert quicker.worries == (Worry.LATE,)
    for done in (410, 420):
        quicker = watched(quicker, lines(done), at(done * 2.5), FLOOR)
    assert quicker.worries == ()


def test_a_slow_first_step_is_no_reason_to_worry() -> None:
    """It compiled for five minutes; the steps after it take a second."""
    job = watched(running(timedelta(minutes=30)), line(0, seconds="300.0"), at(300), FLOOR)
    for done in range(2, 60):
        times = ["300.0", *["1.0"] * (done - 1)][-20:]
        shown = range(max(0, done - 20), done)
        log = "".join(line(i, seconds=s) for i, s in zip(shown, times, strict=True))
        job = watched(job, log, at(300 + done), FLOOR)
        assert job.worries == ()


def test_saving_counts_where_it_is_much() -> None:
    """Steps of 10 s, and after each 12 a save of a minute: 15 s a step, all in all."""
    job = running(timedelta(hours=3, minutes=30))
    for done in range(1, 60):
        job = watched(job, lines(done), at(done * 10 + done // 12 * 60), FLOOR)
    assert job.worries == (Worry.LATE,)


def test_a_second_attempt_does_not_show_the_first_ones_steps() -> None:
    """Its log may be the same file, to which it adds."""
    old = lines(40)
    second = running(attempt=2, progress="step 40 of 1,000")
    looked = watched(second, old, at(5), FLOOR)
    assert looked.progress == ""
    assert watched(looked, old, at(2000), FLOOR) == looked
    began = watched(looked, old + lines(31, loss="2.9"), at(2100), FLOOR)
    assert "step 31 of 1,000, loss 2.9" in began.progress
    assert course(began).first == 31


def test_a_second_attempt_with_a_log_of_its_own_shows_its_first_step() -> None:
    looked = watched(running(attempt=2), "srun: starting\n", at(5), FLOOR)
    assert "step 1 of 1,000" in watched(looked, line(0), at(60), FLOOR).progress


def test_a_training_that_begins_again_in_its_job_is_watched_anew() -> None:
    """From its checkpoint, at a step further back."""
    job = train(running(), range(1, 31), 10)
    again = watched(job, lines(20), at(400), FLOOR)
    assert (course(again).first, course(again).since) == (20, at(400))


def test_time_in_which_slurm_suspends_it_is_no_stall() -> None:
    """Nor does its time limit run meanwhile, so that its end is not known."""
    job = train(running(timedelta(hours=2)), range(1, 31), 10)
    assert job.worries == (Worry.LATE,)
    suspended = advance(job, [job.seen.model_copy(update={"state": State.SUSPENDED})])
    resumed = advance(suspended, [job.seen])
    for later in (4000, 4300, 4590):
        resumed = watched(resumed, lines(30), at(later), FLOOR)
        assert resumed.worries == ()
    assert watched(resumed, lines(30), at(4601), FLOOR).worries == (Worry.STALLED,)
    goes_on = watched(resumed, lines(31), at(4602), FLOOR)
    assert goes_on.worries == ()
    assert "step 31" in goes_on.progress


def test_epochs_that_may_end_early_say_nothing_of_the_time() -> None:
    """NeMo-RL stops at its number of steps, in whatever epoch that is."""
    banner = "=" * 25
    log = f"{banner} Epoch 1/4 {banner}\n" + "".join(
        f"{banner} Step {step}/150 {banner}\n  • Loss: 0.5\n  • Total step time: 60.0s\n"
        for step in range(1, 8)
    )
    job = running(timedelta(hours=1))
    for index in range(8, 20):
        log += f"{banner} Step {index}/150 {banner}\n  • Loss: 0.5\n  • Total step time: 60.0s\n"
        job = watched(job, log, at(index * 60), FLOOR)
        assert job.worries == ()
    once = log.replace("Epoch 1/4", "Epoch 1/1")
    job = running(timedelta(hours=1))
    for index in range(8, 20):
        log = once[: once.index(f"Step {index}/")] + f"Step {index}/150 {banner}\n"
        job = watched(job, log, at(index * 60), FLOOR)
    assert job.worries == (Worry.LATE,)


def bars(until: int, of: int = 2000) -> str:
    """The bars of the last steps, as transformers draws them."""
    shown = range(max(0, until - 20), until + 1)
    return "".join(f"\r {n * 100 // of:2}%|██▏  | {n}/{of} [0:10<1:00,  5.0s/it]" for n in shown)


def test_the_bar_of_an_evaluation_is_not_the_trainings() -> None:
    """It looks the same, but has fewer steps; after the training's end it is another training."""
    job = running()
    for done in range(1, 31):
        job = watched(job, bars(done), at(done * 5), FLOOR)
    assert "step 30 of 2,000" in job.progress
    assert watched(job, bars(3, of=25), at(9000), FLOOR) == job
    assert "step 31 of 2,000" in watched(job, bars(31), at(9100), FLOOR).progress
    assert watched(job, bars(30), at(9100), FLOOR).worries == (Worry.STALLED,)
    job = watched(job, bars(2000), at(9999), FLOOR)
    assert "step 3 of 25" in watched(job, bars(3, of=25), at(10_010), FLOOR).progress


def test_what_runs_no_more_or_is_being_ended_is_no_worry() -> None:
    job = watched(running(), line(0, loss="nan"), at(60), FLOOR)
    assert job.worries
    assert job.model_copy(update={"stopped_by": "U1"}).worries == ()
    ended = job.seen.model_copy(update={"state": State.FAILED})
    assert job.model_copy(update={"seen": ended}).worries == ()


def test_tasks_of_an_array_are_not_judged_together() -> None:
    job = running(tasks=((State.RUNNING, 2),))
    assert watched(job, line(0, loss="nan"), at(60), FLOOR).worries == ()


HEALTHY = [
    answer.with_suffix(".log")
    for folder in ("dev", "real")
    for answer in sorted((CORPUS / folder).glob("?[0-9]*.json"))
    if not answer.name.endswith(".spec.json")
    and json.loads(answer.read_text())["label"] == "none"
    and answer.with_suffix(".log").exists()
]


@pytest.mark.parametrize("log", HEALTHY, ids=lambda log: log.stem)
def test_a_healthy_log_gives_no_reason_to_worry(log: Path) -> None:
    """Looked at every minute while it grows at the pace that it tells."""
    text = log.read_text(errors="replace").replace("\r", "\n")
    job, clock, last = running(), 0.0, 0
    for end in range(2000, len(text) + 2000, 2000):
        cut = text[:end]
        shown = cut[-PEEK : cut.rfind("\n") + 1]
        seen = look(shown)
        if seen is not None:
            clock += max(seen.far.step - last, 0) * (seen.pace or 10.0) + 10
            last = seen.far.step
        job = watched(job, shown, at(clock), FLOOR)
        assert job.worries == ()


def test_there_are_healthy_logs_with_steps() -> None:
    assert sum(look(log.read_text(errors="replace")) is not None for log in HEALTHY) >= 5
