"""Use cases, in the words of people: submit, cancel, rerun, look, tail, why."""

from __future__ import annotations

from bot.service.service import Service

__all__ = ["Service"]
