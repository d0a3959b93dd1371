"""What lies on the embedded cluster: run.py on the real NeMo-Run, and recipes that really train."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest_asyncio

from bot.demo.cluster import EmbeddedCluster
from tests.cluster_fixture import Person, account

_LOSS = re.compile(
    r"Training epoch 0, iteration (\d+)/(\d+) \| lr: \S+ \| global_batch_size: \d+"
    r" \| global_step: \1 \| reduced_train_loss: (\S+) \| train_step_timing in s: \S+"
    r" \| consumed_samples: \d+"
)

_SAVED = re.compile(r"saving model to '(\S+)' as top 5")


@dataclass(frozen=True)
class Launch:
    """What one call of run.py left."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def job(self) -> str:
        """The id in NeMo-Run's status block."""
        return self._field("Job id")

    @property
    def directory(self) -> str:
        """The folder in NeMo-Run's status block."""
        return self._field("Local Directory")

    def _field(self, name: str) -> str:
        found = re.search(rf"^- {name}: (\S+)$", self.stdout, re.MULTILINE)
        assert found, self.stdout
        return found[1]


async def launch(person: Person, arguments: str) -> Launch:
    """Type what the documentation says."""
    done = await person.ssh(
        "cd vertex-oss-training/nemo && export NEMORUN_HOME=$PWD &&"
        " python3 run.py -e slurm --slurm-type hcc-a3m -d $PWD -i $PWD/nemo-demo.sqsh " + arguments,
        check=False,
    )
    return Launch(done.returncode, done.stdout, done.stderr)


async def finished(person: Person, arguments: str) -> tuple[str, str]:
    """Launch, wait for the end, and give the state and the training log."""
    launched = await launch(person, arguments)
    state = await person.ended(launched.job)
    return state, (await person.ssh(f"cat {launched.directory}/log-*_{launched.job}_0.out")).stdout


async def test_the_default_partition_does_not_exist(alice: Person) -> None:
    """The documented failure, word for word."""
    launched = await launch(alice, "-s pretrain/llama3p1_2b_pt.py")
    assert launched.returncode == 1
    assert launched.stderr.strip().splitlines()[-2:] == [
        "sbatch: error: invalid partition specified: general",
        "sbatch: error: Batch job submission failed: Invalid partition name specified",
    ]


async def test_an_image_that_is_missing_is_refused(alice: Person) -> None:
    """Before anything is submitted."""
    launched = await launch(alice, "-s pretrain/llama3p1_2b_pt.py -p a3m -i nowhere.sqsh")
    assert launched.returncode == 2
    assert "container image not found: nowhere.sqsh" in launched.stderr


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def pretrained(cluster: EmbeddedCluster) -> tuple[str, str]:
    """A training of two nodes, with checkpoints in `~/logs`: its state and its log."""
    return await finished(
        account(cluster),
        "-s pretrain/llama3p1_2b_pt.py -p a3m -n 2 --experiment-name nemo-demo-run"
        " --log-dir $HOME/logs",
    )


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tuned(cluster: EmbeddedCluster) -> tuple[str, str]:
    """A fine-tuning that finds nothing to start from: its state and its log."""
    options = "-p a3u --log-dir $HOME/no-logs --checkpoint-every 25"
    return await finished(account(cluster), f"-s sft/llama3p1_2b_sft.py {options}")


async def test_two_nodes_train_and_the_loss_falls(
    pretrained: tuple[str, str], alice: Person
) -> None:
    """In NeMo's line shapes, with a checkpoint that is really there."""
    state, log = pretrained
    assert state == "COMPLETED"
    steps = _LOSS.findall(log)
    assert [int(step) for step, _, _ in steps] == list(range(int(steps[0][1]) + 1))
    losses = [float(loss) for _, _, loss in steps]
    assert losses[-1] < 0.5 * losses[0]
    assert log.endswith(f"`Trainer.fit` stopped: `max_steps={len(steps)}` reached.\n")
    saved = _SAVED.findall(log)
    assert (await alice.ssh(f"ls {' '.join(saved)}")).stdout.split() == sorted(saved)


async def test_fine_tuning_starts_from_the_newest_checkpoint(
    pretrained: tuple[str, str], tuned: tuple[str, str], alice: Person
) -> None:
    """Of what was pre-trained in the same log folder."""
    before = tuned[1]
    assert "No checkpoint of llama3p1_2b below" in before
    state, after = await finished(alice, "-s sft/llama3p1_2b_sft.py -p a3u --log-dir $HOME/logs")
    assert state == "COMPLETED"
    newest = _SAVED.findall(pretrained[1])[-1]
    assert f"RestoreConfig(path='{newest}')" in after
    assert _first_loss(after) < _first_loss(before)


async def test_the_cross_device_link_stays_until_the_files_are_in_place(
    cluster: EmbeddedCluster, alice: Person
) -> None:
    """The documented second remedy: both files, under Megatron's names."""
    arguments = "-s cpt/gpt2_345m_cpt.py -p a3u --cache-dir $HOME/second-cache"
    for _ in range(2):
        state, log = await finished(alice, arguments)
        assert state == "FAILED"
        assert _last_line(log) == _cross_device(f"{alice.address.home}/second-cache")
    source, target = cluster.address.tokenizer_url, "second-cache/torch/megatron/megatron-gpt-345m"
    await alice.ssh(
        "python3 -c 'import sys, urllib.request as u; u.urlretrieve(*sys.argv[1:3]);"
        f" u.urlretrieve(*sys.argv[3:])' {source}/gpt2-vocab.json {target}_vocab"
        f" {source}/gpt2-merges.txt {target}_merges"
    )
    state, log = await finished(alice, arguments)
    assert state == "COMPLETED"
    assert _LOSS.search(log)


async def test_checkpoints_come_as_often_as_the_launcher_was_told(tuned: tuple[str, str]) -> None:
    """By an option that only this run.py has."""
    state, log = tuned
    assert state == "COMPLETED"
    saved = re.findall(r"Global Checkpoint Save : Rank: 0 : Iteration: (\d+)", log)
    assert saved == ["24", "49", "59"]


async def test_the_launcher_tells_all_its_options(alice: Person) -> None:
    """The documented ones, and one that the documentation does not know."""
    shown = (await alice.ssh("cd vertex-oss-training/nemo && python3 run.py --help")).stdout
    words = "-e --slurm-type -p --partition -d -i -s -n --experiment-name --log-dir --cache-dir"
    for word in (*words.split(), "--data-dir", "--account", "--checkpoint-every"):
        assert re.search(rf"(?<![\w-]){word}\b", shown), word


async def test_the_example_batch_scripts_do_what_they_say(alice: Person) -> None:
    """One trains, one fails for want of a file."""
    trains = await alice.sbatch("jobs/train.sh sft/llama3p1_2b_sft.py")
    fails = await alice.sbatch("jobs/fails.sh")
    assert await alice.ended(fails) == "FAILED"
    assert "data/train.jsonl: No such file" in (await alice.ssh(f"cat slurm-{fails}.out")).stdout
    assert await alice.ended(trains) == "COMPLETED"
    assert _LOSS.search((await alice.ssh(f"cat train-{trains}.log")).stdout)


async def test_the_recipes_are_a_clean_checkout(alice: Person) -> None:
    """On the documented branch, also after launches."""
    shown = await alice.ssh("cd vertex-oss-training && git status --short --branch")
    assert shown.stdout == "## release-allowlist-ga...origin/release-allowlist-ga\n"


def _cross_device(cache: str) -> str:
    return (
        "OSError: [Errno 18] Invalid cross-device link: 'gpt2-vocab.json' ->"
        f" '{cache}/torch/megatron/megatron-gpt-345m_vocab'"
    )


def _last_line(log: str) -> str:
    return [line for line in log.splitlines() if not line.startswith(("srun: ", "slurmstepd"))][-1]


def _first_loss(log: str) -> float:
    return float(_LOSS.findall(log)[0][2])
