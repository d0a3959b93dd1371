"""Values of which there are many take little room."""

from __future__ import annotations

from bot.job import Job
from tests.unit.store.makers import job


def test_which_fields_were_given_is_kept_once_for_all_jobs() -> None:
    """A job read again is the same job, and shares that with every other."""
    text = job("75").model_dump_json()
    one, other = Job.model_validate_json(text), Job.model_validate_json(text)
    assert one == other == job("75")
    assert one.model_fields_set is other.model_fields_set
    assert one.seen.model_fields_set is other.seen.model_fields_set
    assert one.model_copy(update={"attempt": 2}).model_dump()["attempt"] == 2
