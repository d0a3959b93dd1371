"""Sees to errands: starts them, looks how far they are, tells it, and stops them when wished.

Level, not edge: each turn compares what is stored with what lies on the cluster. The errand itself
runs there, whatever becomes of this process or of the connection.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime

from bot.cards.errand import errand_card, notice
from bot.cluster.errand import SCRIPTS, Phase, Sight, look, start, stop
from bot.errand import Errand, ErrandStage, Growth
from bot.errors import ClusterError, StoreFailed
from bot.login_node import LoginNode
from bot.messages import errand_message, errand_notice
from bot.ports import Store, Wanted
from bot.redact import redact

logger = logging.getLogger(__name__)

PACE = ((60.0, 2.0), (600.0, 5.0), (float("inf"), 15.0))
"""Up to which age in seconds of the youngest errand, how many seconds lie between two looks."""
QUIET = 3600.0
"""Seconds until the next turn when nothing is; who has something hurries it."""
AWAY, LONGEST_AWAY = 5.0, 60.0
"""Seconds between tries while the cluster or the database does not answer; doubled each time."""
SETTLED = 5.0
"""Seconds of copying after which its pace says something."""
_MINUTE = 60
BLOCKED = "busy"
"""The problem of an errand whose place is being worked on: it begins when that is over."""
TAIL = 4000
"""Characters of an errand's output that are kept when it failed."""

Clean = Callable[[str], str]
"""Takes secrets out of what a program said."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9])")


class Errands:
    """The errands of one cluster."""

    def __init__(
        self,
        *,
        node: LoginNode,
        store: Store,
        wake: Callable[[], None],
        clean: Clean = redact,
    ) -> None:
        self._node = node
        self._clean = clean
        self._store = store
        self._wake = wake
        self._away = AWAY

    async def tick(self) -> float:
        """Take one turn; return the seconds until the next."""
        try:
            errands = await self._store.open_errands(self._node.name)
            if not errands:
                return QUIET
            return await self._turn({errand.id: errand for errand in errands})
        except StoreFailed as error:
            logger.warning(
                "errands wait for the database: %s",
                error.sentence,
                extra={"action": "errands_not_kept", "cluster": self._node.name},
            )
            return AWAY

    async def _turn(self, errands: dict[str, Errand]) -> float:
        try:
            sights = await self._sights(errands)
        except ClusterError as error:
            return await self._unreachable(errands, error)
        self._away = AWAY
        for errand_id, sight in sights.items():
            await self._keep(errands[errand_id], sight)
        youngest = max(errand.created for errand in errands.values())
        age = (datetime.now(UTC) - youngest).total_seconds()
        return next(pause for until, pause in PACE if age < until)

    async def _sights(self, errands: dict[str, Errand]) -> dict[str, Sight]:
        """Do what is wished on the cluster, and see how all stand."""
        stopping = [one.id for one in errands.values() if one.stopper]
        sights = await self._node.run(stop(stopping)) if stopping else {}
        others = [one for one in errands if one not in sights]
        if others:
            sights |= await self._node.run(look(others))
        for errand in errands.values():
            if sights[errand.id].phase is Phase.ABSENT and not errand.stopper:
                begin = start(errand.id, errand.target, SCRIPTS[errand.kind], errand.args)
                sights[errand.id] = await self._node.run(begin)
                extra = {"action": "errand_started", "errand": errand.id, "kind": errand.kind}
                logger.info("an errand is started", extra=extra)
        return sights

    async def _keep(self, errand: Errand, sight: Sight) -> None:
        """Store what is known now, with what the channel shall show."""
        after = moved(errand, sight, datetime.now(UTC), self._clean)
        if after == errand:
            return
        if not await self._store.save_errand(after, *_told(after)):
            return  # a person wants it stopped meanwhile: the next turn does it
        if after.stage is not errand.stage:
            extra = {"action": f"errand_{after.stage.value}", "errand": errand.id}
            logger.info("an errand moved on", extra=extra)
        if after.stage is ErrandStage.DONE:
            self._node.forget_python()
        self._wake()

    async def _unreachable(self, errands: dict[str, Errand], error: ClusterError) -> float:
        """Say once on each card that the cluster does not answer."""
        why = f"{error.sentence.rstrip('.')}."
        for errand in errands.values():
            if errand.trouble:
                continue
            logger.warning(
                "an errand waits for the cluster: %s",
                why,
                extra={"action": "errand_waits", "errand": errand.id},
            )
            away = errand.model_copy(update={"trouble": why})
            await self._store.save_errand(away, errand_message(away, errand_card(away)))
            self._wake()
        wait, self._away = self._away, min(2 * self._away, LONGEST_AWAY)
        return wait


def _told(errand: Errand) -> tuple[Wanted, ...]:
    """Return what the channel shall show, and what its person is told at the end."""
    end = notice(errand)
    card = errand_message(errand, errand_card(errand))
    return (card, errand_notice(errand, end)) if end else (card,)


def moved(errand: Errand, sight: Sight, now: datetime, clean: Clean = redact) -> Errand:
    """Return an errand as a look at it shows. Pure."""
    stage, failure = _stage(errand, sight)
    seen: dict[str, object] = {
        "stage": stage,
        "steps": sight.steps or errand.steps,
        "facts": sight.facts or errand.facts,
        "growth": _paced(sight, now),
        "line": clean(last_line(sight.out)) if sight.phase is Phase.RUNNING else "",
        "trouble": "",
    }
    if sight.phase is Phase.ABSENT and sight.problem == BLOCKED:
        seen["line"] = "another errand is at work in the same place"
    if not stage.open:
        seen["ended"] = (sight.steps[-1].ended if sight.steps else None) or now
    if stage is ErrandStage.FAILED:
        said = "\n".join(_lines(_of_step(sight.out))) or sight.detail
        seen |= {"failure": failure, "tail": clean(said)[-TAIL:]}
    return errand.model_copy(update=seen)


def _stage(errand: Errand, sight: Sight) -> tuple[ErrandStage, str]:
    """Return how far it is, and the code of what went wrong."""
    match sight.phase:
        case Phase.RUNNING:
            return ErrandStage.RUNNING, ""
        case Phase.STOPPED:
            return ErrandStage.STOPPED, ""
        case Phase.DEAD:
            return ErrandStage.FAILED, "dead"
        case Phase.ENDED if sight.status == 0:
            return ErrandStage.DONE, ""
        case Phase.ENDED:
            return ErrandStage.FAILED, sight.steps[-1].said if sight.steps else ""
        case Phase.ABSENT:
            return _not_begun(errand, sight)


def _not_begun(errand: Errand, sight: Sight) -> tuple[ErrandStage, str]:
    if errand.stopper:
        return ErrandStage.STOPPED, ""
    if sight.problem in {"", BLOCKED}:
        return ErrandStage.ACCEPTED, ""
    return ErrandStage.FAILED, "no-room" if sight.problem == "room" else sight.problem


def last_line(out: str) -> str:
    """Return what a program shows last, as on a terminal."""
    lines = _lines(_of_step(out)[-2000:])
    return lines[-1].strip() if lines else ""


def _of_step(out: str) -> str:
    """Return what was written since the last step began; see `step` in errand_runner.sh."""
    before, mark, rest = out.rpartition("\n== ")
    return rest.partition("\n")[2] if mark else before or rest


def _paced(sight: Sight, now: datetime) -> Growth | None:
    """Return how far a file has grown, and how long it takes at this pace."""
    growth = sight.growth
    if growth is None or not sight.steps or not growth.size:
        return growth
    spent = (now - sight.steps[-1].began).total_seconds()
    if spent < SETTLED:
        return growth
    left = spent * (growth.total - growth.size) / growth.size
    return growth.model_copy(update={"left": float(_round(left))})


def _round(seconds: float) -> int:
    """Return a span in steps that do not change with every look."""
    step = 10 if seconds > _MINUTE else 5
    return max(step, round(seconds / step) * step)


def _lines(out: str) -> list[str]:
    """Return the lines as a terminal would show them: a progress line is the last of itself."""
    shown = [line.rstrip("\r").rpartition("\r")[2] for line in _ESCAPES.sub("", out).split("\n")]
    return ["".join(c for c in line if c.isprintable()) for line in shown if line.strip()]
