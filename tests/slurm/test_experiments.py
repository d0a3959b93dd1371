"""The recipes' launcher, asked what it takes and launched, with real NeMo-Run on the real Slurm."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator

import pytest

from bot.cluster import slurm
from bot.cluster.experiments import experiment
from bot.cluster.launch import launch
from bot.cluster.manuals import manual
from bot.cluster.recipes import recipes
from bot.cluster.spool import Submitted, outcome
from bot.cluster.ssh import SshCluster
from bot.experiment import read_experiment, title_of
from bot.manual import Manual, fit
from bot.model import Experiment, Launch
from bot.workload import Site
from bot.workloads.nemo import NEMO, NemoRun
from tests.cluster_fixture import Person
from tests.slurm.doors import node, sh

__all__ = ["node"]

CHAIN = "sft/llama3p1_2b_pt_sft.py"


@pytest.fixture
def site(alice: Person) -> Site:
    """What is configured for the cluster."""
    home = alice.address.home
    return Site(
        home=home,
        account="research",
        partition="a3m",
        nemo_dir=f"{home}/vertex-oss-training/nemo",
        image=f"{home}/images/nemo-20250721.sqsh",
    )


@pytest.fixture
async def quiet(node: SshCluster) -> AsyncIterator[SshCluster]:
    """A login node; what is left in the queue goes."""
    yield node
    await node.run(sh("scancel --me"))


async def asked(node: SshCluster, site: Site) -> Manual:
    """What run.py says it takes."""
    program = NEMO.program(site)
    assert program is not None
    found = await node.run(manual(program, Manual()))
    assert await node.run(manual(program, found)) is found
    return found


async def launched(node: SshCluster, what: Launch) -> tuple[Experiment, list[str]]:
    """Launch as the bot does; give the experiment, and the jobs that the shim saw."""
    request = secrets.token_hex(10)
    seen = outcome(await node.run(launch(request, 1, what, 60.0)))
    assert isinstance(seen, Submitted), seen
    assert seen.finished
    found = read_experiment(seen.out)
    assert found is not None, seen.out
    return found, [receipt.job for receipt in seen.jobs]


async def test_the_real_launcher_says_what_it_takes(quiet: SshCluster, site: Site) -> None:
    """Also what no documentation knows of."""
    found = await asked(quiet, site)
    kind = found.flag("--slurm-type")
    assert kind is not None
    assert kind.choices == ("hcc-a3h", "hcc-a3m", "hcc-a3u", "hcc-a4")
    passed, errors = fit(("--checkpoint_every=25", "--checkpont-every=2"), found, "run.py")
    assert passed == ("--checkpoint-every=25",)
    [error] = errors
    assert error.hint == "Did you mean `--checkpoint-every`?"


async def test_the_recipes_are_at_their_branch(quiet: SshCluster, site: Site) -> None:
    """Untouched."""
    found = await quiet.run(recipes(site.nemo_dir))
    assert (found.branch, found.changed, found.launcher) == ("release-allowlist-ga", 0, True)
    assert CHAIN in found.by_kind["sft"]


async def test_a_chain_waits_for_a_job_and_for_its_own_tasks(quiet: SshCluster, site: Site) -> None:
    """One experiment of two jobs, whose names, jobs and folders are known from its output."""
    before = await quiet.run(sh("sbatch --parsable --hold -p a3u jobs/hello.sh"))
    flags = (await asked(quiet, site)).names
    run = NemoRun(
        recipe=CHAIN,
        experiment_name="a-chain",
        after=(before.strip(),),
        time="00:07:00",
        log_dir="~/made/logs",
        extra=("--checkpoint-every=25",),
    )
    spec = NEMO.launch(run, site.model_copy(update={"flags": flags}))
    assert spec.sbatch_options == ("--time=00:07:00", f"--dependency=afterok:{before.strip()}")
    found, jobs = await launched(quiet, spec)
    assert title_of(found.id) == "a-chain"
    assert [task.job for task in found.tasks] == jobs
    assert [task.name for task in found.tasks] == ["llama3p1_2b_pt", "llama3p1_2b_sft"]
    first, second = jobs
    shown = {one.id: one for one in await quiet.run(slurm.details((first, second)))}
    assert f"afterok:{before.strip()}" in shown[first].dependency
    assert f"afterok:{before.strip()}" in shown[second].dependency
    assert f"afterok:{first}" in shown[second].dependency
    assert {str(one.time_limit) for one in shown.values()} == {"0:07:00"}
    assert (await quiet.run(sh("ls -d made/logs"))).strip() == "made/logs"
    script = await quiet.run(sh('cat "$1"/*_sbatch.sh', found.folder))
    assert "CHECKPOINT_EVERY=25" in script
    assert await quiet.run(experiment(site.nemo_dir, found.id)) == found
    newest = await quiet.run(experiment(site.nemo_dir, "a-chain"))
    assert newest is not None
    assert newest.id == found.id
