"""Who does nothing, in place of who carries requests on and who watches jobs."""

from __future__ import annotations

from collections.abc import Callable

from bot.job import Job, Session
from bot.model import Request
from bot.ports import Wanted


class Idle:
    """Carries nothing and watches nothing."""

    def start(self, request: Request) -> None:
        """Leave it."""

    def hurry(self, cluster: str) -> None:
        """Stay calm."""

    def see_to_errands(self, cluster: str) -> None:
        """Stay calm."""

    async def stopping(self, job: Job, user: str) -> None:
        """Forget it."""

    async def amend(
        self, job: Job, change: Callable[[Session], Session | None], *wanted: Wanted
    ) -> Job | None:
        """Leave it."""
