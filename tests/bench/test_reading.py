"""The logs that are measured look like training, and are understood."""

from __future__ import annotations

from bot.bench.reading import training_log
from bot.diagnosis import Facts, Source, diagnose


def test_the_generated_log_is_as_long_as_wanted() -> None:
    """To within a step and the failure at its end."""
    assert 0 <= len(training_log(1 << 20)) - (1 << 20) < 32_768


def test_the_failure_at_its_end_is_found() -> None:
    """Else the measurement would be of nothing."""
    log = training_log(1 << 18)
    assert diagnose([Source("train.log", [log])], Facts(state="FAILED")).label == "cuda-oom"


def test_without_its_end_it_is_healthy() -> None:
    """The steps alone are no failure."""
    log = training_log(1 << 18)
    healthy = log[: log.index(b"Traceback") - 100]
    assert diagnose([Source("train.log", [healthy])], Facts(state="COMPLETED")).healthy
