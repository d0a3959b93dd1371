"""Lines that trainers print become step, loss and time left."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from bot.progress import Progress, look, progress, readings

STEP = "[default0]:Training epoch 0, iteration"
NEMO = f"""\
{STEP} 0/9 | lr: 0.0006 | consumed_samples: 32 | reduced_train_loss: 11.02
{STEP} 3/9 | lr: 0.0006 | reduced_train_loss: 9.5 | train_step_timing in s: 6.0
{STEP} 4/9 | lr: 6e-05 | train_step_timing in s: 2.0 | reduced_train_loss: 8.1e+00 | val_loss: 4.1
"""
MEGATRON = (
    " [2025-04-13 23:41:20] iteration       20/    1000 | consumed samples:          320 |"
    " elapsed time per iteration (ms): 820.7 | learning rate: 4.000000E-05 |"
    " global batch size:    16 |{loss} loss scale: 131072.0 | grad norm: 3.874 |"
    " number of skipped iterations:   {skipped} | number of nan iterations:   0 |\n"
)
RL = """\
========================= Epoch 2/3 =========================
========================= Step 3/100 =========================
📊 Training Results:
  • Loss: 0.0123
  • Avg Reward: 0.4375
⏱️  Timing:
  • Total step time: 41.91s
========================= Step 4/100 =========================
▶ Preparing batch...
"""


def test_nemo_counts_from_zero_to_the_last_index() -> None:
    """`4/9` are five of ten steps, and the pace is the median of the recent ones."""
    assert progress(NEMO) == Progress(
        step=5, total=10, loss=8.1, step_seconds=2.0, eta=timedelta(seconds=20)
    )


def test_a_first_line_that_was_cut_is_not_another_trainers() -> None:
    """The end of a log begins anywhere."""
    line = "Training epoch 0, iteration {}/119 | lr: 0.001 | reduced_train_loss: {} | x: 1\n"
    cut = line.format(69, 2.5)[len("Training ") :] + line.format(70, 2.25)
    found = progress(cut)
    assert found is not None
    assert (found.step, found.total, found.loss) == (71, 120, 2.25)


def test_the_last_step_is_all_but_not_yet_finished() -> None:
    """Only the trainer's own word ends a run."""
    last = "Training epoch 0, iteration 9/9 | reduced_train_loss: 4.1\n"
    seen = progress(last)
    assert seen is not None
    assert (seen.share, seen.finished) == (1.0, False)
    done = progress(last + "`Trainer.fit` stopped: `max_steps=10` reached.\n")
    assert done is not None
    assert done.finished


def test_nan_is_shown() -> None:
    """A loss that is no number any more is told, not left out."""
    seen = progress("Training epoch 0, iteration 5/9 | reduced_train_loss: nan\n")
    assert seen is not None
    assert seen.loss is not None
    assert math.isnan(seen.loss)


@pytest.mark.parametrize(
    ("loss", "skipped", "expected"),
    [(" lm loss: 1.072453E+01 |", 0, 10.72453), ("", 6, None), ("", 0, math.nan)],
)
def test_megatron_drops_a_loss_that_is_nan(loss: str, skipped: int, expected: float | None) -> None:
    """A missing field is NaN when nothing was skipped, and a warm-up of fp16 otherwise."""
    seen = progress(MEGATRON.format(loss=loss, skipped=skipped))
    assert seen is not None
    assert (seen.step, seen.total) == (20, 1000)
    assert seen.step_seconds == pytest.approx(0.8207)
    assert seen.loss == (None if expected is None else pytest.approx(expected, nan_ok=True))


def test_nemo_rl_counts_over_epochs_and_keeps_the_last_loss() -> None:
    """Step numbers begin anew in each epoch; the step that runs has no loss yet."""
    seen = progress(RL)
    assert seen is not None
    assert (seen.step, seen.total, seen.loss) == (104, 300, 0.0123)
    assert seen.eta == timedelta(seconds=196 * 41.91)
    assert (seen.epoch, seen.epochs, seen.in_epoch) == (2, 3, (4, 100))
    assert seen.reward == 0.4375


def test_a_loss_is_known_by_either_spelling() -> None:
    """DPO prints its figures in small letters."""
    seen = progress(RL.replace("• Loss", "• loss"))
    assert seen is not None
    assert seen.loss == 0.0123


def test_without_its_epoch_a_step_counts_alone() -> None:
    """The banner may be further up than what was read."""
    seen = progress(RL.partition("\n")[2])
    assert seen is not None
    assert (seen.step, seen.total, seen.in_epoch) == (4, 100, None)


@pytest.mark.parametrize(
    ("line", "checkpoint"),
    [
        ("'val_loss' reached 4.1, saving model to '/c/a=1.ckpt' as top 5", "/c/a=1.ckpt"),
        ("Global Checkpoint Save : Rank: 0 : Iteration: 148 : Start time: 1.0s", "step 148"),
        ("  successfully saved checkpoint from iteration     100 to /c/x [ t 1/1, p 1/1 ]", "/c/x"),
        ("Saving checkpoint for step 50...", "step 50"),
    ],
)
def test_the_newest_checkpoint_is_named(line: str, checkpoint: str) -> None:
    """By its path where the line has one."""
    seen = progress(f"Saving checkpoint for step 1...\n{NEMO}{line}\n")
    assert seen is not None
    assert seen.checkpoint == checkpoint


def test_each_step_can_be_read_for_a_plot() -> None:
    """In order, with its loss."""
    assert [(r.step, r.loss) for r in readings(NEMO)] == [(1, 11.02), (4, 9.5), (5, 8.1)]


@pytest.mark.parametrize("text", ["", "iteration of the solver\n", "Epoch 3 begins\n"])
def test_text_without_steps_is_no_progress(text: str) -> None:
    """Nothing is made up."""
    assert progress(text) is None


def bar(step: int, total: int = 2000, rate: str = "5.0s/it") -> str:
    """A bar as tqdm draws it over the one before."""
    return f"\r {step * 100 // total:2}%|██▏       | {step}/{total} [35:58<2:25:12,  {rate}]"


def test_the_bar_of_transformers_is_progress() -> None:
    """It prints the loss on lines between, and not for each step."""
    log = "".join(map(bar, range(391, 401))) + "\n{'loss': 1.48, 'grad_norm': 1.2, 'epoch': 0.6}\n"
    found = progress(log + "".join(map(bar, range(401, 410))))
    assert found is not None
    assert (found.step, found.total, found.loss, found.step_seconds) == (409, 2000, 1.48, 5.0)
    assert found.eta == timedelta(seconds=1591 * 5)


def test_steps_faster_than_a_second_are_counted_by_the_second() -> None:
    found = progress(bar(400, rate="4.00it/s"))
    assert found is not None
    assert found.step_seconds == 0.25


@pytest.mark.parametrize(
    ("said", "lost"),
    [
        ("{'loss': nan, 'grad_norm': nan}", True),
        ("{'loss': 0.0, 'grad_norm': nan}", True),
        ("{'loss': 0.0, 'grad_norm': 0.3}", False),
        ("{'loss': 1.4, 'grad_norm': nan}", False),
    ],
)
def test_transformers_hides_a_loss_that_is_nan(said: str, lost: bool) -> None:
    """It averages over the steps whose loss is a number; where none is, that is 0."""
    seen = look(bar(400) + f"\n{said}\n")
    assert seen is not None
    assert seen.diverged is lost


def test_the_bar_of_lightning_is_progress() -> None:
    line = "Epoch 0:  10%|█         | {}/2400 [00:03<1:10:51,  1.5s/it, v_num=, train_loss={}]\n"
    seen = look(line.format(240, 3.4) + line.format(241, 3.3))
    assert seen is not None
    assert (seen.far.step, seen.far.total, seen.far.loss, seen.pace) == (241, 2400, 3.3, 1.5)


@pytest.mark.parametrize(
    "said",
    [
        "Map:  12%|█▏        | 120/1000 [02:00<14:40,  1.02it/s]",
        "Loading checkpoint shards:  50%|█████     | 2/4 [00:01<00:01,  1.5s/it]",
        "Validation DataLoader 0:  50%|█████     | 2/4 [00:01<00:01,  1.5s/it]",
    ],
)
def test_a_bar_that_says_what_it_is_of_is_no_training(said: str) -> None:
    assert look(said + "\n") is None


def test_lines_of_a_trainer_come_before_bars() -> None:
    """However many of these there are."""
    found = progress(NEMO + "".join(bar(step, 20) for step in range(20)))
    assert found is not None
    assert (found.step, found.total) == (5, 10)
