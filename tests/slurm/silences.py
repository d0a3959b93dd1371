"""A cluster without accounting that falls silent now and then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.following import PATIENCE
from bot.job import Job
from tests.slurm.lookout import Channel, Told, lookout
from tests.slurm.stage import LONG, UNTIL_TOLD, Stage
from tests.unit.fake_chat import Message
from tests.unit.telling import until


@dataclass(frozen=True)
class Lost:
    """A job of which every trace is gone: what was said at once, and what in the end."""

    at_once: str
    settling: Job
    told: Told


@dataclass(frozen=True)
class Silence:
    """What two channels read, and the jobs of each as they were when it was over."""

    channel: Channel
    running: Job
    other: Told

    def said_in(self, channel: str) -> list[Message]:
        """What a channel reads about the silence, in order."""
        said = [message for message in self.channel.messages if message.channel == channel]
        return [message for message in said if message.key.startswith("outage/")]


@dataclass(frozen=True)
class Silences:
    """All that happened, one after the other."""

    lost: Lost
    ssh: Silence
    slurm: Silence


async def silences(stage: Stage) -> Silences:
    """Lose the login node, then a job, then Slurm itself."""
    job = await stage.submit("exit 3")
    ssh = await _cut(stage)
    lost = await _lose(stage, job)
    return Silences(lost, ssh, await _stop(stage))


async def _lose(stage: Stage, job: str) -> Lost:
    """Follow a job of which Slurm has already forgotten everything."""
    await stage.purged(job)
    database = stage.folder / "lost.db"
    async with lookout(stage.cluster.address, database, by_hand=True) as eye:
        await eye.follow(job)
        await eye.tracker.tick()
        await eye.hushes(job)
        settling = await eye.job(job)
        at_once = Told(settling, eye.channel).root
        # Some minutes pass.
        then = datetime.now(UTC) - PATIENCE
        await eye.store.save_jobs([settling.model_copy(update={"settling_since": then})])
    async with lookout(stage.cluster.address, database, channel=eye.channel, by_hand=True) as eye:
        await eye.tracker.tick()
        return Lost(at_once, settling, await eye.tells(job))


async def _cut(stage: Stage) -> Silence:
    """The login node goes away; the bot, too; both come back."""
    database = stage.folder / "cut.db"
    channel = Channel()
    async with lookout(stage.cluster.address, database, channel=channel) as eye:
        here = replace(stage, bot=eye)
        running, other = await here.launch(LONG), await here.launch(LONG, channel="C2")
        await here.runs(running)
        await here.runs(other)
        await stage.cluster.stop_daemon("sshd")
        stage.cluster.cut_connections()
        await until(lambda: len(_outages(channel)) == 2, 100)
    async with lookout(stage.cluster.address, database, channel=channel) as eye:
        await until(lambda: eye.ssh.health.failing_since is not None, 100)
        await stage.cluster.start_daemon("sshd")
        await until(lambda: len(_outages(channel)) == 4, 100)
        await stage.as_owner("scancel", other)
        told = await eye.tells(other)
        return Silence(channel, await eye.job(running), told)


async def _stop(stage: Stage) -> Silence:
    """Slurm's controller stops and comes back; a job ends meanwhile."""
    running, other = await stage.launch(LONG), await stage.launch(UNTIL_TOLD, channel="C2")
    await stage.runs(running)
    await stage.runs(other)
    await stage.cluster.stop_daemon("slurmctld")
    await stage.finish(other)
    await until(lambda: len(_outages(stage.bot.channel)) == 2, 100)
    await stage.cluster.start_daemon("slurmctld")
    await until(lambda: len(_outages(stage.bot.channel)) == 4, 100)
    told = await stage.ends(other)
    return Silence(stage.bot.channel, await stage.bot.job(running), told)


def _outages(channel: Channel) -> list[str]:
    return [message.key for message in channel.messages if message.key.startswith("outage/")]
