"""NeMo-RL from Slack where it does not go by the book: what waits, what dies early, what lacks."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")
