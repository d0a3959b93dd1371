"""Carry one request through whatever goes wrong, and judge what is there in the end."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bot.demo.cluster import EmbeddedCluster
from bot.model import attempt_id
from tests.e2e.cut import cut
from tests.e2e.hands import Json, controls, is_root, key_of, words
from tests.e2e.harm import Harmful
from tests.e2e.journal_kill import Death
from tests.e2e.point import Fault, Outcome, Point
from tests.e2e.room import REST, Room, room
from tests.e2e.slurm_count import Found, jobs_named

PATIENCE = 240.0
"""Seconds until a request must be over; a search for a lost job takes a minute."""
REFUSED = re.compile("That was not run|Nothing was (changed|submitted)")
"""How an answer to the person alone reads when a line came to nothing."""


async def carry(cluster: EmbeddedCluster, directory: Path, point: Point) -> Outcome:
    """Let a point happen; raises AssertionError, with the story, when anything is wrong."""
    keys = {"retry_after": '"2s"'}
    if point.harm is not None:
        harmful = Harmful(cluster, point.name)
        harmful.write(point.harm)
        keys["path"] = f'["{harmful.inside}"]'
    async with room(cluster, directory, keys=keys, ask_above=0.0) as here:
        outcome = await _lived_through(here, point)
        decided = point.undecided
        if decided is None:
            decided = "submit_again" in controls(await here.hands.shows(is_root))
        if decided:
            await _decided(here, point)
        jobs = await jobs_named(cluster, point.name)
        wrong = problems(point, jobs, await here.hands.messages(), roots=2 if decided else 1)
        outcome.steps = here.bot.steps()
        if wrong:
            raise AssertionError("\n".join([*wrong, f"Jobs: {jobs}", await here.story()]))
    return outcome


async def _lived_through(here: Room, point: Point) -> Outcome:
    """Type, press, wait, while lives end and connections break."""
    outcome = Outcome()
    typed = asyncio.Event()
    around = [asyncio.ensure_future(_lives(here, point, outcome, typed))]
    around.append(asyncio.ensure_future(_cuts(here, point, typed)))
    person = asyncio.ensure_future(_person(here, point, outcome, typed))
    try:
        # The lives never end; one that does has gone wrong, and so has the person's patience.
        await asyncio.wait((around[0], person), return_when=asyncio.FIRST_COMPLETED)
        for ended in (around[0], person):
            if ended.done():
                ended.result()
    finally:
        for task in (*around, person):
            task.cancel()
    if outcome.deaths < len(point.deaths):
        missed = ", ".join(map(str, point.deaths[outcome.deaths :]))
        raise AssertionError(f"this never came: {missed}\n{await here.story()}")
    return outcome


async def _lives(here: Room, point: Point, outcome: Outcome, typed: asyncio.Event) -> None:
    """Live and die as the point says, then live on; a life that ends by itself is an error."""
    for death in point.deaths:
        if isinstance(death, Death):
            here.bot.start(death)
            await here.bot.died()
        else:
            here.bot.start()
            await typed.wait()
            await asyncio.sleep(death)
            await here.bot.kill()
        if not here.bot.killed:
            break
        outcome.deaths += 1
    else:
        here.bot.start()
        await here.bot.died()
    raise AssertionError(f"the bot ended by itself.\n{await here.story()}")


async def _cuts(here: Room, point: Point, typed: asyncio.Event) -> None:
    await typed.wait()
    began = asyncio.get_running_loop().time()
    for at in sorted(point.cuts):
        await asyncio.sleep(began + at - asyncio.get_running_loop().time())
        if here.bot.alive:
            cut(here.bot.pid, here.cluster.address.port)


async def _person(here: Room, point: Point, outcome: Outcome, typed: asyncio.Event) -> None:
    """What somebody does who types once, and again only when told that it came to nothing."""
    await _order(here, point.faults)
    for attempt in range(4):
        await here.online(PATIENCE)
        outcome.retyped = attempt
        lived = len(here.bot.steps())
        typed.set()
        await here.hands.slash(point.line)
        if not point.asks:
            await _order(here, point.later)
        if await _taken(here, lived):
            break
    if point.asks:
        await _pressed(here, point)
    while point.timed and outcome.deaths < len(point.deaths):
        await asyncio.sleep(0.1)
    await here.rests(PATIENCE)
    if point.also:
        await here.hands.slash(point.also)
        await here.rests(PATIENCE)


async def _order(here: Room, faults: Sequence[Fault]) -> None:
    for fault in faults:
        await here.hands.fault(**fault)


async def _taken(here: Room, lived: int) -> bool:
    """Wait until a request is in the channel, or until it is certain that it was not taken.

    Slack gives up after 3 s and cannot tell what a slow bot will still do. What came before a
    question that is acknowledged was kept by then, as the journal tells, or is lost.
    """
    questions = 0
    async with asyncio.timeout(PATIENCE):
        while True:
            messages = await here.hands.messages()
            if any(is_root(message) for message in messages):
                return True
            kept = here.bot.steps()[lived:].count("act_stored") > questions
            if await _quiet(here):
                if any(REFUSED.search(words(m)) for m in messages if m["ephemeral"]):
                    return False
                if questions and not kept:
                    return False
                if not kept and (await here.hands.slash("/slurm help"))["acked"]:
                    questions += 1
            await asyncio.sleep(0.3)


async def _quiet(here: Room) -> bool:
    """Whether a bot that listens does nothing."""
    return here.bot.alive and await here.hands.online() and await here.hands.idle(REST)


async def _pressed(here: Room, point: Point) -> None:
    """Press Submit, as often at once as the point says, and again while nothing comes of it."""
    await _order(here, point.later)
    for _ in range(4):
        await here.online(PATIENCE)
        card = await here.hands.shows(is_root)
        if "submit" not in controls(card):
            return
        presses = (here.hands.click(card, "submit") for _ in range(point.clicks))
        await asyncio.gather(*presses)
        while "submit" in controls(card) and not await _quiet(here):
            await asyncio.sleep(0.3)
            card = await here.hands.shows(is_root)


async def _decided(here: Room, point: Point) -> None:
    """The bot says that it does not know; nothing was submitted twice; a person says: again."""
    card = await here.hands.shows(is_root)
    jobs = await jobs_named(here.cluster, point.name)
    said = words(card)
    assert "It is unknown whether Slurm took this job" in said, await here.story()
    assert "submit_again" in controls(card), await here.story()
    assert jobs == [], (jobs, await here.story())
    await here.hands.click(card, "submit_again")
    await here.rests(PATIENCE)


def problems(
    point: Point, jobs: Sequence[Found], messages: Sequence[Json], *, roots: int
) -> list[str]:
    """Return what is wrong, in words: jobs as Slurm counts them, messages as Slack shows them."""
    wrong = []
    if len(jobs) != point.jobs:
        wrong.append(f"{len(jobs)} jobs in Slurm, not {point.jobs}")
    found = [message for message in messages if is_root(message)]
    if len(found) != roots:
        wrong.append(f"{len(found)} root messages, not {roots}")
    for key, count in Counter(filter(None, map(key_of, messages))).items():
        if count > 1:
            wrong.append(f"{count} messages for {key}")
    if found and point.ends not in words(found[-1]):
        wrong.append(f"the root message does not say {point.ends!r}: {words(found[-1])}")
    wrong += _strangers(messages)
    if jobs and found and point.ends == "Completed":
        wrong += _ended_well(jobs, found[-1], messages)
    return wrong


def _strangers(messages: Sequence[Json]) -> list[str]:
    """Messages that no request asked for: without a key, or about a broken bot."""
    for_all = [m for m in messages if m["by_bot"] and not m["ephemeral"] and not key_of(m)]
    broken = [m for m in messages if "The bot broke on this" in words(m)]
    return [f"a stray message: {words(message)}" for message in (*for_all, *broken)]


def _ended_well(jobs: Sequence[Found], root: Json, messages: Sequence[Json]) -> list[str]:
    """Judge the last attempt; the message is named after the first one's request."""
    wrong, job = [], jobs[-1]
    request = attempt_id(key_of(root).removeprefix("request/"), len(jobs))
    if job.state != "COMPLETED":
        wrong.append(f"the job is {job.state}")
    if f"sbatchat:{request}" not in job.comment.split():
        wrong.append(f"the job carries {job.comment!r}, the message {key_of(root)}")
    told = [words(m) for m in messages if m["thread_ts"] == root["ts"] and m["ts"] != root["ts"]]
    if sum("Completed" in text for text in told) != 1:
        wrong.append(f"the thread does not tell the end once: {told}")
    if len(told) != len(set(told)):
        wrong.append(f"the thread says something twice: {told}")
    return wrong
