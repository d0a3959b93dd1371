"""From a change of a job's state to the message that shows it."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from bot.bench.figures import Figure, Goal, percentile
from bot.bench.stage import TICK, Stage
from bot.bench.submitting import JOB, told, words
from bot.demo.slack.model import Json
from bot.demo.slack.traffic import Call
from bot.ports import Output, Query

JOBS = 12
LASTS = 8
"""Seconds of each job: its start has been told long before it ends."""
PATIENCE = 60.0
GOAL = Goal(TICK + 1)
BEGUN, ENDED = ("Running on", "Started on"), ("Completed",)
"""What a card or a notice in its thread says when a job has begun, and when it has ended."""

_PUT = f"""
mkdir -p bench && cat >bench/stamp.sh <<'SCRIPT'
#!/bin/sh
date +%s.%N >bench/$SLURM_JOB_ID.begun
sleep {LASTS}
date +%s.%N >bench/$SLURM_JOB_ID.ended
SCRIPT
"""
_READ = """
for file in bench/*.begun bench/*.ended; do
  read -r at <"$file" && name=${file##*/} && printf '%s %s\\n' "$name" "$at"
done
"""


async def changes(stage: Stage) -> list[Figure]:
    """Run some jobs that write down when they begin and end; see when their cards say so."""
    await stage.ssh.run(Query(_PUT, lambda output: output.status, name="put a script"))
    channels = [stage.channel() for _ in range(JOBS)]
    for channel in channels:
        await told(stage, channel, "/slurm submit bench/stamp.sh")
        await asyncio.sleep(0.2)
    async with asyncio.timeout(PATIENCE):
        while not all(_shown(stage, channel, ENDED) for channel in channels):  # noqa: ASYNC110  # one look at all of them
            await asyncio.sleep(0.2)
    happened = await stage.ssh.run(Query(_READ, _times, name="read the times"))
    told_anywhere = _lags(stage, channels, happened, cards_only=False)
    told_by_card = _lags(stage, channels, happened, cards_only=True)
    return [
        Figure("state change to Slack, p50", percentile(told_anywhere, 0.5), "s"),
        Figure("state change to Slack, p95", percentile(told_anywhere, 0.95), "s", goal=GOAL),
        Figure("state change to the living message, p95", percentile(told_by_card, 0.95), "s"),
    ]


def _lags(
    stage: Stage, channels: list[str], happened: dict[str, float], *, cards_only: bool
) -> list[float]:
    """Return the seconds from each job's start, and from its end, until Slack was told."""
    lags = []
    for channel in channels:
        for phrases, kind in ((BEGUN, "begun"), (ENDED, "ended")):
            card = _shown(stage, channel, phrases)
            first = card if cards_only else _shown(stage, channel, phrases, cards_only=False)
            if card is None or first is None:
                raise RuntimeError(f"no message says {phrases[0]!r}")
            lags.append(first.at + first.ms / 1000 - happened[f"{_job(card)}.{kind}"])
    return lags


def _shown(
    stage: Stage, channel: str, phrases: tuple[str, ...], *, cards_only: bool = True
) -> Call | None:
    """Return the first call after which a channel, or its living message, said so."""
    for call in stage.slack.platform.traffic.since(0):
        said = call.arguments
        ours = said.get("channel") == channel and call.status == HTTPStatus.OK
        if ours and (_living(said) or not cards_only):
            text = words(said.get("blocks"))
            if any(phrase in text for phrase in phrases):
                return call
    return None


def _living(said: Json) -> bool:
    payload = (said.get("metadata") or {}).get("event_payload", {})
    return str(payload.get("key")).count("/") == 1


def _job(call: Call) -> str:
    found = JOB.search(words(call.arguments["blocks"]))
    return found[1] if found else ""


def _times(output: Output) -> dict[str, float]:
    pairs = (line.split() for line in output.stdout.splitlines())
    return {name: float(at) for name, at in pairs}
