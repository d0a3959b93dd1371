"""From an accepted request to its jobs, with programs of this machine in Slurm's place."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import SecretStr

from bot.card import Card, plain
from bot.cluster_settings import ClusterSettings
from bot.errors import ClusterUnreachable
from bot.job import Job, State
from bot.launching import LATER_LOOK, PAUSE, Launcher
from bot.login_node import LoginNode
from bot.messages import living_key
from bot.model import Experiment, Failure, Request, Retry, Stage, Task
from bot.ports import Query
from bot.secret import Secret
from bot.store.sql_store import SqlStore
from bot.taken import new_job
from tests.unit.cluster.local import LocalShell
from tests.unit.slurm_says import sacct, squeue
from tests.unit.telling import until
from tests.unit.tracking import POLICY, a_request

T = TypeVar("T")

TAKES = '#!/bin/sh\necho "$*" >>"$HOME/jobs"\n'
SINFO = "\x1ea3m*\x1fup\x1finfinite\x1f1:00:00\x1f2\x1fidle\x1fgpu:8\x1f\n"
NO_SUCH_PARTITION = """#!/bin/sh
echo 'sbatch: error: invalid partition specified: general' >&2
echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2
exit 1
"""
TIMED_OUT = "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"


class Site:
    """A login node that may be out of reach."""

    name = "alice"

    def __init__(self, home: Path) -> None:
        self.home = home
        self.faults: list[Exception] = []
        """What the next queries come to."""
        (home / "programs").mkdir()
        self.shell = LocalShell(home, env={"PATH": f"{home}/programs:{os.environ['PATH']}"})
        self.program("sbatch", TAKES + 'echo "Submitted batch job 7$(wc -l <"$HOME/jobs")"\n')
        self.says("squeue", "")
        self.says("sacct", "")
        self.says("sinfo", SINFO)
        (home / "train.sh").write_text("#!/bin/sh\n")

    def program(self, name: str, text: str) -> None:
        """Put a program into PATH."""
        path = self.home / "programs" / name
        path.write_text(text)
        path.chmod(0o755)

    def says(self, name: str, text: str) -> None:
        """Let one of Slurm's commands print this."""
        (self.home / f"{name}.out").write_text(text)
        self.program(name, f'#!/bin/sh\nexec cat "$HOME/{name}.out"\n')

    @property
    def submissions(self) -> list[str]:
        """The calls that Slurm took."""
        path = self.home / "jobs"
        return path.read_text().splitlines() if path.exists() else []

    async def run(self, query: Query[T]) -> T:
        """Ask."""
        if self.faults:
            raise self.faults.pop(0)
        return await self.shell.run(query)

    async def rewrite(self, path: str, change: Callable[[bytes], bytes]) -> bool:
        """Change a file."""
        if self.faults:
            raise self.faults.pop(0)
        return await self.shell.rewrite(path, change)


class Scene:
    """A store, a site and the jobs that are followed."""

    def __init__(self, store: SqlStore, site: Site) -> None:
        self.store = store
        self.site = site
        self.followed: list[Job] = []
        self.secrets: dict[str, Secret] = {}

    async def accept(self, name: str = "r1", stage: Stage = Stage.ACCEPTED) -> Request:
        """Keep a request that somebody made."""
        asked = a_request(name).model_copy(update={"stage": stage})
        return await self.store.add_request(asked)

    @asynccontextmanager
    async def life(self) -> AsyncIterator[Launcher]:
        """One life of the bot; leaving it is a crash."""
        settings = ClusterSettings(host="login", known_hosts=Path("/dev/null"))
        node = LoginNode(settings=settings, policy=POLICY, cluster=self.site, secrets=self.secrets)
        launcher = Launcher(
            store=self.store,
            nodes={"alice": node},
            wake=_nobody,
            follow=self._follow,
            pause=0.05,
        )
        running = asyncio.create_task(launcher.run())
        await asyncio.sleep(0)
        try:
            yield launcher
        finally:
            assert not running.done(), "the launcher stopped by itself"
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    def _follow(self, jobs: Sequence[Job]) -> None:
        self.followed += jobs

    async def reaches(self, stage: Stage, name: str = "r1") -> Request:
        """Wait until a request has come so far."""

        async def there() -> bool:
            await asyncio.sleep(0.02)
            return (await self._request(name)).stage is stage

        await until(there)
        return await self._request(name)

    async def _request(self, name: str) -> Request:
        found = await self.store.request(name)
        assert found is not None
        return found

    async def card(self, name: str = "r1") -> Card:
        """What its living message shall show."""
        posted = await self.store.message(living_key(await self._request(name)))
        assert posted is not None
        return posted.wanted.card

    async def says(self, words: str) -> None:
        """Wait until the living message says so."""

        async def said() -> bool:
            await asyncio.sleep(0.02)
            posted = await self.store.message("request/r1")
            return posted is not None and words in plain(posted.wanted.card.lead)

        await until(said)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """A fresh login node and an empty store."""
    home = tmp_path / "home"
    home.mkdir()
    async with SqlStore(f"sqlite:///{tmp_path}/bot.db") as store:
        yield Scene(store, Site(home))


async def test_a_request_becomes_a_job_that_is_followed(scene: Scene) -> None:
    """Known by its receipt, and told as submitted before Slurm says more."""
    request = await scene.accept()
    async with scene.life() as launcher:
        launcher.start(request)
        await scene.reaches(Stage.SUBMITTED)
    [job] = await scene.store.jobs_of("r1")
    assert (job.id, job.seen.state, job.channel) == ("71", State.PENDING, "C1")
    assert [followed.id for followed in scene.followed] == ["71"]
    assert plain((await scene.card()).lead) == "Submitted. Slurm has not looked at it yet."
    [call] = scene.site.submissions
    assert "--comment=sbatchat:r1" in call


async def test_a_request_that_breaks_the_bot_stops_nobody_and_is_taken_up_again(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says how, under an id."""
    scene.site.faults = [KeyError("oops")]
    request = await scene.accept()
    async with scene.life() as launcher:
        launcher.start(request)
        await scene.reaches(Stage.SUBMITTED)
    [record] = [r for r in caplog.records if r.exc_info]
    assert len(getattr(record, "error_id", "")) == 8
    assert len(scene.site.submissions) == 1


async def test_a_request_is_carried_by_one_only(scene: Scene) -> None:
    """However often it is started: a second click, a redelivered act."""
    request = await scene.accept()
    async with scene.life() as launcher:
        for _ in range(5):
            launcher.start(request)
        await scene.reaches(Stage.SUBMITTED)
    assert len(scene.site.submissions) == len(scene.followed) == 1


async def test_a_restart_carries_on_what_was_left(scene: Scene) -> None:
    """Whether or not an earlier life had submitted it, it is submitted once."""
    request = await scene.accept("r1")
    async with scene.life() as launcher:
        launcher.start(request)
        await until(lambda: bool(scene.site.submissions))
    await scene.accept("r2")
    async with scene.life():
        await scene.reaches(Stage.SUBMITTED, "r1")
        await scene.reaches(Stage.SUBMITTED, "r2")
    assert len(scene.site.submissions) == 2


async def test_requests_that_are_over_are_left_alone(scene: Scene) -> None:
    """Proposed, refused, withdrawn."""
    for stage in (Stage.PROPOSED, Stage.REFUSED, Stage.WITHDRAWN):
        await scene.accept(stage.value, stage)
    await scene.accept("r1")
    async with scene.life():
        await scene.reaches(Stage.SUBMITTED)
    assert len(scene.site.submissions) == 1


async def test_a_login_node_out_of_reach_is_told_and_tried_again(scene: Scene) -> None:
    """Nothing is lost; the card says what stands in the way."""
    request = await scene.accept()
    scene.site.faults = [ClusterUnreachable("alice@login:22 does not answer")] * 2
    async with scene.life() as launcher:
        launcher.start(request)
        await scene.says("alice@login:22 does not answer. Still trying; nothing is lost.")
        await scene.reaches(Stage.SUBMITTED)
    assert len(scene.site.submissions) == 1


async def test_a_refusal_says_why_and_offers_the_partitions(scene: Scene) -> None:
    """In Slurm's own words; nothing is followed."""
    scene.site.program("sbatch", NO_SUCH_PARTITION)
    request = await scene.accept()
    async with scene.life() as launcher:
        launcher.start(request)
        refused = await scene.reaches(Stage.REFUSED)
    assert "invalid partition specified: general" in refused.error
    card = await scene.card()
    assert plain(card.lead).startswith("Not submitted. ")
    assert card.pick is not None
    assert ["a3m" in choice.label for choice in card.pick.choices] == [True]
    assert scene.followed == []


async def test_a_refusal_is_said_while_the_cluster_shows_nothing(scene: Scene) -> None:
    """The controller is away: why comes at once, and what could be chosen is left out."""
    no_answer = "slurm_load_partitions: Unable to contact slurm controller (connect failure)"
    scene.site.program("sbatch", NO_SUCH_PARTITION)
    scene.site.program("sinfo", f"#!/bin/sh\necho '{no_answer}' >&2\nexit 1\n")
    request = await scene.accept()
    async with scene.life() as launcher:
        launcher.start(request)
        await scene.reaches(Stage.REFUSED)
    card = await scene.card()
    assert plain(card.lead).startswith("Not submitted. ")
    assert card.pick is None


async def test_another_attempt_that_is_refused_is_told_to_its_person(scene: Scene) -> None:
    """Nobody looks at a message that changes at night; the thread mentions them."""
    scene.site.program("sbatch", NO_SUCH_PARTITION)
    retry = Retry(
        of="r0",
        number=2,
        due=datetime.now(UTC),
        failures=(Failure(job="70", label="port-in-use", cause="The port is taken."),),
    )
    options = {"script": "train.sh", "retries": 3}
    changes = {"stage": Stage.ACCEPTED, "retry": retry, "options": options}
    asked = a_request().model_copy(update=changes)
    await scene.store.add_request(asked)
    async with scene.life() as launcher:
        launcher.start(asked)
        await scene.reaches(Stage.REFUSED)
    for key, says in (
        ("request/r0", "Not submitted. "),
        ("request/r1/attempt", "Attempt 2 of 4 was not submitted."),
        ("request/r1/given-up", "@U1 Attempt 2 of 4 was not submitted. "),
    ):
        posted = await scene.store.message(key)
        assert posted is not None, key
        assert plain(posted.wanted.card.lead).startswith(says)


async def test_a_refusal_that_no_partition_mends_offers_none(scene: Scene) -> None:
    """A script that is not there."""
    (scene.site.home / "train.sh").unlink()
    words = "sbatch: error: Unable to open file /home/alice/train.sh"
    scene.site.program("sbatch", f"#!/bin/sh\necho '{words}' >&2\nexit 1\n")
    request = await scene.accept()
    async with scene.life() as launcher:
        launcher.start(request)
        refused = await scene.reaches(Stage.REFUSED)
    assert "Unable to open file" in refused.error
    assert (await scene.card()).pick is None


def by_the_queue(site: Site) -> None:
    """The job is in the queue."""
    site.says("squeue", squeue("71"))


def by_the_accounting(site: Site) -> None:
    """It has ended, and left the queue."""
    site.says("sacct", sacct("71", "COMPLETED"))


@pytest.mark.parametrize("found", [by_the_queue, by_the_accounting])
async def test_a_job_whose_receipt_was_lost_is_found_by_its_signature(
    scene: Scene, found: Callable[[Site], None]
) -> None:
    """And never submitted again."""
    scene.site.program("sbatch", f"{TAKES}echo '{TIMED_OUT}' >&2; exit 1\n")
    found(scene.site)
    request = await scene.accept()
    async with scene.life() as launcher:
        launcher.start(request)
        await scene.reaches(Stage.SUBMITTED)
    assert [job.id for job in scene.followed] == ["71"]
    assert len(scene.site.submissions) == 1


async def test_a_submission_that_is_not_certain_is_told_and_looked_for_after_a_restart(
    scene: Scene,
) -> None:
    """Accounting lags, and the bot may die meanwhile."""
    scene.site.program("sbatch", f"{TAKES}echo '{TIMED_OUT}' >&2; exit 1\n")
    request = await scene.accept()
    async with scene.life() as launcher:
        launcher.start(request)
        unsure = await scene.reaches(Stage.UNKNOWN)
        assert "Socket timed out" in unsure.error
        await scene.says("It is unknown whether Slurm took this job")
    by_the_accounting(scene.site)
    async with scene.life():
        await scene.reaches(Stage.SUBMITTED)
    assert [job.id for job in scene.followed] == ["71"]
    assert len(scene.site.submissions) == 1


async def test_a_request_for_a_cluster_that_is_gone_waits_for_it(scene: Scene) -> None:
    """It is not lost when somebody puts the cluster back into the configuration."""
    asked = a_request().model_copy(update={"stage": Stage.ACCEPTED, "cluster": "bob"})
    await scene.store.add_request(asked)
    await scene.accept("r2")
    async with scene.life():
        await scene.reaches(Stage.SUBMITTED, "r2")
    assert await scene.reaches(Stage.ACCEPTED) == asked


RUN = """
import os, subprocess, sys, time
while not os.path.exists(os.path.expanduser("~/go")):
    time.sleep(0.02)
token = os.environ.get("HF_TOKEN", "none")
sys.exit(subprocess.call(["sbatch", "--job-name=" + token.swapcase(), "train.sh"]))
"""


async def a_recipe(scene: Scene) -> Request:
    """A request that wants the secrets; its launcher goes on once it may."""
    folder = scene.site.home / "vertex-oss-training" / "nemo"
    folder.mkdir(parents=True)
    (folder / "run.py").write_text(RUN)
    options = {"recipe": "pretrain/x.py", "workdir": str(folder), "partition": "a3m"}
    request = a_request().model_copy(
        update={"stage": Stage.ACCEPTED, "workload": "nemo run", "options": options}
    )
    return await scene.store.add_request(request)


async def test_a_launch_finds_the_secrets_in_its_environment(scene: Scene) -> None:
    """They were put there just before."""
    scene.secrets = {"HF_TOKEN": Secret(source="x", value=SecretStr("hf_value"))}
    (scene.site.home / "go").touch()
    await a_recipe(scene)
    async with scene.life():
        await scene.reaches(Stage.SUBMITTED)
    [call] = scene.site.submissions
    assert "--job-name=HF_VALUE" in call


async def test_without_a_place_for_its_secrets_nothing_is_launched(scene: Scene) -> None:
    """It is refused in words; what runs already is not."""
    scene.secrets = {"HF_TOKEN": Secret(source="x", value=SecretStr("hf_value"))}
    await a_recipe(scene)
    file = scene.site.home / ".sbatchat" / "secrets.sh"
    async with scene.life():
        await until(file.exists)
        await until(lambda: any((scene.site.home / ".sbatchat/requests/r1").glob("*/runner")))
    file.unlink()
    file.symlink_to("elsewhere")
    async with scene.life():
        await asyncio.sleep(0.3)
        (scene.site.home / "go").touch()
        await scene.reaches(Stage.SUBMITTED)
    assert len(scene.site.submissions) == 1
    again = a_request("r2").model_copy(
        update={
            "stage": Stage.ACCEPTED,
            "workload": "nemo run",
            "options": (await scene.reaches(Stage.SUBMITTED)).options,
        }
    )
    await scene.store.add_request(again)
    async with scene.life():
        refused = await scene.reaches(Stage.REFUSED, "r2")
    assert "symbolic link" in refused.error
    assert len(scene.site.submissions) == 1


def test_a_new_job_is_what_was_asked_for() -> None:
    """Until Slurm says more."""
    job = new_job(a_request(), "75")
    assert (job.key, job.request, job.seen.name, job.seen.nodes) == (
        "alice:75",
        "r1",
        "train.sh",
        1,
    )


def _nobody() -> None:
    """Nobody is woken."""


RUN_PY = """import subprocess, sys, time
subprocess.run(["sbatch", "x.sh"], check=True)
print("Experiment Status for x_1796059859187830485\\n\\nTask 0: x\\n- Job id: 71\\n", flush=True)
time.sleep(30)
"""


async def test_a_launcher_that_stays_is_told_of_once(scene: Scene, tmp_path: Path) -> None:
    """Some wait for their jobs; what it says of its experiment is kept all the same."""
    nemo = scene.site.home / "vertex-oss-training" / "nemo"
    nemo.mkdir(parents=True)
    (nemo / "run.py").write_text(RUN_PY)
    nemo_run = {"workload": "nemo run", "options": {"recipe": "x.py"}, "stage": Stage.ACCEPTED}
    request = await scene.store.add_request(a_request().model_copy(update=nemo_run))
    async with scene.life() as launcher:
        launcher.start(request)
        await until(lambda: bool(scene.followed))
        with closing(sqlite3.connect(tmp_path / "bot.db")) as other:
            before = other.execute("PRAGMA data_version").fetchone()[0]
            await asyncio.sleep(2 * PAUSE + LATER_LOOK)
            assert other.execute("PRAGMA data_version").fetchone()[0] == before
    kept = await scene.store.request("r1")
    assert kept is not None
    assert kept.stage is Stage.ACCEPTED
    assert kept.experiment == Experiment(
        id="x_1796059859187830485", tasks=(Task(name="x", job="71"),)
    )
