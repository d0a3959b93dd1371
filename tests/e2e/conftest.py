"""The whole thing end to end: real Slurm, real sshd, a local Slack, the bot as a process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence

import pytest
import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.cluster_fixture import bob, cluster
from tests.e2e.carry import carry
from tests.e2e.point import Outcome, Point

__all__ = ["bob", "cluster"]

ABREAST = 16
"""Points that happen at the same time, each with a Slack and a bot of its own."""


class Together:
    """Lets all chosen points happen side by side; each test waits for its own."""

    def __init__(
        self, cluster: EmbeddedCluster, paths: pytest.TempPathFactory, group: asyncio.TaskGroup
    ) -> None:
        self._cluster = cluster
        self._paths = paths
        self._group = group
        self._room = asyncio.Semaphore(ABREAST)
        self._tasks: dict[str, asyncio.Task[Outcome | Exception]] = {}

    def begin(self, point: Point) -> None:
        """Let a point happen as soon as there is room."""
        if point.id not in self._tasks:
            self._tasks[point.id] = self._group.create_task(self._carried(point))

    async def outcome(self, point: Point) -> Outcome:
        """What came of a point; raises what went wrong with it."""
        self.begin(point)
        came = await self._tasks[point.id]
        if isinstance(came, Exception):
            raise came
        return came

    def cancel(self) -> None:
        """Leave what nobody waits for any more."""
        for task in self._tasks.values():
            task.cancel()

    async def _carried(self, point: Point) -> Outcome | Exception:
        directory = self._paths.mktemp(point.name)
        async with self._room:
            try:
                return await carry(self._cluster, directory, point)
            except Exception as error:  # noqa: BLE001 - it is raised in the point's own test
                return error


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def together(
    request: pytest.FixtureRequest,
    cluster: EmbeddedCluster,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Together]:
    """Every point of the session's chosen tests, already on its way."""
    async with asyncio.TaskGroup() as group:
        running = Together(cluster, tmp_path_factory, group)
        for point in sorted(_chosen(request.session.items), key=lambda point: not point.slow):
            running.begin(point)
        yield running
        running.cancel()


def _chosen(items: Sequence[pytest.Item]) -> Iterator[Point]:
    for item in items:
        spec = getattr(item, "callspec", None)
        point = spec.params.get("point") if spec else None
        if isinstance(point, Point):
            yield point
